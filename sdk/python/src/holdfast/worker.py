"""A worker: claims the tasks of a queue, has handlers do them, and reports how they ended."""

from __future__ import annotations

import asyncio
import concurrent.futures as futures
import functools
import inspect
import logging
import os
import queue as queues
import signal
import socket
import threading
import time
import traceback
from contextlib import contextmanager
from typing import (
    Any,
    Awaitable,
    Callable,
    Dict,
    Iterator,
    List,
    Optional,
    Tuple,
    TypeVar,
    Union,
)

from ._calls import Moment, make_id, members
from ._engine import Engine
from ._worker_core import (
    HANDLER_EXCEPTION,
    Completed,
    Counts,
    Failed,
    GivenBack,
    Lease,
    Reason,
    WorkerCore,
)
from .client import AsyncHoldfast, Holdfast, async_twin
from .errors import HoldfastError
from .types import LeasedTask

log = logging.getLogger("holdfast.worker")

Handler = TypeVar("Handler", bound=Callable[..., Any])

#: The most types of one claim.
TYPES_MAX = 100


# --- exceptions that end an attempt ---


class TaskFailure(Exception):
    """The base of the exceptions by which a handler ends an attempt. `code` is for programs, 1 to
    128 bytes; `detail` is for operators."""

    kind = "transient"

    def __init__(self, code: str, detail: str = "", retry_after: Optional[float] = None) -> None:
        super().__init__(code, detail, retry_after)
        self.code = code
        self.detail = detail
        self.retry_after = retry_after


class TransientFailure(TaskFailure):
    """The attempt failed, and the next one may go well. No attempt begins before `retry_after`
    seconds have passed. Any other exception of a handler is a transient failure as well, with the
    code `HANDLER_EXCEPTION`."""


class PermanentFailure(TaskFailure):
    """The task fails for good: no further attempt can help."""

    kind = "permanent"

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(code, detail)
        self.args = (code, detail)


class RateLimited(TaskFailure):
    """Another service asked to come back after `retry_after` seconds, at most 86400. All tasks of
    the same type and credential wait. It does not count as a failed attempt."""

    kind = "rate_limited"

    def __init__(self, retry_after: float, code: str = "RATE_LIMITED", detail: str = "") -> None:
        super().__init__(code, detail, retry_after)
        self.args = (retry_after, code, detail)


class GiveBack(Exception):
    """The handler gives the task back, neither done nor failed, for instance because the worker
    stops, or because the task waits for something. Others may claim it at once, after `delay`
    seconds, or from `run_at` on. The other arguments are those of `Task.save`."""

    def __init__(
        self,
        *,
        delay: Optional[float] = None,
        run_at: Optional[Moment] = None,
        state: Optional[str] = None,
        data: Any = None,
        checkpoint: Any = None,
        percent: Optional[int] = None,
    ) -> None:
        super().__init__()
        self.delay = delay
        self.update = members(
            run_at=run_at, state=state, data=data, checkpoint=checkpoint, percent=percent
        )


# --- tasks ---


class BaseTask:
    """A leased task, as its handler gets it.

    `body` is the work, `data` the JSON of the named `state`, and `checkpoint` the JSON that
    earlier workers saved. `attempt` counts from 1. `raw` is the whole object of the API
    (`types.LeasedTask`). `cancel_reason` is None, or after `cancelled` is set one of `"lost"`
    (another worker may have the task), `"expired"` (no extension of the lease was confirmed in
    time), `"stopping"` (the worker stops) and `"given_back"` (it has given the task back).
    """

    def __init__(self, raw: LeasedTask, queue: str, worker: str, lease: Lease) -> None:
        self.raw = raw
        self.queue = queue
        self.worker = worker
        self.id: str = raw["id"]
        self.type: str = raw["type"]
        self.version: str = raw["version"]
        self.body: Any = raw["body"]
        self.state: str = raw["state"]
        self.data: Any = raw["data"]
        self.checkpoint: Any = raw["checkpoint"]
        self.attempt: int = raw["attempt"]
        self.max_attempts: int = raw["max_attempts"]
        self.key: Optional[str] = raw.get("key")
        self.traceparent: Optional[str] = raw.get("traceparent")
        self.cancel_reason: Optional[str] = None
        self._lease = lease

    @property
    def lease_left(self) -> float:
        """The seconds until the lease ends, as far as this process knows; 0 when it is over. A
        thread of the worker extends the lease while the handler runs."""
        if self._lease.lost:
            return 0.0
        return max(0.0, self._lease.ends_at - time.monotonic())

    def _saved(self, update: Dict[str, Any]) -> None:
        for name in ("state", "data", "checkpoint"):
            if name in update:
                setattr(self, name, update[name])

    def __repr__(self) -> str:
        return f"{type(self).__name__}(id={self.id!r}, type={self.type!r}, attempt={self.attempt})"


