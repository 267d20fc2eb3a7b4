"""Folders of finished runs, read: ``run.json``, the details, records of every version of this package."""
