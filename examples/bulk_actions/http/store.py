"""The application's own tables: staff, people, and the bookmark of each task."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from typing import Any, Dict, Iterator, List, NamedTuple, Optional

SCHEMA = """
CREATE TABLE IF NOT EXISTS staff (
  id integer PRIMARY KEY, token text NOT NULL UNIQUE, rights text NOT NULL);
CREATE TABLE IF NOT EXISTS people (
  id integer PRIMARY KEY, name text NOT NULL, email text NOT NULL, program text NOT NULL,
  status text NOT NULL DEFAULT 'ACTIVE');
CREATE TABLE IF NOT EXISTS status_changes (
  task text NOT NULL, person integer NOT NULL, to_status text NOT NULL, reason text NOT NULL);
CREATE TABLE IF NOT EXISTS export_rows (
  task text NOT NULL, person integer NOT NULL, line text NOT NULL, PRIMARY KEY (task, person));
CREATE TABLE IF NOT EXISTS bookmarks (
  task text PRIMARY KEY, token integer NOT NULL, position integer NOT NULL DEFAULT 0,
  done integer NOT NULL DEFAULT 0, total integer NOT NULL DEFAULT -1);
"""


class LeaseOver(Exception):
    """A worker with a newer lease has been here: this one changes nothing any more."""


class Person(NamedTuple):
    id: int
    name: str
    email: str
    program: str
    status: str


class Bookmark(NamedTuple):
    """Where a task is. It is written in the transaction of the chunk before it, so a chunk is done
    when, and only when, the bookmark is behind it."""

    position: int  #: The last person that was dealt with, or how many newcomers were.
    done: int
    total: int  #: How many there were to begin with; -1: not counted yet.

    @property
    def percent(self) -> int:
        return min(99, 100 * self.done // self.total) if self.total > 0 else 0


class Store:
    """Safe to use from several threads and processes: each transaction has a connection of its own."""

    def __init__(self, path: str) -> None:
        self._path = path
        database = sqlite3.connect(path, timeout=30.0)
        database.executescript(SCHEMA)
        database.close()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        database = sqlite3.connect(self._path, timeout=30.0, isolation_level=None)
        try:
            database.execute("BEGIN IMMEDIATE")
            yield database
            database.execute("COMMIT")
        finally:
            database.close()  # rolls back what was not committed

    @contextmanager
    def chunk(self, task: str, token: int) -> Iterator[sqlite3.Connection]:
        """The transaction of one chunk under a lease. Raises `LeaseOver` for an old token."""
        with self.transaction() as database:
            noted = database.execute(
                "INSERT INTO bookmarks (task, token) VALUES (?, ?)"
                " ON CONFLICT (task) DO UPDATE SET token = excluded.token"
                " WHERE bookmarks.token <= excluded.token",
                (task, token),
            )
            if noted.rowcount != 1:
                raise LeaseOver
            yield database

    def staff_with(self, token: str) -> Optional[int]:
        with self.transaction() as database:
            row = database.execute("SELECT id FROM staff WHERE token = ?", (token,)).fetchone()
            return row[0] if row else None

    def may(self, staff: int, right: str) -> bool:
        with self.transaction() as database:
            return has_right(database, staff, right)

    def export_of(self, task: str) -> List[str]:
        with self.transaction() as database:
            rows = database.execute(
                "SELECT line FROM export_rows WHERE task = ? ORDER BY person", (task,)
            )
            return [line for (line,) in rows]


def has_right(database: sqlite3.Connection, staff: int, right: str) -> bool:
    row = database.execute("SELECT rights FROM staff WHERE id = ?", (staff,)).fetchone()
    return row is not None and right in row[0].split()


def bookmark_of(database: sqlite3.Connection, task: str) -> Bookmark:
    row = database.execute(
        "SELECT position, done, total FROM bookmarks WHERE task = ?", (task,)
    ).fetchone()
    return Bookmark(*row)


def move_bookmark(database: sqlite3.Connection, task: str, to: Bookmark) -> None:
    database.execute(
        "UPDATE bookmarks SET position = ?, done = ?, total = ? WHERE task = ?", (*to, task)
    )


def _condition(who: Dict[str, Any]) -> Any:
    if "ids" in who:
        ids = who["ids"]
        return f"id IN ({', '.join('?' * len(ids))})", ids
    query = who["query"]
    return " AND ".join(["1 = 1", *(f"{name} = ?" for name in query)]), list(query.values())


def count_people(database: sqlite3.Connection, who: Dict[str, Any]) -> int:
    condition, values = _condition(who)
    count: int = database.execute(
        f"SELECT count(*) FROM people WHERE {condition}", values
    ).fetchone()[0]
    return count


def next_people(
    database: sqlite3.Connection, who: Dict[str, Any], after: int, most: int
) -> List[Person]:
    """A query is live: it is resolved with each chunk, in order of id."""
    condition, values = _condition(who)
    rows = database.execute(
        "SELECT id, name, email, program, status FROM people"
        f" WHERE {condition} AND id > ? ORDER BY id LIMIT ?",
        [*values, after, most],
    )
    return [Person(*row) for row in rows]