class Task(BaseTask):
    """The task of a handler that runs in a thread. `cancelled` is a `threading.Event`: once it is
    set, the handler has no reason to go on."""

    def __init__(
        self,
        raw: LeasedTask,
        queue: str,
        worker: str,
        lease: Lease,
        store: Callable[[Dict[str, Any]], None],
    ) -> None:
        super().__init__(raw, queue, worker, lease)
        self.cancelled = threading.Event()
        self._store = store

    def save(
        self,
        *,
        state: Optional[str] = None,
        data: Any = None,
        checkpoint: Any = None,
        percent: Optional[int] = None,
    ) -> None:
        """Stores the progress of the task under its lease; an argument that is None stays as it
        is. `checkpoint` is JSON that the next worker of the task gets; `percent` is 0 to 100. The
        saves of a lease are numbered, so that a late one changes nothing.

        Raises `HoldfastError`: `lease_not_held`, `stale_token`, `lease_expired` or `not_found`
        when the lease is over; `wrong_state` when the type does not allow `state`.
        """
        update = members(state=state, data=data, checkpoint=checkpoint, percent=percent)
        self._store(update)
        self._saved(update)


class AsyncTask(BaseTask):
    """The task of a handler that is a coroutine. `cancelled` is an `asyncio.Event`."""

    def __init__(
        self,
        raw: LeasedTask,
        queue: str,
        worker: str,
        lease: Lease,
        store: Callable[[Dict[str, Any]], Awaitable[None]],
    ) -> None:
        super().__init__(raw, queue, worker, lease)
        self.cancelled = asyncio.Event()
        self._store = store

    async def save(
        self,
        *,
        state: Optional[str] = None,
        data: Any = None,
        checkpoint: Any = None,
        percent: Optional[int] = None,
    ) -> None:
        """As `Task.save`."""
        update = members(state=state, data=data, checkpoint=checkpoint, percent=percent)
        await self._store(update)
        self._saved(update)


# --- running handlers ---


def _ending_of(error: BaseException) -> Any:
    """How an attempt ends whose handler raised."""
    if isinstance(error, TaskFailure):
        return Failed(error.kind, error.code, error.detail, error.retry_after)
    if isinstance(error, GiveBack):
        return GivenBack(error.delay, error.update)
    if isinstance(error, asyncio.CancelledError):
        return GivenBack()
    text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    return Failed("transient", HANDLER_EXCEPTION, text)


class _ThreadJob:
    """A handler that runs in a thread."""

    def __init__(
        self, task: Task, handler: Callable[[Task], Any], ended: Callable[[Any], None]
    ) -> None:
        self._task = task
        self._handler = handler
        self._ended = ended

    def __call__(self) -> Callable[[], None]:
        """Runs the handler; returns the function that tells of its end."""
        try:
            ending: Any = Completed(self._handler(self._task))
        except BaseException as error:
            ending = _ending_of(error)
        return functools.partial(self._ended, ending)

    def tell(self, reason: Reason) -> None:
        self._task.cancel_reason = reason.value
        self._task.cancelled.set()


