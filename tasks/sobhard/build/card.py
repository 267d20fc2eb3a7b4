"""``python -m tasks.sobhard.build.card``: runs ``builders.sobhard.card`` by name."""

import runpy

if __name__ == "__main__":
    runpy.run_module("builders.sobhard.card", run_name="__main__", alter_sys=True)
