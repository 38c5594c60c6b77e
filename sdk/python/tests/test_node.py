"""The package against a node of the real program, which `HOLDFAST_BINARY` names."""

from __future__ import annotations

import asyncio
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
import urllib.request
import uuid
from collections import Counter
from contextlib import contextmanager
from typing import Any, Dict, Iterator, List, Set

import pytest
from generate_types import types_module
from real_node import SECONDS, RealNode, wait_until

from holdfast import (
    AsyncContributorSession,
    AsyncTask,
    ContributorSession,
    GiveBack,
    Holdfast,
    HoldfastError,
    PermanentFailure,
    RateLimited,
    Task,
    Worker,
)
from holdfast._operations import Operation, Operations

PACKAGE = pathlib.Path(__file__).parent.parent
DEEP: Any = json.loads("[" * 80 + "]" * 80)


@contextmanager
def running(worker: Worker, concurrency: int = 4) -> Iterator[threading.Thread]:
    """The worker in a thread; at the end it is stopped."""
    failures: List[BaseException] = []

    def work() -> None:
        try:
            worker.run(concurrency)
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield thread
    finally:
        worker.stop()
        thread.join(SECONDS)
    assert not thread.is_alive()
    assert failures == []


def status_of(client: Holdfast, task: str) -> str:
    return client.get_task(task)["status"]


def ended(client: Holdfast, task: str) -> Any:
    """The task when it is over: the node answers at its end."""
    return client.get_task(task, wait=SECONDS)


def endings_of(client: Holdfast, task: str) -> List[Any]:
    return [one.get("ending") for one in client.get_task_attempts(task)["attempts"]]


# --- the API as the package knows it ---


def openapi_of(node: RealNode) -> Any:
    with urllib.request.urlopen(f"{node.url}/openapi.json", timeout=SECONDS) as answer:
        return json.load(answer)


def test_there_is_a_method_for_each_route(node: RealNode) -> None:
    routes = {
        (method.upper(), path)
        for path, methods in openapi_of(node)["paths"].items()
        for method in methods
    }
    known = {
        (one.method, one.path) for one in vars(Operations).values() if isinstance(one, Operation)
    }
    assert known == routes


def test_the_types_are_those_of_the_node(node: RealNode) -> None:
    text = types_module(openapi_of(node))
    assert text == (PACKAGE / "src" / "holdfast" / "types.py").read_text(), (
        "generate them again: tools/generate_types.py"
    )


# --- calls ---


def test_a_token_lets_its_holder_do_what_its_role_may(
    node: RealNode, client: Holdfast, queue: str
) -> None:
    client.put_queue(queue)
    made = client.create_token("producer", queues=[queue], expires_in=3600)
    with Holdfast(node.url, token=made["token"]) as producer:
        producer.enqueue(queue, "t", {})
        with pytest.raises(HoldfastError) as raised:
            producer.claim_tasks(queue, "w")
        assert (raised.value.code, raised.value.status) == ("not_allowed", 403)
    assert made["id"] in [one["id"] for one in client.list_tokens()["tokens"]]
    assert client.revoke_token(made["id"])["state"] == "revoked"


def test_a_task_is_made_once_under_its_id(client: Holdfast, queue: str) -> None:
    client.put_queue(queue)
    id = str(uuid.uuid4())
    body = {"number": 9400110200881234567890, "text": "Zoë \U0001f600"}
    assert client.enqueue(queue, "t", body, id=id) == {"id": id, "repeated": False}
    assert client.enqueue(queue, "t", body, id=id)["repeated"] is True
    client.put_queue(queue + ".2")
    with pytest.raises(HoldfastError) as raised:
        client.enqueue(queue + ".2", "t", body, id=id)
    assert (raised.value.code, raised.value.status) == ("already_exists", 409)
    assert client.get_task(id)["body"] == body


def test_tasks_that_are_made_together_are_claimed_in_their_order(
    client: Holdfast, queue: str
) -> None:
    client.put_queue(queue)
    client.enqueue_many(queue, [{"type": "t", "body": n} for n in range(100)])
    assert [one["body"] for one in client.claim_tasks(queue, "w", limit=100)] == list(range(100))


