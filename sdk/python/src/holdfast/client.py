"""The clients: `Holdfast` for threads, `AsyncHoldfast` for asyncio."""

from __future__ import annotations

import asyncio
import copy
import ssl
import time
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Any, Callable, Literal, Mapping, Optional, Sequence, Type, TypeVar, Union

import httpx

from ._calls import Answer, Attempt, Call, Environment, Id, NoAnswer, Pause, RetryRule
from ._operations import Operations
from ._version import __version__
from .events import AsyncEvents, Events

T = TypeVar("T")
Self = TypeVar("Self", bound="_Client")

#: Shorter than the time after which a node closes an idle connection (75 s).
_KEEPALIVE_SECONDS = 60.0
_LIMITS = httpx.Limits(
    max_connections=100, max_keepalive_connections=20, keepalive_expiry=_KEEPALIVE_SECONDS
)

#: Errors of httpx that the same request would meet again.
_MISTAKES = (httpx.UnsupportedProtocol, httpx.LocalProtocolError)


@dataclass(frozen=True)
class _Settings:
    url: str
    token: str = field(repr=False)
    rule: RetryRule
    verify: Union[bool, ssl.SSLContext]
    transport: Any

    def headers(self) -> Mapping[str, str]:
        return {
            "Authorization": f"Bearer {self.token}",
            "Accept": "application/json",
            "User-Agent": f"holdfast-python/{__version__}",
        }


class _Client(Operations):
    """The part that both clients share: settings, and the clock of their calls."""

    def __init__(
        self,
        url: str,
        token: str,
        *,
        timeout: float = 60.0,
        attempt_timeout: float = 15.0,
        verify: Union[bool, ssl.SSLContext] = True,
        transport: Any = None,
    ) -> None:
        if timeout <= 0 or attempt_timeout <= 0:
            raise ValueError("timeout and attempt_timeout are above 0")
        rule = RetryRule(timeout=timeout, attempt_timeout=attempt_timeout)
        self._settings = _Settings(url.rstrip("/"), token.strip(), rule, verify, transport)
        self._environment = Environment(rule, self._clock())

    def with_timeout(self: Self, timeout: float) -> Self:
        """A client over the same connections whose calls end after `timeout` seconds."""
        if timeout <= 0:
            raise ValueError("timeout is above 0")
        other = copy.copy(self)
        rule = replace(self._environment.rule, timeout=timeout)
        other._settings = replace(self._settings, rule=rule)
        other._environment = replace(self._environment, rule=rule)
        return other

    def _clock(self) -> Callable[[], float]:
        return time.monotonic

    def _timeout(self, attempt: Attempt) -> httpx.Timeout:
        # A long poll waits for the answer, and not for the connection.
        connect = min(attempt.timeout, self._environment.rule.attempt_timeout)
        return httpx.Timeout(attempt.timeout, connect=connect)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._settings.url!r})"


def _answer(got: httpx.Response) -> Answer:
    return Answer(got.status_code, got.headers, got.content)


def _no_answer(error: httpx.TransportError) -> NoAnswer:
    return NoAnswer(f"{type(error).__name__} {error}".rstrip())


class Holdfast(_Client):
    """A client of one node. Safe to use from several threads.

    `url` is the address of the node, such as `http://127.0.0.1:8470`; `token` is a token of the
    API. A call ends after `timeout` seconds at the latest, with all its repetitions; a long poll
    may wait besides. One attempt ends after `attempt_timeout` seconds without a byte. `verify` is
    as in httpx: False, or an `ssl.SSLContext`, for TLS that the system does not know. `transport`
    replaces the transport of httpx.

    Failed connections, 429 and 503 are repeated by one rule: the same ids, pauses that are random
    and grow, `Retry-After`, and the deadline. The methods are those of `Operations`.
    """

    def __init__(
        self,
        url: str,
        token: str,
        *,
        timeout: float = 60.0,
        attempt_timeout: float = 15.0,
        verify: Union[bool, ssl.SSLContext] = True,
        transport: Optional[httpx.BaseTransport] = None,
    ) -> None:
        super().__init__(
            url,
            token,
            timeout=timeout,
            attempt_timeout=attempt_timeout,
            verify=verify,
            transport=transport,
        )
        self._sleep: Callable[[float], None] = time.sleep
        self._http = httpx.Client(
            headers=self._settings.headers(), verify=verify, transport=transport, limits=_LIMITS
        )

    def events(
        self,
        *,
        cursor: Optional[str] = None,
        start: Optional[Literal["newest", "oldest"]] = None,
        types: Optional[Sequence[str]] = None,
        workflow_id: Optional[Id] = None,
        step_id: Optional[Id] = None,
        unit_id: Optional[Id] = None,
        queue: Optional[str] = None,
    ) -> Events:
        """The events of all shards, one after the other, from `cursor` on; without one from the
        next event on, or from the oldest that is kept. The other arguments are filters."""
        return Events(
            self,
            {
                "cursor": cursor,
                "start": start,
                "types": types,
                "workflow_id": workflow_id,
                "step_id": step_id,
                "unit_id": unit_id,
                "queue": queue,
            },
        )

    def close(self) -> None:
        """Closes the connections. Calls that are under way fail."""
        self._http.close()

    def __enter__(self) -> "Holdfast":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()

    def _drive(self, call: Call[T]) -> T:
        reply: Union[Answer, NoAnswer, None] = None
        while True:
            try:
                step = call.send(reply)
            except StopIteration as end:
                return end.value
            if isinstance(step, Pause):
                self._sleep(step.seconds)
                reply = None
            else:
                reply = self._send(step)

    def _send(self, attempt: Attempt) -> Union[Answer, NoAnswer]:
        try:
            return _answer(
                self._http.request(
                    attempt.method,
                    self._settings.url + attempt.target,
                    headers=attempt.headers,
                    content=attempt.content,
                    timeout=self._timeout(attempt),
                )
            )
        except _MISTAKES:
            raise
        except httpx.TransportError as error:
            return _no_answer(error)


