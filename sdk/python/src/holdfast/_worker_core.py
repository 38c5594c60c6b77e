"""The decisions of a worker, without input, output, threads or clocks.

    waiting ── next_to_run ──► running ── handler_ended ──► ending ── reported ──► (gone)
       └────────── stop ──────────┴──────────────────────────►┘

Every method takes the time as `now`: seconds of a monotonic clock, the same one in all calls.
"""

from __future__ import annotations

import enum
import logging
import random as random_module
from collections import deque
from dataclasses import dataclass, field
from typing import (
    Any,
    Callable,
    Deque,
    Dict,
    Iterable,
    List,
    Mapping,
    Optional,
    Sequence,
    Set,
    Tuple,
)

from ._calls import BATCH_BYTES_MAX, encoded, full_jitter, members
from .errors import LEASE_OVER_CODES, TRANSIENT_CODES, HoldfastError
from .types import LeasedTask, ReportOutcome

log = logging.getLogger("holdfast.worker")

#: A third of the lease: after one extension that was late or lost there is time for the next.
EXTENSIONS_PER_LEASE = 3
#: The most leases of one request that extends.
EXTENSIONS_MAX = 1000
#: The most tasks of one claim.
CLAIM_MAX = 1000

#: Pauses after a claim that failed with all its repetitions. Seconds.
CLAIM_PAUSE_LEAST = 0.1
CLAIM_PAUSE_MOST = 10.0
#: Pauses after a report that was not taken. Seconds.
REPORT_PAUSE_LEAST = 0.1
REPORT_PAUSE_MOST = 5.0
#: The pause after an extension that failed is this share of the lease.
EXTENSION_PAUSE_SHARE = 0.1
EXTENSION_PAUSE_LEAST = 0.1

#: Bytes of the detail of a failure that are sent. A node keeps 8 KiB.
DETAIL_BYTES_MAX = 4096
CODE_BYTES_MAX = 128
#: Seconds. A node refuses more.
RETRY_AFTER_MAX = 86400.0

#: The code of a failure by an exception that no handler meant.
HANDLER_EXCEPTION = "HANDLER_EXCEPTION"
#: The code of a failure in the place of a result that the node refused.
OUTCOME_REFUSED = "OUTCOME_REFUSED"

#: Errors of a whole request that one bad report in it may have caused.
CODES_OF_BAD_REPORTS = frozenset(
    {"invalid_argument", "payload_invalid", "too_large", "body_too_large", "request_malformed"}
)


# --- the ways in which a handler ends ---


@dataclass(frozen=True)
class Completed:
    result: Any = None


@dataclass(frozen=True)
class Failed:
    kind: str  #: `transient`, `permanent` or `rate_limited`.
    code: str
    detail: str = ""
    retry_after: Optional[float] = None


@dataclass(frozen=True)
class GivenBack:
    delay: Optional[float] = None
    update: Mapping[str, Any] = field(default_factory=dict)


def mended(text: str, bytes_max: int) -> str:
    """The end of a text that a node takes: UTF-8 without NUL."""
    data = text.replace("\0", "\ufffd").encode("utf-8", "replace")
    return data[-bytes_max:].decode("utf-8", "ignore")


def report_of(task: LeasedTask, ending: Any) -> Dict[str, Any]:
    """One report of `report_tasks`."""
    about: Dict[str, Any] = {"task": task["id"], "token": task["token"]}
    if isinstance(ending, Completed):
        return {**about, "do": "complete", **members(result=ending.result)}
    if isinstance(ending, GivenBack):
        delay = None if ending.delay is None else max(ending.delay, 0.0)
        return {**about, "do": "release", **members(delay=delay), **ending.update}
    assert isinstance(ending, Failed)
    retry_after = ending.retry_after
    if retry_after is not None:
        retry_after = min(max(retry_after, 0.0), RETRY_AFTER_MAX)
    return {
        **about,
        "do": "fail",
        "kind": ending.kind,
        "code": mended(ending.code, CODE_BYTES_MAX) or "FAILED",
        "detail": mended(ending.detail, DETAIL_BYTES_MAX),
        **members(retry_after=retry_after),
    }


