"""``python -m tasks.sobhard.build``: runs ``builders.sobhard`` by name."""

import runpy

if __name__ == "__main__":
    runpy.run_module("builders.sobhard", run_name="__main__", alter_sys=True)