class AsyncHoldfast(_Client):
    """The client of `Holdfast` for asyncio: the same methods, awaited. For one event loop."""

    def __init__(
        self,
        url: str,
        token: str,
        *,
        timeout: float = 60.0,
        attempt_timeout: float = 15.0,
        verify: Union[bool, ssl.SSLContext] = True,
        transport: Optional[httpx.AsyncBaseTransport] = None,
    ) -> None:
        super().__init__(
            url,
            token,
            timeout=timeout,
            attempt_timeout=attempt_timeout,
            verify=verify,
            transport=transport,
        )
        self._http = httpx.AsyncClient(
            headers=self._settings.headers(), verify=verify, transport=transport, limits=_LIMITS
        )

    def events(
        self,
        *,
        cursor: Optional[str] = None,
        start: Optional[Literal["newest", "oldest"]] = None,
        types: Optional[Sequence[str]] = None,
        workflow_id: Optional[Id] = None,
        step_id: Optional[Id] = None,
        unit_id: Optional[Id] = None,
        queue: Optional[str] = None,
    ) -> AsyncEvents:
        """The events of all shards, one after the other, from `cursor` on; without one from the
        next event on, or from the oldest that is kept. The other arguments are filters."""
        return AsyncEvents(
            self,
            {
                "cursor": cursor,
                "start": start,
                "types": types,
                "workflow_id": workflow_id,
                "step_id": step_id,
                "unit_id": unit_id,
                "queue": queue,
            },
        )

    async def aclose(self) -> None:
        """Closes the connections. Calls that are under way fail."""
        await self._http.aclose()

    async def __aenter__(self) -> "AsyncHoldfast":
        return self

    async def __aexit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        await self.aclose()

    def _clock(self) -> Callable[[], float]:
        return lambda: asyncio.get_running_loop().time()

    async def _drive(self, call: Call[T]) -> T:
        reply: Union[Answer, NoAnswer, None] = None
        while True:
            try:
                step = call.send(reply)
            except StopIteration as end:
                return end.value
            if isinstance(step, Pause):
                await asyncio.sleep(step.seconds)
                reply = None
            else:
                reply = await self._send(step)

    async def _send(self, attempt: Attempt) -> Union[Answer, NoAnswer]:
        try:
            return _answer(
                await self._http.request(
                    attempt.method,
                    self._settings.url + attempt.target,
                    headers=attempt.headers,
                    content=attempt.content,
                    timeout=self._timeout(attempt),
                )
            )
        except _MISTAKES:
            raise
        except httpx.TransportError as error:
            return _no_answer(error)


def async_twin(client: Union[Holdfast, AsyncHoldfast]) -> AsyncHoldfast:
    """A client for another event loop with the settings of `client`.

    Raises TypeError where `client` has a transport that is not for asyncio.
    """
    settings = client._settings
    transport = settings.transport
    if transport is not None and not isinstance(transport, httpx.AsyncBaseTransport):
        raise TypeError("a worker runs on asyncio: its client needs an asynchronous transport")
    return AsyncHoldfast(
        settings.url,
        settings.token,
        timeout=settings.rule.timeout,
        attempt_timeout=settings.rule.attempt_timeout,
        verify=settings.verify,
        transport=transport,
    )