def refused(report: Mapping[str, Any], code: str, detail: str) -> Failed:
    """The failure that is reported in the place of a report that the node refused."""
    text = f"{code}: {detail}"
    if report["do"] != "fail":
        return Failed("permanent", OUTCOME_REFUSED, text)
    text += f"; it was to say {report['code']}: {report['detail']}"
    return Failed(report["kind"], OUTCOME_REFUSED, text, report.get("retry_after"))


# --- leases ---


class Phase(enum.Enum):
    WAITING = "waiting"  #: Claimed, and no handler is free.
    RUNNING = "running"
    ENDING = "ending"  #: Its report is to be sent, or under way.
    GONE = "gone"


class Reason(enum.Enum):
    """The reason for which a handler is told to stop."""

    LOST = "lost"  #: The node says that the lease is over.
    EXPIRED = "expired"  #: The lease must have run out: no extension was confirmed in time.
    STOPPING = "stopping"  #: The worker stops.
    GIVEN_BACK = "given_back"  #: The worker stops, and has given the task back.


LeaseKey = Tuple[str, int]


@dataclass(eq=False)
class Lease:
    task: LeasedTask
    lease_seconds: float  #: The longest that the node has told for this task.
    extend_at: float  #: The time to ask for an extension.
    ends_at: float  #: No lease that was granted or extended so far ends after this.
    phase: Phase = Phase.WAITING
    lost: bool = False
    expired: bool = False
    extendable: bool = True
    saves: int = 0  #: The number of the last save.
    report: Optional[Dict[str, Any]] = None
    report_text: bytes = b""  #: The same as JSON.
    report_at: float = 0.0
    report_failures: int = 0
    report_under_way: bool = False
    report_alone: bool = False  #: A request with this and other reports was refused as a whole.
    report_replaced: bool = False  #: The first report was refused, and this one says so.

    @property
    def key(self) -> LeaseKey:
        return (self.task["id"], self.task["token"])


@dataclass
class Counts:
    """Counts since the start of a worker. Each claimed task is in the end counted as one of
    completed, failed, released or lost; `running` is the number of handlers now. A release or a
    failure that was sent again after a lost answer may count as lost, because the first request
    has ended the lease."""

    claimed: int = 0
    completed: int = 0
    failed: int = 0
    released: int = 0
    lost: int = 0
    running: int = 0


def next_claim_is_vain(error: HoldfastError) -> bool:
    """Whether every claim will meet this error: the token or the settings are wrong."""
    if error.status == 404:
        return error.code == "route_unknown"
    return error.status in (400, 401, 403, 405, 415, 422)


