"""A contributor's session with scripted answers, in virtual time."""

from __future__ import annotations

import json
from typing import Any, Callable, List, Tuple

import httpx
import pytest
from fake_node import answer, problem
from virtual_time import VirtualClock, run_virtually

from holdfast import (
    AsyncContributorSession,
    AsyncHoldfast,
    ContributorSession,
    Holdfast,
    HoldfastError,
    NoAnswerError,
)

UNIT = {
    "assignment_id": "a1",
    "unit_id": "u1",
    "step_id": "s1",
    "token": 3,
    "lease_seconds": 600,
    "expires_at": "2026-01-01T00:00:00Z",
    "input": {"image": "a.png"},
    "ui": "",
}
NONE = (404, "no_unit_available")
ACCEPTED = answer(202, {"judgment_id": "j1", "repeated": False, "surplus": False})


class Script:
    def __init__(self, *replies: Any) -> None:
        self.replies = list(replies)
        self.requests: List[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        reply = self.replies.pop(0)
        if isinstance(reply, tuple):
            return problem(*reply)
        if isinstance(reply, dict):
            return answer(200, reply)
        if isinstance(reply, Exception):
            raise reply
        # A client uses up the response that it gets.
        return httpx.Response(reply.status_code, headers=reply.headers, content=reply.content)

    def body(self, place: int) -> Any:
        return json.loads(self.requests[place].content)

    def key(self, place: int) -> str:
        return self.requests[place].headers["idempotency-key"]


def session_of(*replies: Any) -> Tuple[ContributorSession, Script, VirtualClock]:
    script = Script(*replies)
    client = Holdfast("http://node", "t", timeout=5, transport=httpx.MockTransport(script))
    clock = VirtualClock()
    client._environment.clock = clock
    client._environment.random = lambda: 1.0
    client._sleep = clock.sleep
    return ContributorSession(client, "ana"), script, clock


def test_a_unit_is_taken_extended_and_judged() -> None:
    session, script, clock = session_of(
        {"steps": [{"id": "s1"}], "complete": True},
        UNIT,
        {"unit_id": "u1", "lease_seconds": 900, "expires_at": ""},
        ACCEPTED,
    )
    assert session.steps()["steps"][0]["id"] == "s1"
    assert script.requests[0].url.params["contributor_id"] == "ana"
    unit = session.next("s1")
    assert unit is not None and unit["input"] == {"image": "a.png"}
    assert script.body(1) == {"step_id": "s1", "contributor_id": "ana"}
    clock.now += 100
    assert session.time_left == 500
    assert session.extend() == 900
    assert script.requests[2].url.path == "/v1/assignments/a1/extend"
    assert session.time_left == 900
    assert session.submit({"answer": "cat"})["judgment_id"] == "j1"
    assert script.body(3) == {
        "step_id": "s1",
        "unit_id": "u1",
        "assignment_id": "a1",
        "token": 3,
        "data": {"answer": "cat"},
        "contributor_id": "ana",
    }
    assert session.assignment is None
    assert session.time_left == 0


def test_next_waits_for_a_unit_under_one_id() -> None:
    session, script, clock = session_of(NONE, NONE, NONE, UNIT)
    assert session.next("s1", wait=10) is not None
    assert clock.pauses == [2.0, 2.0, 2.0]
    assert len({script.key(n) for n in range(4)}) == 1


def test_next_without_a_unit_is_none() -> None:
    session, script, clock = session_of(NONE, NONE, NONE)
    assert session.next("s1") is None
    assert clock.pauses == []
    assert session.next("s1", wait=3) is None
    assert clock.now <= 1003
    assert script.key(0) != script.key(1)


def test_a_unit_that_was_granted_unheard_is_the_next_one() -> None:
    lost = [httpx.ReadError("reset")] * 20
    session, script, _ = session_of(*lost, UNIT)
    with pytest.raises(NoAnswerError):
        session.next("s1")
    asked = len(script.requests)
    script.replies = [UNIT]
    assert session.next("s1") is not None
    assert script.key(asked) == script.key(0)


def test_a_judgment_whose_outcome_is_unknown_is_submitted_again_under_its_id() -> None:
    session, script, _ = session_of(UNIT, *[httpx.ReadError("reset")] * 20)
    session.next("s1")
    with pytest.raises(NoAnswerError):
        session.submit({"answer": "cat"})
    asked = len(script.requests)
    assert session.assignment is not None
    script.replies = [ACCEPTED]
    session.submit({"answer": "cat"})
    assert {script.key(n) for n in range(1, asked + 1)} == {script.key(1)}


def test_a_judgment_of_another_form_leaves_the_unit_held() -> None:
    session, script, _ = session_of(UNIT, (422, "payload_invalid", "/answer"), ACCEPTED)
    session.next("s1")
    with pytest.raises(HoldfastError):
        session.submit({"answer": 5})
    session.submit({"answer": "cat"})


@pytest.mark.parametrize(
    "code", ["lease_expired", "stale_token", "lease_not_held", "already_judged"]
)
def test_a_lease_that_is_over_lets_the_session_go_on(code: str) -> None:
    session, _, _ = session_of(UNIT, (409, code), UNIT)
    session.next("s1")
    with pytest.raises(HoldfastError):
        session.submit({})
    assert session.assignment is None
    assert session.next("s1") is not None


def test_a_unit_is_given_back_or_declined() -> None:
    back = {"unit_id": "u1"}
    session, script, _ = session_of(UNIT, back, UNIT, back, UNIT, (409, "lease_expired"))
    session.next("s1")
    session.release()
    assert "decline" not in script.body(1)
    assert session.assignment is None
    session.next("s1")
    session.decline()
    assert script.body(3)["decline"] is True
    session.next("s1")
    session.release()
    assert session.assignment is None


def test_leaving_gives_everything_back() -> None:
    session, script, _ = session_of(UNIT, {"released": 1})
    session.next("s1")
    assert session.leave() == 1
    assert script.requests[1].method == "DELETE"
    assert script.requests[1].url.path == "/v1/sessions/ana"
    assert session.assignment is None


def test_a_session_holds_one_unit() -> None:
    session, _, _ = session_of(UNIT)
    no_unit: List[Callable[[], Any]] = [
        session.release,
        session.decline,
        session.extend,
        lambda: session.submit({}),
    ]
    for call in no_unit:
        with pytest.raises(RuntimeError, match="no unit"):
            call()
    session.next("s1")
    with pytest.raises(RuntimeError, match="already"):
        session.next("s1")


def test_the_asynchronous_session_does_the_same() -> None:
    script = Script(NONE, UNIT, ACCEPTED)

    async def work() -> None:
        async with AsyncHoldfast(
            "http://node", "t", transport=httpx.MockTransport(script)
        ) as client:
            session = AsyncContributorSession(client, "ana")
            unit = await session.next("s1", wait=60)
            assert unit is not None and unit["unit_id"] == "u1"
            assert session.time_left == pytest.approx(600)
            await session.submit({"answer": "cat"})

    run_virtually(work())
    assert script.key(0) == script.key(1)
