"""``python -m tasks.sobhard.small``: runs ``builders.sobhard.small`` by name."""

import runpy

if __name__ == "__main__":
    runpy.run_module("builders.sobhard.small", run_name="__main__", alter_sys=True)
