"""The retry rule, in virtual time."""

from __future__ import annotations

import uuid
from typing import Any, Callable, List, Tuple

import httpx
import pytest
from fake_node import answer, problem
from virtual_time import VirtualClock, run_virtually

from holdfast import AsyncHoldfast, Holdfast, HoldfastError, NoAnswerError

Handler = Callable[[httpx.Request], httpx.Response]


def client_of(
    handler: Handler, *, random: float = 1.0, **settings: Any
) -> Tuple[Holdfast, VirtualClock]:
    client = Holdfast("http://node", "hf_a_b", transport=httpx.MockTransport(handler), **settings)
    clock = VirtualClock()
    client._environment.clock = clock
    client._environment.random = lambda: random
    client._sleep = clock.sleep
    return client, clock


class Replies:
    """Gives one reply after the other, the last one for ever."""

    def __init__(self, *replies: Any) -> None:
        self._replies = list(replies)
        self.requests: List[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        reply = self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]
        if isinstance(reply, Exception):
            raise reply
        # A client uses up the response that it gets.
        return httpx.Response(reply.status_code, headers=reply.headers, content=reply.content)


MADE = answer(201, {"id": "x", "repeated": False})
BUSY = problem(503, "overloaded", "slow down", True, Retry_After="1")


@pytest.mark.parametrize(
    "failure",
    [
        httpx.ConnectError("refused"),
        httpx.ReadTimeout("slow"),
        httpx.RemoteProtocolError("disconnected"),
        BUSY,
        problem(503, "unavailable", "", True),
        problem(503, "fenced", "", True),
        problem(429, "rate_limited", "", True, Retry_After="2"),
        problem(408, "request_timeout", "", True),
        httpx.Response(502, text="<html>bad gateway</html>"),
        httpx.Response(504),
    ],
    ids=repr,
)
def test_a_failure_that_passes_is_repeated_with_the_same_ids(failure: Any) -> None:
    replies = Replies(failure, failure, MADE)
    client, clock = client_of(replies)
    assert client.enqueue("q", "t", {"n": 1})["id"] == "x"
    assert len(replies.requests) == 3
    keys = {one.headers["idempotency-key"] for one in replies.requests}
    assert len(keys) == 1
    uuid.UUID(keys.pop())
    assert len({one.content for one in replies.requests}) == 1


@pytest.mark.parametrize(
    "status, code",
    [
        (400, "invalid_argument"),
        (401, "unauthenticated"),
        (403, "not_allowed"),
        (404, "not_found"),
        (409, "already_exists"),
        (413, "too_large"),
        (422, "payload_invalid"),
        (429, "limit_reached"),
        (500, "damaged"),
    ],
)
def test_other_errors_come_at_once(status: int, code: str) -> None:
    replies = Replies(problem(status, code, "why"))
    client, clock = client_of(replies)
    with pytest.raises(HoldfastError) as raised:
        client.enqueue("q", "t", {})
    assert (raised.value.code, raised.value.status, raised.value.detail) == (code, status, "why")
    assert len(replies.requests) == 1
    assert clock.pauses == []


def test_an_error_has_the_members_of_its_problem() -> None:
    body = {
        "code": "invalid_argument",
        "status": 400,
        "title": "Correct the named field.",
        "detail": "/body is missing",
        "retryable": False,
        "errors": [{"place": "/body", "detail": "is missing"}],
        "trace_id": "abc",
    }
    client, _ = client_of(Replies(answer(400, body)))
    with pytest.raises(HoldfastError) as raised:
        client.enqueue("q", "t", None)
    error = raised.value
    assert error.errors == ({"place": "/body", "detail": "is missing"},)
    assert not error.retryable
    assert error.trace_id == "abc"
    assert str(error) == "invalid_argument (400): /body is missing"


def test_an_error_that_is_no_problem_says_what_came() -> None:
    client, _ = client_of(Replies(httpx.Response(418, text="I am a teapot")))
    with pytest.raises(HoldfastError) as raised:
        client.get_task("x")
    assert (raised.value.code, raised.value.detail) == ("http_418", "I am a teapot")


