"""A node in memory with the queue `q`, behind `httpx.MockTransport`."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any, Awaitable, Callable, Dict, List, Optional, Union

import httpx

Reply = Union[httpx.Response, Exception]
Script = Callable[["Seen"], Union[Reply, Awaitable[Reply], None]]


def answer(
    status: int, body: Any = None, headers: Optional[Dict[str, str]] = None
) -> httpx.Response:
    return (
        httpx.Response(status, json=body, headers=headers)
        if body is not None
        else (httpx.Response(status, headers=headers))
    )


def problem(
    status: int, code: str, detail: str = "", retryable: bool = False, **headers: str
) -> httpx.Response:
    body = {"code": code, "status": status, "title": "", "detail": detail, "retryable": retryable}
    return answer(status, body, {name.replace("_", "-"): text for name, text in headers.items()})


@dataclass
class Seen:
    """One request that has arrived."""

    method: str
    path: str
    query: Dict[str, str]
    headers: httpx.Headers
    body: Any
    at: float


@dataclass
class FakeTask:
    id: str
    type: str
    body: Any
    lease_seconds: float = 60.0
    status: str = "QUEUED"
    token: int = 0
    attempt: int = 0
    worker: str = ""
    result: Any = None
    reports: List[Dict[str, Any]] = field(default_factory=list)
    extensions: List[float] = field(default_factory=list)
    saves: List[Dict[str, Any]] = field(default_factory=list)

    def leased(self) -> Dict[str, Any]:
        return {
            "id": self.id,
            "type": self.type,
            "version": "1.0",
            "body": self.body,
            "state": "new",
            "data": {},
            "checkpoint": None,
            "attempt": self.attempt,
            "max_attempts": 10,
            "token": self.token,
            "lease_seconds": self.lease_seconds,
            "expires_at": "2026-01-01T00:00:00Z",
            "created_at": "2026-01-01T00:00:00Z",
        }


class FakeNode:
    def __init__(self) -> None:
        self.tasks: Dict[str, FakeTask] = {}
        self.seen: List[Seen] = []
        #: Each is asked in turn; the first one that does not return None answers.
        self.scripts: List[Script] = []
        self.on_finished: Callable[[], None] = lambda: None
        self.is_finished: Callable[[], bool] = self._no_task_is_live
        self._changed: Optional[asyncio.Event] = None
        self._claims: Dict[str, List[str]] = {}
        self.transport = httpx.MockTransport(self._serve)

    def add(self, type: str, body: Any = None, **more: Any) -> FakeTask:
        task = FakeTask(f"00000000-0000-7000-8000-{len(self.tasks):012d}", type, body, **more)
        self.tasks[task.id] = task
        self.wake()
        return task

    def wake(self) -> None:
        if self._changed is not None:
            self._changed.set()

    def _no_task_is_live(self) -> bool:
        return all(one.status not in ("QUEUED", "EXECUTING") for one in self.tasks.values())

    def once(self, path_end: str, reply: Union[Reply, Script]) -> None:
        """The next request to a path that ends so gets this reply."""

        def script(seen: Seen) -> Any:
            if not seen.path.endswith(path_end):
                return None
            self.scripts.remove(script)
            return reply(seen) if callable(reply) else reply

        self.scripts.append(script)

    def requests(self, path_end: str) -> List[Seen]:
        return [one for one in self.seen if one.path.endswith(path_end)]

    async def _serve(self, request: httpx.Request) -> httpx.Response:
        seen = Seen(
            request.method,
            request.url.path,
            dict(request.url.params),
            request.headers,
            json.loads(request.content) if request.content else None,
            asyncio.get_running_loop().time(),
        )
        self.seen.append(seen)
        for script in list(self.scripts):
            reply: Any = script(seen)
            if asyncio.iscoroutine(reply):
                reply = await reply
            if isinstance(reply, Exception):
                raise reply
            if reply is not None:
                return reply
        if seen.path.endswith("/claims"):
            return await self._claim(seen)
        if seen.path.endswith("/completions"):
            outcomes = [self._report(one, seen) for one in seen.body["outcomes"]]
            if self.is_finished():
                self.on_finished()
            return answer(200, {"outcomes": outcomes})
        if seen.path.endswith("/save"):
            task = self.tasks[seen.path.split("/")[3]]
            code = self._lease_problem(task, seen.body["token"])
            if code:
                return problem(409, code)
            task.saves.append(seen.body)
            return answer(200, {"id": task.id, "repeated": False})
        return problem(404, "route_unknown", seen.path)

    async def _claim(self, seen: Seen) -> httpx.Response:
        loop = asyncio.get_running_loop()
        until = loop.time() + float(seen.query["wait"])
        claim = seen.headers["idempotency-key"]
        while True:
            held = [self.tasks[one] for one in self._claims.get(claim, [])]
            leased = [one for one in held if one.status == "EXECUTING"]
            if not leased:
                leased = self._grant(seen, claim)
            if leased:
                return answer(200, {"tasks": [one.leased() for one in leased]})
            left = until - loop.time()
            if left <= 0 or claim in self._claims:
                return httpx.Response(204)
            self._changed = asyncio.Event()
            timer = loop.call_later(left, self._changed.set)
            await self._changed.wait()
            timer.cancel()

    def _grant(self, seen: Seen, claim: str) -> List[FakeTask]:
        if claim in self._claims and not self._claims[claim]:
            return []  # it was called off
        ready = [
            one
            for one in self.tasks.values()
            if one.status == "QUEUED" and one.type in seen.body["types"]
        ][: seen.body["limit"]]
        for task in ready:
            task.status, task.worker = "EXECUTING", seen.body["worker"]
            task.token += 1
            task.attempt += 1
        if ready or float(seen.query["wait"]) == 0:
            self._claims[claim] = [one.id for one in ready]
            self.wake()
        return ready

    def _lease_problem(self, task: FakeTask, token: int) -> Optional[str]:
        if task.status not in ("QUEUED", "EXECUTING"):
            return "not_found"
        if token != task.token:
            return "stale_token"
        return None if task.status == "EXECUTING" else "lease_not_held"

    def _report(self, report: Dict[str, Any], seen: Seen) -> Dict[str, Any]:
        task = self.tasks[report["task"]]
        code = self._lease_problem(task, report["token"])
        if code:
            return {"task": task.id, "code": code, "detail": "", "repeated": False}
        task.reports.append(report)
        if report["do"] == "extend":
            task.extensions.append(seen.at)
        elif report["do"] == "complete":
            task.status, task.result = "COMPLETED", report.get("result")
        elif report["do"] == "release":
            task.status = "QUEUED"
        elif report["do"] == "fail":
            task.status = "FAILURE" if report["kind"] == "permanent" else "FAILED_ONCE"
        return {"task": task.id, "repeated": False}
