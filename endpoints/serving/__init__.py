"""The model's and the judge's vLLM servers, started and stopped by the run that uses them.

``plan.py`` what a serving file says · ``reading.py`` reading it strictly · ``commands.py`` the processes it means ·
``checks.py`` what can be known to be wrong before anything starts · ``parsers.py`` and ``probe.py`` asking the
installed server's own argument parser · ``running.py`` start, watch, stop · ``diagnosis.py`` what a log says of a
failure · ``__main__.py`` the command line::

    plan = read_serving(Path("serving/three-gpus.yaml"))
    with serve(plan, run_folder / "logs", say) as served:
        ask(served.model_base_url, served.judge_base_url)
"""

from endpoints.serving.checks import check_plan, remarks
from endpoints.serving.parsers import dry_run
from endpoints.serving.plan import RouterPlan, ServerPlan, ServingPlan
from endpoints.serving.reading import ServingFileError, read_serving
from endpoints.serving.running import Served, serve

__all__ = [
    "RouterPlan",
    "Served",
    "ServerPlan",
    "ServingFileError",
    "ServingPlan",
    "check_plan",
    "dry_run",
    "read_serving",
    "remarks",
    "serve",
]
