"""``python -m tasks.ifhard.build``: runs ``builders.ifhard`` by name."""

import runpy

if __name__ == "__main__":
    runpy.run_module("builders.ifhard", run_name="__main__", alter_sys=True)
