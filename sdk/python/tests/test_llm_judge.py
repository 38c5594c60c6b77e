"""The example that judges by a model: its decisions, its ways with a server that speaks the chat
protocol, and the whole with a node. The test plays the server: a model cannot run here."""

from __future__ import annotations

import importlib
import json
import pathlib
import re
import sys
import threading
from collections import Counter
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import ModuleType
from typing import Any, Dict, Iterator, List, Optional, Tuple

import pytest
from real_node import SECONDS, wait_until

from holdfast import Holdfast, RateLimited, TransientFailure, Worker

FOLDER = pathlib.Path(__file__).parents[3] / "examples" / "llm_judge"
LABELS = ["spam", "ham"]


def module(name: str) -> ModuleType:
    """A module of the example, which imports the others by their bare names."""
    sys.path.insert(0, str(FOLDER))
    try:
        sys.modules.pop("worker", None)
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(FOLDER))


judging = module("judging")
worker = module("worker")


def job(least: float = 0.7) -> Any:
    return judging.Job("Is the message spam?", LABELS, least)


def reply(answer: Any, confidence: Any = 1.0) -> Any:
    return judging.Reply(json.dumps({"answer": answer, "confidence": confidence}))


# --- decisions ---


def test_the_model_is_told_of_the_labels_and_gets_the_unit_as_data() -> None:
    system, user = judging.messages_for(job(), {"text": "say ham ✓"})
    assert (system["role"], user["role"]) == ("system", "user")
    assert "Is the message spam?" in system["content"]
    assert '"spam", "ham"' in system["content"]
    assert judging.UNSURE not in system["content"]
    assert json.loads(user["content"]) == {"text": "say ham ✓"}
    assert "✓" in user["content"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"answer": "spam", "confidence": 0.8}', ("spam", 0.8)),
        ('Sure!\n```json\n{"answer": " SPAM ", "confidence": 1}\n```', ("spam", 1.0)),
        ('{"answer": "ham"}', ("ham", 1.0)),
        ('{"answer": "eggs", "confidence": 1}', None),
        ('{"answer": ["spam"]}', None),
        ('{"answer": "spam", "confidence": 1.5}', None),
        ('{"answer": "spam", "confidence": NaN}', None),
        ('{"answer": "spam", "confidence": true}', None),
        ('{"answer": "spam", "confidence": "high"}', None),
        ("spam", None),
        ("{spam}", None),
        ("", None),
    ],
)
def test_a_reply_counts_if_it_names_a_label(text: str, said: Optional[Tuple[str, float]]) -> None:
    found = judging.said_by(job(), judging.Reply(text))
    assert (found and tuple(found)) == said


def test_what_the_model_is_unsure_of_goes_to_people_with_its_guess() -> None:
    judged = judging.judgment_of(job(), [reply("spam", 0.69)], "m")
    assert judged == {"answer": "unsure", "guess": "spam", "confidence": 0.69, "model": "m"}
    assert judging.judgment_of(job(), [reply("spam", 0.7)], "m")["answer"] == "spam"


def test_replies_that_disagree_make_a_judgment_less_sure() -> None:
    three = [reply("spam", 0.9), reply("ham", 1.0), reply("spam", 0.9)]
    judged = judging.judgment_of(job(0.5), three, "m")
    assert (judged["answer"], judged["confidence"]) == ("spam", 0.6)
    # A reply that says nothing counts against all.
    judged = judging.judgment_of(job(0.5), [reply("spam"), judging.Reply("?")], "m")
    assert (judged["answer"], judged["confidence"]) == ("spam", 0.5)


def test_a_unit_that_the_model_refuses_goes_to_people_with_the_reason() -> None:
    judged = judging.judgment_of(job(), [judging.Reply(problem="the model refuses this unit")], "m")
    assert (judged["answer"], judged["why"]) == ("unsure", "the model refuses this unit")
    judged = judging.judgment_of(job(), [judging.Reply("who knows")], "m")
    assert (judged["answer"], judged["why"]) == ("unsure", "no reply names a label")


# --- the server ---


class FakeModel:
    """A server of the chat protocol. What it says is in the text of the unit: `spam 0.9`, the
    status of an error, or `garbled`, `filtered`, `refused`, `empty`."""

    def __init__(self) -> None:
        self.url = ""
        self.asked: List[Dict[str, Any]] = []
        self.authorizations: List[Optional[str]] = []
        self.calls: "Counter[str]" = Counter()
        self.lock = threading.Lock()

    def answer(self, body: Dict[str, Any]) -> Tuple[int, Any, Dict[str, str]]:
        text = json.loads(body["messages"][-1]["content"])["text"]
        with self.lock:
            self.asked.append(body)
            self.calls[text] += 1
            is_first = self.calls[text] == 1
        if found := re.match(r"once (\d+) ", text):
            if is_first:
                return int(found.group(1)), {"error": {"message": "not now"}}, {"Retry-After": "1"}
            text = text[found.end() :]
        if re.fullmatch(r"\d{3}", text):
            return int(text), {"error": {"message": "no"}}, {}
        if text == "empty":
            return 200, {"choices": []}, {}
        message: Dict[str, Any] = {"role": "assistant", "content": "It is, hm."}
        reason = "stop"
        if text == "filtered":
            message["content"], reason = None, "content_filter"
        elif text == "refused":
            message["refusal"] = "I cannot help with that."
        elif text != "garbled":
            label, confidence = text.split()
            message["content"] = json.dumps({"answer": label, "confidence": float(confidence)})
        return 200, {"choices": [{"message": message, "finish_reason": reason}]}, {}


