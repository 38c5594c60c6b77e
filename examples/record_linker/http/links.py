"""The application's own table of links. Holdfast knows nothing of it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import List, Optional

from matching import Link, Settled

SCHEMA = """
CREATE TABLE IF NOT EXISTS links (
  project integer NOT NULL,
  link integer PRIMARY KEY,
  label text NOT NULL,
  status text NOT NULL DEFAULT 'PENDING',
  entity text,
  message text NOT NULL DEFAULT '')"""


class Links:
    """Safe to use from several threads and processes: each call has a connection of its own."""

    def __init__(self, path: str) -> None:
        self._path = path
        with self._open() as database:
            database.execute(SCHEMA)

    def add(self, project: int, labels: List[str]) -> None:
        with self._open() as database:
            rows = [(project, label) for label in labels]
            database.executemany("INSERT INTO links (project, label) VALUES (?, ?)", rows)

    def queue_project(self, project: int) -> List[Link]:
        """Makes the pending links of a project queued; returns all that are queued then, also those
        of an earlier request that may have got no further."""
        with self._open() as database:
            database.execute(
                "UPDATE links SET status = 'QUEUED' WHERE project = ? AND status = 'PENDING'",
                (project,),
            )
            rows = database.execute(
                "SELECT project, link, label, status FROM links"
                " WHERE project = ? AND status = 'QUEUED' ORDER BY link",
                (project,),
            )
            return [Link(*row) for row in rows]

    def find(self, link: int) -> Optional[Link]:
        with self._open() as database:
            row = database.execute(
                "SELECT project, link, label, status FROM links WHERE link = ?", (link,)
            ).fetchone()
            return Link(*row) if row else None

    def settle(self, link: int, how: Settled) -> bool:
        """Stores a result if the link is still queued. False: nothing was written."""
        with self._open() as database:
            changed = database.execute(
                "UPDATE links SET status = ?, entity = ?, message = ?"
                " WHERE link = ? AND status = 'QUEUED'",
                (how.status, how.entity, how.message, link),
            )
            return changed.rowcount == 1

    def delete_project(self, project: int) -> None:
        with self._open() as database:
            database.execute("DELETE FROM links WHERE project = ?", (project,))

    def results(self, project: int) -> List[Settled]:
        with self._open() as database:
            rows = database.execute(
                "SELECT status, entity, message FROM links WHERE project = ? ORDER BY link",
                (project,),
            )
            return [Settled(*row) for row in rows]

    def _open(self) -> "_Transaction":
        return _Transaction(self._path)


class _Transaction:
    """A transaction on a connection that is closed at its end."""

    def __init__(self, path: str) -> None:
        self._connection = sqlite3.connect(path, timeout=30.0)

    def __enter__(self) -> sqlite3.Connection:
        return self._connection.__enter__()

    def __exit__(self, *error: object) -> None:
        with closing(self._connection):
            self._connection.__exit__(*error)  # type: ignore[arg-type]