def test_errors_name_their_places(client: Holdfast, queue: str) -> None:
    with pytest.raises(HoldfastError) as raised:
        client.enqueue(queue, "t", {})
    assert (raised.value.code, raised.value.status) == ("not_found", 404)
    with pytest.raises(HoldfastError) as raised:
        client.put_queue(queue, {"lease": {"ttl_seconds": "x"}})
    assert raised.value.code == "payload_invalid"
    client.put_queue(queue)
    with pytest.raises(HoldfastError) as raised:
        client.enqueue(queue, "t", {}, priority="high")  # type: ignore[arg-type]
    assert raised.value.errors[0]["place"] == "/priority"
    outcomes = client.enqueue_many(
        queue, [{"type": "t", "body": 1}, {"type": "", "body": 2}, {"type": "t", "body": 3}]
    )
    assert [one.get("code") for one in outcomes] == [None, "invalid_argument", None]


def test_a_token_that_the_node_does_not_know_is_refused(node: RealNode) -> None:
    with Holdfast(node.url, "hf_x_y") as stranger, pytest.raises(HoldfastError) as raised:
        stranger.list_queues()
    assert (raised.value.code, raised.value.status) == ("unauthenticated", 401)


def test_a_queue_is_listed_paused_and_removed(client: Holdfast, queue: str) -> None:
    view = client.put_queue(queue, {"running_max": 3})
    assert client.get_queue(queue) == view
    assert [one["queue"] for one in client.list_queues(queue)] == [queue]
    assert client.pause_queue(queue)["paused"] is True
    assert client.resume_queue(queue)["paused"] is False
    client.put_schedule(queue, "nightly", {"cron": "0 3 * * *", "task": {"type": "t", "body": {}}})
    assert [one["name"] for one in client.list_schedules(queue)["schedules"]] == ["nightly"]
    ahead = client.preview_schedule(queue, "nightly", count=2)
    assert [one[11:16] for one in ahead["occurrences"]] == ["03:00", "03:00"]
    ran = client.run_schedule(queue, "nightly")
    again = client.run_schedule(queue, "nightly", id=ran["id"])
    assert (ran["repeated"], again["id"], again["repeated"]) == (False, ran["id"], True)
    client.cancel_task(ran["id"])
    client.remove_schedule(queue, "nightly")
    assert client.get_queue_metrics(queue, window=30)["ready"] == 0
    assert client.get_queue_statistics(queue)["live"] == 0
    assert client.get_queue_intake(queue)["staged"] == 0
    assert client.remove_queue(queue)["removed"] is True


def test_a_task_is_steered_from_outside(client: Holdfast, queue: str) -> None:
    client.put_queue(queue)
    id = client.enqueue(queue, "t", {}, delay=3600)["id"]
    assert client.claim_tasks(queue, "w") == []
    assert client.explain_task(id)["reasons"]
    client.pause_task(id)
    assert client.get_task(id)["paused"] is True
    client.resume_task(id)
    client.retry_task(id)
    (leased,) = client.claim_tasks(queue, "w", wait=20)
    assert leased["id"] == id and 0 < leased["lease_seconds"] <= 60
    client.save_task(id, leased["token"], worker="w", number=1, checkpoint={"page": 1})
    client.extend_task(id, leased["token"], worker="w")
    client.release_task(id, leased["token"], worker="w", delay=3600)
    client.eject_task(id, data={"x": 1})
    client.cancel_task(id)
    assert status_of(client, id) == "CANCELED"
    page = client.list_tasks(queue=queue, status="CANCELED")
    assert [one["id"] for one in page["tasks"]] == [id]


def test_a_task_follows_the_one_before(client: Holdfast, queue: str) -> None:
    client.put_queue(queue)
    client.enqueue(queue, "first", {})
    (first,) = client.claim_tasks(queue, "w", wait=20)
    done = client.complete_task(
        first["id"], first["token"], {"n": 1}, worker="w", follow={"type": "second", "body": {}}
    )
    second = done["follower"]
    assert second["type"] == "second"
    client.fail_task(
        second["id"], second["token"], "BROKEN", "why", kind="permanent", worker="w", queue=queue
    )
    assert status_of(client, second["id"]) == "FAILURE"
    assert client.redrive_tasks(queue)["redriven"] == 1


