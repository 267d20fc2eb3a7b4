"""Scripts that show how often intervals and tests are right; each prints its figures and names its seed."""
