"""``python -m tasks.sobhard.build.equivalence``: runs ``builders.sobhard.equivalence`` by name."""

import runpy

if __name__ == "__main__":
    runpy.run_module("builders.sobhard.equivalence", run_name="__main__", alter_sys=True)
