"""The worker as applications use it: threads, coroutines, signals. The node is in memory."""

from __future__ import annotations

import asyncio
import os
import pathlib
import runpy
import signal
import threading
from typing import Any, Dict, List

import httpx
import pytest
from fake_node import FakeNode, problem

import holdfast
from holdfast import (
    AsyncHoldfast,
    AsyncTask,
    GiveBack,
    Holdfast,
    HoldfastError,
    PermanentFailure,
    RateLimited,
    Task,
    TransientFailure,
    Worker,
)

PACKAGE = pathlib.Path(__file__).parent.parent
SECONDS = 20.0  # No test takes so long, unless it fails.


def worker_of(node: FakeNode, **settings: Any) -> Worker:
    client = Holdfast("http://node", "hf_a_b", transport=node.transport)
    worker = Worker(client, queue="q", **settings)
    node.on_finished = worker.stop
    return worker


def test_a_plain_function_and_a_coroutine_do_tasks() -> None:
    node = FakeNode()
    plain = [node.add("plain", {"n": n}) for n in range(10)]
    other = [node.add("coroutine", {"n": n}) for n in range(10)]
    worker = worker_of(node)
    threads = set()

    @worker.handler("plain")
    def do(task: Task) -> Any:
        threads.add(threading.current_thread().name)
        return task.body["n"] * 2

    @worker.handler("coroutine")
    async def do_it(task: AsyncTask) -> Any:
        assert threading.current_thread() is threading.main_thread()
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(None, lambda: task.body["n"] * 3)

    worker.run(concurrency=4)
    assert [one.result for one in plain] == [n * 2 for n in range(10)]
    assert [one.result for one in other] == [n * 3 for n in range(10)]
    assert 1 <= len(threads) <= 4
    assert worker.counts.completed == 20
    assert worker.counts.running == 0
    claim = node.requests("/claims")[0]
    assert claim.body["worker"] == worker.name
    assert sorted(claim.body["types"]) == ["coroutine", "plain"]


def test_exceptions_say_how_an_attempt_ends() -> None:
    node = FakeNode()
    raised: Dict[str, BaseException] = {
        "permanent": PermanentFailure("NO_SUCH_ADDRESS", "550"),
        "limited": RateLimited(30, detail="429"),
        "transient": TransientFailure("GREYLISTED", "later", retry_after=60),
        "other": KeyError("to"),
        "exit": SystemExit(3),
        "back": GiveBack(delay=5, checkpoint={"page": 3}),
    }
    tasks = {name: node.add(name) for name in raised}
    worker = worker_of(node)
    node.is_finished = lambda: all(one.reports for one in tasks.values())

    @worker.handler(*raised)
    def do(task: Task) -> None:
        if task.type == "back":
            tasks["back"].type = "gone"  # else it would come again at once
        raise raised[task.type]

    worker.run(concurrency=1)
    reports = {name: task.reports[0] for name, task in tasks.items()}
    said = {
        name: {key: one.get(key) for key in ("do", "kind", "code", "detail", "retry_after")}
        for name, one in reports.items()
    }
    assert said["permanent"] == {
        "do": "fail",
        "kind": "permanent",
        "code": "NO_SUCH_ADDRESS",
        "detail": "550",
        "retry_after": None,
    }
    assert said["limited"] == {
        "do": "fail",
        "kind": "rate_limited",
        "code": "RATE_LIMITED",
        "detail": "429",
        "retry_after": 30,
    }
    assert said["transient"] == {
        "do": "fail",
        "kind": "transient",
        "code": "GREYLISTED",
        "detail": "later",
        "retry_after": 60,
    }
    for name in ("other", "exit"):
        assert (said[name]["kind"], said[name]["code"]) == ("transient", "HANDLER_EXCEPTION")
    assert "KeyError: 'to'" in reports["other"]["detail"]
    assert "test_worker.py" in reports["other"]["detail"]
    assert reports["back"]["do"] == "release"
    assert (reports["back"]["delay"], reports["back"]["checkpoint"]) == (5, {"page": 3})


