"""Starts and stops the vLLM servers of the model and the judge, for the length of a run.

``plan.py`` has the classes for the contents of a serving file; ``reading.py`` reads the file strictly;
``commands.py`` makes the command lines; ``checks.py`` finds mistakes before anything starts; ``dry_run.py`` and
``probe.py`` ask the installed server's own argument parser, by way of ``script_answer.py``; ``running.py`` starts and
stops; ``server.py`` is one server with its log, ``supervision.py`` starts again what dies or hangs, ``balancing.py``
tells the router; ``ports.py`` reserves ports; ``diagnosis.py`` finds the cause of a failure in a log; ``__main__.py``
is the command line.

For servers on the nodes of a Ray cluster, ``ray_cluster.py`` checks what a file says of them and whether there is room;
``ray_replica.py`` keeps one of them there: a script that runs in the serving environment, which alone has Ray.

For ``--serve auto``, ``gpus.py`` reads which GPUs there are; ``model_files.py`` gets a model's config and the size of
its weights, ``model_facts.py`` makes of them what counts; ``sizing.py`` tries every way to place the servers and takes
the best; ``auto_plan.py`` writes it as a serving file with its reasons; ``refusal.py`` says what would fit where
nothing does.

An example::

    plan = read_serving(Path("serving/three-gpus.yaml"))
    with serve(plan, run_folder / "logs", say) as served:
        ask(served.model_base_url, served.judge_base_url)
"""

from endpoints.serving.checks import check_plan, remarks
from endpoints.serving.dry_run import dry_run
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
