"""Does bulk actions in chunks: `API_URL=… API_TOKEN=… STORE=college.sqlite python worker.py`."""

from __future__ import annotations

import csv
import io
import os
import sqlite3
from typing import Any, Dict, List, Tuple

from actions import BY_TYPE, QUEUE
from store import (
    Bookmark,
    LeaseOver,
    Person,
    Store,
    bookmark_of,
    count_people,
    has_right,
    move_bookmark,
    next_people,
)

from holdfast import GiveBack, Holdfast, PermanentFailure, Task, Worker

CHUNK = int(os.environ.get("CHUNK", "200"))
#: Between chunks, so that the database has time for others.
PAUSE_SECONDS = float(os.environ.get("PAUSE_SECONDS", "0"))


def csv_line(person: Person) -> str:
    line = io.StringIO()
    csv.writer(line).writerow(person)
    return line.getvalue()


def export(database: sqlite3.Connection, task: str, spec: Any, people: List[Person]) -> None:
    lines = [(task, one.id, csv_line(one)) for one in people]
    database.executemany("INSERT INTO export_rows (task, person, line) VALUES (?, ?, ?)", lines)


def change_status(database: sqlite3.Connection, task: str, spec: Any, people: List[Person]) -> None:
    for one in people:
        if one.status != spec["to"]:
            database.execute("UPDATE people SET status = ? WHERE id = ?", (spec["to"], one.id))
            database.execute(
                "INSERT INTO status_changes (task, person, to_status, reason) VALUES (?, ?, ?, ?)",
                (task, one.id, spec["to"], spec["reason"]),
            )


CHANGES = {"bulk.export_search": export, "bulk.change_program_status": change_status}


def next_chunk(
    database: sqlite3.Connection, task: str, type: str, spec: Dict[str, Any], at: Bookmark
) -> Tuple[Bookmark, bool]:
    """Does one chunk; returns the bookmark behind it, and whether it was the last."""
    if type == "bulk.enrol":
        newcomers = spec["people"][at.position : at.position + CHUNK]
        rows = [(one["name"], one["email"], spec["program"]) for one in newcomers]
        database.executemany("INSERT INTO people (name, email, program) VALUES (?, ?, ?)", rows)
        done = at.done + len(newcomers)
        return Bookmark(done, done, len(spec["people"])), done == len(spec["people"])
    total = count_people(database, spec["who"]) if at.total < 0 else at.total
    people = next_people(database, spec["who"], at.position, CHUNK)
    CHANGES[type](database, task, spec, people)
    last = people[-1].id if people else at.position
    return Bookmark(last, at.done + len(people), total), len(people) < CHUNK


def run(store: Store, task: Task) -> Any:
    while True:
        try:
            with store.chunk(task.id, task.raw["token"]) as database:
                owner = int(task.raw["owner_id"])
                if not has_right(database, owner, BY_TYPE[task.type].right):
                    raise PermanentFailure("RIGHTS_REVOKED", f"of {owner}")
                at = bookmark_of(database, task.id)
                at, was_last = next_chunk(database, task.id, task.type, task.body, at)
                move_bookmark(database, task.id, at)
        except LeaseOver:
            raise GiveBack() from None  # the outcome is dropped: the lease is lost
        if was_last:
            return {"people": at.done}
        task.save(percent=at.percent)  # for people who watch; no worker relies on it
        if task.cancelled.wait(PAUSE_SECONDS):
            raise GiveBack()


if __name__ == "__main__":
    college = Store(os.environ["STORE"])
    client = Holdfast(os.environ["API_URL"], token=os.environ["API_TOKEN"])
    worker = Worker(client, queue=QUEUE)
    worker.handler(*BY_TYPE)(lambda task: run(college, task))
    worker.run()
