"""The decisions of a worker. Time is a number here."""

from __future__ import annotations

from typing import Any, Dict, List, Tuple

import pytest

from holdfast import HoldfastError
from holdfast._worker_core import (
    Completed,
    Counts,
    Failed,
    GivenBack,
    Lease,
    Reason,
    WorkerCore,
)

Told = List[Tuple[str, Reason]]


def leased(number: int, lease_seconds: float = 60.0, token: int = 1) -> Any:
    return {
        "id": f"t{number}",
        "type": "work",
        "token": token,
        "lease_seconds": lease_seconds,
    }


def core_of(concurrency: int = 2, **settings: Any) -> Tuple[WorkerCore, Told]:
    told: Told = []
    core = WorkerCore(
        concurrency,
        tell=lambda lease, reason: told.append((lease.task["id"], reason)),
        random=lambda: 1.0,
        **settings,
    )
    return core, told


def claim(core: WorkerCore, count: int, now: float = 0.0, **more: Any) -> None:
    begin = core.counts.claimed
    core.claimed(
        [leased(begin + n, **more) for n in range(count)], lambda type: type == "work", now
    )


def run_all(core: WorkerCore) -> List[Lease]:
    running = []
    lease = core.next_to_run()
    while lease is not None:
        running.append(lease)
        lease = core.next_to_run()
    return running


def taken(core: WorkerCore, now: float) -> List[str]:
    return [one.task["id"] for one in core.take_batch(now)]


DONE: Any = {"repeated": False}


def refusal(code: str) -> Any:
    return {"code": code, "detail": "why", "repeated": False}


# --- claims ---


def test_a_claim_is_for_as_many_tasks_as_handlers_are_free() -> None:
    core, _ = core_of(3)
    assert core.claim_limit() == 3
    claim(core, 2)
    assert core.claim_limit() == 1
    first, second = run_all(core)
    assert core.claim_limit() == 1
    claim(core, 1)
    assert core.claim_limit() == 0
    core.handler_ended(first, Completed(), 1)
    assert core.claim_limit() == 1  # though the report is not sent yet
    assert core.counts.running == 1


def test_prefetched_tasks_wait_until_a_handler_is_free() -> None:
    core, _ = core_of(1, prefetch=2)
    assert core.claim_limit() == 3
    claim(core, 3)
    (first,) = run_all(core)
    assert core.claim_limit() == 0
    core.handler_ended(first, Completed(), 1)
    assert core.claim_limit() == 1
    assert [one.task["id"] for one in run_all(core)] == ["t1"]


def test_claims_that_fail_come_further_and_further_apart() -> None:
    core, _ = core_of()
    pauses = []
    for _ in range(9):
        core.claim_failed(100)
        pauses.append(core.claim_at - 100)
    assert pauses == pytest.approx([0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10, 10, 10])
    claim(core, 0)
    core.claim_failed(100)
    assert core.claim_at == pytest.approx(100.2)


def test_a_lease_that_comes_twice_is_run_once() -> None:
    core, _ = core_of(4)
    core.claimed([leased(1)], lambda type: True, 0)
    core.claimed([leased(1)], lambda type: True, 0)
    assert len(run_all(core)) == 1
    core.claimed([leased(1, token=2)], lambda type: True, 0)  # a new lease on the same task
    assert len(run_all(core)) == 1


def test_tasks_of_no_use_go_back() -> None:
    core, _ = core_of()
    core.claimed([leased(1), leased(2, lease_seconds=0)], lambda type: False, 0)
    assert run_all(core) == []
    assert taken(core, 1) == ["t1", "t2"]


# --- extensions ---


def test_a_lease_is_extended_after_a_third_of_its_time() -> None:
    core, _ = core_of()
    claim(core, 1, now=100, lease_seconds=30)
    (lease,) = run_all(core)
    assert core.extension_at() == 110
    assert core.leases_to_extend(109.9) == []
    assert core.leases_to_extend(110) == [lease]
    assert core.extension_at() == 120
    core.extended([lease], [DONE], 110.5)
    assert lease.ends_at == 140.5
    assert core.leases_to_extend(120) == [lease]


def test_one_request_extends_all_leases_when_one_is_due() -> None:
    core, _ = core_of(3)
    claim(core, 1, now=0, lease_seconds=30)
    claim(core, 1, now=9, lease_seconds=30)
    first, second = run_all(core)
    assert core.leases_to_extend(10) == [first, second]
    assert core.extension_at() == 20


