"""Receives the callbacks of the service: `API_URL=… API_TOKEN=… python callbacks.py PORT`.

    POST /callbacks/{task}  {"tracking": "…", "verdict": "passed" | "failed" | "unclear"}

is answered 200 `{"applied": true}`, or false where the verification does not wait for that job. After 503
the service calls again later. A real receiver also checks a signature of the service.
"""

from __future__ import annotations

import json
import os
import sys
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Dict, Tuple

from flow import QUEUE, VERDICTS, Verification, on_callback

from holdfast import Holdfast, HoldfastError

BODY_BYTES_MAX = 64 * 1024
LEASE_OVER = ("lease_not_held", "stale_token", "lease_expired", "not_found")


def receive(client: Holdfast, name: str, task: str, tracking: str, verdict: str) -> bool:
    """Whether the callback was applied.

    The task is taken from the worker that holds it, if one does: the callback knows the verdict, and
    that worker is only asking. A later write of the worker is refused by its old token.
    """
    seen = client.get_task(task)
    # A look costs little. To take a task costs the worker that holds it its work.
    if on_callback(Verification(seen["state"], seen["data"]), tracking, verdict) is None:
        return False
    # The same callback gets the same lease again, also after a lost answer.
    claim = uuid.uuid5(uuid.UUID(task), f"{name} {tracking}")
    taken = client.eject_task(task, queue=QUEUE, worker=name, claim=claim)
    if not taken:
        return False
    # It may have moved on since the look. Under the lease nobody else can move it.
    held = taken[0]
    moved = on_callback(Verification(held["state"], held["data"]), tracking, verdict)
    state = moved or Verification(held["state"], held["data"])
    client.release_task(
        task, held["token"], worker=name, queue=QUEUE, state=state.state, data=state.data
    )
    return moved is not None


class Receiver(BaseHTTPRequestHandler):
    client: Holdfast
    name: str

    def do_POST(self) -> None:
        status, body = self._answer()
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _answer(self) -> Tuple[int, Dict[str, Any]]:
        try:
            _, root, task = self.path.split("/")
            task = str(uuid.UUID(task))
            size = int(self.headers.get("Content-Length", "0"))
            said = json.loads(self.rfile.read(min(size, BODY_BYTES_MAX)))
            tracking, verdict = said["tracking"], said["verdict"]
        except (ValueError, KeyError, TypeError) as error:
            return 400, {"error": str(error)}
        if root != "callbacks" or not isinstance(tracking, str) or verdict not in VERDICTS:
            return 400, {"error": "this is no callback"}
        try:
            return 200, {"applied": receive(self.client, self.name, task, tracking, verdict)}
        except HoldfastError as error:
            if error.code in LEASE_OVER:
                return 200, {"applied": False}  # over, or taken by another callback
            return 503, {"error": error.code}


if __name__ == "__main__":
    Receiver.client = Holdfast(os.environ["API_URL"], token=os.environ["API_TOKEN"], timeout=20)
    Receiver.name = f"callbacks-{os.getpid()}-{uuid.uuid4()}"
    with ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver) as server:
        print(f"ready port={server.server_port}", flush=True)
        server.serve_forever()
