"""The iterators over events, against a node that the test writes."""

from __future__ import annotations

import asyncio
from typing import Any, Dict, List

import httpx
import pytest
from virtual_time import VirtualClock

from holdfast import AsyncHoldfast, Holdfast, HoldfastError, NoAnswerError


def listed(*numbers: int) -> List[Dict[str, Any]]:
    return [{"shard": 0, "seq": one, "event": {"type": "UnitFinalized"}} for one in numbers]


class Lists:
    """Answers each request with the next reply, and keeps the requests."""

    def __init__(self, *replies: Any) -> None:
        self.replies = list(replies)
        self.queries: List[Dict[str, str]] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.queries.append(dict(request.url.params))
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        if isinstance(reply, httpx.Response):
            return reply
        events, cursor = reply
        return httpx.Response(200, json={"events": events, "cursor": cursor})


def client_of(lists: Lists, **settings: Any) -> Holdfast:
    client = Holdfast("http://node", "t", transport=httpx.MockTransport(lists), **settings)
    client._sleep = lambda seconds: None
    return client


def test_events_come_one_after_the_other_and_the_next_list_goes_on() -> None:
    lists = Lists((listed(1, 2), "c1"), ([], "c2"), (listed(3), "c3"))
    events = client_of(lists).events(start="oldest", types=["UnitFinalized"])
    assert [next(events)["seq"] for _ in range(3)] == [1, 2, 3]
    assert lists.queries[0] == {"from": "oldest", "types": "UnitFinalized", "wait": "20"}
    assert [one.get("cursor") for one in lists.queries] == [None, "c1", "c2"]
    assert "from" not in lists.queries[1]


def test_the_cursor_is_behind_the_events_that_were_handed_out() -> None:
    lists = Lists((listed(1, 2), "c1"), (listed(3), "c2"))
    events = client_of(lists).events(cursor="c0")
    assert lists.queries == []
    next(events)
    assert events.cursor == "c0"  # the second event of the list is not handed out yet
    next(events)
    next(events)
    assert events.cursor == "c1"


def test_a_failed_request_goes_on_from_the_same_place() -> None:
    lists = Lists((listed(1), "c1"), httpx.ReadError("reset"), (listed(2), "c2"))
    events = client_of(lists).events()
    assert [next(events)["seq"] for _ in range(2)] == [1, 2]
    assert [one.get("cursor") for one in lists.queries] == [None, "c1", "c1"]


def test_a_failure_that_lasts_is_raised_and_the_iterator_goes_on_later() -> None:
    lists = Lists(*[httpx.ConnectError("refused")] * 1000)
    client = client_of(lists, timeout=5)
    clock = VirtualClock()
    client._environment.clock = clock
    client._sleep = clock.sleep
    events = client.events(cursor="c0")
    with pytest.raises(NoAnswerError):
        next(events)
    lists.replies = [(listed(7), "c1")]
    assert next(events)["seq"] == 7
    assert lists.queries[-1]["cursor"] == "c0"


def test_events_that_are_gone_are_an_error() -> None:
    gone = httpx.Response(410, json={"code": "events_gone", "status": 410})
    with pytest.raises(HoldfastError) as caught:
        next(client_of(Lists(gone)).events(cursor="old"))
    assert caught.value.code == "events_gone"


def test_the_asynchronous_iterator_does_the_same() -> None:
    lists = Lists((listed(1), "c1"), (listed(2), "c2"))

    async def read() -> List[int]:
        seen: List[int] = []
        async with AsyncHoldfast("http://node", "t", transport=httpx.MockTransport(lists)) as client:
            async for one in client.events(unit_id="u1"):
                seen.append(one["seq"])
                if len(seen) == 2:
                    break
        return seen

    assert asyncio.run(read()) == [1, 2]
    assert lists.queries[1]["cursor"] == "c1"
    assert lists.queries[1]["unit_id"] == "u1"