def test_a_lease_whose_extension_tells_its_length_goes_by_that() -> None:
    core, _ = core_of()
    claim(core, 1, lease_seconds=5)
    (lease,) = run_all(core)
    told: Any = {"repeated": False, "lease_seconds": 60}
    core.leases_to_extend(2)
    core.extended([lease], [told], 2)
    assert lease.ends_at == 62
    assert core.leases_to_extend(4) == [lease]
    assert core.extension_at() == 24


def test_an_extension_that_fails_is_tried_again_soon() -> None:
    core, told = core_of()
    claim(core, 1, lease_seconds=30)
    (lease,) = run_all(core)
    core.leases_to_extend(10)
    core.extension_failed([lease], 12)
    assert core.extension_at() == 15
    core.leases_to_extend(15)
    core.extended([lease], [refusal("unavailable")], 16)
    assert core.extension_at() == 19
    assert told == []


def test_a_lease_that_may_not_be_extended_is_asked_for_no_more() -> None:
    core, told = core_of()
    claim(core, 1, lease_seconds=30)
    (lease,) = run_all(core)
    core.extended(core.leases_to_extend(10), [refusal("not_extendable")], 10)
    assert core.leases_to_extend(25) == []
    assert core.extension_at() is None
    assert core.next_time() == 30
    core.tick(30)
    assert told == [("t0", Reason.EXPIRED)]


@pytest.mark.parametrize("code", ["stale_token", "lease_not_held", "lease_expired", "not_found"])
def test_a_lost_lease_tells_the_handler_and_drops_its_outcome(code: str) -> None:
    core, told = core_of()
    claim(core, 1)
    (lease,) = run_all(core)
    core.extended(core.leases_to_extend(20), [refusal(code)], 20)
    assert told == [("t0", Reason.LOST)]
    assert core.claim_limit() == 1  # its handler still runs
    core.handler_ended(lease, Completed({"x": 1}), 21)
    assert core.batch_at() is None
    assert core.held == {}
    assert core.counts == Counts(claimed=1, lost=1)


def test_a_task_that_waits_and_is_lost_is_not_run() -> None:
    core, told = core_of(1, prefetch=1)
    claim(core, 2)
    run_all(core)
    both = core.leases_to_extend(20)
    core.extended(both, [DONE, refusal("stale_token")], 20)
    core.handler_ended(both[0], Completed(), 21)
    assert run_all(core) == []
    assert told == []
    assert core.claim_limit() == 2


def test_a_lease_that_ran_out_unheard_tells_the_handler_and_offers_its_outcome() -> None:
    core, told = core_of()
    claim(core, 1, lease_seconds=30)
    (lease,) = run_all(core)
    core.extension_failed(core.leases_to_extend(10), 10)
    assert core.next_time() == 30
    core.tick(29.9)
    assert told == []
    core.tick(30)
    core.tick(31)
    assert told == [("t0", Reason.EXPIRED)]
    core.handler_ended(lease, Completed(), 32)
    assert taken(core, 33) == ["t0"]


def test_an_extension_after_the_report_says_nothing() -> None:
    core, _ = core_of()
    claim(core, 1)
    (lease,) = run_all(core)
    asked = core.leases_to_extend(20)
    core.handler_ended(lease, Completed(), 20)
    batch = core.take_batch(21)
    core.extended(asked, [refusal("not_found")], 21)
    core.reported(batch, [DONE], 21)
    core.extended(asked, [refusal("not_found")], 22)
    assert core.counts == Counts(claimed=1, completed=1)


# --- reports ---


def test_reports_are_gathered_for_a_moment() -> None:
    core, _ = core_of(3, gather=0.005)
    claim(core, 3)
    first, second, third = run_all(core)
    core.handler_ended(first, Completed(), 10.0)
    core.handler_ended(second, Completed(), 10.004)
    assert core.batch_at() == 10.005
    assert core.take_batch(10.004) == []
    assert taken(core, 10.005) == ["t0", "t1"]
    core.handler_ended(third, Completed(), 10.006)
    assert core.batch_at() == pytest.approx(10.011)


def test_a_full_batch_does_not_wait() -> None:
    core, _ = core_of(5, batch_max=2)
    claim(core, 5)
    for lease in run_all(core):
        core.handler_ended(lease, Completed(), 10.0)
    assert taken(core, 10.0) == ["t0", "t1"]
    assert taken(core, 10.0) == ["t2", "t3"]
    assert taken(core, 10.0) == []
    assert taken(core, 10.005) == ["t4"]


