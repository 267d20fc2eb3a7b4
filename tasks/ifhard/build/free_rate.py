"""``python -m tasks.ifhard.build.free_rate``: runs ``builders.ifhard.free_rate`` by name."""

import runpy

if __name__ == "__main__":
    runpy.run_module("builders.ifhard.free_rate", run_name="__main__", alter_sys=True)
