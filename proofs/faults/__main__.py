"""Kill runs and disturb them: ``python -m proofs.faults --kills 40 --seed 15``.

The kills are shared out among the scenarios. Each process of the command is started anew and imports LightEval;
``--fork`` forks them from one that has. The exit status is 1 if anything was lost, asked twice or another in the end.
"""

import argparse
import contextlib
import signal
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from proofs.faults.chains import prepared, prove
from proofs.faults.refusals import DISK_TRIALS, TRIALS, Bench, try_all
from proofs.faults.scenarios import SCENARIOS
from proofs.faults.sessions import fork, spawn


def main(argv: Sequence[str]) -> int:
    """Run the proof; returns the exit status."""
    names = [scenario.name for scenario in SCENARIOS]
    parser = argparse.ArgumentParser(prog="python -m proofs.faults", description=__doc__.partition("\n")[0])
    parser.add_argument("--kills", type=int, default=40, help="how many runs are killed (default 40)")
    parser.add_argument("--seed", type=int, default=15, help="of the moments (default 15)")
    parser.add_argument("--scenario", action="append", choices=names, help="only this one (again for further ones)")
    parser.add_argument("--trials", choices=["all", "none", "only"], default="all", help="the other faults")
    parser.add_argument("--latency-ms", type=float, default=10.0, help="shortest time of an answer (default 10)")
    parser.add_argument("--signal", choices=["KILL", "TERM", "INT"], default="KILL", help="that kills (default KILL)")
    parser.add_argument("--fork", action="store_true", help="fork the runs from one process that has imported all")
    parser.add_argument("--folder", type=Path, help="keeps what the runs write (default: a temporary one)")
    given = parser.parse_args(argv)
    chosen = [scenario for scenario in SCENARIOS if given.scenario is None or scenario.name in given.scenario]
    start = fork if given.fork else spawn
    with contextlib.ExitStack() as stack:
        base = given.folder or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="faults-")))
        kills = again = faults = 0
        for number, scenario in enumerate(chosen if given.trials != "only" else []):
            share = given.kills // len(chosen) + (number < given.kills % len(chosen))
            found = prove(
                base / scenario.name,
                scenario,
                start,
                kills=share,
                seed=given.seed,
                latency_ms=given.latency_ms,
                number=signal.Signals[f"SIG{given.signal}"],
                tell=_tell,
            )
            kills, again = kills + len(found.kills), again + found.answered_again
            faults += len(found.faults)
        _tell(
            f"seed {given.seed}: {kills} kills; {again} requests under way at a kill were asked again; {faults} faults"
        )
        for scenario in chosen if given.trials != "none" else []:
            trials = TRIALS if scenario is chosen[0] else DISK_TRIALS
            with prepared(base / f"trials-{scenario.name}", scenario, start, given.latency_ms) as (place, whole):
                tried = try_all(Bench(place, scenario, start, whole), _tell, trials)
            faults += sum(map(len, tried.values()))
            _tell(f"{len(tried)} of {len(trials)} other faults tried with {scenario.name}; {faults} faults in all")
    return int(faults > 0)


def _tell(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
