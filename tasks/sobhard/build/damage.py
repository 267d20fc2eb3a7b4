"""``python -m tasks.sobhard.build.damage``: runs ``builders.sobhard.damage`` by name."""

import runpy

if __name__ == "__main__":
    runpy.run_module("builders.sobhard.damage", run_name="__main__", alter_sys=True)
