"""Stand-ins for the serving environment's interpreter and for the package ``ray``: no cluster, all on this machine."""

import os
import sys
from pathlib import Path

from endpoints.serving import ray_replica

SCRIPT = ray_replica.__file__
ROOT = Path(__file__).resolve().parents[2]

# An interpreter that keeps no server on a cluster but becomes the server, on another port each time.
INTERPRETER = f"""#!{sys.executable}
import json, os, pathlib, socket, sys
here = pathlib.Path(__file__).parent
_, flag, script, what, *arguments = sys.argv
assert (flag, script) == ("-P", {SCRIPT!r}), sys.argv
with open(here / "calls", "a") as calls:
    calls.write(json.dumps([what, *arguments]) + "\\n")
if what == "look":
    print((here / "cluster").read_text(), end="")
    sys.exit()
command = arguments[arguments.index("--") + 1:]
if (here / "refuses").exists():
    sys.exit("[ray] the Ray cluster cannot be reached")
with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
print(json.dumps({{"url": f"http://127.0.0.1:{{port}}"}}), flush=True)
os.dup2(2, 1)
words = {{"{{node-address}}": "127.0.0.1", "{{free-port}}": str(port)}}
for word, value in words.items():
    command = [part.replace(word, value) for part in command]
os.execv(command[0], command)
"""

# As much of Ray as the script uses. The actor is an object in the same process; the file ``lost`` has it die.
RAY = """
import concurrent.futures, os, pathlib, threading, types
here = pathlib.Path(__file__).parent

class RayError(Exception):
    pass

exceptions = types.SimpleNamespace(RayError=RayError)
util = types.SimpleNamespace(get_node_ip_address=lambda: "127.0.0.1")
pool = concurrent.futures.ThreadPoolExecutor()

def init(address, **_):
    if address == "nowhere":
        raise ConnectionError("Could not find any running\\nRay instance.")

def nodes():
    return [{"NodeID": "n", "NodeManagerAddress": "10.0.0.1", "Alive": True, "Resources": {"GPU": 4.0}},
            {"NodeID": "m", "NodeManagerAddress": "10.0.0.2", "Alive": False, "Resources": {}}]

class Method:
    def __init__(self, method):
        self.method = method
    def remote(self, *arguments):
        def call():
            if (here / "lost").exists():
                raise RayError("The actor died. The actor is dead because its node\\nhas died.")
            return self.method(*arguments)
        return pool.submit(call)

class Actor:
    def __init__(self, kind):
        self.object = kind()
    def __getattr__(self, name):
        return Method(getattr(self.object, name))

class Remote:
    def __init__(self, kind):
        self.kind = kind
    def options(self, **given):
        (here / "options").write_text(repr(given))
        return self
    def remote(self):
        return Actor(self.kind)

remote = Remote

def wait(futures, timeout):
    room = not (here / "full").exists()
    done = [future for future in futures if room and concurrent.futures.wait([future], timeout).done]
    if not room:
        threading.Event().wait(min(timeout, 0.1))
    return done, [future for future in futures if future not in done]

def get(future, timeout=None):
    return future.result(timeout)

def kill(actor):
    (here / "killed").touch()
"""


def interpreter(folder: Path, cluster: str) -> Path:
    """The stand-in for an interpreter, in a folder of its own, which says this of a cluster; a router is beside it."""
    folder.mkdir()
    router = folder / "vllm-router"
    router.touch(0o755)
    (folder / "cluster").write_text(cluster, encoding="utf-8")
    program = folder / "python"
    program.write_text(INTERPRETER, encoding="utf-8")
    program.chmod(0o755)
    return program


def ray_folder(folder: Path) -> Path:
    """The folder of the stand-in for ``ray``; its parent is for PYTHONPATH."""
    (folder / "ray").mkdir()
    (folder / "ray" / "__init__.py").write_text(RAY, encoding="utf-8")
    return folder / "ray"


def environment(**variables: str) -> dict[str, str]:
    """This process's variables and others."""
    return {**os.environ, **variables}
