"""Requests, answers and the retry rule, without input or output.

A call is a generator. It yields an `Attempt` to have a request sent and is resumed with the
`Answer` or with `NoAnswer`; it yields a `Pause` to have time pass and is resumed with None. Its
return value is the value of the call. `Holdfast` and `AsyncHoldfast` drive the same calls.
"""

from __future__ import annotations

import datetime
import json
import math
import random
import threading
import time
import uuid
from dataclasses import dataclass, field
from typing import (
    Any,
    Callable,
    Dict,
    Generator,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
    TypeVar,
    Union,
)
from urllib.parse import quote, urlencode

from .errors import TRANSIENT_CODES, HoldfastError, NoAnswerError

T = TypeVar("T")

Id = Union[str, uuid.UUID]
Moment = Union[str, datetime.datetime]

#: Statuses of answers after which the request is sent again. Proxies answer 502 and 504.
REPEATED_STATUSES = frozenset({408, 429, 502, 503, 504})

#: Codes whose answers are final in spite of their status. `limit_reached` (429) lasts until the
#: caller hands something in.
FINAL_CODES = frozenset({"limit_reached"})

#: Bounds of one request with many items. Above them it is divided.
BATCH_ITEMS_MAX = 1000
BATCH_BYTES_MAX = 4 * 1024 * 1024

#: The shortest time for one attempt, however near the deadline is. Seconds.
ATTEMPT_TIMEOUT_LEAST = 0.1


# --- what a call asks of its driver ---


@dataclass(frozen=True)
class Attempt:
    """One try of a request."""

    method: str
    target: str  #: Path and query.
    headers: Mapping[str, str]
    content: Optional[bytes]
    timeout: float  #: Seconds for each of connecting, sending and receiving.


@dataclass(frozen=True)
class Pause:
    """Time that has to pass."""

    seconds: float


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]  #: Names in lower case.
    content: bytes


@dataclass(frozen=True)
class NoAnswer:
    """The connection failed, or the answer did not come in time."""

    reason: str


Step = Union[Attempt, Pause]
Reply = Union[Answer, NoAnswer, None]
Call = Generator[Step, Reply, T]


# --- the retry rule ---


@dataclass(frozen=True)
class RetryRule:
    """The retry rule of all calls. All members are seconds."""

    #: A call ends this long after its begin, with all repetitions. A long poll may wait besides.
    timeout: float = 60.0
    #: One attempt ends after this long without a byte from the node.
    attempt_timeout: float = 15.0
    #: Pauses are random, from 0 to twice this after the first failure, and double with each.
    pause_least: float = 0.1
    #: No random pause is longer than this.
    pause_most: float = 5.0


@dataclass
class Environment:
    """The things outside a call that it needs. Tests put virtual ones in their place."""

    rule: RetryRule = field(default_factory=RetryRule)
    clock: Callable[[], float] = time.monotonic
    random: Callable[[], float] = random.random
    make_id: Callable[[], str] = field(default_factory=lambda: make_id)


def full_jitter(failures: int, least: float, most: float, random_share: float) -> float:
    """The pause after the n-th failure in a row: random, with a bound that doubles."""
    return random_share * min(most, least * 2.0 ** min(failures, 32))


class Deadline:
    """The end of a call and the pauses until then."""

    def __init__(self, environment: Environment, wait: float = 0.0) -> None:
        self._environment = environment
        self._until = environment.clock() + environment.rule.timeout + wait
        self._failures = 0

    def time_left(self) -> float:
        return self._until - self._environment.clock()

    def pause_after_failure(self, retry_after: Optional[float] = None) -> Optional[float]:
        """The seconds to pause before the next attempt; None when the call has to end."""
        rule = self._environment.rule
        self._failures += 1
        pause = full_jitter(
            self._failures, rule.pause_least, rule.pause_most, self._environment.random()
        )
        # The jitter comes on top, so that clients that were told the same do not come together.
        pause += retry_after or 0.0
        return pause if pause < self.time_left() else None


def retry_after_of(headers: Mapping[str, str]) -> Optional[float]:
    """The seconds of `Retry-After`. A date counts as none: no clock of a client is trusted."""
    try:
        seconds = float(headers.get("retry-after", ""))
    except ValueError:
        return None
    return seconds if 0 <= seconds < math.inf else None