class _CoroutineJob:
    """A handler that is a coroutine, on the loop of the application."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        make_task: Callable[[], AsyncTask],
        handler: Callable[[AsyncTask], Awaitable[Any]],
        ended: Callable[[Any], None],
    ) -> None:
        self._loop = loop
        self._make_task = make_task
        self._handler = handler
        self._ended = ended
        self._task: Optional[AsyncTask] = None
        self._running: Optional["asyncio.Task[None]"] = None

    def begin(self) -> None:
        """On the loop of the application, which the event of the task belongs to."""
        self._task = self._make_task()
        self._running = self._loop.create_task(self._run(self._task))

    def tell(self, reason: Reason) -> None:
        self._loop.call_soon_threadsafe(self._told, reason)

    async def _run(self, task: AsyncTask) -> None:
        try:
            ending: Any = Completed(await self._handler(task))
        except (KeyboardInterrupt, SystemExit) as error:
            self._ended(_ending_of(error))
            raise
        except BaseException as error:
            ending = _ending_of(error)
        self._ended(ending)

    def _told(self, reason: Reason) -> None:
        assert self._task is not None and self._running is not None
        self._task.cancel_reason = reason.value
        self._task.cancelled.set()
        if reason is Reason.GIVEN_BACK:
            self._running.cancel()


class _Threads:
    """Threads that run one job after the other. They are daemons: a handler that does not return
    keeps no program from ending."""

    def __init__(self) -> None:
        self._jobs: "queues.SimpleQueue[Optional[_ThreadJob]]" = queues.SimpleQueue()
        self._lock = threading.Lock()
        self._count = 0
        self._free = 0

    def run(self, job: _ThreadJob) -> None:
        with self._lock:
            if self._free > 0:
                self._free -= 1
            else:
                name = f"holdfast-handler-{self._count}"
                threading.Thread(target=self._work, name=name, daemon=True).start()
                self._count += 1
        self._jobs.put(job)

    def end(self) -> None:
        for _ in range(self._count):
            self._jobs.put(None)

    def _work(self) -> None:
        while True:
            job = self._jobs.get()
            if job is None:
                return
            tell_of_end = job()
            with self._lock:
                self._free += 1  # first, since the next job may come at once
            tell_of_end()


class _Run:
    """One run of a worker. The engine has a thread and a loop of its own, so that no handler holds
    up an extension; handlers run in threads, or on the loop of the application."""

    def __init__(self, worker: "Worker", concurrency: int, app: asyncio.AbstractEventLoop) -> None:
        self._worker = worker
        self._app = app
        self._threads = _Threads()
        self._jobs: Dict[Lease, Union[_ThreadJob, _CoroutineJob]] = {}
        self._engine: Optional[Engine] = None
        self._loop: Optional[asyncio.AbstractEventLoop] = None
        self._lock = threading.Lock()
        self._stops: List[Optional[float]] = []  # asked for before the engine was there
        self._has_ended = False
        self.core = WorkerCore(
            concurrency,
            prefetch=worker._prefetch,
            patience=worker._patience,
            cancel_patience=worker._cancel_patience,
            tell=lambda lease, reason: self._jobs[lease].tell(reason),
        )

    # --- on any thread ---

    def stop(self, patience: Optional[float]) -> None:
        with self._lock:
            if self._engine is None:
                self._stops.append(patience)
            elif not self._has_ended:
                assert self._loop is not None
                self._loop.call_soon_threadsafe(self._engine.stop, patience)

    def _ended(self, lease: Lease, ending: Any) -> None:
        with self._lock:
            if not self._has_ended:
                assert self._loop is not None
                self._loop.call_soon_threadsafe(self._job_ended, lease, ending)

    def _save(self, lease: Lease, update: Dict[str, Any]) -> "futures.Future[None]":
        with self._lock:
            if self._has_ended:
                raise HoldfastError("lease_not_held", 0, "the worker has given the task back")
            assert self._engine is not None and self._loop is not None
            return asyncio.run_coroutine_threadsafe(self._engine.save(lease, **update), self._loop)

    # --- on the thread of the engine ---

    def work(self) -> None:
        asyncio.run(self._work())

    async def _work(self) -> None:
        worker = self._worker
        client = async_twin(worker._client)
        try:
            engine = Engine(
                client,
                self.core,
                self._start,
                queue=worker._queue,
                worker=worker.name,
                types=list(worker._handlers),
                wait=worker._wait,
            )
            with self._lock:
                self._loop = asyncio.get_running_loop()
                self._engine = engine
                for patience in self._stops:
                    engine.stop(patience)
            await engine.run()
        finally:
            with self._lock:
                self._has_ended = True
            self._threads.end()
            await client.aclose()

    def _start(self, lease: Lease) -> None:
        worker = self._worker
        handler, is_coroutine = worker._handlers[lease.task["type"]]
        about = (lease.task, worker._queue, worker.name, lease)

        def ended(ending: Any) -> None:
            self._ended(lease, ending)

        if is_coroutine:

            async def store_async(update: Dict[str, Any]) -> None:
                await asyncio.wrap_future(self._save(lease, update))

            job = _CoroutineJob(self._app, lambda: AsyncTask(*about, store_async), handler, ended)
            self._jobs[lease] = job
            self._app.call_soon_threadsafe(job.begin)
            return

        def store(update: Dict[str, Any]) -> None:
            self._save(lease, update).result()

        thread_job = _ThreadJob(Task(*about, store), handler, ended)
        self._jobs[lease] = thread_job
        self._threads.run(thread_job)

    def _job_ended(self, lease: Lease, ending: Any) -> None:
        del self._jobs[lease]
        assert self._engine is not None
        self._engine.handler_ended(lease, ending)


# --- the worker ---


def _own_name() -> str:
    """A name that no other process has."""
    return f"{socket.gethostname()[:60]}-{os.getpid()}-{make_id()[-12:]}"


class Worker:
    """Does the tasks of one queue.

        worker = Worker(Holdfast(url, token), queue="mail")

        @worker.handler("send")
        def send(task):
            ...

        worker.run(concurrency=8)

    The result of a handler completes its task and is any JSON; None completes it without one. An
    exception fails the attempt: `PermanentFailure`, `RateLimited` and `TransientFailure` say how,
    every other exception is a transient failure, and `GiveBack` gives the task back.

    The worker claims as many tasks as it has free handlers, and `prefetch` tasks more that wait
    here; each claim waits `wait` seconds (0 to 60) for a task. A thread of its own extends the
    leases, each after a third of its time, and reports ends, up to 100 in a request. A lease that
    is lost sets `task.cancelled`, and the outcome of its handler is dropped.

    `stop`, SIGTERM and SIGINT end the worker: it claims no more, gives running handlers
    `patience` seconds, sets `task.cancelled`, gives them `cancel_patience` seconds more, and
    gives back the tasks of those that still run.

    `name` is 1 to 128 bytes and belongs to one process alone; by default it is made of the host,
    the process and a random part. The token of a worker that is bound to a name wants that one.
    """

    def __init__(
        self,
        client: Union[Holdfast, AsyncHoldfast],
        queue: str,
        *,
        name: Optional[str] = None,
        prefetch: int = 0,
        wait: float = 20.0,
        patience: float = 10.0,
        cancel_patience: float = 2.0,
    ) -> None:
        if prefetch < 0 or not 0 <= wait <= 60 or patience < 0 or cancel_patience < 0:
            raise ValueError(
                "prefetch, patience and cancel_patience are not below 0; wait is 0 to 60"
            )
        self.name = name or _own_name()
        self._client = client
        self._queue = queue
        self._prefetch = prefetch
        self._wait = wait
        self._patience = patience
        self._cancel_patience = cancel_patience
        self._handlers: Dict[str, Tuple[Callable[..., Any], bool]] = {}
        self._lock = threading.Lock()
        self._run: Optional[_Run] = None
        self._running = False
        self._stop_asked = False

    def handler(self, *types: str) -> Callable[[Handler], Handler]:
        """Makes a function the handler of these types of tasks. A plain function gets a `Task` and
        runs in a thread; an `async def` gets an `AsyncTask` and runs on the loop of `run_async`,
        or on one that `run` makes."""
        if not types:
            raise ValueError("a handler needs a type")

        def add(function: Handler) -> Handler:
            is_coroutine = inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
                getattr(function, "__call__", None)
            )
            for one in types:
                if one in self._handlers:
                    raise ValueError(f"the type {one!r} has a handler already")
                self._handlers[one] = (function, is_coroutine)
            if len(self._handlers) > TYPES_MAX:
                raise ValueError(f"a worker has at most {TYPES_MAX} types")
            return function

        return add

    @property
    def counts(self) -> Counts:
        """The counts of the run that is under way, or of the last one."""
        with self._lock:
            return self._run.core.counts if self._run is not None else Counts()

    def run(self, concurrency: int = 8, *, handle_signals: bool = True) -> None:
        """Works until `stop` is called or SIGTERM or SIGINT arrives; a second signal ends the
        patience. Signals are handled in the main thread alone. `concurrency` handlers run at once.

        Raises `HoldfastError` when the node refuses every claim: the token, the name or the queue
        is wrong. A queue that is not there yet, and a node that does not answer, are waited for.
        """
        asyncio.run(self._run_in_own_loop(concurrency, handle_signals))

    async def run_async(self, concurrency: int = 8) -> None:
        """As `run`, in an application on asyncio, whose loop runs the handlers that are
        coroutines. Signals are the application's. To cancel it is `stop(0)`."""
        loop = asyncio.get_running_loop()
        if not self._handlers:
            raise ValueError("the worker has no handler")
        if concurrency < 1:
            raise ValueError("concurrency is at least 1")
        run = _Run(self, concurrency, loop)
        with self._lock:
            if self._running:
                raise RuntimeError("the worker runs already")
            self._run = run
            self._running = True
            if self._stop_asked:
                run.stop(None)
        ended: "asyncio.Future[None]" = loop.create_future()
        threading.Thread(
            target=self._work, args=(run, loop, ended), name="holdfast-worker", daemon=True
        ).start()
        try:
            await asyncio.shield(ended)
        except asyncio.CancelledError:
            run.stop(0.0)
            await asyncio.shield(ended)
            raise

    def stop(self, patience: Optional[float] = None) -> None:
        """Asks the worker to stop and returns at once, from any thread or handler; `run` returns
        when the worker has stopped. `patience` replaces that of the constructor; a second call may
        shorten it. Called before `run`, it makes that return at once."""
        with self._lock:
            if self._running:
                assert self._run is not None
                self._run.stop(patience)
            else:
                self._stop_asked = True

    def _work(
        self, run: _Run, loop: asyncio.AbstractEventLoop, ended: "asyncio.Future[None]"
    ) -> None:
        failure: Optional[BaseException] = None
        try:
            run.work()
        except BaseException as error:
            failure = error
        with self._lock:
            self._running = False
            self._stop_asked = False

        def tell() -> None:
            if ended.done():
                return
            if failure is None:
                ended.set_result(None)
            else:
                ended.set_exception(failure)

        try:
            loop.call_soon_threadsafe(tell)
        except RuntimeError:
            log.warning("the application's loop ended before the worker")

    async def _run_in_own_loop(self, concurrency: int, handle_signals: bool) -> None:
        if handle_signals and threading.current_thread() is threading.main_thread():
            with self._signals_handled(asyncio.get_running_loop()):
                await self.run_async(concurrency)
        else:
            await self.run_async(concurrency)

    @contextmanager
    def _signals_handled(self, loop: asyncio.AbstractEventLoop) -> Iterator[None]:
        seen: List[int] = []

        def on_signal(number: int, frame: Any = None) -> None:
            log.info("signal %s: the worker stops", number)
            patience = 0.0 if seen else None
            seen.append(number)
            # Not from here: this may interrupt a thread that holds the lock of `stop`.
            loop.call_soon_threadsafe(self.stop, patience)

        before = {one: signal.signal(one, on_signal) for one in (signal.SIGTERM, signal.SIGINT)}
        try:
            yield
        finally:
            for one, earlier in before.items():
                # None: a handler that Python did not set, and cannot set again.
                signal.signal(one, signal.SIG_DFL if earlier is None else earlier)
