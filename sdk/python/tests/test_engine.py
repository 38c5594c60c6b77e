"""The loop of a worker with a node in memory, in virtual time."""

from __future__ import annotations

import asyncio
from typing import Any, Callable, Dict, List, Optional

import httpx
import pytest
from fake_node import FakeNode, Seen, answer, problem
from virtual_time import run_virtually

from holdfast import AsyncHoldfast, HoldfastError
from holdfast._engine import Engine
from holdfast._worker_core import Completed, Lease, Reason, WorkerCore


class Bench:
    """An engine whose handlers take a time that the body of the task names."""

    def __init__(self, node: FakeNode, concurrency: int = 2, **settings: Any) -> None:
        self.node = node
        self.started: List[str] = []
        self.has_started = asyncio.Event()
        self.told: List[Reason] = []
        self.client = AsyncHoldfast("http://node", "hf_a_b", transport=node.transport)
        self.client._environment.random = lambda: 0.5
        self.core = WorkerCore(concurrency, tell=self._tell, random=lambda: 0.5, **settings)
        self.engine = Engine(
            self.client, self.core, self._start, queue="q", worker="w", types=["work"], wait=20
        )
        self.loop = asyncio.get_running_loop()
        node.on_finished = self.engine.stop

    def _start(self, lease: Lease) -> None:
        self.started.append(lease.task["id"])
        self.has_started.set()
        seconds = lease.task["body"]
        if seconds is not None:
            self.loop.call_later(seconds, self.engine.handler_ended, lease, Completed("done"))

    def _tell(self, lease: Lease, reason: Reason) -> None:
        self.told.append(reason)

    async def run(self) -> float:
        """Returns the virtual seconds that it took."""
        began = self.loop.time()
        await self.engine.run()
        await self.client.aclose()
        return self.loop.time() - began


def run(
    node: FakeNode, prepare: Optional[Callable[[Bench], None]] = None, **settings: Any
) -> Dict[str, Any]:
    async def work() -> Dict[str, Any]:
        bench = Bench(node, **settings)
        if prepare is not None:
            prepare(bench)
        passed = await bench.run()
        return {"passed": passed, "bench": bench, "counts": bench.core.counts}

    return run_virtually(work())


def test_tasks_are_claimed_done_and_reported_together() -> None:
    node = FakeNode()
    tasks = [node.add("work", 1.0) for _ in range(6)]
    node.add("other").status = "COMPLETED"
    told = run(node, concurrency=3)
    assert {one.status for one in tasks} == {"COMPLETED"}
    assert [one.result for one in tasks] == ["done"] * 6
    assert len(node.requests("/completions")) == 2
    assert [one.body["limit"] for one in node.requests("/claims")][0] == 3
    assert told["passed"] == pytest.approx(2, abs=0.1)
    assert told["counts"].completed == 6


def test_a_claim_waits_at_the_node_and_gets_a_task_that_is_made() -> None:
    node = FakeNode()
    run(node, lambda bench: bench.loop.call_later(50, node.add, "work", 0.0) and None)
    claims = node.requests("/claims")
    assert [one.at - claims[0].at for one in claims[:3]] == [0, 20, 40]
    assert {one.query["wait"] for one in claims[:3]} == {"20"}
    assert len({one.headers["idempotency-key"] for one in claims[:3]}) == 3


def test_leases_are_extended_while_handlers_run() -> None:
    node = FakeNode()
    task = node.add("work", 95.0, lease_seconds=30.0)
    run(node)
    assert task.status == "COMPLETED"
    assert len(task.extensions) == 9
    gaps = [b - a for a, b in zip(task.extensions, task.extensions[1:])]
    assert gaps == pytest.approx([10.0] * 8)


def test_a_handler_whose_lease_is_lost_hears_of_it_and_its_result_is_dropped() -> None:
    node = FakeNode()
    task = node.add("work", 50.0, lease_seconds=30.0)

    def lose(bench: Bench) -> None:
        def ejected() -> None:
            task.token += 1
            task.status = "QUEUED"
            task.type = "elsewhere"

        bench.loop.call_later(15, ejected)
        bench.loop.call_later(60, bench.engine.stop)

    told = run(node, lose)
    assert told["bench"].told == [Reason.LOST]
    assert task.reports == [task.reports[0]] and task.reports[0]["do"] == "extend"
    assert told["counts"].lost == 1


def test_a_node_that_is_away_costs_no_result() -> None:
    node = FakeNode()
    tasks = [node.add("work", 5.0) for _ in range(2)]

    def away(seen: Seen) -> Any:
        began = node.seen[0].at
        return httpx.ConnectError("refused") if 2 < seen.at - began < 25 else None

    node.scripts.append(away)
    told = run(node)
    assert told["counts"].completed == 2
    assert [one.status for one in tasks] == ["COMPLETED"] * 2
    assert told["passed"] < 35


def test_a_claim_that_was_answered_unheard_is_repeated_under_its_id() -> None:
    node = FakeNode()
    task = node.add("work", 0.0)

    async def lost_answer(seen: Seen) -> Any:
        await node._claim(seen)
        return httpx.ReadError("reset")

    node.once("/claims", lost_answer)
    told = run(node)
    claims = node.requests("/claims")
    assert claims[0].headers["idempotency-key"] == claims[1].headers["idempotency-key"]
    assert task.attempt == 1
    assert told["counts"].completed == 1


