"""A page of answers in a terminal.

``command.py`` the page; ``selection.py`` which answers; ``showing.py`` one of them; ``paging.py`` where it goes.
"""
