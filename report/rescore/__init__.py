"""A run's answers by the present scorers.

``stored.py`` the answers of a run's details or journal; ``rescoring.py`` scores them again; ``rescored.py`` what
changed of a task; ``forms.py`` its JSON and lines.
"""