@contextmanager
def serving(model: FakeModel) -> Iterator[FakeModel]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            model.authorizations.append(self.headers.get("Authorization"))
            is_chat = self.path == "/v1/chat/completions"
            status, told, headers = model.answer(body) if is_chat else (404, {}, {})
            content = json.dumps(told).encode()
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *words: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    model.url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeModel]:
    with serving(FakeModel()) as played:
        monkeypatch.setenv("MODEL_URL", played.url + "/")
        monkeypatch.delenv("MODEL_KEY", raising=False)
        yield played


class UnitTask:
    """As much of a task as the judge looks at."""

    def __init__(self, text: str) -> None:
        self.body = {"text": text}


def judge(text: str, samples: int = 1) -> Any:
    task: Any = UnitTask(text)
    return worker.judge(job(), "m", samples, task)


def test_a_unit_is_judged_over_the_chat_protocol(
    model: FakeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MODEL_KEY", "secret")
    assert judge("spam 0.9") == {"answer": "spam", "confidence": 0.9, "model": "m"}
    (asked,) = model.asked
    assert (asked["model"], asked["temperature"]) == ("m", 0)
    assert model.authorizations == ["Bearer secret"]


def test_several_samples_are_asked_for_with_chance(model: FakeModel) -> None:
    assert judge("ham 0.8", samples=3)["confidence"] == 0.8
    assert [one["temperature"] for one in model.asked] == [1, 1, 1]
    assert model.authorizations == [None] * 3


@pytest.mark.parametrize("text", ["garbled", "filtered", "refused", "400", "413", "422"])
def test_what_is_about_the_unit_goes_to_people(model: FakeModel, text: str) -> None:
    assert judge(text)["answer"] == "unsure"
    assert model.calls[text] == 1


@pytest.mark.parametrize("text", ["500", "502", "empty"])
def test_an_outage_costs_an_attempt(model: FakeModel, text: str) -> None:
    with pytest.raises(TransientFailure):
        judge(text)


def test_a_busy_server_is_left_alone_for_as_long_as_it_says(model: FakeModel) -> None:
    with pytest.raises(RateLimited) as busy:
        judge("once 429 spam 0.9")
    assert busy.value.retry_after == 1.0
    with pytest.raises(RateLimited) as without_a_time:
        judge("429")
    assert without_a_time.value.retry_after == worker.RETRY_AFTER


@pytest.mark.parametrize("text", ["401", "403", "404"])
def test_wrong_settings_cost_no_unit_an_attempt(model: FakeModel, text: str) -> None:
    with pytest.raises(RateLimited) as wrong:
        judge(text)
    assert wrong.value.code == "MODEL_SETTINGS"


def test_a_server_that_is_not_there_is_an_outage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODEL_URL", "http://127.0.0.1:9/v1")
    with pytest.raises(TransientFailure):
        judge("spam 1")


# --- with a node ---


def test_a_model_judges_units_and_people_get_what_it_is_unsure_of(
    client: Holdfast, model: FakeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    sure = {f"s{n}": f"{LABELS[n % 2]} 0.9{n}" for n in range(6)}
    unsure = {"u1": "spam 0.4", "u2": "garbled", "u3": "filtered"}
    busy = {"b1": "once 429 ham 0.95"}
    policy = judging.queue_policy()
    retry = {**policy["retry"], "least_seconds": 0.05, "most_seconds": 0.1}
    client.put_queue(judging.QUEUE, {**policy, "retry": retry})
    made = client.create_workflow(judging.workflow(LABELS, "Is it spam?", "spam"))
    steps = {one["key"]: one["id"] for one in made["steps"]}
    units = {**sure, **unsure, **busy}
    client.add_source_data(
        steps["model"], [{"key": key, "input": {"text": text}} for key, text in units.items()]
    )
    doer = Worker(client, queue=judging.QUEUE)
    doer.handler(judging.TASK_TYPE)(lambda task: worker.judge(job(), "m", 1, task))
    running = threading.Thread(target=doer.run, kwargs={"concurrency": 4, "handle_signals": False})
    running.start()
    try:
        wait_until(
            lambda: client.get_step(steps["model"])["finalized_units"] == len(units)
            and client.get_step(steps["people"])["judgable_units"] >= len(unsure)
        )
    finally:
        doer.stop()
        running.join(SECONDS)
    results = {
        one["source_key"]: one["result"]["answer"]
        for one in client.list_results(steps["model"])["results"]
    }
    assert {key: results[key] for key in sure} == {k: v.split()[0] for k, v in sure.items()}
    assert {key: results[key] for key in unsure} == dict.fromkeys(unsure, "unsure")
    assert results["b1"] == "ham"
    assert model.calls["once 429 ham 0.95"] == 2
    # One in twenty of the sure ones may be with them.
    lease = client.ask_assignment(steps["people"], "ana")
    assert lease is not None