def test_large_reports_have_requests_of_their_own() -> None:
    core, _ = core_of(3)
    claim(core, 3)
    for lease in run_all(core):
        core.handler_ended(lease, Completed("x" * 3_000_000), 10.0)
    assert taken(core, 11) == ["t0"]
    assert taken(core, 11) == ["t1"]


def test_the_counts_say_how_tasks_ended() -> None:
    core, _ = core_of(4)
    claim(core, 4)
    endings = [Completed(1), Failed("transient", "X"), GivenBack(), Completed(2)]
    for lease, ending in zip(run_all(core), endings):
        core.handler_ended(lease, ending, 0)
    core.reported(core.take_batch(1), [DONE, DONE, DONE, refusal("stale_token")], 1)
    assert core.counts == Counts(claimed=4, completed=1, failed=1, released=1, lost=1)
    assert core.held == {}


def reports_of(core: WorkerCore, ending: Any) -> Dict[str, Any]:
    claim(core, 1)
    (lease,) = run_all(core)
    core.handler_ended(lease, ending, 0)
    (same,) = core.take_batch(1)
    assert same.report is not None
    return same.report


def test_reports_have_the_members_that_the_node_wants() -> None:
    core, _ = core_of(9)
    about = {"token": 1}
    assert reports_of(core, Completed()) == {"task": "t0", **about, "do": "complete"}
    assert reports_of(core, Completed({"n": 1}))["result"] == {"n": 1}
    assert reports_of(core, Completed(False))["result"] is False
    assert reports_of(core, GivenBack(5, {"state": "s"})) == {
        "task": "t3",
        **about,
        "do": "release",
        "delay": 5,
        "state": "s",
    }
    failed = reports_of(core, Failed("rate_limited", "SLOW", "a\0b\ud800", 1e9))
    assert failed == {
        "task": "t4",
        **about,
        "do": "fail",
        "kind": "rate_limited",
        "code": "SLOW",
        "detail": "a\ufffdb?",
        "retry_after": 86400,
    }
    long = reports_of(core, Failed("transient", "é" * 100, "ö" * 5000 + "end"))
    assert len(long["code"].encode()) == 128
    assert len(long["detail"].encode()) <= 4096 and long["detail"].endswith("end")
    assert reports_of(core, Failed("transient", ""))["code"] == "FAILED"


@pytest.mark.parametrize("result", [object(), {1, 2}, float("nan"), "\ud800"])
def test_a_result_that_is_not_json_fails_its_task_for_good(result: Any) -> None:
    core, _ = core_of()
    report = reports_of(core, Completed(result))
    assert (report["do"], report["kind"], report["code"]) == (
        "fail",
        "permanent",
        "OUTCOME_REFUSED",
    )


def test_a_report_that_is_not_taken_now_comes_again_with_growing_pauses() -> None:
    core, _ = core_of()
    claim(core, 1, lease_seconds=30)
    (lease,) = run_all(core)
    core.handler_ended(lease, Completed(), 0)
    for code, pause in [("unavailable", 0.2), ("overloaded", 0.4), ("fenced", 0.8)]:
        core.reported(core.take_batch(1), [refusal(code)], 1)
        assert core.batch_at() == pytest.approx(1 + pause)
        assert core.take_batch(1) == []
        lease.report_at = 1  # let it be due
    core.report_failed(core.take_batch(1), HoldfastError("unavailable", 0, "", True), 1)
    assert core.batch_at() == pytest.approx(1 + 1.6)
    core.reported(core.take_batch(3), [DONE], 3)
    assert core.counts.completed == 1


def test_a_report_is_given_up_when_its_lease_is_over() -> None:
    core, _ = core_of()
    claim(core, 1, lease_seconds=30)
    (lease,) = run_all(core)
    core.handler_ended(lease, Completed(), 0)
    core.report_failed(core.take_batch(1), HoldfastError("unavailable", 0, "", True), 30)
    assert core.held == {}
    assert core.counts == Counts(claimed=1, lost=1)


def test_a_refused_report_becomes_a_failure_once() -> None:
    core, _ = core_of()
    claim(core, 2)
    for lease in run_all(core):
        core.handler_ended(lease, Completed("x"), 0)
    core.reported(core.take_batch(1), [refusal("payload_invalid"), refusal("too_large")], 1)
    again = core.take_batch(2)
    assert [one.report["code"] for one in again if one.report] == ["OUTCOME_REFUSED"] * 2
    assert again[0].report and again[0].report["detail"] == "payload_invalid: why"
    core.reported(again, [DONE, refusal("invalid_argument")], 2)
    assert core.counts == Counts(claimed=2, failed=1, lost=1)
    assert core.held == {}


