"""A worker that takes verifications from state to state, and asks after jobs whose callback does not
come: `API_URL=… API_TOKEN=… SERVICE_URL=… python worker.py`."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from typing import Any, Optional

from flow import (
    ASKING,
    ENDS,
    PAUSE_IN_OUTAGE,
    QUEUE,
    TASK_TYPE,
    Verification,
    answered,
    asked,
    looked,
    pause_of,
    queue_policy,
)

from holdfast import GiveBack, Holdfast, Task, Worker

SERVICE_SECONDS = 30.0


def ask_service(path: str, body: Any = None) -> Any:
    """The answer of the service; None while it is out of order."""
    request = urllib.request.Request(
        os.environ["SERVICE_URL"] + path,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=SERVICE_SECONDS) as answer:
            return json.load(answer)
    except (OSError, ValueError):
        return None


def wait(v: Verification, seconds: float) -> GiveBack:
    """A task that waits is a row with a time. It holds no lease and no thread."""
    return GiveBack(state=v.state, data=v.data, delay=seconds)


def step(v: Verification, task: str) -> Verification:
    """The next state. Raises `GiveBack` where the service has to be waited for."""
    if v.state in ASKING:
        check, _ = ASKING[v.state]
        said = ask_service("/checks", {"check": check, "who": task})
        if said is None:
            raise wait(v, PAUSE_IN_OUTAGE)
        waiting = asked(v, said["tracking"])
        raise wait(waiting, pause_of(waiting))
    said = ask_service(f"/checks/{v.tracking}")
    if said is None:
        raise wait(v, PAUSE_IN_OUTAGE)
    verdict: Optional[str] = said["verdict"]
    if verdict is None:
        raise wait(looked(v), pause_of(v))
    return answered(v, verdict, "polling")


def verify(task: Task) -> Any:
    v = Verification(task.state, task.data)
    while v.state not in ENDS:
        v = step(v, task.id)
        task.save(state=v.state, data=v.data)  # durable before the next step
    return {"verdict": v.state, "findings": v.findings}


if __name__ == "__main__":
    client = Holdfast(os.environ["API_URL"], token=os.environ["API_TOKEN"])
    client.put_queue(QUEUE, queue_policy())
    worker = Worker(client, queue=QUEUE)
    worker.handler(TASK_TYPE)(verify)
    worker.run()