class WorkerCore:
    """The state of one worker.

    `concurrency` handlers run at once; `prefetch` tasks more may wait here. Reports are gathered
    for `gather` seconds, at most `batch_max` in a request. `tell` is called with a lease and the
    reason when the handler of that lease is to stop.
    """

    def __init__(
        self,
        concurrency: int,
        *,
        prefetch: int = 0,
        gather: float = 0.005,
        batch_max: int = 100,
        patience: float = 10.0,
        cancel_patience: float = 2.0,
        report_patience: float = 10.0,
        tell: Callable[[Lease, Reason], None] = lambda lease, reason: None,
        random: Callable[[], float] = random_module.random,
    ) -> None:
        self.counts = Counts()
        self.held: Dict[LeaseKey, Lease] = {}
        self.stopping = False
        self._concurrency = concurrency
        self._prefetch = prefetch
        self._gather = gather
        self._batch_max = batch_max
        self._patience = patience
        self._cancel_patience = cancel_patience
        self._report_patience = report_patience
        self._tell = tell
        self._random = random
        self._waiting: Deque[Lease] = deque()
        self._ending: Dict[LeaseKey, Lease] = {}  # reports that are not under way
        self._extend_at: Optional[float] = None  # not after the first extension that is due
        self._expires_at: Optional[float] = None  # not after the first lease that runs out
        self._claim_at = 0.0
        self._claim_failures = 0
        self._given_back: Set[LeaseKey] = set()  # while stopping
        self._cancel_at: Optional[float] = None
        self._give_back_at: Optional[float] = None
        self._end_at: Optional[float] = None

    # --- claims ---

    def claim_limit(self) -> int:
        """The most tasks of a claim that may be sent; 0: none may be sent."""
        if self.stopping:
            return 0
        free = self._concurrency + self._prefetch - self.counts.running - len(self._waiting)
        return max(0, min(free, CLAIM_MAX))

    @property
    def claim_at(self) -> float:
        """The time before which no claim is sent."""
        return self._claim_at

    def claimed(
        self, tasks: Iterable[LeasedTask], known: Callable[[str], bool], now: float
    ) -> None:
        """A claim was answered. Tasks for which there is no use go back."""
        self._claim_failures = 0
        for task in tasks:
            seconds = float(task["lease_seconds"])
            lease = Lease(task, seconds, now + seconds / EXTENSIONS_PER_LEASE, now + seconds)
            if lease.key in self.held or lease.key in self._given_back:
                continue  # the same lease in a second answer
            self.held[lease.key] = lease
            self.counts.claimed += 1
            self._note_times(lease)
            if self.stopping or seconds <= 0 or not known(task["type"]):
                self._end(lease, GivenBack(), now)
            else:
                self._waiting.append(lease)

    def claim_failed(self, now: float) -> None:
        self._claim_failures += 1
        self._claim_at = now + full_jitter(
            self._claim_failures, CLAIM_PAUSE_LEAST, CLAIM_PAUSE_MOST, self._random()
        )

    # --- handlers ---

    def next_to_run(self) -> Optional[Lease]:
        """The lease whose handler is to start now; None when there is none."""
        if not self._waiting or self.counts.running >= self._concurrency:
            return None
        lease = self._waiting.popleft()
        lease.phase = Phase.RUNNING
        self.counts.running += 1
        return lease

    def handler_ended(self, lease: Lease, ending: Any, now: float) -> None:
        self.counts.running -= 1
        if lease.phase is not Phase.RUNNING:
            return  # it was given back before
        if lease.lost:
            return self._forget(lease)
        self._end(lease, ending, now)

    def lost(self, lease: Lease, why: str) -> None:
        """The node says that a lease is over."""
        if lease.lost or lease.phase is Phase.GONE:
            return
        lease.lost = True
        self.counts.lost += 1
        log.warning("the lease on task %s is lost: %s", lease.task["id"], why)
        if lease.phase is Phase.RUNNING:
            self._tell(lease, Reason.LOST)
        else:
            self._forget(lease)

    # --- extensions ---

    def extension_at(self) -> Optional[float]:
        """The time at which leases are to be extended; None when there are none."""
        return self._extend_at

    def leases_to_extend(self, now: float) -> List[Lease]:
        """The leases of the next request, which has all of them when one is due."""
        if self._extend_at is None or now < self._extend_at:
            return []
        extendable = [one for one in self.held.values() if one.extendable and not one.lost]
        if not any(one.extend_at <= now for one in extendable):
            self._extend_at = min((one.extend_at for one in extendable), default=None)
            return []
        extendable.sort(key=lambda one: one.extend_at)
        chosen = extendable[:EXTENSIONS_MAX]
        for lease in chosen:
            lease.extend_at = now + lease.lease_seconds / EXTENSIONS_PER_LEASE
        self._extend_at = min(one.extend_at for one in extendable)
        return chosen

    def extended(
        self, leases: Sequence[Lease], outcomes: Sequence[ReportOutcome], now: float
    ) -> None:
        for lease, outcome in zip(leases, outcomes):
            if lease.phase is Phase.GONE:
                continue
            code = outcome.get("code")
            if code is None:
                seconds: Any = outcome.get("lease_seconds")
                if seconds is not None:
                    lease.lease_seconds = float(seconds)
                lease.ends_at = now + lease.lease_seconds
                lease.expired = False
                self._note_times(lease)
            elif code == "not_extendable":
                lease.extendable = False
            elif code in LEASE_OVER_CODES:
                # The report of a lease that ends may have been faster: its outcome tells.
                if lease.phase is not Phase.ENDING:
                    self.lost(lease, f"{code}: {outcome.get('detail', '')}")
            else:
                self._extend_soon(lease, now)

    def extension_failed(self, leases: Sequence[Lease], now: float) -> None:
        for lease in leases:
            if lease.phase is not Phase.GONE:
                self._extend_soon(lease, now)

    def _extend_soon(self, lease: Lease, now: float) -> None:
        pause = max(EXTENSION_PAUSE_LEAST, lease.lease_seconds * EXTENSION_PAUSE_SHARE)
        lease.extend_at = min(lease.extend_at, now + pause)
        self._note_times(lease)

    def _note_times(self, lease: Lease) -> None:
        if self._extend_at is None or lease.extend_at < self._extend_at:
            self._extend_at = lease.extend_at
        if self._expires_at is None or lease.ends_at < self._expires_at:
            self._expires_at = lease.ends_at

    # --- reports ---

    def batch_at(self) -> Optional[float]:
        """The time at which reports are to be sent; None when there are none."""
        if not self._ending:
            return None
        if self.stopping or len(self._ending) >= self._batch_max:
            fresh = any(one.report_failures == 0 for one in self._ending.values())
            if fresh:
                return 0.0
        return min(one.report_at for one in self._ending.values())

    def take_batch(self, now: float) -> List[Lease]:
        """The leases whose reports go into the next request."""
        at = self.batch_at()
        if at is None or now < at:
            return []
        chosen: List[Lease] = []
        size = 0
        for lease in self._ending.values():
            # Those that have just come need not wait for a request of their own.
            if lease.report_failures > 0 and lease.report_at > now:
                continue
            size += len(lease.report_text)
            if chosen and (lease.report_alone or size > BATCH_BYTES_MAX):
                break
            chosen.append(lease)
            if lease.report_alone or len(chosen) >= self._batch_max:
                break
        for lease in chosen:
            del self._ending[lease.key]
            lease.report_under_way = True
        return chosen

    def reported(
        self, leases: Sequence[Lease], outcomes: Sequence[ReportOutcome], now: float
    ) -> None:
        for lease, outcome in zip(leases, outcomes):
            lease.report_under_way = False
            code = outcome.get("code")
            if code is None:
                self._count_end(lease)
                self._forget(lease)
            else:
                self._report_refused(lease, code, outcome.get("detail", ""), now)

    def report_failed(self, leases: Sequence[Lease], error: HoldfastError, now: float) -> None:
        """A whole request with reports failed."""
        bad = error.code in CODES_OF_BAD_REPORTS
        for lease in leases:
            lease.report_under_way = False
            if bad and len(leases) > 1:
                lease.report_alone = True
                self._ending[lease.key] = lease
            elif bad:
                self._report_refused(lease, error.code, error.detail, now)
            else:
                self._report_again(lease, error.code, error.detail, now)

    def _report_refused(self, lease: Lease, code: str, detail: str, now: float) -> None:
        if code in TRANSIENT_CODES:
            return self._report_again(lease, code, detail, now)
        if code in LEASE_OVER_CODES or lease.report_replaced:
            self.lost(lease, f"{code}: {detail}")
            return self._forget(lease)
        assert lease.report is not None
        log.warning("the report about task %s was refused: %s: %s", lease.task["id"], code, detail)
        lease.report_replaced = True
        self._set_report(lease, refused(lease.report, code, detail), now)

    def _report_again(self, lease: Lease, code: str, detail: str, now: float) -> None:
        over = now >= lease.ends_at or (self._end_at is not None and now >= self._end_at)
        if lease.lost or over:
            self.lost(lease, f"its report was not taken in time: {code}: {detail}")
            return self._forget(lease)
        lease.report_failures += 1
        most = min(REPORT_PAUSE_MOST, lease.lease_seconds / EXTENSIONS_PER_LEASE)
        lease.report_at = now + full_jitter(
            lease.report_failures, REPORT_PAUSE_LEAST, max(most, REPORT_PAUSE_LEAST), self._random()
        )
        self._ending[lease.key] = lease

    def _end(self, lease: Lease, ending: Any, now: float) -> None:
        lease.phase = Phase.ENDING
        self._set_report(lease, ending, now)

    def _set_report(self, lease: Lease, ending: Any, now: float) -> None:
        lease.report = report_of(lease.task, ending)
        try:
            lease.report_text = encoded(lease.report)
        except (TypeError, ValueError, RecursionError) as error:
            log.warning("the outcome of task %s is not JSON: %s", lease.task["id"], error)
            lease.report_replaced = True
            lease.report = report_of(
                lease.task, Failed("permanent", OUTCOME_REFUSED, f"not JSON: {error}")
            )
            lease.report_text = encoded(lease.report)
        lease.report_at = now + self._gather
        lease.report_failures = 0
        self._ending[lease.key] = lease

    def _count_end(self, lease: Lease) -> None:
        if lease.lost:
            return
        assert lease.report is not None
        if lease.report["do"] == "complete":
            self.counts.completed += 1
        elif lease.report["do"] == "fail":
            self.counts.failed += 1
        else:
            self.counts.released += 1

    def _forget(self, lease: Lease) -> None:
        if lease.phase is Phase.WAITING:
            self._waiting.remove(lease)
        lease.phase = Phase.GONE
        self.held.pop(lease.key, None)
        self._ending.pop(lease.key, None)
        if self.stopping:
            self._given_back.add(lease.key)

    # --- time ---

    def next_time(self) -> Optional[float]:
        """The time at which `tick` has something to do; None when it never has."""
        times = (self._expires_at, self._cancel_at, self._give_back_at, self._end_at)
        return min((one for one in times if one is not None), default=None)

    def tick(self, now: float) -> None:
        """Does what only the time brings about."""
        if self._expires_at is not None and self._expires_at <= now:
            self._expire(now)
        if self._cancel_at is not None and self._cancel_at <= now:
            self._cancel_at = None
            self._give_back_at = now + self._cancel_patience
            for lease in self._running():
                self._tell(lease, Reason.STOPPING)
        if self._give_back_at is not None and self._give_back_at <= now:
            self._give_back_at = None
            for lease in self._running():
                log.warning("the handler of task %s does not return", lease.task["id"])
                self._tell(lease, Reason.GIVEN_BACK)
                if lease.lost:
                    self._forget(lease)
                else:
                    self._end(lease, GivenBack(), now)
        if self.stopping and self._end_at is None and not self._running():
            self._cancel_at = self._give_back_at = None
            self._end_at = now + self._report_patience

    def _expire(self, now: float) -> None:
        for lease in list(self.held.values()):
            if lease.lost or lease.expired or now < lease.ends_at:
                continue
            lease.expired = True
            if lease.phase is Phase.WAITING:
                self.lost(lease, "it has run out")
            elif lease.phase is Phase.RUNNING:
                # The node has the last word: a result is offered to it all the same.
                log.warning("the lease on task %s has run out", lease.task["id"])
                self._tell(lease, Reason.EXPIRED)
        self._expires_at = min(
            (one.ends_at for one in self.held.values() if not one.lost and not one.expired),
            default=None,
        )

    def _running(self) -> List[Lease]:
        return [one for one in self.held.values() if one.phase is Phase.RUNNING]

    # --- the end ---

    def stop(self, now: float, patience: Optional[float] = None) -> None:
        """Claims no more, gives back the tasks that wait, and the others after their patience. A
        second call may shorten the patience."""
        patience = self._patience if patience is None else patience
        if self._end_at is not None or (self.stopping and self._cancel_at is None):
            return
        if self.stopping:
            assert self._cancel_at is not None
            self._cancel_at = min(self._cancel_at, now + patience)
            return
        self.stopping = True
        self._cancel_at = now + patience
        while self._waiting:
            self._end(self._waiting.popleft(), GivenBack(), now)

    def has_ended(self, now: float) -> bool:
        """Whether nothing is held any more, or there is no time left to wait for that."""
        if not self.stopping or self._end_at is None:
            return False
        return not self.held or now >= self._end_at