def test_a_claim_that_is_repeated_gets_the_same_tasks(client: Holdfast, queue: str) -> None:
    client.put_queue(queue)
    client.enqueue_many(queue, [{"type": "t", "body": n} for n in range(4)])
    claim = str(uuid.uuid4())
    first = client.claim_tasks(queue, "w", limit=2, claim=claim)
    again = client.claim_tasks(queue, "w", limit=2, claim=claim)
    assert [(one["id"], one["token"]) for one in first] == [
        (one["id"], one["token"]) for one in again
    ]


def test_a_bulk_action_changes_all_tasks_that_its_filter_matches(
    client: Holdfast, queue: str
) -> None:
    client.put_queue(queue, {})
    client.enqueue_many(queue, [{"type": kind, "body": {}} for kind in ("a", "b", "a", "b")])
    counted = client.start_queue_action(queue, "cancel", filter={"type": "a"}, dry_run=True)
    assert (counted["status"], counted["matched"], counted["changed"]) == ("dry_run", 2, 0)
    begun = client.start_queue_action(queue, "cancel", filter={"type": "a"})
    wait_until(lambda: client.get_queue_action(queue, begun["id"])["status"] == "done")
    assert client.get_queue_action(queue, begun["id"])["changed"] == 2
    assert [one["id"] for one in client.list_queue_actions(queue)["actions"]] == [begun["id"]]
    assert client.stop_queue_action(queue, begun["id"])["status"] == "done"
    newest = client.list_tasks(queue=queue, status="CANCELED", order="newest")["tasks"]
    assert [one["type"] for one in newest] == ["a", "a"]
    assert newest[0]["id"] > newest[1]["id"]


def test_the_cluster_tells_of_itself(client: Holdfast) -> None:
    shards = client.get_node_status()["shards_total"]
    assert len(client.get_placement()["hosts"]) == shards
    assert [one["alive"] for one in client.list_nodes()["nodes"]][:1] == [True]
    assert client.verify_cluster()["broken"] == []
    assert client.get_guard_status()["fenced"] is False
    assert client.get_audit_status()["failed"] == 0
    assert client.get_link_status()["secured"] is False
    assert client.read_events(0, start="oldest", limit=5)["shard"] == 0
    assert client.rebuild_step_index()["complete"] is True


def test_the_audit_log_names_who_changed_a_queue(client: Holdfast, queue: str) -> None:
    client.put_queue(queue)
    client.pause_queue(queue)
    page = client.list_audit(item=f"queue {queue}", limit=1)
    (entry,) = page["entries"]
    assert (entry["who"], entry["outcome"]) == ("admin", "paused")
    assert page["more"] is True
    (older,) = client.list_audit(item=f"queue {queue}", before=entry["number"])["entries"]
    assert older["operation"] == "put_queue"


def test_a_webhook_is_made_and_removed(client: Holdfast, queue: str) -> None:
    client.put_queue(queue)
    client.put_webhook("hook", {"queue": queue})
    client.pause_webhook("hook")
    (view,) = client.list_webhooks("hook")
    assert view["state"] == "paused"
    client.resume_webhook("hook")
    assert client.list_dead_letters("hook", 0) == []
    assert client.replay_webhook("hook", 0, "dead_letters")["dead_letters"] == 0
    client.remove_webhook("hook")


def test_many_calls_at_once_on_asyncio(node: RealNode, queue: str) -> None:
    async def work() -> Set[str]:
        async with node.async_client() as client:
            await client.put_queue(queue)
            made = await asyncio.gather(*(client.enqueue(queue, "t", {"n": n}) for n in range(50)))
            return {one["id"] for one in made}

    assert len(asyncio.run(work())) == 50


# --- workers ---


