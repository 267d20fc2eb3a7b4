"""A server for a serving file: HardMultiQA's scripted model or judge on a given port, with a child as vLLM has one.

scripted_vllm.py ROLE NOTES SECONDS_UNTIL_UP SECONDS_AN_ANSWER --port=PORT ...
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1] / folder) for folder in ("endpoints", "tasks/hardmultiqa")]

import hardmultiqa_servers as servers  # noqa: E402 (found by the line above)
from fault_server import FaultServer  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument("--port", type=int)
parser.add_argument("--served-model-name")
options, _ = parser.parse_known_args(sys.argv[5:])
role, notes, up_s, answer_s = sys.argv[1:5]
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
with (Path(notes) / "pids").open("a", encoding="utf-8") as file:
    file.write(json.dumps([os.getpid(), child.pid]) + "\n")
(Path(notes) / f"{role}.pid").write_text(str(os.getpid()), encoding="utf-8")
time.sleep(float(up_s))


async def reply(server, request):
    """The scripted reply after a while, with a note that it was given."""
    await asyncio.sleep(float(answer_s))
    with (Path(notes) / role).open("a", encoding="utf-8") as file:
        file.write("x")
    return await getattr(servers, role)(server, request)


with FaultServer(reply, models={"data": [{"id": options.served_model_name}]}, port=options.port):
    time.sleep(600)