def error_of(answer: Answer) -> HoldfastError:
    """The error that an answer tells."""
    problem: Any = None
    try:
        problem = json.loads(answer.content)
    except ValueError:
        pass
    retry_after = retry_after_of(answer.headers)
    repeated = answer.status in REPEATED_STATUSES
    if not isinstance(problem, dict) or "code" not in problem:
        # Not from a node, but from something in front of it.
        beginning = answer.content[:200].decode("utf-8", "replace")
        code = "unavailable" if repeated else f"http_{answer.status}"
        return HoldfastError(code, answer.status, beginning, repeated, retry_after=retry_after)
    return HoldfastError(
        str(problem["code"]),
        answer.status,
        str(problem.get("detail", "")),
        bool(problem.get("retryable", False)),
        problem.get("errors") or (),
        title=str(problem.get("title", "")),
        retry_after=retry_after,
        trace_id=problem.get("trace_id"),
    )


def is_repeated(error: HoldfastError) -> bool:
    """Whether a request that was answered with this error is sent again."""
    return error.status in REPEATED_STATUSES and error.code not in FINAL_CODES


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    query: Sequence[Tuple[str, str]]
    headers: Mapping[str, str]
    content: Optional[bytes]
    wait: Optional[float]  #: Seconds of a long poll; None: the request has none.


def send(environment: Environment, request: Request) -> Call[Answer]:
    """Sends a request until it has a final answer. Raises `HoldfastError` unless that is 2xx."""
    deadline = Deadline(environment, request.wait or 0.0)
    began = environment.clock()
    while True:
        query = list(request.query)
        wait_left = 0.0
        if request.wait is not None:
            # A repeated long poll waits for the rest of the time alone.
            wait_left = max(0.0, request.wait - (environment.clock() - began))
            query.append(("wait", number_text(wait_left)))
        timeout = min(environment.rule.attempt_timeout + wait_left, deadline.time_left())
        answer = yield Attempt(
            request.method,
            request.path + ("?" + urlencode(query, quote_via=quote) if query else ""),
            request.headers,
            request.content,
            max(timeout, ATTEMPT_TIMEOUT_LEAST),
        )
        if isinstance(answer, Answer):
            if 200 <= answer.status < 300:
                return answer
            error = error_of(answer)
            if not is_repeated(error):
                raise error
        else:
            assert isinstance(answer, NoAnswer)
            error = NoAnswerError(f"{request.method} {request.path}: {answer.reason}")
        pause = deadline.pause_after_failure(error.retry_after)
        if pause is None:
            raise error
        yield Pause(pause)


# --- parts of requests ---


class _IdSource:
    """UUIDs of version 7, each greater than the one before, as long as the clock is not set back:
    within a millisecond the random part counts on. Queues hand out tasks that were made together
    in the order of their ids."""

    _RANDOM_BITS = 74  # the bits beside the time, the version and the variant
    _STEP_BITS = 32

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._random = random.SystemRandom()
        self._last = 0  # the time and the random part

    def next(self) -> str:
        now = (time.time_ns() // 1_000_000 & (1 << 48) - 1) << self._RANDOM_BITS
        with self._lock:
            if now > self._last:
                self._last = now | self._random.getrandbits(self._RANDOM_BITS)
            else:
                self._last += 1 + self._random.getrandbits(self._STEP_BITS)
            last = self._last
        head, tail = last >> 62, last & (1 << 62) - 1
        value = (head >> 12) << 80 | 0x7 << 76 | (head & 0xFFF) << 64 | 0x2 << 62 | tail
        return str(uuid.UUID(int=value))


_ids = _IdSource()


def make_id() -> str:
    """A new UUID of version 7."""
    return _ids.next()


def encoded(document: Any) -> bytes:
    """JSON in UTF-8. Raises ValueError or TypeError for a value that is not JSON."""
    return json.dumps(
        document, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=plain
    ).encode()


def plain(value: Any) -> Any:
    """Ids and times, which JSON has as texts."""
    if isinstance(value, uuid.UUID):
        return str(value)
    if isinstance(value, datetime.datetime):
        return time_text(value)
    raise TypeError(f"not JSON: {type(value).__name__}")


def time_text(moment: datetime.datetime) -> str:
    """RFC 3339. Raises ValueError for a time without a zone."""
    if moment.tzinfo is None:
        raise ValueError("a time needs a zone, such as datetime.timezone.utc")
    return moment.astimezone(datetime.timezone.utc).isoformat().replace("+00:00", "Z")


def number_text(value: float) -> str:
    """Such as `20` or `0.25`."""
    return f"{value:.3f}".rstrip("0").rstrip(".")


def members(**given: Any) -> Dict[str, Any]:
    """The arguments without those that are None."""
    return {name: value for name, value in given.items() if value is not None}


def query_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, (uuid.UUID, datetime.datetime)):
        return str(plain(value))
    return str(value)