def test_a_waiting_worker_gets_a_task_at_once(client: Holdfast, queue: str) -> None:
    client.put_queue(queue)
    worker = Worker(client, queue=queue)
    got = threading.Event()
    worker.handler("t")(lambda task: got.set())
    with running(worker):
        # The claim behind the first task waits: nothing else is there.
        first = client.enqueue(queue, "t", {})["id"]
        assert ended(client, first)["status"] == "COMPLETED"
        got.clear()
        began = time.monotonic()
        client.enqueue(queue, "t", {})
        assert got.wait(SECONDS)
        assert time.monotonic() - began < 5


def test_failures_end_as_they_say(client: Holdfast, queue: str) -> None:
    client.put_queue(
        queue,
        {"retry": {"max_attempts": 3, "least_seconds": 0.05, "most_seconds": 0.1}},
    )
    worker = Worker(client, queue=queue)
    limited: List[float] = []

    @worker.handler("permanent")
    def permanent(task: Task) -> None:
        raise PermanentFailure("NO_SUCH_ADDRESS", "550 unknown")

    @worker.handler("transient")
    def transient(task: Task) -> int:
        if task.attempt < 3:
            raise KeyError("to")
        return task.attempt

    @worker.handler("always")
    def always(task: Task) -> None:
        raise KeyError("to")

    @worker.handler("limited")
    async def limit(task: AsyncTask) -> None:
        limited.append(time.monotonic())
        if len(limited) == 1:
            raise RateLimited(1)

    @worker.handler("not_json")
    def not_json(task: Task) -> Any:
        return {1, 2}

    @worker.handler("deep")
    def deep(task: Task) -> Any:
        return DEEP

    made = {type: client.enqueue(queue, type, {})["id"] for type in worker._handlers}
    with running(worker, concurrency=8):
        views = {type: ended(client, id) for type, id in made.items()}
    told = {type: (view["status"], view.get("error_code")) for type, view in views.items()}
    assert told == {
        "permanent": ("FAILURE", "NO_SUCH_ADDRESS"),
        "transient": ("COMPLETED", None),
        "always": ("ERROR", "HANDLER_EXCEPTION"),
        "limited": ("COMPLETED", None),
        "not_json": ("FAILURE", "OUTCOME_REFUSED"),
        "deep": ("FAILURE", "OUTCOME_REFUSED"),
    }
    assert endings_of(client, made["permanent"]) == ["Failed"]
    assert len(endings_of(client, made["always"])) == 3
    assert endings_of(client, made["limited"]) == ["RateLimited", "Completed"]
    assert limited[1] - limited[0] >= 0.9
    assert views["transient"]["result"] == 3
    (attempt,) = client.get_task_attempts(made["permanent"])["attempts"]
    assert attempt["error_detail"] == "550 unknown"


def test_a_task_that_takes_longer_than_its_lease_keeps_it(client: Holdfast, queue: str) -> None:
    client.put_queue(queue, {"lease": {"ttl_seconds": 3}})
    worker = Worker(client, queue=queue)

    @worker.handler("plain")
    def plain(task: Task) -> bool:
        return task.cancelled.wait(8)

    @worker.handler("coroutine")
    async def coroutine(task: AsyncTask) -> bool:
        try:
            await asyncio.wait_for(task.cancelled.wait(), 8)
        except asyncio.TimeoutError:
            return False
        return True

    made = [client.enqueue(queue, type, {})["id"] for type in ("plain", "coroutine")]
    with running(worker):
        for id in made:
            assert ended(client, id)["status"] == "COMPLETED"
    for id in made:
        assert client.get_task(id)["result"] is False
        assert endings_of(client, id) == ["Completed"]


def test_progress_reaches_the_next_attempt(client: Holdfast, queue: str) -> None:
    client.put_queue(queue, {"retry": {"least_seconds": 0.05, "most_seconds": 0.1}})
    worker = Worker(client, queue=queue)
    seen: List[Any] = []

    @worker.handler("t")
    def do(task: Task) -> None:
        seen.append(task.checkpoint)
        if task.attempt == 1:
            task.save(checkpoint={"page": 1}, percent=10)
            task.save(checkpoint={"page": 2}, data={"half": True})
            raise ValueError("page 3")

    id = client.enqueue(queue, "t", {})["id"]
    with running(worker):
        assert ended(client, id)["status"] == "COMPLETED"
    assert seen[1] == {"page": 2}
    assert client.get_task(id)["data"] == {"half": True}