def test_both_kinds_of_handlers_save() -> None:
    node = FakeNode()
    tasks = [node.add("plain"), node.add("coroutine")]
    worker = worker_of(node)

    @worker.handler("plain")
    def do(task: Task) -> None:
        task.save(checkpoint={"page": 1}, percent=50)
        task.save(data={"x": 1}, state="half")
        assert (task.checkpoint, task.data, task.state) == ({"page": 1}, {"x": 1}, "half")
        assert 59 < task.lease_left <= 60

    @worker.handler("coroutine")
    async def do_it(task: AsyncTask) -> None:
        await task.save(checkpoint={"page": 1}, percent=50)
        await task.save(data={"x": 1}, state="half")

    worker.run(concurrency=2)
    for task in tasks:
        assert task.status == "COMPLETED", task.reports
        assert [one["number"] for one in task.saves] == [1, 2]
        assert task.saves[0]["checkpoint"] == {"page": 1}
        assert task.saves[1]["state"] == "half"


@pytest.mark.parametrize("kind", ["plain", "coroutine"])
def test_a_handler_whose_lease_is_lost_finds_cancelled_set(kind: str) -> None:
    node = FakeNode()
    task = node.add(kind, lease_seconds=0.3)
    worker = worker_of(node)
    reasons: List[Any] = []

    def lose() -> None:
        task.token += 1
        task.type = "elsewhere"

    def note(leased: Any) -> None:
        reasons.append(leased.cancel_reason)
        assert leased.lease_left == 0
        worker.stop()

    @worker.handler("plain")
    def do(leased: Task) -> str:
        lose()
        assert leased.cancelled.wait(SECONDS)
        note(leased)
        return "late"

    @worker.handler("coroutine")
    async def do_it(leased: AsyncTask) -> str:
        lose()
        await asyncio.wait_for(leased.cancelled.wait(), SECONDS)
        note(leased)
        return "late"

    worker.run(concurrency=1)
    assert reasons == ["lost"]
    assert [one["do"] for one in task.reports if one["do"] != "extend"] == []
    assert worker.counts.lost == 1


@pytest.mark.parametrize("kind", ["plain", "coroutine"])
def test_a_handler_that_sees_the_stop_gives_its_task_back(kind: str) -> None:
    node = FakeNode()
    task = node.add(kind)
    worker = worker_of(node, patience=0.0)

    @worker.handler("plain")
    def do(leased: Task) -> None:
        worker.stop()
        assert leased.cancelled.wait(SECONDS)
        assert leased.cancel_reason == "stopping"
        raise GiveBack(checkpoint={"page": 7})

    @worker.handler("coroutine")
    async def do_it(leased: AsyncTask) -> None:
        worker.stop()
        await asyncio.wait_for(leased.cancelled.wait(), SECONDS)
        raise GiveBack(checkpoint={"page": 7})

    worker.run(concurrency=1)
    assert [one["do"] for one in task.reports] == ["release"]
    assert task.reports[0]["checkpoint"] == {"page": 7}
    assert task.status == "QUEUED"


@pytest.mark.parametrize("kind", ["plain", "coroutine"])
def test_a_handler_that_does_not_see_the_stop_loses_its_task(kind: str) -> None:
    node = FakeNode()
    task = node.add(kind)
    worker = worker_of(node, patience=0.0, cancel_patience=0.05)
    returned = threading.Event()
    cancelled = threading.Event()

    @worker.handler("plain")
    def do(leased: Task) -> None:
        worker.stop()
        returned.wait(SECONDS)
        with pytest.raises(HoldfastError):
            leased.save(percent=1)
        cancelled.set()

    @worker.handler("coroutine")
    async def do_it(leased: AsyncTask) -> None:
        worker.stop()
        try:
            await asyncio.Event().wait()  # until it is cancelled
        except asyncio.CancelledError:
            cancelled.set()
            raise

    worker.run(concurrency=1)
    assert [one["do"] for one in task.reports] == ["release"]
    assert worker.counts.released == 1
    returned.set()
    assert cancelled.wait(SECONDS)


def test_a_worker_runs_in_an_application_on_asyncio() -> None:
    node = FakeNode()
    tasks = [node.add("work", n) for n in range(5)]

    async def application() -> None:
        client = AsyncHoldfast("http://node", "hf_a_b", transport=node.transport)
        worker = Worker(client, queue="q", name="w-1")
        node.on_finished = worker.stop
        loop = asyncio.get_running_loop()

        @worker.handler("work")
        async def do(task: AsyncTask) -> int:
            assert asyncio.get_running_loop() is loop
            return int(task.body)

        await worker.run_async(concurrency=2)
        await client.aclose()

    asyncio.run(application())
    assert [one.result for one in tasks] == list(range(5))
    assert node.requests("/claims")[0].body["worker"] == "w-1"


