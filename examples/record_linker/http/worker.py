"""Matches records at an API that limits its rate:
`API_URL=… API_TOKEN=… ENTITY_URL=… LINKS=links.sqlite python worker.py`."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.parse
import urllib.request
from typing import Any

from links import Links
from matching import QUEUE, TASK_TYPE, Said, pause_in_outage, verdict_of

from holdfast import (
    Holdfast,
    PermanentFailure,
    RateLimited,
    Task,
    TransientFailure,
    Worker,
)

ENTITY_SECONDS = 10.0
#: Where the API says 429 without a time.
RETRY_AFTER = 5.0


def ask_entity_api(label: str) -> Said:
    url = f"{os.environ['ENTITY_URL']}/entities?label={urllib.parse.quote(label)}"
    try:
        with urllib.request.urlopen(url, timeout=ENTITY_SECONDS) as answer:
            return Said(answer.status, json.load(answer)["entity"])
    except urllib.error.HTTPError as error:
        after = error.headers.get("Retry-After", "")
        seconds = float(after) if after.isdigit() else RETRY_AFTER
        return Said(error.code, None, error.read(1000).decode("utf-8", "replace"), seconds)
    except (OSError, ValueError, KeyError):
        return Said(0)


def match(links: Links, task: Task) -> Any:
    # Read anew by each attempt: since the task was made, or since a worker before this one stored
    # the result and died, the link may have changed.
    link = links.find(task.body["task_id"])
    if link is None or link.status != "QUEUED":
        return {"stored": False}
    said = ask_entity_api(link.label)
    if said.status == 429:
        # No task of this credential is granted before that time, to any worker.
        raise RateLimited(said.retry_after, "API_RATE_LIMITED", "the API said 429")
    verdict = verdict_of(said)
    if verdict is None:
        pause = pause_in_outage(task.attempt)
        raise TransientFailure("API_OUTAGE", f"the API said {said.status}", pause)
    if not links.settle(link.link, verdict):
        return {"stored": False}  # the link has changed meanwhile
    if verdict.status == "FAILED":
        raise PermanentFailure("RECORD_REFUSED", verdict.message)
    return {"entity": verdict.entity}


if __name__ == "__main__":
    table = Links(os.environ["LINKS"])
    client = Holdfast(os.environ["API_URL"], token=os.environ["API_TOKEN"])
    worker = Worker(client, queue=QUEUE, prefetch=4)
    worker.handler(TASK_TYPE)(lambda task: match(table, task))
    worker.run(concurrency=8)