def test_a_task_that_is_taken_away_cancels_its_handler(client: Holdfast, queue: str) -> None:
    client.put_queue(queue, {"lease": {"ttl_seconds": 3}})
    worker = Worker(client, queue=queue)
    began, ended = threading.Event(), threading.Event()
    reasons: List[Any] = []

    @worker.handler("t")
    def do(task: Task) -> str:
        began.set()
        assert task.cancelled.wait(SECONDS)
        reasons.append(task.cancel_reason)
        ended.set()
        return "late"

    id = client.enqueue(queue, "t", {})["id"]
    with running(worker):
        assert began.wait(SECONDS)
        client.cancel_task(id)
        assert ended.wait(SECONDS)
    assert reasons == ["lost"]
    assert status_of(client, id) == "CANCELED"
    assert worker.counts.lost == 1


def test_a_stop_gives_tasks_back_at_once(client: Holdfast, queue: str) -> None:
    client.put_queue(queue, {"lease": {"ttl_seconds": 600}})
    made = client.enqueue_many(queue, [{"type": "t", "body": n} for n in range(6)])
    ids = [one["task"] for one in made]
    stopped = Worker(client, queue=queue, prefetch=3, patience=0.5, cancel_patience=0.5)
    began = threading.Semaphore(0)
    release = threading.Event()

    @stopped.handler("t")
    def do(task: Task) -> None:
        began.release()
        if task.body == 0:
            assert task.cancelled.wait(SECONDS)
            raise GiveBack(checkpoint={"page": 7})
        release.wait(SECONDS)

    with running(stopped, concurrency=3):
        for _ in range(3):
            assert began.acquire(timeout=SECONDS)
        wait_until(lambda: client.get_queue_metrics(queue)["leased"] == 6)
    assert client.get_queue_metrics(queue)["leased"] == 0
    assert [status_of(client, one) for one in ids] == ["QUEUED"] * 6
    assert stopped.counts.released == 6
    release.set()

    checkpoints: Dict[int, Any] = {}
    other = Worker(client, queue=queue)
    other.handler("t")(lambda task: checkpoints.update({task.body: task.checkpoint}))
    with running(other):
        for one in ids:
            assert ended(client, one)["status"] == "COMPLETED"
    assert checkpoints[0] == {"page": 7}
    assert endings_of(client, ids[0]) == ["Released", "Completed"]


def test_a_worker_in_an_application_on_asyncio(node: RealNode, queue: str) -> None:
    async def work() -> int:
        async with node.async_client() as client:
            await client.put_queue(queue)
            await client.enqueue_many(queue, [{"type": "t", "body": n} for n in range(100)])
            worker = Worker(client, queue=queue, prefetch=10)
            done: Set[int] = set()

            @worker.handler("t")
            async def do(task: AsyncTask) -> None:
                done.add(task.body)
                if len(done) == 100:
                    worker.stop()

            await asyncio.wait_for(worker.run_async(concurrency=10), SECONDS)
            assert worker.counts.completed == 100
            return (await client.get_queue_statistics(queue))["completed"]

    assert asyncio.run(work()) == 100