def test_an_answer_that_is_not_json_is_an_error() -> None:
    client, _ = client_of(Replies(httpx.Response(200, text="<html>")))
    with pytest.raises(HoldfastError) as raised:
        client.get_task("x")
    assert raised.value.code == "answer_malformed"


def test_pauses_double_up_to_a_bound() -> None:
    client, clock = client_of(Replies(httpx.ConnectError("refused")), timeout=30)
    with pytest.raises(NoAnswerError) as raised:
        client.get_task("x")
    assert clock.pauses[:7] == [0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0]
    assert clock.now - 1000 <= 30
    assert (raised.value.code, raised.value.status) == ("unavailable", 0)
    assert raised.value.retryable
    assert "ConnectError refused" in raised.value.detail


def test_pauses_are_random() -> None:
    client, clock = client_of(Replies(BUSY, BUSY, MADE), random=0.25)
    client.enqueue("q", "t", {})
    assert clock.pauses == [1.05, 1.1]


def test_retry_after_is_the_least_pause() -> None:
    client, clock = client_of(Replies(problem(429, "slow", "", True, Retry_After="7"), MADE))
    client.enqueue("q", "t", {})
    assert clock.pauses == [7.2]


def test_a_date_in_retry_after_counts_as_none() -> None:
    later = problem(503, "overloaded", "", True, Retry_After="Fri, 31 Dec 2027 23:59:59 GMT")
    client, clock = client_of(Replies(later, MADE))
    client.enqueue("q", "t", {})
    assert clock.pauses == [0.2]


def test_a_pause_beyond_the_deadline_ends_the_call_at_once() -> None:
    later = problem(503, "overloaded", "full", True, Retry_After="100")
    client, clock = client_of(Replies(later), timeout=60)
    with pytest.raises(HoldfastError) as raised:
        client.enqueue("q", "t", {})
    assert (raised.value.code, raised.value.retry_after) == ("overloaded", 100)
    assert clock.pauses == []


def test_a_mistake_of_the_caller_is_not_repeated() -> None:
    client, clock = client_of(Replies(httpx.UnsupportedProtocol("ftp")))
    with pytest.raises(httpx.UnsupportedProtocol):
        client.get_task("x")
    assert clock.pauses == []


def timeouts(request: httpx.Request) -> Tuple[float, float]:
    given = request.extensions["timeout"]
    return given["connect"], given["read"]


