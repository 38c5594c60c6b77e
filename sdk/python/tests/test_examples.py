"""The examples over HTTP as programs, against a node of the real program. The tests play the services outside
and kill workers."""

from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections import Counter
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional

import pytest
from real_node import SECONDS, RealNode, wait_until

from holdfast import Holdfast

ROOT = pathlib.Path(__file__).parents[3]
EXAMPLES = ROOT / "examples"


class Programs:
    """Starts programs, and ends those that still run."""

    def __init__(self, node: RealNode) -> None:
        self._environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT / "sdk" / "python" / "src"),
            "API_URL": node.url,
            "API_TOKEN": node.token,
        }
        self._started: List["subprocess.Popen[str]"] = []

    def start(self, *command: str, **settings: str) -> "subprocess.Popen[str]":
        started = subprocess.Popen(
            command, env={**self._environment, **settings}, stdout=subprocess.PIPE, text=True
        )
        self._started.append(started)
        return started

    def python(self, path: str, *words: str, **settings: str) -> "subprocess.Popen[str]":
        return self.start(sys.executable, str(EXAMPLES / path), *words, **settings)

    def listen(self, path: str, **settings: str) -> str:
        """Starts a program that listens; returns its address."""
        started = self.python(path, "0", **settings)
        assert started.stdout is not None
        found = re.match(r"ready port=(\d+)", started.stdout.readline())
        assert found, f"{path} did not start"
        return f"http://127.0.0.1:{found.group(1)}"

    def end(self) -> None:
        for one in self._started:
            one.kill()
            one.wait(SECONDS)
            if one.stdout is not None:
                one.stdout.close()


@pytest.fixture
def programs(node: RealNode) -> Iterator[Programs]:
    started = Programs(node)
    yield started
    started.end()


class Got(NamedTuple):
    status: int
    headers: Any
    text: str

    @property
    def body(self) -> Any:
        return json.loads(self.text)


def request(
    url: str, body: Any = None, token: str = "", key: Optional[str] = None, raw: bytes = b""
) -> Got:
    headers = {"Authorization": f"Bearer {token}"}
    if key is not None:
        headers["Idempotency-Key"] = key
    data = raw or (None if body is None else json.dumps(body).encode())
    try:
        with urllib.request.urlopen(
            urllib.request.Request(url, data=data, headers=headers), timeout=SECONDS
        ) as answer:
            return Got(answer.status, answer.headers, answer.read().decode())
    except urllib.error.HTTPError as error:
        return Got(error.code, error.headers, error.read().decode())


Answer = Callable[[str, str, Any], Any]  # method, path, body -> status, body, headers


