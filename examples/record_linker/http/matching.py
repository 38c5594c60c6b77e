"""The task that matches a record, and every decision about it as a pure function. Names, codes and ids are
those of `../matching.hpp`."""

from __future__ import annotations

import uuid
from typing import Any, Dict, NamedTuple, Optional

QUEUE = "linker"
TASK_TYPE = "entity.match"

#: The seconds before the next attempt, after the first failure, the second, and all others.
PAUSES_IN_OUTAGE = (5.0, 30.0, 180.0)
LINK_END = 1 << 48


class Link(NamedTuple):
    """A record of a project that is matched, or to be."""

    project: int
    link: int
    label: str
    status: str  # PENDING, QUEUED, COMPLETED or FAILED


class Said(NamedTuple):
    """An answer of the API. Status 0: there was none."""

    status: int
    entity: Optional[str] = None
    message: str = ""
    retry_after: float = 0.0


class Settled(NamedTuple):
    """How the matching of a record ended."""

    status: str
    entity: Optional[str] = None
    message: str = ""


def task_of(project: int, link: int) -> str:
    """The id of the task of a link: to ask again makes no second task."""
    if not 0 < link < LINK_END:
        raise ValueError("links are numbered from 1")
    return str(uuid.UUID(int=project << 96 | 0x6C6B << 80 | 0x8000 << 64 | 0x8000 << 48 | link))


def request_for(link: Link) -> Dict[str, Any]:
    """The task has references only: the record may change before a worker reads it."""
    return {
        "id": task_of(link.project, link.link),
        "type": TASK_TYPE,
        "body": {"project_id": link.project, "task_id": link.link},
        "key": f"project-{link.project}",
    }


def queue_policy(requests_per_second: float) -> Dict[str, Any]:
    return {
        "lease": {"ttl_seconds": 30, "total_max_seconds": 300},
        "retry": {"max_attempts": 3, "crashes_max": 3, "least_seconds": 5, "most_seconds": 600},
        "rate_without_credential": {"per_second": requests_per_second, "burst": 1},
    }


def verdict_of(said: Said) -> Optional[Settled]:
    """The end that an answer brings about; None where the record has to be asked for again."""
    if said.status == 200:
        return Settled("COMPLETED", said.entity)
    if said.status == 404:
        return Settled("COMPLETED")
    if 400 <= said.status < 500 and said.status not in (408, 429):
        return Settled("FAILED", message=said.message)
    return None


def pause_in_outage(attempt: int) -> float:
    return PAUSES_IN_OUTAGE[min(attempt, len(PAUSES_IN_OUTAGE)) - 1]
