"""The page ``report html`` writes: one file that opens anywhere, without a network.

What is said of runs: ``view.py`` reads them, ``numbers.py`` has headlines and outcomes as ``run.json`` has them,
``heat.py`` and ``lengths.py`` say where answers fail, ``failures.py`` why, ``against.py`` who won against the first.

How it is shown: ``page.py`` fills ``page.html``, ``plots.py`` draws, ``samples.py`` and ``packing.py`` hold answers;
``page.css`` and ``page.js`` go into the page as they are.
"""
