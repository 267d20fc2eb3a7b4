"""Proof that no fault of the machine loses an answer, asks for one twice or changes a score.

- ``answering.py`` a server whose answers are functions of the requests, and which notes each of them.
- ``victim.py`` the real command, which kills itself at a given moment of its work on the run folder.
- ``moments.py`` at which moments runs are killed.
- ``scenarios.py`` the commands that are killed.
- ``evidence.py`` what a run folder and a server's notes say.
- ``sessions.py`` one process of a run.
- ``chains.py`` a run that is killed and resumed again and again, and what must hold of it.
- ``refusals.py`` the other faults: full disk, file-size limit, read-only folder, clock, second run, other journals;
  ``disks.py`` disks that are full or read-only.

``python -m proofs.faults --kills 40 --seed 15`` runs all of it.
"""