def test_a_refused_failure_keeps_its_kind() -> None:
    core, _ = core_of()
    claim(core, 1)
    (lease,) = run_all(core)
    core.handler_ended(lease, Failed("rate_limited", "SLOW", "later", 5), 0)
    core.reported(core.take_batch(1), [refusal("wrong_state")], 1)
    assert lease.report is not None
    assert (lease.report["kind"], lease.report["retry_after"]) == ("rate_limited", 5)
    assert lease.report["detail"] == "wrong_state: why; it was to say SLOW: later"


def test_one_bad_report_does_not_take_the_others_with_it() -> None:
    core, _ = core_of(3)
    claim(core, 3)
    for lease in run_all(core):
        core.handler_ended(lease, Completed(), 0)
    bad = HoldfastError("payload_invalid", 422, "nested too deep")
    core.report_failed(core.take_batch(1), bad, 1)
    first = core.take_batch(1)
    assert [one.task["id"] for one in first] == ["t0"]
    core.report_failed(first, bad, 1)
    second = core.take_batch(1)
    assert [one.task["id"] for one in second] == ["t1"]
    core.reported(second, [DONE], 1)
    core.reported(core.take_batch(1), [DONE], 1)
    core.reported(core.take_batch(2), [DONE], 2)
    assert core.counts == Counts(claimed=3, completed=2, failed=1)


# --- the end ---


def test_a_stop_gives_waiting_tasks_back_and_claims_no_more() -> None:
    core, told = core_of(1, prefetch=2, patience=10, cancel_patience=2)
    claim(core, 3, lease_seconds=600)
    (running,) = run_all(core)
    core.stop(100)
    assert core.claim_limit() == 0
    assert taken(core, 100) == ["t1", "t2"]
    assert run_all(core) == []
    core.tick(109)
    assert told == []
    core.handler_ended(running, Completed(), 109)
    core.tick(109)
    assert not core.has_ended(109)
    core.reported(core.take_batch(109), [DONE], 109)
    assert not core.has_ended(109)  # two releases are under way


def test_a_stop_ends_when_all_is_reported() -> None:
    core, _ = core_of()
    core.stop(0)
    core.tick(0)
    assert core.has_ended(0)


def test_a_handler_that_does_not_return_loses_its_task_to_others() -> None:
    core, told = core_of(2, patience=10, cancel_patience=2, report_patience=5)
    claim(core, 2, lease_seconds=600)
    first, second = run_all(core)
    core.stop(100)
    core.tick(100)
    assert core.next_time() == 110
    core.tick(110)
    assert told == [("t0", Reason.STOPPING), ("t1", Reason.STOPPING)]
    core.handler_ended(first, Completed(), 111)
    core.reported(core.take_batch(111), [DONE], 111)
    core.tick(112)
    assert told[2:] == [("t1", Reason.GIVEN_BACK)]
    (back,) = core.take_batch(112)
    assert back is second and back.report and back.report["do"] == "release"
    assert not core.has_ended(112)
    core.reported([back], [DONE], 112)
    assert core.has_ended(112)
    core.handler_ended(second, Completed(), 130)
    assert core.batch_at() is None
    assert core.counts == Counts(claimed=2, completed=1, released=1)


def test_a_stop_does_not_wait_for_ever_for_a_node() -> None:
    core, _ = core_of(1, patience=10, report_patience=5)
    claim(core, 1, lease_seconds=600)
    (lease,) = run_all(core)
    core.handler_ended(lease, Completed(), 99)
    core.stop(100)
    core.tick(100)
    assert core.next_time() is not None and core.next_time() <= 105
    core.report_failed(core.take_batch(100), HoldfastError("unavailable", 0, "", True), 104)
    assert not core.has_ended(104)
    assert core.has_ended(105)


def test_a_second_stop_may_shorten_the_patience() -> None:
    core, told = core_of(1, patience=10)
    claim(core, 1, lease_seconds=600)
    run_all(core)
    core.stop(100)
    core.stop(101, 50)
    core.tick(101)
    assert told == []
    core.stop(102, 0)
    core.tick(102)
    assert told == [("t0", Reason.STOPPING)]


def test_tasks_that_come_during_a_stop_go_back_once() -> None:
    core, _ = core_of()
    core.stop(100)
    core.claimed([leased(1)], lambda type: True, 100)
    batch = core.take_batch(100)
    core.reported(batch, [DONE], 100)
    core.claimed([leased(1)], lambda type: True, 100)  # the other answer to the same claim
    assert core.held == {}
    assert core.counts == Counts(claimed=1, released=1)
