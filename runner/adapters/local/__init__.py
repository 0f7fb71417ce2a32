"""The embedded default: SQLite, files and subprocesses on one machine."""