def test_to_cancel_a_worker_is_to_stop_it_at_once() -> None:
    node = FakeNode()
    task = node.add("work")

    async def application() -> None:
        worker = worker_of(node, cancel_patience=0.05)
        began = asyncio.Event()

        @worker.handler("work")
        async def do(leased: AsyncTask) -> None:
            began.set()
            await asyncio.Event().wait()  # until it is cancelled

        running = asyncio.ensure_future(worker.run_async(1))
        await asyncio.wait_for(began.wait(), SECONDS)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(application())
    assert [one["do"] for one in task.reports] == ["release"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_the_worker_and_handlers_end(number: int) -> None:
    node = FakeNode()
    task = node.add("work")
    worker = worker_of(node)
    before = signal.getsignal(number)

    @worker.handler("work")
    def do(leased: Task) -> str:
        os.kill(os.getpid(), number)
        return "done"

    node.on_finished = lambda: None
    worker.run(concurrency=1)
    assert task.status == "COMPLETED"
    assert signal.getsignal(number) is before


def test_a_second_signal_ends_the_patience() -> None:
    node = FakeNode()
    task = node.add("work")
    worker = worker_of(node, patience=SECONDS * 10)

    @worker.handler("work")
    def do(leased: Task) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        assert not leased.cancelled.wait(0.1)
        os.kill(os.getpid(), signal.SIGTERM)
        assert leased.cancelled.wait(SECONDS)
        raise GiveBack()

    worker.run(concurrency=1)
    assert task.status == "QUEUED"


def test_a_token_that_is_refused_ends_run_with_the_error() -> None:
    node = FakeNode()
    node.scripts.append(lambda seen: problem(401, "unauthenticated", "send a token"))
    worker = worker_of(node)
    worker.handler("work")(lambda task: None)
    with pytest.raises(HoldfastError) as raised:
        worker.run()
    assert raised.value.code == "unauthenticated"


def test_a_worker_runs_again_after_it_was_stopped() -> None:
    node = FakeNode()
    worker = worker_of(node)
    worker.handler("work")(lambda task: None)
    worker.stop()
    worker.run()
    assert node.requests("/claims") == []
    task = node.add("work")
    worker.run()
    assert task.status == "COMPLETED"


def test_settings_that_cannot_be_are_refused() -> None:
    node = FakeNode()
    with pytest.raises(ValueError):
        worker_of(node, prefetch=-1)
    with pytest.raises(ValueError):
        worker_of(node, wait=61)
    worker = worker_of(node)
    with pytest.raises(ValueError, match="no handler"):
        worker.run()
    worker.handler("work")(lambda task: None)
    with pytest.raises(ValueError, match="already"):
        worker.handler("work")(lambda task: None)
    with pytest.raises(ValueError, match="concurrency"):
        worker.run(concurrency=0)
    with pytest.raises(ValueError, match="100 types"):
        worker.handler(*(f"t{n}" for n in range(101)))(lambda task: None)


def test_a_transport_that_is_not_for_asyncio_is_refused() -> None:
    class Threads(httpx.BaseTransport):
        pass

    worker = Worker(Holdfast("http://node", "t", transport=Threads()), queue="q")
    worker.handler("work")(lambda task: None)
    with pytest.raises(TypeError, match="asynchronous transport"):
        worker.run()


def test_workers_of_one_program_have_names_of_their_own() -> None:
    node = FakeNode()
    names = {worker_of(node).name for _ in range(10)}
    assert len(names) == 10
    assert all(len(one.encode()) <= 128 for one in names)


def test_the_example_does_tasks_until_a_signal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    node = FakeNode()
    task = node.add("send", {"to": "ana", "text": "hello"})
    node.on_finished = lambda: os.kill(os.getpid(), signal.SIGTERM)

    def client_of(url: str, token: str) -> Holdfast:
        return Holdfast(url, token, transport=node.transport)

    monkeypatch.setattr(holdfast, "Holdfast", client_of)
    monkeypatch.setenv("API_URL", "http://node")
    monkeypatch.setenv("API_TOKEN", "hf_a_b")
    runpy.run_path(str(PACKAGE / "examples" / "worker.py"))
    assert task.result == {"sent": True}
    assert capsys.readouterr().out == "to ana: hello\n"


def test_the_readme_shows_the_example_as_it_is() -> None:
    example = (PACKAGE / "examples" / "worker.py").read_text()
    assert f"```python\n{example}```" in (PACKAGE / "README.md").read_text()
