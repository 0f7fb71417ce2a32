"""The tables of control.sqlite.

`head` has one row and is what a commit moves; `append` holds the exact bytes of each segment and the chain after it; `event`
makes each event id unique in the whole log; `journal` is the tip of each journal, derived from `append` and checked against it
when read. `savepoint` and `savepoint_part` are disposable. `status` is what the Space reads. Used by the SQLite adapters.
"""

from typing import Final

CONTROL_DDL: Final = """
CREATE TABLE IF NOT EXISTS head (
  one INTEGER PRIMARY KEY CHECK (one = 1), version TEXT NOT NULL, serial INTEGER NOT NULL, moved_ms INTEGER NOT NULL
) STRICT;
INSERT OR IGNORE INTO head VALUES (1, '0', 0, 0);
CREATE TABLE IF NOT EXISTS batch (
  serial INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, version TEXT NOT NULL, class TEXT NOT NULL, at_ms INTEGER NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS append (
  id INTEGER PRIMARY KEY, subject_type TEXT NOT NULL, subject_id TEXT NOT NULL, first_seq INTEGER NOT NULL,
  count INTEGER NOT NULL, serial INTEGER NOT NULL, chain TEXT NOT NULL, data BLOB NOT NULL,
  UNIQUE (subject_type, subject_id, first_seq)
) STRICT;
CREATE TABLE IF NOT EXISTS event (
  event_id TEXT PRIMARY KEY, append_id INTEGER NOT NULL, position INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS journal (
  subject_type TEXT NOT NULL, subject_id TEXT NOT NULL, seq INTEGER NOT NULL, chain TEXT NOT NULL, is_open INTEGER NOT NULL,
  PRIMARY KEY (subject_type, subject_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS journal_open ON journal (is_open) WHERE is_open = 1;
CREATE TABLE IF NOT EXISTS document (digest TEXT PRIMARY KEY, data BLOB NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS lease (
  scope TEXT PRIMARY KEY, generation INTEGER NOT NULL, holder TEXT NOT NULL, ttl_s INTEGER NOT NULL,
  renewal INTEGER NOT NULL, because TEXT NOT NULL, moved_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS pointer (
  name TEXT PRIMARY KEY, generation INTEGER NOT NULL, target TEXT NOT NULL, because TEXT NOT NULL, moved_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS status (
  subject_type TEXT NOT NULL, subject_id TEXT NOT NULL, seq INTEGER NOT NULL, data BLOB NOT NULL,
  PRIMARY KEY (subject_type, subject_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS savepoint (
  subject_type TEXT NOT NULL, subject_id TEXT NOT NULL, manifest BLOB NOT NULL, PRIMARY KEY (subject_type, subject_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS savepoint_part (
  subject_type TEXT NOT NULL, subject_id TEXT NOT NULL, digest TEXT NOT NULL, data BLOB NOT NULL,
  PRIMARY KEY (subject_type, subject_id, digest)
) STRICT, WITHOUT ROWID;
"""