def test_the_example_runs_as_a_program(node: RealNode, client: Holdfast) -> None:
    client.put_queue("mail")
    id = client.enqueue("mail", "send", {"to": "ana", "text": "hello"})["id"]
    program = subprocess.Popen(
        [sys.executable, str(PACKAGE / "examples" / "worker.py")],
        env={
            **os.environ,
            "PYTHONPATH": str(PACKAGE / "src"),
            "API_URL": node.url,
            "API_TOKEN": node.token,
        },
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert ended(client, id)["status"] == "COMPLETED"
        program.send_signal(signal.SIGTERM)
        out, _ = program.communicate(timeout=SECONDS)
    finally:
        program.kill()
    assert program.returncode == 0
    assert out == "to ana: hello\n"
    assert client.get_task(id)["result"] == {"sent": True}


# --- contributors ---


def workflow_of(client: Holdfast, name: str, rows: int) -> str:
    made = client.create_workflow(
        {"name": name, "steps": [{"key": "label", "judgments_per_unit": 1}]}
    )
    step: str = made["steps"][0]["id"]
    added = client.add_source_data(
        step, [{"key": f"k{n}", "input": {"image": f"{n}.png"}} for n in range(rows)]
    )
    assert (added["added"], added["problems"]) == (rows, [])
    return step


def test_the_life_of_a_unit(client: Holdfast, queue: str) -> None:
    step = workflow_of(client, queue, 3)
    session = ContributorSession(client, "ana")
    client.rebuild_step_index()  # answered when all open steps are in it
    assert step in [one["id"] for one in session.steps(limit=1000)["steps"]]

    unit = session.next(step, wait=20)
    assert unit is not None
    assert client.get_unit(unit["unit_id"])["assignment_count"] == 1
    assert 0 < session.time_left <= unit["lease_seconds"]
    assert session.extend() > 0
    accepted = session.submit({"answer": "cat"})
    assert accepted["repeated"] is False
    result = client.get_unit_result(unit["unit_id"], wait=SECONDS)
    assert result["result"]["answer"] == "cat"
    assert client.get_lineage(unit["unit_id"])["units"][0]["judgments"][0]["data"] == {
        "answer": "cat"
    }

    given = session.next(step)
    assert given is not None
    session.release()
    assert client.get_unit(given["unit_id"])["assignment_count"] == 0
    seen = set()
    for _ in range(2):  # the one that was given back is offered again
        other = session.next(step, wait=20)
        assert other is not None
        seen.add(other["unit_id"])
        session.submit({"answer": "dog"})
    assert given["unit_id"] in seen
    assert session.next(step) is None
    assert session.leave() == 0
    page = client.list_results(step)
    assert len(page["results"]) == 3
    assert client.get_step(step)["judgments"] == 3
    client.change_step(step, "sealed")
    for _ in client.events(start="oldest", step_id=step, types=["JobStepUpdated"]):
        if client.get_step(step)["status"] == "Completed":
            break


def test_a_unit_that_is_declined_comes_no_more(client: Holdfast, queue: str) -> None:
    step = workflow_of(client, queue, 1)
    session = ContributorSession(client, "ben")
    assert session.next(step, wait=20) is not None
    session.decline()
    assert session.next(step) is None
    other = ContributorSession(client, "cleo")
    assert other.next(step, wait=20) is not None
    assert other.leave() == 1


def test_an_asynchronous_session(node: RealNode, client: Holdfast, queue: str) -> None:
    step = workflow_of(client, queue, 1)

    async def work() -> Any:
        async with node.async_client() as asynchronous:
            session = AsyncContributorSession(asynchronous, "dora")
            assert await session.next(step, wait=20) is not None
            return await session.submit({"answer": "cat"})

    assert asyncio.run(work())["judgment_id"]


# --- waits ---


def test_the_end_of_a_task_is_waited_for(client: Holdfast, queue: str) -> None:
    client.put_queue(queue)
    task = client.enqueue(queue, "send", {})["id"]
    leased = client.claim_tasks(queue, "w", wait=20)[0]
    assert client.get_task(task, wait=0.1)["status"] == "EXECUTING"
    ends: List[Any] = []
    waiting = threading.Thread(target=lambda: ends.append(client.get_task(task, wait=60)))
    waiting.start()
    client.complete_task(task, leased["token"], {"sent": True}, worker="w")
    waiting.join(SECONDS)
    assert [one["status"] for one in ends] == ["COMPLETED"]


def test_a_unit_and_its_result_are_waited_for(client: Holdfast, queue: str) -> None:
    step = workflow_of(client, queue, 0)
    session = ContributorSession(client, "eva")
    given: List[Any] = []
    waiting = threading.Thread(target=lambda: given.append(session.next(step, wait=60)))
    waiting.start()
    client.add_source_data(step, [{"key": "late", "input": {}}])
    waiting.join(SECONDS)
    unit = given[0]["unit_id"]
    results: List[Any] = []
    waiting = threading.Thread(target=lambda: results.append(client.get_unit_result(unit, wait=60)))
    waiting.start()
    session.submit({"answer": "cat"})
    waiting.join(SECONDS)
    assert results[0]["result"]["answer"] == "cat"


def test_events_are_followed_on_asyncio(node: RealNode, client: Holdfast, queue: str) -> None:
    step = workflow_of(client, queue, 2)

    async def read() -> List[str]:
        async with node.async_client() as asynchronous:
            seen: List[str] = []
            async for one in asynchronous.events(
                start="oldest", step_id=step, types=["UnitReadyForAssignment"]
            ):
                seen.append(one["event"]["unit_id"])
                if len(seen) == 2:
                    break
            return seen

    assert len(set(asyncio.run(read()))) == 2


# --- a node that is killed and frozen (last: it takes the node down) ---


def test_events_go_on_behind_the_last_one_after_the_node_was_killed(
    node: RealNode, queue: str
) -> None:
    client = node.client(timeout=120, attempt_timeout=5)
    step = workflow_of(client, queue, 0)
    events = client.events(start="oldest", step_id=step, types=["UnitReadyForAssignment"])
    expected: List[str] = []
    for n in range(6):
        if n == 3:
            node.kill()
            node.start()
        client.add_source_data(step, [{"key": f"k{n}", "input": {}}])
        event = next(events)
        expected.append(event["event"]["unit_id"])
    again = client.events(start="oldest", step_id=step, types=["UnitReadyForAssignment"])
    assert [next(again)["event"]["unit_id"] for _ in range(6)] == expected
    assert len(set(expected)) == 6


def test_each_task_completes_once_though_the_node_is_killed_and_frozen(
    node: RealNode, queue: str
) -> None:
    client = node.client(timeout=120, attempt_timeout=5)
    client.put_queue(
        queue,
        {
            "lease": {"ttl_seconds": 10},
            "retry": {"crashes_max": 50, "least_seconds": 0.05, "most_seconds": 0.2},
        },
    )
    worker = Worker(client, queue=queue, prefetch=4)
    executions: "Counter[str]" = Counter()
    one_more = threading.Condition()

    @worker.handler("t")
    def do(task: Task) -> Any:
        with one_more:
            executions[task.id] += 1
            one_more.notify_all()
        task.cancelled.wait(0.02)  # so that there is work under way when the node is killed
        if task.body["n"] % 10 == 0:
            task.save(checkpoint={"n": task.body["n"]})
        return {"n": task.body["n"]}

    ids: Dict[str, int] = {}

    def produce() -> None:
        for n in range(200):
            id = str(uuid.uuid4())
            client.enqueue(queue, "t", {"n": n}, id=id)
            ids[id] = n

    def await_executions(of_tasks: int) -> None:
        with one_more:
            assert one_more.wait_for(lambda: len(executions) >= of_tasks, SECONDS)

    producer = threading.Thread(target=produce)
    with running(worker, concurrency=8):
        producer.start()
        for count in (40, 90):
            await_executions(count)
            node.kill()
            node.start()
        await_executions(130)
        node.signal(signal.SIGSTOP)
        # The node stays frozen for as long as a call gets no answer.
        with node.client(timeout=3, attempt_timeout=3) as other, pytest.raises(HoldfastError):
            other.list_queues()
        node.signal(signal.SIGCONT)
        producer.join(SECONDS * 2)
        assert not producer.is_alive() and len(ids) == 200
        for id in ids:
            assert ended(client, id)["status"] == "COMPLETED"
    statistics = client.get_queue_statistics(queue)
    assert statistics["completed"] == 200
    assert [statistics[one] for one in ("live", "failed", "dead", "canceled")] == [0, 0, 0, 0]
    for id, n in ids.items():
        assert client.get_task(id)["result"] == {"n": n}
        endings = endings_of(client, id)
        assert endings.count("Completed") == 1 and endings[-1] == "Completed", endings
        assert executions[id] <= len(endings)
    again = sum(executions.values()) - 200
    assert again <= 20, f"{again} executions were repeated"
    client.close()