def test_a_queue_that_is_not_there_yet_is_waited_for() -> None:
    node = FakeNode()
    node.add("work", 0.0)
    for _ in range(3):
        node.once("/claims", problem(404, "not_found", "there is no queue q"))
    told = run(node)
    assert told["counts"].completed == 1
    assert told["passed"] > 0.3


@pytest.mark.parametrize(
    "status, code", [(401, "unauthenticated"), (403, "not_allowed"), (400, "invalid_argument")]
)
def test_a_claim_that_is_refused_for_good_ends_the_worker(status: int, code: str) -> None:
    node = FakeNode()
    node.scripts.append(
        lambda seen: problem(status, code) if seen.path.endswith("/claims") else None
    )
    with pytest.raises(HoldfastError) as raised:
        run(node)
    assert raised.value.code == code


def test_a_stop_calls_the_waiting_claim_off_and_gives_back_what_it_was_granted() -> None:
    node = FakeNode()

    def stop(bench: Bench) -> None:
        bench.loop.call_later(5, bench.engine.stop)

    told = run(node, stop)
    first, second = node.requests("/claims")
    assert first.headers["idempotency-key"] == second.headers["idempotency-key"]
    assert (first.query["wait"], second.query["wait"]) == ("20", "0")
    assert told["passed"] == pytest.approx(5, abs=0.1)


def test_a_task_that_comes_as_the_claim_is_called_off_goes_back() -> None:
    node = FakeNode()
    tasks: List[Any] = []

    def stop(bench: Bench) -> None:
        bench.loop.call_later(5, bench.engine.stop)

    async def granted(seen: Seen) -> Any:
        tasks.append(node.add("work", 0.0))
        return await node._claim(seen)

    node.scripts.append(lambda seen: granted(seen) if seen.query.get("wait") == "0" else None)
    told = run(node, stop)
    assert tasks[0].status == "QUEUED"
    assert [one["do"] for one in tasks[0].reports] == ["release"]
    assert told["counts"].released == 1
    assert told["bench"].started == []


def test_a_stop_gives_prefetched_tasks_back_and_lets_the_others_end() -> None:
    node = FakeNode()
    tasks = [node.add("work", 4.0) for _ in range(3)]

    def stop(bench: Bench) -> None:
        bench.loop.call_later(1, bench.engine.stop)

    told = run(node, stop, concurrency=1, prefetch=2, patience=10.0)
    assert [one.status for one in tasks] == ["COMPLETED", "QUEUED", "QUEUED"]
    assert told["passed"] == pytest.approx(4, abs=0.1)


def test_a_stop_gives_back_what_its_handler_does_not_finish() -> None:
    node = FakeNode()
    task = node.add("work", None, lease_seconds=30.0)

    def stop(bench: Bench) -> None:
        bench.loop.call_later(1, bench.engine.stop)

    told = run(node, stop, patience=10.0, cancel_patience=2.0)
    assert task.status == "QUEUED"
    assert told["bench"].told == [Reason.STOPPING, Reason.GIVEN_BACK]
    assert told["passed"] == pytest.approx(13, abs=0.1)


def test_a_stop_without_a_node_ends_in_time() -> None:
    node = FakeNode()
    node.add("work", 0.5)

    def gone(seen: Seen) -> Any:
        return httpx.ConnectError("refused") if node.seen[0] is not seen else None

    node.scripts.append(gone)

    def stop(bench: Bench) -> None:
        bench.loop.call_later(1, bench.engine.stop)

    told = run(node, stop, report_patience=7.0)
    assert told["passed"] == pytest.approx(8, abs=0.2)
    assert told["counts"].completed == 0


def test_saves_are_numbered_and_a_lost_lease_is_heard_of() -> None:
    node = FakeNode()
    task = node.add("work", None)

    async def work() -> None:
        bench = Bench(node)
        running = asyncio.ensure_future(bench.run())
        await bench.has_started.wait()
        (lease,) = bench.core.held.values()
        await asyncio.gather(
            bench.engine.save(lease, checkpoint=1), bench.engine.save(lease, percent=5)
        )
        assert [(one["number"], one.get("checkpoint")) for one in task.saves] == [(1, 1), (2, None)]
        task.token += 1
        with pytest.raises(HoldfastError) as raised:
            await bench.engine.save(lease, checkpoint=2)
        assert raised.value.code == "stale_token"
        assert bench.told == [Reason.LOST]
        with pytest.raises(HoldfastError) as raised:
            await bench.engine.save(lease, checkpoint=2)
        assert raised.value.code == "lease_not_held"
        assert len(node.requests("/save")) == 3
        bench.engine.stop(0)
        await running

    run_virtually(work())


def test_a_mistake_in_the_engine_ends_the_worker_with_its_error() -> None:
    node = FakeNode()
    node.once("/claims", answer(200, {"no": "tasks"}))
    with pytest.raises(KeyError):
        run(node)
