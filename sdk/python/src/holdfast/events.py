"""The events of all shards, one after the other, for as long as the caller wants them."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, Deque, Mapping, Optional

from . import types
from ._calls import Call
from ._operations import Operations

if TYPE_CHECKING:
    from .client import AsyncHoldfast, Holdfast

#: The time for which one request waits for the next event. Seconds.
WAIT_SECONDS = 20.0


class _Events:
    """The part that both iterators share: lists of events, one behind the other."""

    def __init__(self, environment: Any, filters: Mapping[str, Any]) -> None:
        self._environment = environment
        self._filters = dict(filters)
        self._start = self._filters.pop("start", None)
        self._list: Deque[types.ListedEvent] = deque()
        self._behind: Optional[str] = self._filters.pop("cursor", None)  # the list
        #: The place of this iterator, for one that is to go on from here later. An event that was
        #: handed out since the last list may come again then: its `shard` and `seq` are the same.
        self.cursor = self._behind

    def _read(self) -> Call[None]:
        """Reads the next list; it is empty when nothing has happened for a while."""
        self.cursor = self._behind
        found = yield from Operations.read_all_events.call(
            self._environment,
            cursor=self._behind,
            start=self._start if self._behind is None else None,
            wait=WAIT_SECONDS,
            **self._filters,
        )
        self._list.extend(found["events"])
        self._behind = found["cursor"]
        if not self._list:
            self.cursor = self._behind


class Events(_Events):
    """An iterator over events, which waits for the next one.

    It goes on behind the last event after failed connections, restarts and takeovers of nodes. A
    failure that lasts longer than the `timeout` of the client is raised; the next `next` goes on
    from the same place.
    """

    def __init__(self, client: "Holdfast", filters: Mapping[str, Any]) -> None:
        super().__init__(client._environment, filters)
        self._client = client

    def __iter__(self) -> "Events":
        return self

    def __next__(self) -> types.ListedEvent:
        while not self._list:
            self._client._drive(self._read())
        return self._list.popleft()


class AsyncEvents(_Events):
    """The iterator of `Events` for `async for`."""

    def __init__(self, client: "AsyncHoldfast", filters: Mapping[str, Any]) -> None:
        super().__init__(client._environment, filters)
        self._client = client

    def __aiter__(self) -> "AsyncEvents":
        return self

    async def __anext__(self) -> types.ListedEvent:
        while not self._list:
            await self._client._drive(self._read())
        return self._list.popleft()
