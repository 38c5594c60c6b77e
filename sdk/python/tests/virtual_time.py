"""Time that passes only when everything waits for it."""

from __future__ import annotations

import asyncio
import selectors
from typing import Any, Coroutine, List, TypeVar

T = TypeVar("T")


class VirtualClock:
    """The clock of a synchronous client: its pauses move it."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.pauses: List[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds


class _Selector(selectors.DefaultSelector):  # type: ignore[misc,valid-type]
    loop: "VirtualLoop"

    def select(self, timeout: Any = None) -> Any:
        ready = super().select(0)
        if ready or timeout == 0:
            return ready
        if timeout is None:
            raise RuntimeError("nothing is left that could happen")
        self.loop.now += timeout
        return []


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop on which a pause of an hour takes no time."""

    def __init__(self) -> None:
        self.now = 1000.0
        selector = _Selector()
        selector.loop = self
        super().__init__(selector)

    def time(self) -> float:
        return self.now


def run_virtually(work: Coroutine[Any, Any, T]) -> T:
    loop = VirtualLoop()
    try:
        return loop.run_until_complete(work)
    finally:
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()
