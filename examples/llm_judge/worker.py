"""Judges units by a model behind any server that speaks the OpenAI chat protocol:
`API_URL=… API_TOKEN=… MODEL_URL=http://127.0.0.1:8000/v1 MODEL=… LABELS=spam,ham INSTRUCTIONS=…
python worker.py`."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from typing import Any, Dict

from judging import QUEUE, TASK_TYPE, Job, Reply, judgment_of, messages_for

from holdfast import Holdfast, RateLimited, Task, TransientFailure, Worker

MODEL_SECONDS = float(os.environ.get("MODEL_SECONDS", "120"))
#: Where the server says 429 without a time.
RETRY_AFTER = 10.0
#: Where the server refuses the key or knows no such model: somebody has to mend the settings first.
SETTINGS_RETRY = 60.0
REPLY_BYTES_MAX = 1 << 20
REPLY_TOKENS_MAX = 200


def seconds_in(headers: Any, default: float) -> float:
    text = headers.get("Retry-After", "")
    return min(float(text), 86400.0) if text.isdigit() else default


def failure_of(error: urllib.error.HTTPError) -> Exception:
    """What an error of the server means to the task, where it does not concern the unit."""
    if error.code in (429, 503):
        # Costs no attempt, and stops the other tasks of this type until then.
        return RateLimited(
            seconds_in(error.headers, RETRY_AFTER), "MODEL_BUSY", f"the server said {error.code}"
        )
    if error.code in (401, 403, 404):
        return RateLimited(
            SETTINGS_RETRY,
            "MODEL_SETTINGS",
            f"the server said {error.code}: look at MODEL_URL, MODEL and MODEL_KEY",
        )
    return TransientFailure("MODEL_OUTAGE", f"the server said {error.code}")


def is_about_the_unit(code: int) -> bool:
    """Whether asking again is of no use: the unit is too long, or the filter of the server is
    against it."""
    return code in (400, 413, 422)


def ask_model(body: Dict[str, Any]) -> Reply:
    headers = {"Content-Type": "application/json"}
    if key := os.environ.get("MODEL_KEY"):
        headers["Authorization"] = f"Bearer {key}"
    asked = urllib.request.Request(
        f"{os.environ['MODEL_URL'].rstrip('/')}/chat/completions",
        data=json.dumps(body).encode(),
        headers=headers,
    )
    try:
        with urllib.request.urlopen(asked, timeout=MODEL_SECONDS) as answer:
            told = json.loads(answer.read(REPLY_BYTES_MAX))
    except urllib.error.HTTPError as error:
        with error:
            if is_about_the_unit(error.code):
                said = error.read(200).decode("utf-8", "replace")
                return Reply(problem=f"the server said {error.code}: {said}")
            raise failure_of(error) from None
    except (OSError, ValueError) as error:
        raise TransientFailure("MODEL_OUTAGE", f"no answer of the server: {error}") from None
    try:
        choice = told["choices"][0]
        message = choice["message"]
    except (KeyError, IndexError, TypeError):
        raise TransientFailure("MODEL_OUTAGE", "the answer of the server is no chat") from None
    if choice.get("finish_reason") == "content_filter" or message.get("refusal"):
        return Reply(problem="the model refuses this unit")
    return Reply(message.get("content") or "")


def judge(job: Job, model: str, samples: int, task: Task) -> Dict[str, Any]:
    """Asks `samples` times. One sample is asked for without chance; several with some, so that they
    can disagree."""
    body = {
        "model": model,
        "messages": messages_for(job, task.body),
        "temperature": 0 if samples == 1 else 1,
        "max_tokens": REPLY_TOKENS_MAX,
    }
    return judgment_of(job, [ask_model(body) for _ in range(samples)], model)


if __name__ == "__main__":
    job = Job(
        os.environ["INSTRUCTIONS"],
        [label.strip() for label in os.environ["LABELS"].split(",")],
        float(os.environ.get("LEAST_CONFIDENCE", "0.7")),
    )
    model = os.environ["MODEL"]
    samples = int(os.environ.get("SAMPLES", "1"))
    client = Holdfast(os.environ["API_URL"], token=os.environ["API_TOKEN"])
    worker = Worker(client, queue=os.environ.get("QUEUE", QUEUE))
    worker.handler(TASK_TYPE)(lambda task: judge(job, model, samples, task))
    worker.run(concurrency=int(os.environ.get("CONCURRENCY", "4")))