def test_a_long_poll_waits_for_the_rest_of_its_time_when_repeated() -> None:
    clock_of: List[VirtualClock] = []
    seen: List[httpx.Request] = []

    def serve(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        if len(seen) == 1:
            clock_of[0].now += 12
            raise httpx.ReadError("reset")
        return httpx.Response(204)

    client, clock = client_of(serve)
    clock_of.append(clock)
    assert client.claim_tasks("q", "w", wait=20) == []
    assert [one.url.params["wait"] for one in seen] == ["20", "7.8"]
    assert timeouts(seen[0]) == (15, 35)
    assert timeouts(seen[1])[1] == pytest.approx(22.8)
    assert len({one.headers["idempotency-key"] for one in seen}) == 1


def test_an_attempt_ends_with_the_deadline() -> None:
    replies = Replies(MADE)
    client, _ = client_of(replies, timeout=4)
    client.enqueue("q", "t", {})
    assert timeouts(replies.requests[0]) == (4, 4)
    client.with_timeout(2).enqueue("q", "t", {})
    assert timeouts(replies.requests[1]) == (2, 2)


def test_both_clients_send_the_same() -> None:
    """One scenario with failures, with each of the two clients."""

    def scenario() -> Replies:
        return Replies(httpx.ConnectError("x"), BUSY, problem(409, "stale_token", "old", False))

    def told(replies: Replies) -> List[Any]:
        return [
            (one.method, str(one.url), one.content, one.headers["content-type"])
            for one in replies.requests
        ]

    replies = scenario()
    client, clock = client_of(replies)
    with pytest.raises(HoldfastError) as raised:
        client.complete_task("a/b", 7, {"ok": True}, worker="w", queue="q")

    async def asynchronously() -> Tuple[Replies, float, HoldfastError]:
        import asyncio

        others = scenario()
        async with AsyncHoldfast(
            "http://node", "hf_a_b", transport=httpx.MockTransport(others)
        ) as other:
            other._environment.random = lambda: 1.0
            began = asyncio.get_running_loop().time()
            with pytest.raises(HoldfastError) as problem:
                await other.complete_task("a/b", 7, {"ok": True}, worker="w", queue="q")
            return others, asyncio.get_running_loop().time() - began, problem.value

    others, passed, error = run_virtually(asynchronously())
    assert told(replies) == told(others)
    assert replies.requests[0].url.raw_path == b"/v1/tasks/a%2Fb/complete"
    assert passed == pytest.approx(clock.now - 1000)
    assert str(error) == str(raised.value)


# --- batches ---


def outcomes_of(request: httpx.Request, codes: Any) -> httpx.Response:
    import json

    tasks = json.loads(request.content)["tasks"]
    return answer(
        200,
        {"outcomes": [{"task": one["id"], "repeated": False, **codes(one)} for one in tasks]},
    )


def test_items_with_a_transient_outcome_are_sent_again_alone() -> None:
    import json

    sent: List[List[str]] = []

    def serve(request: httpx.Request) -> httpx.Response:
        sent.append([one["type"] for one in json.loads(request.content)["tasks"]])
        code = {"b": "unavailable", "c": "payload_invalid"}
        first = len(sent) == 1

        def codes(task: Any) -> Any:
            if task["type"] == "b" and not first:
                return {}
            return {"code": code[task["type"]]} if task["type"] in code else {}

        return outcomes_of(request, codes)

    client, clock = client_of(serve)
    outcomes = client.enqueue_many("q", [{"type": one, "body": {}} for one in "abc"])
    assert sent == [["a", "b", "c"], ["b"]]
    assert [one.get("code") for one in outcomes] == [None, None, "payload_invalid"]
    assert len({one["task"] for one in outcomes}) == 3
    assert clock.pauses == [0.2]


def test_many_items_are_divided_and_keep_their_order() -> None:
    sizes: List[int] = []

    def serve(request: httpx.Request) -> httpx.Response:
        import json

        sizes.append(len(json.loads(request.content)["tasks"]))
        return outcomes_of(request, lambda task: {"detail": task["body"]["n"]})

    client, _ = client_of(serve)
    tasks = [{"type": "t", "body": {"n": n}} for n in range(2500)]
    outcomes = client.enqueue_many("q", tasks)
    assert sizes == [1000, 1000, 500]
    assert [one["detail"] for one in outcomes] == list(range(2500))
    large = [{"type": "t", "body": {"n": n, "x": "x" * 3_000_000}} for n in range(3)]
    client.enqueue_many("q", large)
    assert sizes[3:] == [1, 1, 1]


def test_a_later_request_that_fails_does_not_hide_the_outcomes_before() -> None:
    def serve(request: httpx.Request) -> httpx.Response:
        if b'"n":1000' in request.content:
            return problem(413, "too_large", "bound")
        return outcomes_of(request, lambda task: {})

    client, _ = client_of(serve)
    outcomes = client.enqueue_many("q", [{"type": "t", "body": {"n": n}} for n in range(1001)])
    assert [one.get("code") for one in outcomes] == [None] * 1000 + ["too_large"]

    client, _ = client_of(Replies(problem(404, "not_found", "there is no queue q")))
    with pytest.raises(HoldfastError):
        client.enqueue_many("q", [{"type": "t", "body": {}}])


def test_no_items_are_no_request() -> None:
    replies = Replies(MADE)
    client, _ = client_of(replies)
    assert client.enqueue_many("q", []) == []
    assert replies.requests == []
