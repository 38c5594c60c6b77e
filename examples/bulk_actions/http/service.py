"""The endpoints that staff use: `API_URL=… API_TOKEN=… STORE=college.sqlite python service.py PORT`.

    POST /people/exports          {"ids": […]} or {"query": {"program", "status"}}
    POST /people/status-changes   the same with "to" and perhaps "reason"
    POST /people/enrolments       {"program", "people": [{"name", "email"}]}

are answered 202 with a receipt, and `Location` names the task. Nothing has been done by then.

    GET /tasks/{id}               how far it is
    GET /tasks                    the tasks of the caller, in order of their making
    GET /people/exports/{id}      the CSV of an export that is finished

`Authorization: Bearer` has the token of a member of staff, who never sees the token of the node. A request
with an `Idempotency-Key` may be sent again, and the second one gets the receipt of the first.
"""

from __future__ import annotations

import json
import os
import sys
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Dict, NamedTuple, Optional

from actions import BY_PATH, CATALOGUE, QUEUE, Action, Invalid, queue_policy
from store import Store

from holdfast import Holdfast, HoldfastError

BODY_BYTES_MAX = 160 * 1024


class Reply(NamedTuple):
    status: int
    body: Any
    headers: Dict[str, str] = {}


class Refused(Exception):
    def __init__(self, status: int, code: str, detail: str = "") -> None:
        self.reply = Reply(status, {"code": code, "detail": detail})


def receipt_of(view: Any) -> Dict[str, Any]:
    """The id and the audit fields of a task, and the place to ask how it goes."""
    return {
        "id": view["id"],
        "action": view["type"],
        "task": f"/tasks/{view['id']}",
        "created_date": view["created_at"],
        "created_by": view["owner_id"],
        "modified_date": view.get("updated_at") or view["created_at"],
        "modified_by": view["run_as_id"],
    }


def view_of(task: Any) -> Dict[str, Any]:
    """The state of a task for its owner: a code of the catalogue, and no detail."""
    view = {**receipt_of(task), "status": task["status"], "percent": task["percent"]}
    if task["status"] == "COMPLETED":
        view["percent"] = 100
        view["result"] = task.get("result")
    elif task["status"] in ("FAILURE", "ERROR"):
        code = task.get("error_code")
        view["error_code"] = code if code in CATALOGUE else "INTERNAL_ERROR"
        view["message"] = CATALOGUE[view["error_code"]]
    return view


class Endpoints:
    def __init__(self, client: Holdfast, store: Store) -> None:
        self._client = client
        self._store = store

    def ask(self, action: Action, caller: int, said: Any, request: Optional[str]) -> Reply:
        """Makes the task of a request."""
        if not isinstance(said, dict):
            raise Refused(422, "REQUEST_INVALID", "the request is an object")
        try:
            id = str(uuid.UUID(request)) if request else str(uuid.uuid4())
            spec = action.spec_of(said)
        except Invalid as error:
            raise Refused(422, "REQUEST_INVALID", str(error)) from None
        except ValueError:
            raise Refused(400, "REQUEST_INVALID", "Idempotency-Key is a UUID") from None
        # A request that was accepted stays so: its worker asks again for the right.
        view = self._own_task(id, caller)
        if view is None:
            if not self._store.may(caller, action.right):
                raise Refused(403, "NOT_ALLOWED")
            owner = str(caller)
            self._client.enqueue(
                QUEUE, action.type, spec, id=id, key=owner, owner_id=owner, run_as_id=owner
            )
            view = self._client.get_task(id)
        if (view["owner_id"], view["type"], view["body"]) != (str(caller), action.type, spec):
            raise Refused(409, "REQUEST_KNOWN", "another request was made under this id")
        receipt = receipt_of(view)
        return Reply(202, receipt, {"Location": receipt["task"]})

    def look(self, id: str, caller: int) -> Reply:
        view = self._own_task(id, caller)
        if view is None:
            raise Refused(404, "TASK_UNKNOWN")
        return Reply(200, view_of(view))

    def latest(self, caller: int) -> Reply:
        page = self._client.list_tasks(queue=QUEUE, owner_id=str(caller), limit=100)
        return Reply(200, {"tasks": [view_of(one) for one in page["tasks"]]})

    def exported(self, id: str, caller: int) -> Reply:
        view = self._own_task(id, caller)
        if view is None or view["type"] != "bulk.export_search":
            raise Refused(404, "TASK_UNKNOWN")
        if view["status"] != "COMPLETED":
            raise Refused(409, "NOT_READY", view["status"])
        return Reply(200, "".join(self._store.export_of(id)), {"Content-Type": "text/csv"})

    def _own_task(self, id: str, caller: int) -> Any:
        """The task; None where it is not there or another caller's."""
        try:
            view = self._client.get_task(id)
        except HoldfastError as error:
            if error.status == 404:
                return None
            raise
        return view if view.get("owner_id") == str(caller) else None


class Service(BaseHTTPRequestHandler):
    endpoints: Endpoints
    store: Store

    def do_POST(self) -> None:
        self._answer(self._post)

    def do_GET(self) -> None:
        self._answer(self._get)

    def _post(self, caller: int) -> Reply:
        action = BY_PATH.get(self.path)
        if action is None:
            raise Refused(404, "PATH_UNKNOWN")
        size = int(self.headers.get("Content-Length", "0"))
        if size > BODY_BYTES_MAX:
            raise Refused(413, "REQUEST_INVALID", f"at most {BODY_BYTES_MAX} bytes")
        try:
            said = json.loads(self.rfile.read(size))
        except ValueError:
            raise Refused(400, "REQUEST_INVALID", "the body is not JSON") from None
        return self.endpoints.ask(action, caller, said, self.headers.get("Idempotency-Key"))

    def _get(self, caller: int) -> Reply:
        if self.path == "/tasks":
            return self.endpoints.latest(caller)
        root, _, id = self.path.rpartition("/")
        try:
            id = str(uuid.UUID(id))
        except ValueError:
            raise Refused(404, "PATH_UNKNOWN") from None
        if root == "/tasks":
            return self.endpoints.look(id, caller)
        if root == "/people/exports":
            return self.endpoints.exported(id, caller)
        raise Refused(404, "PATH_UNKNOWN")

    def _answer(self, work: Any) -> None:
        try:
            scheme, _, token = self.headers.get("Authorization", "").partition(" ")
            caller = self.store.staff_with(token) if scheme == "Bearer" else None
            if caller is None:
                raise Refused(401, "UNAUTHENTICATED")
            reply = work(caller)
        except Refused as refused:
            reply = refused.reply
        except HoldfastError as error:
            self.log_error("%s", error)
            reply = Reply(503, {"code": "UNAVAILABLE", "detail": ""}, {"Retry-After": "5"})
        content = reply.body if isinstance(reply.body, str) else json.dumps(reply.body)
        self.send_response(reply.status)
        for name, value in {"Content-Type": "application/json", **reply.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content.encode())))
        self.end_headers()
        self.wfile.write(content.encode())


if __name__ == "__main__":
    Service.store = Store(os.environ["STORE"])
    node = Holdfast(os.environ["API_URL"], token=os.environ["API_TOKEN"], timeout=20)
    node.put_queue(QUEUE, queue_policy())
    Service.endpoints = Endpoints(node, Service.store)
    with ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Service) as server:
        print(f"ready port={server.server_port}", flush=True)
        server.serve_forever()
