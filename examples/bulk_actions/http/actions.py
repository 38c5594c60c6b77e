"""The actions for many people at once, each action a type of its own with a right. There is no generic bulk
call. Names and forms are those of `../actions.hpp`."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, NamedTuple

QUEUE = "bulk"
IDS_MAX = 10_000
NEWCOMERS_MAX = 1_000
TEXT_MAX = 200
STATUSES = ("ACTIVE", "INACTIVE", "GRADUATED")


class Invalid(ValueError):
    """A request that nobody can have carried out. The text is for the caller."""


class Action(NamedTuple):
    path: str  #: Where it is asked for.
    type: str  #: The type of its task.
    right: str
    spec_of: Callable[[Dict[str, Any]], Dict[str, Any]]  #: The body of the task.


def text(said: Dict[str, Any], name: str, least: int = 1) -> str:
    value = said.get(name, "" if least == 0 else None)
    if not isinstance(value, str) or not least <= len(value) <= TEXT_MAX:
        raise Invalid(f"/{name} is a text of {least} to {TEXT_MAX} characters")
    return value


def target(said: Dict[str, Any]) -> Dict[str, Any]:
    """A list of ids, or a query that is resolved when the task runs."""
    if ("ids" in said) == ("query" in said):
        raise Invalid("either /ids or /query says who")
    if "ids" in said:
        ids = said["ids"]
        if not isinstance(ids, list) or not all(type(one) is int and one > 0 for one in ids):
            raise Invalid("/ids is a list of numbers")
        if not 0 < len(ids) <= IDS_MAX:
            raise Invalid(f"/ids has 1 to {IDS_MAX} members")
        return {"ids": sorted(set(ids))}
    query = said["query"]
    if not isinstance(query, dict) or set(query) - {"program", "status"}:
        raise Invalid("/query has program and status, both optional")
    if query.get("status", STATUSES[0]) not in STATUSES:
        raise Invalid(f"/query/status is one of {', '.join(STATUSES)}")
    return {"query": {name: text(query, name) for name in query}}


def only(said: Dict[str, Any], *names: str) -> None:
    unknown = sorted(set(said) - set(names))
    if unknown:
        raise Invalid(f"/{unknown[0]} is not known")


def export_spec(said: Dict[str, Any]) -> Dict[str, Any]:
    only(said, "ids", "query")
    return {"who": target(said)}


def status_spec(said: Dict[str, Any]) -> Dict[str, Any]:
    only(said, "ids", "query", "to", "reason")
    if said.get("to") not in STATUSES:
        raise Invalid(f"/to is one of {', '.join(STATUSES)}")
    return {"who": target(said), "to": said["to"], "reason": text(said, "reason", 0)}


def enrol_spec(said: Dict[str, Any]) -> Dict[str, Any]:
    only(said, "program", "people")
    people: List[Any] = said.get("people", [])
    if not isinstance(people, list) or not 0 < len(people) <= NEWCOMERS_MAX:
        raise Invalid(f"/people has 1 to {NEWCOMERS_MAX} members")
    for one in people:
        if not isinstance(one, dict):
            raise Invalid("each of /people is an object")
        only(one, "name", "email")
    members = [{"name": text(one, "name"), "email": text(one, "email")} for one in people]
    return {"program": text(said, "program"), "people": members}


ACTIONS = (
    Action("/people/exports", "bulk.export_search", "export_people", export_spec),
    Action("/people/status-changes", "bulk.change_program_status", "change_status", status_spec),
    Action("/people/enrolments", "bulk.enrol", "enrol", enrol_spec),
)
BY_PATH = {one.path: one for one in ACTIONS}
BY_TYPE = {one.type: one for one in ACTIONS}

#: The text of an error for people. They see no detail and no stack.
CATALOGUE = {
    "RIGHTS_REVOKED": "The right to do this was withdrawn before it was finished.",
    "INTERNAL_ERROR": "Something went wrong here. Name the id of the task to support.",
}


def queue_policy() -> Dict[str, Any]:
    return {
        "lease": {"ttl_seconds": 30},
        "retry": {"max_attempts": 5, "least_seconds": 1, "most_seconds": 300},
        # Shares are per key, and the requester is the key: a million people of one delay no other's ten.
        "running_per_key_max": 2,
    }