class Route:
    """A method and a path of the API, in the environment of one client."""

    def __init__(self, environment: Environment, method: str, path: str) -> None:
        self.environment = environment
        self.method = method
        self.path = path

    def ask(
        self,
        path: Optional[Mapping[str, Any]] = None,
        *,
        query: Optional[Mapping[str, Any]] = None,
        body: Any = None,
        content: Optional[bytes] = None,
        wait: Optional[float] = None,
        key: Optional[Id] = None,
        headers: Optional[Mapping[str, Optional[str]]] = None,
    ) -> Call[Any]:
        """Sends a request and returns the JSON of the answer; None where it has no body.

        Members of `path` fill the braces of the route. None in `query` and `headers` leaves the
        member out. `content` is a body that is encoded already. Every POST has an
        `Idempotency-Key`, `key` or a new one, that all attempts share.
        """
        if body is not None:
            content = encoded(body)
        sent = {name: value for name, value in (headers or {}).items() if value is not None}
        if content is not None:
            sent.setdefault("Content-Type", "application/json")
        if self.method == "POST":
            sent["Idempotency-Key"] = str(key or self.environment.make_id())
        texts: List[Tuple[str, str]] = []
        for name, value in (query or {}).items():
            if value is None:
                continue
            values = value if isinstance(value, (list, tuple)) else [value]
            texts += [(name, query_text(one)) for one in values]
        filled = {name: quote(str(value), safe="") for name, value in (path or {}).items()}
        answer = yield from send(
            self.environment,
            Request(self.method, self.path.format(**filled), texts, sent, content, wait),
        )
        if not answer.content:
            return None
        try:
            return json.loads(answer.content)
        except ValueError:
            raise HoldfastError(
                "answer_malformed", answer.status, "the answer is not JSON"
            ) from None

    def ask_for_each(
        self,
        path: Mapping[str, Any],
        head: Mapping[str, Any],
        member: str,
        items: Sequence[Any],
        *,
        repeat: bool = True,
        headers: Optional[Mapping[str, Optional[str]]] = None,
    ) -> Call[List[Any]]:
        """Sends items in as many requests as it takes; returns the outcome of each, in order.

        An item is a mapping, or JSON as bytes. An item whose outcome has a transient code is sent
        again, unless `repeat` is False. A request that fails raises `HoldfastError` while no
        item has an outcome; later the items of that request have outcomes with its code.
        """
        texts = [one if isinstance(one, bytes) else encoded(one) for one in items]
        outcomes: List[Any] = [None] * len(texts)
        opening = encoded({**head, member: []})[:-2]
        for part in parts_of(texts):
            deadline = Deadline(self.environment)
            while part:
                content = opening + b",".join(texts[place] for place in part) + b"]}"
                try:
                    answer = yield from self.ask(path, content=content, headers=headers)
                except HoldfastError as error:
                    if all(one is None for one in outcomes):
                        raise
                    failed = {"code": error.code, "detail": error.detail, "repeated": False}
                    for place in part:
                        outcomes[place] = dict(failed)
                    break
                for place, outcome in zip(part, answer["outcomes"]):
                    outcomes[place] = outcome
                part = [one for one in part if outcomes[one].get("code") in TRANSIENT_CODES]
                pause = deadline.pause_after_failure() if part and repeat else None
                if pause is None:
                    break
                yield Pause(pause)
        return outcomes


def parts_of(texts: Sequence[bytes]) -> List[List[int]]:
    """The places of the items, divided so that each part fits into one request."""
    parts: List[List[int]] = []
    size = 0
    for place, text in enumerate(texts):
        if not parts or len(parts[-1]) >= BATCH_ITEMS_MAX or size + len(text) > BATCH_BYTES_MAX:
            parts.append([])
            size = 0
        parts[-1].append(place)
        size += len(text)
    return parts
