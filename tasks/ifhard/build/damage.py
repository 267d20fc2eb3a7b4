"""``python -m tasks.ifhard.build.damage``: runs ``builders.ifhard.damage`` by name."""

import runpy

if __name__ == "__main__":
    runpy.run_module("builders.ifhard.damage", run_name="__main__", alter_sys=True)
