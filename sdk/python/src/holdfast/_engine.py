"""The requests of a worker, on one event loop. The decisions are those of `WorkerCore`."""

from __future__ import annotations

import asyncio
import logging
from typing import Any, Callable, Coroutine, List, Optional, Sequence, Set

from ._calls import make_id
from ._worker_core import Lease, Phase, WorkerCore, next_claim_is_vain
from .client import AsyncHoldfast
from .errors import LEASE_OVER_CODES, HoldfastError
from .types import LeasedTask

log = logging.getLogger("holdfast.worker")

#: The longest time for calling a claim off when the worker stops. Seconds.
CALL_OFF_TIMEOUT = 5.0
#: The shortest time for one request that extends leases. Seconds.
EXTENSION_TIMEOUT_LEAST = 0.5


class Engine:
    """Claims tasks, has their handlers run, extends their leases and reports their ends.

    `start` is called with each lease whose handler is to run; it must not block, and
    `handler_ended` is called on the loop when the handler has returned. At most one claim, one
    request that extends and one request with reports are under way.
    """

    def __init__(
        self,
        client: AsyncHoldfast,
        core: WorkerCore,
        start: Callable[[Lease], None],
        *,
        queue: str,
        worker: str,
        types: Sequence[str],
        wait: float,
    ) -> None:
        self._client = client
        self._core = core
        self._start = start
        self._queue = queue
        self._worker = worker
        self._types = list(types)
        self._wait = wait
        self._loop = asyncio.get_running_loop()
        self._changed = asyncio.Event()
        self._under_way: Set["asyncio.Task[None]"] = set()
        self._claim_id: Optional[str] = None  # None: the last claim was answered
        self._claim_limit = 0
        self._claiming: Optional["asyncio.Task[None]"] = None
        self._extending = False
        self._reporting = False
        self._failure: Optional[BaseException] = None

    # --- for the worker, on the loop ---

    def stop(self, patience: Optional[float] = None) -> None:
        first = not self._core.stopping
        self._core.stop(self._loop.time(), patience)
        if first and self._claiming is not None:
            self._begin(self._call_off(self._claiming))
        self._changed.set()

    def handler_ended(self, lease: Lease, ending: Any) -> None:
        self._core.handler_ended(lease, ending, self._loop.time())
        self._changed.set()

    async def save(self, lease: Lease, **update: Any) -> None:
        """Stores the progress of a task. The saves of a lease are numbered in the order in which
        they are asked for."""
        lease.saves += 1
        if lease.lost or lease.phase is not Phase.RUNNING:
            raise HoldfastError("lease_not_held", 0, "the lease on the task is over")
        try:
            await self._client.save_task(
                lease.task["id"],
                lease.task["token"],
                number=lease.saves,
                worker=self._worker,
                queue=self._queue,
                **update,
            )
        except HoldfastError as error:
            if error.code in LEASE_OVER_CODES:
                self._core.lost(lease, str(error))
                self._changed.set()
            raise

    async def run(self) -> None:
        """Works until `stop`. Raises the `HoldfastError` of a claim that no repetition mends."""
        try:
            while True:
                now = self._loop.time()
                self._core.tick(now)
                if self._core.has_ended(now):
                    break
                self._begin_what_is_due(now)
                await self._next_change()
        finally:
            for task in self._under_way:
                task.cancel()
            await asyncio.gather(*self._under_way, return_exceptions=True)
        if self._failure is not None:
            raise self._failure

    # --- the loop ---

    def _begin_what_is_due(self, now: float) -> None:
        core = self._core
        lease = core.next_to_run()
        while lease is not None:
            self._start(lease)
            lease = core.next_to_run()
        if self._claiming is None and core.claim_at <= now and core.claim_limit() > 0:
            self._claim_limit = core.claim_limit()
            self._claiming = self._begin(self._claim())
        if not self._extending:
            leases = core.leases_to_extend(now)
            if leases:
                self._extending = True
                self._begin(self._extend(leases))
        if not self._reporting:
            leases = core.take_batch(now)
            if leases:
                self._reporting = True
                self._begin(self._report(leases))

    def _begin(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        task = self._loop.create_task(work)
        self._under_way.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: "asyncio.Task[None]") -> None:
        self._under_way.discard(task)
        if task is self._claiming:
            self._claiming = None
        if not task.cancelled() and task.exception() is not None:
            self._fail(task.exception())
        self._changed.set()

    def _fail(self, why: Optional[BaseException]) -> None:
        self._failure = self._failure or why
        self._core.stop(self._loop.time())

    def _times(self) -> List[float]:
        core = self._core
        times = [core.next_time()]
        if self._claiming is None and core.claim_limit() > 0:
            times.append(core.claim_at)
        if not self._extending:
            times.append(core.extension_at())
        if not self._reporting:
            times.append(core.batch_at())
        return [one for one in times if one is not None]

    async def _next_change(self) -> None:
        """Waits until something happens or is due."""
        timer = None
        times = self._times()
        if times:
            timer = self._loop.call_at(min(times), self._changed.set)
        try:
            await self._changed.wait()
        finally:
            if timer is not None:
                timer.cancel()
        self._changed.clear()

    # --- requests ---

    async def _claim(self) -> None:
        if self._claim_id is None:
            self._claim_id = make_id()
        try:
            tasks = await self._send_claim(self._client, self._wait)
        except HoldfastError as error:
            log.warning("a claim failed: %s", error)
            self._core.claim_failed(self._loop.time())
            if error.status and not error.retryable:
                self._claim_id = None  # refused: nothing was granted under it
            if next_claim_is_vain(error):
                self._fail(error)
            return
        self._claim_id = None
        self._take(tasks)

    async def _call_off(self, claim: "asyncio.Task[None]") -> None:
        """Ends a claim that waits: the same claim without a wait ends the wait of both. Tasks that
        were granted in that moment are in both answers, and go back."""
        if self._claim_id is None:
            return  # the claim has been answered meanwhile
        try:
            self._take(await self._send_claim(self._client.with_timeout(CALL_OFF_TIMEOUT), 0.0))
            await asyncio.wait({claim}, timeout=CALL_OFF_TIMEOUT)
        except HoldfastError as error:
            log.warning("the last claim could not be called off: %s", error)
        claim.cancel()

    async def _send_claim(self, client: AsyncHoldfast, wait: float) -> List[LeasedTask]:
        return await client.claim_tasks(
            self._queue,
            self._worker,
            limit=self._claim_limit,
            types=self._types,
            wait=wait,
            claim=self._claim_id,
        )

    def _take(self, tasks: List[LeasedTask]) -> None:
        self._core.claimed(tasks, self._types.__contains__, self._loop.time())

    async def _extend(self, leases: List[Lease]) -> None:
        # An extension that comes later than the next one is of no use.
        longest = min(one.lease_seconds for one in leases) / 2
        timeout = max(EXTENSION_TIMEOUT_LEAST, longest)
        reports = [
            {"task": one.task["id"], "token": one.task["token"], "do": "extend"} for one in leases
        ]
        try:
            outcomes = await self._client.with_timeout(timeout).report_tasks(
                self._queue, reports, self._worker, repeat=False
            )
        except HoldfastError as error:
            log.warning("leases could not be extended: %s", error)
            self._core.extension_failed(leases, self._loop.time())
        else:
            self._core.extended(leases, outcomes, self._loop.time())
        finally:
            self._extending = False

    async def _report(self, leases: List[Lease]) -> None:
        try:
            outcomes = await self._client.report_tasks(
                self._queue, [one.report_text for one in leases], self._worker, repeat=False
            )
        except HoldfastError as error:
            log.warning("outcomes of tasks could not be reported: %s", error)
            self._core.report_failed(leases, error, self._loop.time())
        else:
            self._core.reported(leases, outcomes, self._loop.time())
        finally:
            self._reporting = False
