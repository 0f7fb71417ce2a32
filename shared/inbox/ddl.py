"""The SQL text of the local inbox, the only file that the Space may write; both houses create and use it with these words.

`place` is the order of arrival. Every statement takes named values, so that neither house builds SQL.
"""

from typing import Final

MAX_WAITING: Final = 500

DDL: Final = """
CREATE TABLE IF NOT EXISTS request (
  place INTEGER PRIMARY KEY AUTOINCREMENT, request_id TEXT NOT NULL UNIQUE, data BLOB NOT NULL, put_ms INTEGER NOT NULL
) STRICT;
"""
BUSY_TIMEOUT_S: Final = 5.0

COUNT: Final = "SELECT count(*) FROM request"
FIND: Final = "SELECT data FROM request WHERE request_id = :request_id"
PUT: Final = "INSERT INTO request (request_id, data, put_ms) VALUES (:request_id, :data, :put_ms)"
LIST: Final = "SELECT request_id, data, put_ms FROM request ORDER BY place LIMIT :limit"
REMOVE: Final = "DELETE FROM request WHERE request_id = :request_id"
REMOVE_BYTES: Final = "DELETE FROM request WHERE request_id = CAST(:request_id AS TEXT)"