@contextmanager
def service(answer: Answer) -> Iterator[str]:
    """A service outside that the test plays."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            size = int(self.headers.get("Content-Length", "0"))
            body = json.loads(self.rfile.read(size)) if size else None
            status, told, headers = answer(self.command, self.path, body)
            content = json.dumps(told).encode()
            try:
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)
            except OSError:
                pass  # the caller was killed

        do_POST = do_GET

        def log_message(self, *words: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def in_a_hurry(policy: Dict[str, Any]) -> Dict[str, Any]:
    """The policy with leases and retries that a test can wait for."""
    retry = {**policy["retry"], "least_seconds": 0.05, "most_seconds": 0.1}
    return {**policy, "lease": {"ttl_seconds": 3}, "retry": retry}


def endings_of(client: Holdfast, task: str) -> List[Any]:
    return [one.get("ending") for one in client.get_task_attempts(task)["attempts"]]


# --- the workers that the README shows ---


@pytest.mark.parametrize("path", ["sdk/python/examples/worker.py", "examples/curl/worker.sh"])
def test_a_worker_of_the_readme_has_fifteen_lines_and_does_tasks(
    path: str, client: Holdfast, programs: Programs
) -> None:
    text = (ROOT / path).read_text()
    language = "python" if path.endswith(".py") else "bash"
    assert f"```{language}\n{text}```" in (ROOT / "README.md").read_text()
    assert len(text.splitlines()) <= 15
    client.put_queue("mail")
    made = [client.enqueue("mail", "send", {"to": "ana", "text": f'"{n}"'})["id"] for n in range(3)]
    started = programs.start("bash" if language == "bash" else sys.executable, str(ROOT / path))
    for id in made:
        assert client.get_task(id, wait=SECONDS)["result"] == {"sent": True}
    started.terminate()
    said, _ = started.communicate(timeout=SECONDS)
    # Threads of the worker print: a line may begin before the one of another thread has ended.
    assert sorted(re.findall(r'to ana: "\d"', said)) == [f'to ana: "{n}"' for n in range(3)]


# --- the receiver that docs/HTTP.md shows ---


def test_the_receiver_of_the_docs_does_tasks_that_are_pushed(
    node: RealNode, client: Holdfast, programs: Programs
) -> None:
    text = (EXAMPLES / "push" / "receiver.py").read_text()
    assert f"```python\n{text}```" in (ROOT / "docs" / "HTTP.md").read_text()
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    file = node.directory / "secrets" / "mailer"
    file.parent.mkdir(exist_ok=True)
    file.write_text(secret)
    file.chmod(0o600)
    url = programs.listen("push/receiver.py", PUSH_SECRET=secret)
    client.put_queue("pushed", {"push": {"url": url, "secret": "mailer"}})
    made = client.enqueue("pushed", "send", {"to": "ana"})["id"]
    assert client.get_task(made, wait=SECONDS)["result"] == {"sent": True, "to": "ana"}
    # What nobody has signed is refused.
    assert request(url, {"id": made, "body": {"to": "eve"}}).status == 401


# --- identity verification ---


class Checks:
    """The service of the checks."""

    url = ""

    def __init__(self) -> None:
        self.asked: List[Dict[str, str]] = []
        self.verdicts: Dict[str, str] = {}  # of jobs that have ended
        self.looks: "Counter[str]" = Counter()
        self.hold = threading.Event()  # answers to questions after a job wait for it
        self.hold.set()

    def answer(self, method: str, path: str, body: Any) -> Any:
        if method == "POST":
            self.asked.append({**body, "tracking": f"job-{len(self.asked)}"})
            return 200, {"tracking": self.asked[-1]["tracking"]}, {}
        tracking = path.rpartition("/")[2]
        self.looks[tracking] += 1
        assert self.hold.wait(SECONDS)
        return 200, {"verdict": self.verdicts.get(tracking)}, {}

    def job_of(self, task: str, check: str) -> Optional[str]:
        for one in self.asked:
            if (one["who"], one["check"]) == (task, check):
                return one["tracking"]
        return None


@pytest.fixture
def checks() -> Iterator[Checks]:
    played = Checks()
    with service(played.answer) as url:
        played.url = url
        yield played
        played.hold.set()


def begin(client: Holdfast, programs: Programs, checks: Checks) -> str:
    """The address of the receiver of callbacks, with a worker beside it."""
    folder = "identity_verification/http"
    programs.python(f"{folder}/worker.py", SERVICE_URL=checks.url)
    callbacks = programs.listen(f"{folder}/callbacks.py")
    wait_until(lambda: client.list_queues("identity"))
    return callbacks


def test_a_callback_wins_over_the_worker_that_holds_the_task(
    client: Holdfast, programs: Programs, checks: Checks
) -> None:
    callbacks = begin(client, programs, checks)
    task = client.enqueue("identity", "identity.verify", {"customer": 7})["id"]
    url = f"{callbacks}/callbacks/{task}"
    documents = wait_until(lambda: checks.job_of(task, "documents"))
    wait_until(lambda: client.get_task(task)["state"] == "AWAITING_DOCUMENT_PROCESSING")

    # A worker asks after the job, and the service takes its time to answer.
    checks.hold.clear()
    client.retry_task(task)
    wait_until(lambda: checks.looks[documents] > 0)
    assert client.get_task(task)["status"] == "EXECUTING"
    call = {"tracking": documents, "verdict": "passed"}
    began = time.monotonic()
    assert request(url, call).body == {"applied": True}
    assert time.monotonic() - began < 10  # it waits for no lease of 30 s
    assert request(url, call).body == {"applied": False}
    # Another worker thread goes on from there, while the first one still waits.
    face = wait_until(lambda: checks.job_of(task, "face_match"))
    wait_until(lambda: client.get_task(task)["state"] == "VERIFYING_FACE_MATCH")
    checks.verdicts[documents] = "failed"
    checks.hold.set()  # the ejected worker hears something else, and it is not stored

    assert request(url, {"tracking": documents, "verdict": "failed"}).body == {"applied": False}
    assert request(url, {"tracking": face, "verdict": "passed"}).body == {"applied": True}
    assert client.get_task(task, wait=SECONDS)["result"] == {
        "verdict": "VERIFIED",
        "findings": [
            {"check": "documents", "verdict": "passed", "by": "callback"},
            {"check": "face_match", "verdict": "passed", "by": "callback"},
        ],
    }
    assert "Ejected" in endings_of(client, task)


def test_a_callback_that_never_comes_is_made_up_for_by_asking(
    client: Holdfast, programs: Programs, checks: Checks
) -> None:
    callbacks = begin(client, programs, checks)
    task = client.enqueue("identity", "identity.verify", {"customer": 8})["id"]
    for check, verdict in (
        ("documents", "passed"),
        ("face_match", "unclear"),
        ("manual_review", "failed"),
    ):
        tracking = wait_until(lambda: checks.job_of(task, check))
        wait_until(
            lambda: client.get_task(task)["data"].get("asked", {}).get("tracking") == tracking
        )
        checks.verdicts[tracking] = verdict
        client.retry_task(task)  # in the place of half a minute
    result = client.get_task(task, wait=SECONDS)["result"]
    assert result["verdict"] == "REJECTED"
    assert [one["by"] for one in result["findings"]] == ["polling"] * 3
    late = {"tracking": checks.job_of(task, "documents"), "verdict": "passed"}
    assert request(f"{callbacks}/callbacks/{task}", late).body == {"applied": False}


def test_a_callback_of_another_form_is_refused(
    client: Holdfast, programs: Programs, checks: Checks
) -> None:
    callbacks = begin(client, programs, checks)
    known = f"{callbacks}/callbacks/{uuid.uuid4()}"
    assert request(known, {"tracking": "x", "verdict": "perhaps"}).status == 400
    assert request(known, raw=b"no JSON").status == 400
    assert request(known, [1]).status == 400
    assert request(f"{callbacks}/callbacks/x", {"tracking": "x", "verdict": "passed"}).status == 400
    assert request(known, {"tracking": "x", "verdict": "passed"}).body == {"applied": False}


# --- record linker ---


class Entities:
    """The API that knows the entities. It answers the first call about some records 429 or 503."""

    def __init__(self) -> None:
        self.calls: "Counter[str]" = Counter()
        self._lock = threading.Lock()
        self.gate = threading.Semaphore(0)  # answers are given as far as it lets them
        self.is_open = False

    def answer(self, method: str, path: str, body: Any) -> Any:
        label = urllib.parse.unquote(path.rpartition("=")[2])
        if not self.is_open:
            self.gate.acquire(timeout=SECONDS)
        with self._lock:
            self.calls[label] += 1
            is_first = self.calls[label] == 1
        if is_first and label in ("record 20", "record 30"):
            return 429, {}, {"Retry-After": "1"}
        if is_first and label in ("record 16", "record 23", "record 33"):
            return 503, {}, {}
        status, entity = truth_of(label)
        return status, {"entity": entity} if entity else {"message": "no"}, {}


def truth_of(label: str) -> Any:
    number = int(label.split()[1])
    if number % 5 == 0:
        return 404, None
    if number % 11 == 0:
        return 422, None
    return 200, f"Q{number}"


def test_each_record_is_matched_once_though_a_worker_is_killed(
    client: Holdfast, programs: Programs, tmp_path: pathlib.Path
) -> None:
    folder = "record_linker/http"
    sys.path.insert(0, str(EXAMPLES / folder))
    try:
        from links import Links
        from matching import pause_in_outage, queue_policy, task_of
    finally:
        sys.path.remove(str(EXAMPLES / folder))
    assert task_of(7, 1000) == "00000007-6c6b-8000-8000-0000000003e8"
    assert [pause_in_outage(attempt) for attempt in (1, 2, 3, 4)] == [5, 30, 180, 180]

    links = Links(str(tmp_path / "links.sqlite"))
    labels = [f"record {n}" for n in range(1, 41)]
    links.add(7, labels)
    links.add(8, ["record 100"])
    settings = {"LINKS": str(tmp_path / "links.sqlite"), "REQUESTS_PER_SECOND": "500"}
    for project in ("7", "7", "8"):  # to ask again makes nothing twice
        assert programs.python(f"{folder}/producer.py", project, **settings).wait(SECONDS) == 0
    assert client.get_queue_statistics("linker")["live"] == 41
    client.put_queue("linker", in_a_hurry(queue_policy(500)))
    links.delete_project(8)

    entities = Entities()
    with service(entities.answer) as url:
        settings["ENTITY_URL"] = url
        killed = programs.python(f"{folder}/worker.py", **settings)
        entities.gate.release(6)
        wait_until(lambda: sum(entities.calls.values()) >= 6)
        wait_until(lambda: client.get_queue_metrics("linker")["leased"] > 0)
        killed.kill()
        entities.is_open = True
        entities.gate.release(100)
        programs.python(f"{folder}/worker.py", **settings)

        def live() -> int:
            for one in client.list_tasks(queue="linker", status="QUEUED", limit=1000)["tasks"]:
                if one["failed_attempts"] > 0:
                    client.retry_task(one["id"])  # in the place of five seconds
            return client.get_queue_statistics("linker")["live"]

        wait_until(lambda: live() == 0)
        assert entities.calls["record 16"] == entities.calls["record 20"] == 2
    results = links.results(7)
    assert len(results) == len(labels)
    for label, result in zip(labels, results):
        status, entity = truth_of(label)
        expected = ("FAILED" if status == 422 else "COMPLETED", entity)
        assert (result.status, result.entity) == expected, label
    assert links.results(8) == []
    assert client.get_task(task_of(8, 41))["result"] == {"stored": False}
    assert entities.calls["record 100"] == 0
    refused = client.get_task(task_of(7, 11))
    assert (refused["status"], refused["error_code"]) == ("FAILURE", "RECORD_REFUSED")
    statistics = client.get_queue_statistics("linker")
    assert (statistics["dead"], statistics["completed"]) == (0, 38)


# --- bulk actions ---


class College:
    """The service of the example with a store of its own."""

    def __init__(self, client: Holdfast, programs: Programs, folder: pathlib.Path) -> None:
        self._programs = programs
        self._settings = {"STORE": str(folder / "college.sqlite"), "CHUNK": "10"}
        sys.path.insert(0, str(EXAMPLES / "bulk_actions" / "http"))
        try:
            from actions import queue_policy
            from store import Store
        finally:
            sys.path.pop(0)
        self.store = Store(self._settings["STORE"])
        with self.store.transaction() as database:
            database.executemany(
                "INSERT INTO staff (id, token, rights) VALUES (?, ?, ?)",
                [
                    (1, "dean", "export_people change_status enrol"),
                    (2, "clerk", "export_people"),
                ],
            )
            database.executemany(
                "INSERT INTO people (name, email, program) VALUES (?, ?, ?)",
                [(f"p{n}", f"p{n}@example.org", ("art", "law")[n % 2]) for n in range(200)],
            )
        self.url = programs.listen("bulk_actions/http/service.py", **self._settings)
        client.put_queue("bulk", in_a_hurry(queue_policy()))

    def worker(self, pause: float = 0.0) -> "subprocess.Popen[str]":
        settings = {**self._settings, "PAUSE_SECONDS": str(pause)}
        return self._programs.python("bulk_actions/http/worker.py", **settings)

    def ask(self, path: str, body: Any = None, token: str = "dean", **more: Any) -> Got:
        return request(self.url + path, body, token, **more)

    def rows(self, sql: str) -> List[Any]:
        with self.store.transaction() as database:
            return database.execute(sql).fetchall()

    def finished(self, task: str) -> Any:
        ended = ("COMPLETED", "FAILURE", "ERROR")
        view = wait_until(
            lambda: next((one for one in [self.ask(task).body] if one["status"] in ended), None)
        )
        return view


@pytest.fixture
def college(client: Holdfast, programs: Programs, tmp_path: pathlib.Path) -> College:
    return College(client, programs, tmp_path)


def test_a_bulk_request_is_answered_with_a_receipt_before_anything_is_done(
    college: College,
) -> None:
    key = str(uuid.uuid4())
    change = {"query": {"program": "law"}, "to": "GRADUATED", "reason": "june"}
    got = college.ask("/people/status-changes", change, key=key)
    assert got.status == 202
    receipt = got.body
    assert got.headers["Location"] == receipt["task"] == f"/tasks/{key}"
    assert (receipt["id"], receipt["created_by"], receipt["modified_by"]) == (key, "1", "1")
    assert receipt["created_date"] and receipt["modified_date"]
    assert college.rows("SELECT count(*) FROM status_changes") == [(0,)]
    view = college.ask(receipt["task"]).body
    assert (view["status"], view["percent"]) == ("QUEUED", 0)
    again = college.ask("/people/status-changes", change, key=key)
    assert (again.status, again.body["id"]) == (202, key)
    other = college.ask("/people/status-changes", {**change, "to": "ACTIVE"}, key=key)
    assert (other.status, other.body["code"]) == (409, "REQUEST_KNOWN")

    # Nobody sees the task of another one.
    assert college.ask(receipt["task"], token="clerk").status == 404
    assert college.ask("/tasks", token="clerk").body == {"tasks": []}
    assert key in [one["id"] for one in college.ask("/tasks").body["tasks"]]

    college.worker()
    view = college.finished(receipt["task"])
    assert (view["percent"], view["result"]) == (100, {"people": 100})
    assert college.rows("SELECT DISTINCT program FROM people WHERE status = 'GRADUATED'") == [
        ("law",)
    ]


def test_requests_that_cannot_be_are_refused(college: College) -> None:
    for path, body, status in (
        ("/people/exports", {}, 422),
        ("/people/exports", {"ids": [1], "query": {}}, 422),
        ("/people/exports", {"ids": ["x"]}, 422),
        ("/people/exports", {"query": {"name": "p1"}}, 422),
        ("/people/exports", [], 422),
        ("/people/status-changes", {"ids": [1], "to": "GONE"}, 422),
        ("/people/enrolments", {"program": "art", "people": []}, 422),
        ("/bulk", {"ids": [1]}, 404),  # there is no generic call
    ):
        assert college.ask(path, body).status == status, (path, body)
    assert college.ask("/people/exports", raw=b"{").status == 400
    assert college.ask("/people/exports", {"ids": [1]}, key="x").status == 400
    assert college.ask("/people/exports", {"ids": [1]}, token="x").status == 401
    change = {"ids": [1], "to": "INACTIVE"}
    assert college.ask("/people/status-changes", change, token="clerk").status == 403


def test_a_killed_worker_leaves_nobody_out_and_does_nobody_twice(college: College) -> None:
    killed = college.worker(pause=0.2)
    change = college.ask("/people/status-changes", {"query": {}, "to": "INACTIVE"}).body["task"]
    export = college.ask("/people/exports", {"query": {"program": "art"}}).body["task"]
    not_yet = college.ask(f"/people/exports/{export.rpartition('/')[2]}")
    assert (not_yet.status, not_yet.body["code"]) == (409, "NOT_READY")
    wait_until(lambda: college.ask(change).body["percent"] > 0)
    wait_until(lambda: college.ask(export).body["percent"] > 0)
    killed.kill()
    college.worker()
    assert college.finished(change)["result"] == {"people": 200}
    assert college.finished(export)["result"] == {"people": 100}
    assert college.rows(
        "SELECT count(*), count(DISTINCT person) FROM status_changes WHERE to_status = 'INACTIVE'"
    ) == [(200, 200)]
    got = college.ask(f"/people/exports/{export.rpartition('/')[2]}")
    assert got.headers["Content-Type"] == "text/csv"
    assert [line.split(",")[1] for line in got.text.splitlines()] == [
        f"p{n}" for n in range(0, 200, 2)
    ]


def test_a_right_that_is_withdrawn_stops_the_task(college: College) -> None:
    college.worker(pause=0.2)
    people = [{"name": f"n{n}", "email": f"n{n}@example.org"} for n in range(500)]
    enrolment = {"program": "medicine", "people": people}
    task = college.ask("/people/enrolments", enrolment).body["task"]
    wait_until(lambda: college.ask(task).body["percent"] > 0)
    with college.store.transaction() as database:
        database.execute("UPDATE staff SET rights = '' WHERE id = 1")
    view = college.finished(task)
    assert (view["status"], view["error_code"]) == ("FAILURE", "RIGHTS_REVOKED")
    assert view["message"].startswith("The right")
    ((count,),) = college.rows("SELECT count(*) FROM people WHERE program = 'medicine'")
    assert 0 < count < 500 and count % 10 == 0
