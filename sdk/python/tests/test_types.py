"""The types of the package: the generated module, and what a type checker says."""

from __future__ import annotations

import importlib.util
import pathlib
import subprocess
import sys
import typing

import pytest
from generate_types import class_name, types_module

from holdfast import types

PACKAGE = pathlib.Path(__file__).parent.parent

USE = """
from typing import Awaitable, List, Optional
from holdfast import *
from holdfast.types import Assignment, LeasedTask, TaskView

def threads(client: Holdfast, session: ContributorSession) -> None:
    task: TaskView = client.get_task("x")
    number: int = task["failed_attempts"]
    leased: List[LeasedTask] = client.claim_tasks("q", "w", wait=20)
    unit: Optional[Assignment] = session.next("s", wait=5)

async def coroutines(client: AsyncHoldfast, session: AsyncContributorSession) -> None:
    task: TaskView = await client.get_task("x")
    unit: Optional[Assignment] = await session.next("s")
    with_tasks: TaskView = client.get_task("x")  # E: not awaited
    client.get_task()  # E: no id
    client.enqueue("q", "t", {}, prioritee=1)  # E: no such argument
"""


def test_types_are_made_of_schemas() -> None:
    answer = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}
    openapi: typing.Dict[str, typing.Any] = {
        "paths": {
            "/x": {
                "post": {
                    "operationId": "make_x",
                    "responses": {"201": {"content": {"application/json": {"schema": answer}}}},
                }
            }
        },
        "components": {
            "schemas": {
                "problem": {"type": "object", "properties": {}},
                "task_page": {
                    "type": "object",
                    "properties": {
                        "tasks": {
                            "type": "array",
                            "items": {"$ref": "#/components/schemas/one_task"},
                            "description": "The tasks.",
                        },
                        "last": {"type": "string", "format": "uuid"},
                        "at": {"type": ["string", "null"]},
                        "body": {"description": "Any JSON."},
                    },
                    "required": ["tasks", "at"],
                },
                "one_task": {"type": "object", "properties": {"n": {"type": "integer"}}},
            }
        },
    }
    text = types_module(openapi)
    made: typing.Dict[str, typing.Any] = {"__name__": "made"}
    exec(text, made)
    assert made["__all__"] == ["MakeXAnswer", "OneTask", "TaskPage"]
    assert made["MakeXAnswer"].__required_keys__ == {"id"}
    page = made["TaskPage"]
    assert page.__required_keys__ == {"tasks", "at"}
    assert page.__optional_keys__ == {"last", "body"}
    assert "    # The tasks.\n    tasks: List[OneTask]\n" in text
    assert "    at: Optional[str]\n" in text
    assert "    body: Any\n" in text


def test_every_type_can_be_looked_at() -> None:
    for name in types.__all__:
        assert typing.get_type_hints(getattr(types, name)) is not None
    assert class_name("leased_task") == "LeasedTask"


@pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="mypy is not installed")
def test_a_type_checker_knows_both_clients(tmp_path: pathlib.Path) -> None:
    use = tmp_path / "use.py"
    use.write_text(USE)
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path), str(use)],
        cwd=tmp_path,
        env={"MYPYPATH": str(PACKAGE / "src"), "PATH": ""},
        capture_output=True,
        text=True,
    )
    wrong = [n for n, line in enumerate(USE.splitlines(), 1) if "# E:" in line]
    errors = [line for line in checked.stdout.splitlines() if ": error:" in line]
    found = [line.split(":")[1] for line in errors if line.startswith("use.py:")]
    assert sorted(set(map(int, found))) == wrong, checked.stdout + checked.stderr
