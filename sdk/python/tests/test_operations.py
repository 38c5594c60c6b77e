"""The requests that the methods make, and what they make of the answers."""

from __future__ import annotations

import datetime
import inspect
import json
import pickle
import time
import uuid
from typing import Any, List, Tuple

import httpx
import pytest
from fake_node import answer, problem

from holdfast import Holdfast, HoldfastError, NoAnswerError
from holdfast._calls import make_id
from holdfast._operations import Operation, Operations


def asked(method: str, *args: Any, reply: Any = None, **kwargs: Any) -> Tuple[httpx.Request, Any]:
    seen: List[httpx.Request] = []

    def serve(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return reply if isinstance(reply, httpx.Response) else answer(200, reply or {})

    client = Holdfast("http://node/base/", " hf_a_b\n", transport=httpx.MockTransport(serve))
    value = getattr(client, method)(*args, **kwargs)
    return seen[-1], value


def test_a_request_has_the_token_and_the_form_that_the_node_wants() -> None:
    request, _ = asked("put_queue", "mail", {"lease": {"ttl_seconds": 5}})
    assert request.method == "PUT"
    assert str(request.url) == "http://node/base/v1/queues/mail"
    assert request.headers["authorization"] == "Bearer hf_a_b"
    assert request.headers["content-type"] == "application/json"
    assert "idempotency-key" not in request.headers
    assert json.loads(request.content) == {"lease": {"ttl_seconds": 5}}


def test_a_queue_without_a_policy_takes_every_default() -> None:
    request, _ = asked("put_queue", "mail")
    assert request.content == b"{}"


def test_a_task_has_the_members_that_were_given() -> None:
    zone = datetime.timezone(datetime.timedelta(hours=2))
    request, made = asked(
        "enqueue",
        "mail",
        "send",
        {"to": "Zoë", "number": 9400110200881234567890},
        id=uuid.UUID(int=5),
        run_at=datetime.datetime(2026, 1, 1, 2, tzinfo=zone),
        delay=1.5,
        priority=0,
        traceparent="00-1-2-01",
        reply={"id": "x", "repeated": True},
    )
    assert json.loads(request.content) == {
        "type": "send",
        "body": {"to": "Zoë", "number": 9400110200881234567890},
        "id": "00000000-0000-0000-0000-000000000005",
        "run_at": "2026-01-01T00:00:00Z",
        "delay": 1.5,
        "priority": 0,
    }
    assert "Zoë".encode() in request.content
    assert request.headers["traceparent"] == "00-1-2-01"
    assert made["repeated"] is True


def test_values_that_are_not_json_are_refused_before_they_are_sent() -> None:
    for body in ({"x": float("nan")}, {"x": object()}, {"x": "\ud800"}):
        with pytest.raises((ValueError, TypeError)):
            asked("enqueue", "q", "t", body)
    with pytest.raises(ValueError, match="zone"):
        asked("enqueue", "q", "t", {}, run_at=datetime.datetime(2026, 1, 1))


def test_queries_leave_out_what_is_none() -> None:
    request, _ = asked("list_tasks", queue="a b", status="QUEUED", limit=5)
    assert request.url.query == b"queue=a%20b&status=QUEUED&limit=5"
    request, _ = asked("read_events", 3, types=["A", "B"], start="oldest", wait=20)
    assert request.url.query == b"from=oldest&types=A&types=B&wait=20"


def test_results_of_a_workflow_are_asked_for_by_their_states() -> None:
    request, _ = asked("list_workflow_results", "w")
    assert request.method == "GET"
    assert str(request.url) == "http://node/base/v1/workflows/w/results"
    request, page = asked(
        "list_workflow_results",
        "w",
        after="7-x",
        limit=5,
        states=["final", "rejected"],
        pseudonyms=True,
        inputs=False,
        reply={"results": [], "last": "7-x", "more": True},
    )
    assert request.url.query == (
        b"after=7-x&limit=5&state=final&state=rejected&pseudonyms=true&inputs=false"
    )
    assert page["more"] is True


def test_a_claim_without_tasks_is_an_empty_list() -> None:
    request, tasks = asked("claim_tasks", "q", "w", reply=httpx.Response(204))
    assert tasks == []
    assert json.loads(request.content) == {"worker": "w"}
    assert request.url.query == b"wait=0"
    _, tasks = asked("claim_tasks", "q", "w", reply=problem(404, "no_unit_available"))
    assert tasks == []
    with pytest.raises(HoldfastError):
        asked("claim_tasks", "q", "w", reply=problem(404, "not_found"))


def test_a_claim_is_repeatable_under_an_id_of_the_caller() -> None:
    claim = str(uuid.uuid4())
    request, tasks = asked(
        "claim_tasks", "q", "w", limit=3, types=["a"], claim=claim, reply={"tasks": [{"id": "1"}]}
    )
    assert request.headers["idempotency-key"] == claim
    assert tasks == [{"id": "1"}]


def test_no_assignment_is_none() -> None:
    _, unit = asked("ask_assignment", "s", "ana", reply=problem(404, "no_unit_available"))
    assert unit is None


def test_reports_may_be_encoded_already() -> None:
    outcomes = {"outcomes": [{"task": "1", "repeated": False}, {"task": "2", "repeated": False}]}
    request, told = asked(
        "report_tasks",
        "q",
        [b'{"task":"1","token":1}', {"task": "2", "token": 2}],
        "w",
        reply=outcomes,
    )
    assert request.content == (
        b'{"worker":"w","outcomes":[{"task":"1","token":1},{"task":"2","token":2}]}'
    )
    assert told == outcomes["outcomes"]


def test_a_task_that_follows_gets_an_id_so_that_the_request_is_repeatable() -> None:
    request, _ = asked("complete_task", "x", 1, follow={"type": "t", "body": {}})
    assert uuid.UUID(json.loads(request.content)["follow"]["id"]).version == 7


def test_answers_about_rows_are_put_together() -> None:
    def serve(request: httpx.Request) -> httpx.Response:
        rows = json.loads(request.content)["rows"]
        return answer(
            200,
            {
                "added": len(rows) - 1,
                "already_there": 0,
                "problems": [{"row": len(rows) - 1, "code": "payload_invalid", "detail": ""}],
            },
        )

    client = Holdfast("http://node", "t", transport=httpx.MockTransport(serve))
    added = client.add_source_data("s", ({"key": str(n), "input": n} for n in range(1500)))
    assert added["added"] == 1498
    assert [one["row"] for one in added["problems"]] == [999, 1499]


def test_a_file_of_rows_is_sent_as_it_is_with_its_mapping() -> None:
    request, told = asked(
        "load_data",
        "w",
        b"id,text\n1,a\n",
        map=["input.text=text", "judgments=n"],
        key=["id"],
        on_change="replace",
        dry_run=True,
        reply={"added": 1},
    )
    assert request.method == "POST"
    assert request.url.path == "/base/v1/workflows/w/data"
    assert request.headers["content-type"] == "text/csv"
    assert request.url.params.get_list("map") == ["input.text=text", "judgments=n"]
    assert request.url.params.get_list("key") == ["id"]
    assert request.url.params["on_change"] == "replace"
    assert request.url.params["dry_run"] == "true"
    assert request.content == b"id,text\n1,a\n"
    assert told == {"added": 1}


def test_mappings_are_loaded_in_parts_and_told_by_their_numbers() -> None:
    def serve(request: httpx.Request) -> httpx.Response:
        assert request.headers["content-type"] == "application/json"
        rows = json.loads(request.content)
        assert request.content.count(b"\n") == len(rows) - 1
        counts = {"already_there": 0, "changed": 0, "replaced": 0, "refused": 1}
        problem = {"line": len(rows), "code": "payload_invalid", "detail": ""}
        return answer(
            200,
            {
                "rows": len(rows),
                "added": len(rows) - 1,
                "problems": [problem],
                "changes": [],
                "first": [],
                **counts,
            },
        )

    client = Holdfast("http://node", "t", transport=httpx.MockTransport(serve))
    told = client.load_data("w", ({"id": n, "text": "a"} for n in range(1500)), key=["id"])
    assert (told["rows"], told["added"], told["refused"]) == (1500, 1498, 2)
    assert [one["line"] for one in told["problems"]] == [1000, 1500]


def test_every_method_has_a_signature_and_says_what_it_does() -> None:
    operations = [one for one in vars(Operations).values() if isinstance(one, Operation)]
    assert len(operations) > 70
    client = Holdfast("http://node", "t", transport=httpx.MockTransport(lambda request: None))
    for one in operations:
        assert one.__doc__, one.__name__
        bound = getattr(client, one.__name__)
        assert bound.__doc__ == one.__doc__
        assert "route" not in inspect.signature(bound).parameters
    assert list(inspect.signature(client.get_task).parameters) == ["id", "wait"]


def test_the_token_is_not_in_what_a_client_prints() -> None:
    client = Holdfast("http://node", "hf_secret", transport=httpx.MockTransport(lambda r: None))
    assert "secret" not in repr(client) + repr(client._settings)


def test_ids_are_uuids_of_version_7_in_the_order_of_their_making() -> None:
    before = time.time_ns() // 1_000_000
    ids = [uuid.UUID(make_id()) for _ in range(1000)]
    assert {one.version for one in ids} == {7}
    assert {one.variant for one in ids} == {uuid.RFC_4122}
    assert ids == sorted(ids) and len(set(ids)) == 1000
    assert before <= ids[0].int >> 80 <= time.time_ns() // 1_000_000


def test_errors_can_be_pickled() -> None:
    error = pickle.loads(pickle.dumps(HoldfastError("stale_token", 409, "old", retry_after=2)))
    assert (error.code, error.status, error.detail, error.retry_after) == (
        "stale_token",
        409,
        "old",
        2,
    )
    lost = pickle.loads(pickle.dumps(NoAnswerError("refused")))
    assert (lost.code, lost.detail) == ("unavailable", "refused")


def test_settings_that_cannot_be_are_refused() -> None:
    with pytest.raises(ValueError):
        Holdfast("http://node", "t", timeout=0)
