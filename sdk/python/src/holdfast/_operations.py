"""The operations of the API, each written once for `Holdfast` and `AsyncHoldfast`."""

from __future__ import annotations

import functools
import inspect
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Coroutine,
    Dict,
    Generic,
    Iterable,
    List,
    Literal,
    Mapping,
    Optional,
    Sequence,
    TypedDict,
    TypeVar,
    Union,
    overload,
)

from . import types
from ._calls import Call, Environment, Id, Moment, Route, encoded, members, parts_of
from .errors import HoldfastError

if TYPE_CHECKING:
    from typing_extensions import Concatenate, ParamSpec

    from .client import AsyncHoldfast, Holdfast

    P = ParamSpec("P")
else:
    P = TypeVar("P")

R = TypeVar("R")

StepStatus = Literal["paused", "running", "canceled", "sealed"]
UnitStatus = Literal["paused", "running", "canceled"]
JobStatus = Literal["launched", "paused", "finished", "canceled"]
ResultState = Literal["final", "rejected", "canceled", "superseded", "gathered"]
FailureKind = Literal["transient", "permanent", "rate_limited"]
Role = Literal["admin", "operator", "requester", "producer", "worker", "contributor", "auditor"]


class TaskMade(TypedDict):
    """The answer of `enqueue`."""

    id: str
    repeated: bool  # Whether an earlier request had made the task.


class Operation(Generic[P, R]):
    """A method of both clients: it returns its value in `Holdfast`, and is awaited in
    `AsyncHoldfast`."""

    def __init__(
        self, method: str, path: str, build: "Callable[Concatenate[Route, P], Call[R]]"
    ) -> None:
        self.method = method
        self.path = path
        self._build = build
        self.__doc__ = build.__doc__
        self.__name__ = build.__name__
        signature = inspect.signature(build)
        self.__signature__ = signature.replace(parameters=list(signature.parameters.values())[1:])

    def call(self, environment: Environment, *args: "P.args", **kwargs: "P.kwargs") -> Call[R]:
        """The generator of one call, for calls that are made of others."""
        return self._build(Route(environment, self.method, self.path), *args, **kwargs)

    @overload
    def __get__(self, client: None, owner: Any) -> "Operation[P, R]": ...
    @overload
    def __get__(self, client: "Holdfast", owner: Any) -> Callable[P, R]: ...
    @overload
    def __get__(
        self, client: "AsyncHoldfast", owner: Any
    ) -> Callable[P, Coroutine[Any, Any, R]]: ...
    def __get__(self, client: Any, owner: Any) -> Any:
        if client is None:
            return self

        @functools.wraps(self._build)
        def bound(*args: Any, **kwargs: Any) -> Any:
            return client._drive(self.call(client._environment, *args, **kwargs))

        bound.__signature__ = self.__signature__  # type: ignore[attr-defined]
        return bound


def operation(
    method: str, path: str
) -> "Callable[[Callable[Concatenate[Route, P], Call[R]]], Operation[P, R]]":
    return lambda build: Operation(method, path, build)


def describe_new_task(
    type: str,
    body: Any,
    id: Optional[Id] = None,
    key: Optional[str] = None,
    unique_key: Optional[str] = None,
    reject_duplicate: Optional[bool] = None,
    priority: Optional[int] = None,
    delay: Optional[float] = None,
    run_at: Optional[Moment] = None,
    version: Optional[str] = None,
    state: Optional[str] = None,
    data: Any = None,
    max_attempts: Optional[int] = None,
    credential: Optional[str] = None,
    owner_id: Optional[str] = None,
    run_as_id: Optional[str] = None,
) -> Dict[str, Any]:
    return {
        "type": type,
        "body": body,
        **members(
            id=id,
            key=key,
            unique_key=unique_key,
            reject_duplicate=reject_duplicate,
            priority=priority,
            delay=delay,
            run_at=run_at,
            version=version,
            state=state,
            data=data,
            max_attempts=max_attempts,
            credential=credential,
            owner_id=owner_id,
            run_as_id=run_as_id,
        ),
    }


def change(answered: Route, task: Id, queue: Optional[str]) -> Call[types.TaskChanged]:
    """The requests that change a task from outside have the same form."""
    return (yield from answered.ask({"id": task}, body=members(queue=queue)))


class Operations:
    """The methods of `Holdfast` and `AsyncHoldfast`.

    Every method may raise `HoldfastError`; the codes that a method names are those that a caller
    may want to tell apart. `NoAnswerError` means that the outcome is unknown: the same call with
    the same ids repeats it safely. Durations are seconds. Times are RFC 3339 texts or aware
    `datetime`s. An argument that is None is left out of the request.
    """

    _environment: Environment

    # --- tasks: producers ---

    @operation("POST", "/v1/queues/{queue}/tasks")
    def enqueue(
        route: Route,
        queue: str,
        type: str,
        body: Any,
        *,
        id: Optional[Id] = None,
        key: Optional[str] = None,
        unique_key: Optional[str] = None,
        reject_duplicate: Optional[bool] = None,
        priority: Optional[int] = None,
        delay: Optional[float] = None,
        run_at: Optional[Moment] = None,
        version: Optional[str] = None,
        state: Optional[str] = None,
        data: Any = None,
        max_attempts: Optional[int] = None,
        credential: Optional[str] = None,
        owner_id: Optional[str] = None,
        run_as_id: Optional[str] = None,
        traceparent: Optional[str] = None,
    ) -> Call[TaskMade]:
        """Makes a task. The answer has its `id`, and `repeated` where it was there already.

        `body` is any JSON. With an `id` of your own the call may be repeated for as long as the
        queue knows the task. `delay` is the number of seconds, and `run_at` the time,
        before which no worker gets it. `unique_key` allows one live task of the queue; another
        one gets the id of that, or `already_exists` with `reject_duplicate`.

        Errors: `not_found` (no such queue), `payload_invalid`, `already_exists` (the id belongs to
        a task of another queue), `overloaded` (the queue is full, also after all repetitions).
        """
        task = describe_new_task(
            type,
            body,
            id,
            key,
            unique_key,
            reject_duplicate,
            priority,
            delay,
            run_at,
            version,
            state,
            data,
            max_attempts,
            credential,
            owner_id,
            run_as_id,
        )
        return (
            yield from route.ask({"queue": queue}, body=task, headers={"traceparent": traceparent})
        )

    @operation("POST", "/v1/queues/{queue}/tasks")
    def enqueue_many(
        route: Route,
        queue: str,
        tasks: Iterable[Mapping[str, Any]],
        *,
        traceparent: Optional[str] = None,
    ) -> Call[List[types.TaskOutcome]]:
        """Makes many tasks; returns one outcome for each, in their order.

        Each task is a mapping with the members of `types.TaskRequest`: `type`, `body` and whatever
        else `enqueue` takes. A task without an `id` gets one here. An outcome has the id as
        `task`, or the error as `code` and `detail`: a bad task harms no other. Requests hold 1,000
        tasks and 4 MiB each.

        Errors: as of `enqueue`, where no task has an outcome; `invalid_argument` or
        `payload_invalid` with the place, where one of them has not the form of a task: then none
        of that request is made.
        """
        make_id = route.environment.make_id
        named = [one if one.get("id") else {**one, "id": make_id()} for one in tasks]
        return (
            yield from route.ask_for_each(
                {"queue": queue}, {}, "tasks", named, headers={"traceparent": traceparent}
            )
        )

    @operation("POST", "/v1/queues/{queue}/envelopes")
    def enqueue_envelopes(
        route: Route, queue: str, envelopes: Iterable[Mapping[str, Any]]
    ) -> Call[List[types.TaskOutcome]]:
        """Makes tasks of job envelopes; returns one outcome for each, in their order.

        Each is a mapping with the members of `types.TaskEnvelope`; `job_id` in the header of the
        envelope is the id of the task.
        """
        return (yield from route.ask_for_each({"queue": queue}, {}, "envelopes", list(envelopes)))

    # --- tasks: reading and changing ---

    @operation("GET", "/v1/tasks/{id}")
    def get_task(route: Route, id: Id, *, wait: float = 0.0) -> Call[types.TaskView]:
        """Reads a task, when it has ended or `wait` seconds (0 to 60) have passed: `finished_at`
        tells which. Errors: `not_found`."""
        if wait > 0:
            found = yield from route.ask({"id": id}, query={"until": "finished"}, wait=wait)
            if found is not None:
                return found
        return (yield from route.ask({"id": id}))

    @operation("GET", "/v1/tasks")
    def list_tasks(
        route: Route,
        *,
        queue: Optional[str] = None,
        type: Optional[str] = None,
        status: Optional[str] = None,
        owner_id: Optional[str] = None,
        key: Optional[str] = None,
        error_code: Optional[str] = None,
        created_from: Optional[Moment] = None,
        created_before: Optional[Moment] = None,
        order: Optional[str] = None,
        after: Optional[Id] = None,
        limit: Optional[int] = None,
    ) -> Call[types.TaskPage]:
        """Lists tasks in the order of their ids, or with `order="newest"` the highest id first, 100
        in a page unless `limit` (1 to 1000) says otherwise. While `more` is true, the next page begins after `last`. `status` is `QUEUED`,
        `EXECUTING`, `COMPLETED`, `FAILURE`, `ERROR` or `CANCELED`."""
        query = {
            "queue": queue,
            "type": type,
            "status": status,
            "owner_id": owner_id,
            "key": key,
            "error_code": error_code,
            "created_from": created_from,
            "created_before": created_before,
            "order": order,
            "after": after,
            "limit": limit,
        }
        return (yield from route.ask(query=query))

    @operation("GET", "/v1/tasks/{id}/attempts")
    def get_task_attempts(
        route: Route, id: Id, *, after: Optional[int] = None, limit: Optional[int] = None
    ) -> Call[types.TaskAttempts]:
        """Lists the attempts of a task by their tokens. `after` is a token. Errors: `not_found`."""
        return (yield from route.ask({"id": id}, query={"after": after, "limit": limit}))

    @operation("GET", "/v1/tasks/{id}/explanation")
    def explain_task(
        route: Route, id: Id, *, queue: Optional[str] = None
    ) -> Call[types.TaskExplanation]:
        """Explains why a task does not go on. Errors: `not_found`."""
        return (yield from route.ask({"id": id}, query={"queue": queue}))

    @operation("POST", "/v1/tasks/{id}/cancel")
    def cancel_task(
        route: Route, id: Id, *, queue: Optional[str] = None
    ) -> Call[types.TaskChanged]:
        """Cancels a live task; its worker loses the lease. Errors: `not_found` (not live)."""
        return (yield from change(route, id, queue))

    @operation("POST", "/v1/tasks/{id}/pause")
    def pause_task(route: Route, id: Id, *, queue: Optional[str] = None) -> Call[types.TaskChanged]:
        """Keeps a live task from being claimed. Errors: `not_found` (not live)."""
        return (yield from change(route, id, queue))

    @operation("POST", "/v1/tasks/{id}/resume")
    def resume_task(
        route: Route, id: Id, *, queue: Optional[str] = None
    ) -> Call[types.TaskChanged]:
        """Resumes a paused task. Errors: `not_found` (not live)."""
        return (yield from change(route, id, queue))

    @operation("POST", "/v1/tasks/{id}/retry")
    def retry_task(route: Route, id: Id, *, queue: Optional[str] = None) -> Call[types.TaskChanged]:
        """Makes a live task due now. Errors: `not_found` (not live)."""
        return (yield from change(route, id, queue))

    @operation("POST", "/v1/tasks/{id}/eject")
    def eject_task(
        route: Route,
        id: Id,
        *,
        queue: Optional[str] = None,
        state: Optional[str] = None,
        data: Any = None,
        checkpoint: Any = None,
        percent: Optional[int] = None,
        delay: Optional[float] = None,
        run_at: Optional[Moment] = None,
        worker: Optional[str] = None,
        claim: Optional[Id] = None,
    ) -> Call[List[types.LeasedTask]]:
        """Takes a task from the worker that holds it, and gives it to `worker` at once if one is
        named; the answer then has the task. The same `claim` repeats the request.

        Errors: `not_found` (not live), `wrong_state` (the type does not allow `state`).
        """
        body = members(
            queue=queue,
            state=state,
            data=data,
            checkpoint=checkpoint,
            percent=percent,
            delay=delay,
            run_at=run_at,
            worker=worker,
        )
        answer = yield from route.ask({"id": id}, body=body, key=claim)
        return answer["tasks"]

    @operation("POST", "/v1/queues/{queue}/redrive")
    def redrive_tasks(
        route: Route,
        queue: str,
        *,
        type: Optional[str] = None,
        error_code: Optional[str] = None,
        after: Optional[Id] = None,
        limit: Optional[int] = None,
    ) -> Call[types.TasksRedriven]:
        """Makes dead and failed tasks live again, at most `limit` (1 to 1000, by default 100).
        While `more` is true, the next part begins after `last`."""
        body = members(type=type, error_code=error_code, after=after, limit=limit)
        return (yield from route.ask({"queue": queue}, body=body))

    # --- tasks: workers ---

    @operation("POST", "/v1/queues/{queue}/claims")
    def claim_tasks(
        route: Route,
        queue: str,
        worker: Optional[str] = None,
        *,
        limit: Optional[int] = None,
        types: Optional[Sequence[str]] = None,
        wait: float = 0.0,
        claim: Optional[Id] = None,
    ) -> Call[List[types.LeasedTask]]:
        """Leases up to `limit` tasks (1 to 1000, by default 1) to a worker; an empty list when
        none is ready within `wait` seconds (0 to 60).

        `worker` is a name of 1 to 128 bytes, one for each process. `lease_seconds` of a task
        counts from the answer. The same `claim` gets the same tasks again, as far as they are
        still leased.

        Errors: `not_found` (no such queue).
        """
        body = members(worker=worker, limit=limit, types=types)
        try:
            answer = yield from route.ask({"queue": queue}, body=body, wait=wait, key=claim)
        except HoldfastError as error:
            if error.code == "no_unit_available":
                return []
            raise
        return answer["tasks"] if answer else []

    @operation("POST", "/v1/queues/{queue}/completions")
    def report_tasks(
        route: Route,
        queue: str,
        outcomes: Sequence[Union[Mapping[str, Any], bytes]],
        worker: Optional[str] = None,
        *,
        repeat: bool = True,
    ) -> Call[List[types.ReportOutcome]]:
        """Reports about many leased tasks; returns one outcome for each, in their order.

        Each report is a mapping with the members of `types.TaskReport`: `task`, `token`, `do`
        (`complete`, `fail`, `release`, `save` or `extend`) and the members that belong to it; each
        is about another task. A report that was refused has the error as `code` and `detail`.
        Reports whose error is transient are sent again unless `repeat` is False.
        """
        return (
            yield from route.ask_for_each(
                {"queue": queue}, members(worker=worker), "outcomes", outcomes, repeat=repeat
            )
        )

    @operation("POST", "/v1/tasks/{id}/complete")
    def complete_task(
        route: Route,
        id: Id,
        token: int,
        result: Any = None,
        *,
        worker: Optional[str] = None,
        queue: Optional[str] = None,
        follow: Optional[Mapping[str, Any]] = None,
        claim: Optional[Id] = None,
    ) -> Call[types.TaskCompleted]:
        """Completes a task. `follow` is a task (`types.TaskRequest`) that is made in the same
        commit and leased to the same worker; the answer has it as `follower`. To repeat a request
        with `follow` in a later call, give that task an id and name a `claim`.

        Errors: `lease_not_held`, `stale_token`, `lease_expired` and `not_found` (the lease is
        over: drop the work), `payload_invalid`, `too_large`.
        """
        if follow is not None and not follow.get("id"):
            follow = {**follow, "id": route.environment.make_id()}
        body = members(worker=worker, queue=queue, token=token, result=result, follow=follow)
        return (yield from route.ask({"id": id}, body=body, key=claim))

    @operation("POST", "/v1/tasks/{id}/fail")
    def fail_task(
        route: Route,
        id: Id,
        token: int,
        code: str,
        detail: str = "",
        *,
        kind: FailureKind = "transient",
        retry_after: Optional[float] = None,
        worker: Optional[str] = None,
        queue: Optional[str] = None,
        state: Optional[str] = None,
        data: Any = None,
        checkpoint: Any = None,
        percent: Optional[int] = None,
    ) -> Call[types.TaskDone]:
        """Ends an attempt with an error. `code` has 1 to 128 bytes; 8 KiB of `detail` are kept,
        for operators. `retry_after` is the number of seconds, at most 86400, before which the task
        is not tried again.

        Errors: as of `complete_task`. A repeated request may find the lease over because the first
        one ended it.
        """
        body = members(
            worker=worker,
            queue=queue,
            token=token,
            kind=kind,
            code=code,
            detail=detail,
            retry_after=retry_after,
            state=state,
            data=data,
            checkpoint=checkpoint,
            percent=percent,
        )
        return (yield from route.ask({"id": id}, body=body))

    @operation("POST", "/v1/tasks/{id}/release")
    def release_task(
        route: Route,
        id: Id,
        token: int,
        *,
        delay: Optional[float] = None,
        run_at: Optional[Moment] = None,
        worker: Optional[str] = None,
        queue: Optional[str] = None,
        state: Optional[str] = None,
        data: Any = None,
        checkpoint: Any = None,
        percent: Optional[int] = None,
    ) -> Call[types.TaskDone]:
        """Gives a task back, neither done nor failed; others may claim it at once, or after `delay`
        seconds or from `run_at` on. Errors: as of `fail_task`."""
        body = members(
            worker=worker,
            queue=queue,
            token=token,
            delay=delay,
            run_at=run_at,
            state=state,
            data=data,
            checkpoint=checkpoint,
            percent=percent,
        )
        return (yield from route.ask({"id": id}, body=body))

    @operation("POST", "/v1/tasks/{id}/extend")
    def extend_task(
        route: Route,
        id: Id,
        token: int,
        *,
        worker: Optional[str] = None,
        queue: Optional[str] = None,
    ) -> Call[types.TaskExtended]:
        """Extends the lease of a task to its full length from now. Errors: as of `complete_task`;
        `not_extendable` (the lease has lived as long as it may)."""
        body = members(worker=worker, queue=queue, token=token)
        return (yield from route.ask({"id": id}, body=body))

    @operation("POST", "/v1/tasks/{id}/save")
    def save_task(
        route: Route,
        id: Id,
        token: int,
        *,
        number: Optional[int] = None,
        state: Optional[str] = None,
        data: Any = None,
        checkpoint: Any = None,
        percent: Optional[int] = None,
        worker: Optional[str] = None,
        queue: Optional[str] = None,
    ) -> Call[types.TaskDone]:
        """Stores the progress of a task under its lease. `number` counts the saves of one lease
        from 1: a save that comes after a later one changes nothing. `checkpoint` is JSON that the
        next worker of the task gets; `percent` is 0 to 100.

        Errors: as of `complete_task`; `wrong_state` (the type does not allow `state`).
        """
        body = members(
            worker=worker,
            queue=queue,
            token=token,
            number=number,
            state=state,
            data=data,
            checkpoint=checkpoint,
            percent=percent,
        )
        return (yield from route.ask({"id": id}, body=body))

    # --- queues ---

    @operation("PUT", "/v1/queues/{queue}")
    def put_queue(
        route: Route, queue: str, policy: Optional[Mapping[str, Any]] = None
    ) -> Call[types.QueueView]:
        """Makes a queue, or replaces its whole policy. No policy takes every default. Errors:
        `payload_invalid` names every wrong place of the policy."""
        return (yield from route.ask({"queue": queue}, body=dict(policy or {})))

    @operation("GET", "/v1/queues/{queue}")
    def get_queue(route: Route, queue: str) -> Call[types.QueueView]:
        """Reads a queue. Errors: `not_found`."""
        return (yield from route.ask({"queue": queue}))

    @operation("GET", "/v1/queues")
    def list_queues(route: Route, prefix: Optional[str] = None) -> Call[List[types.QueueView]]:
        """Lists the queues whose names begin with `prefix`, by name."""
        answer = yield from route.ask(query={"prefix": prefix})
        return answer["queues"]

    @operation("DELETE", "/v1/queues/{queue}")
    def remove_queue(route: Route, queue: str) -> Call[types.QueueRemoved]:
        """Removes a queue and its schedules. Errors: `wrong_state` (it has live tasks)."""
        return (yield from route.ask({"queue": queue}))

    @operation("POST", "/v1/queues/{queue}/pause")
    def pause_queue(route: Route, queue: str, type: Optional[str] = None) -> Call[types.QueueView]:
        """Stops the claims of a queue, or those of one type. Errors: `not_found`."""
        return (yield from route.ask({"queue": queue}, body=members(type=type)))

    @operation("POST", "/v1/queues/{queue}/resume")
    def resume_queue(route: Route, queue: str, type: Optional[str] = None) -> Call[types.QueueView]:
        """Lets the claims of a queue, or those of one type, go on. Errors: `not_found`."""
        return (yield from route.ask({"queue": queue}, body=members(type=type)))

    @operation("GET", "/v1/queues/{queue}/statistics")
    def get_queue_statistics(route: Route, queue: str) -> Call[types.QueueStatistics]:
        """Counts the stored tasks of a queue, row by row. Errors: `not_found`."""
        return (yield from route.ask({"queue": queue}))

    @operation("GET", "/v1/queues/{queue}/intake")
    def get_queue_intake(route: Route, queue: str) -> Call[types.QueueIntake]:
        """Counts the tasks that were staged by SQL. Errors: `not_found`."""
        return (yield from route.ask({"queue": queue}))

    @operation("GET", "/v1/queues/{queue}/metrics")
    def get_queue_metrics(
        route: Route, queue: str, *, window: Optional[float] = None
    ) -> Call[types.QueueMetrics]:
        """Measures the work of the last `window` seconds (10 to 300, by default 60). Errors:
        `not_found`."""
        return (yield from route.ask({"queue": queue}, query={"window": window}))

    @operation("PUT", "/v1/queues/{queue}/schedules/{name}")
    def put_schedule(
        route: Route, queue: str, name: str, definition: Mapping[str, Any]
    ) -> Call[types.ScheduleView]:
        """Makes or changes a schedule. Errors: `not_found` (no such queue), `payload_invalid`."""
        return (yield from route.ask({"queue": queue, "name": name}, body=dict(definition)))

    @operation("DELETE", "/v1/queues/{queue}/schedules/{name}")
    def remove_schedule(route: Route, queue: str, name: str) -> Call[types.ScheduleRemoved]:
        """Removes a schedule. Errors: `not_found`."""
        return (yield from route.ask({"queue": queue, "name": name}))

    @operation("GET", "/v1/queues/{queue}/schedules")
    def list_schedules(
        route: Route, queue: str, *, after: Optional[str] = None, limit: Optional[int] = None
    ) -> Call[types.ScheduleList]:
        """Lists the schedules of a queue by name. While `more` is true, the next page begins after
        the last name. Errors: `not_found`."""
        return (yield from route.ask({"queue": queue}, query={"after": after, "limit": limit}))

    @operation("GET", "/v1/queues/{queue}/schedules/{name}/preview")
    def preview_schedule(
        route: Route, queue: str, name: str, *, count: Optional[int] = None
    ) -> Call[types.SchedulePreview]:
        """Looks ahead at the next `count` times of a schedule (1 to 100, by default 10), as if it
        were not paused. Errors: `not_found`, `wrong_state` (its definition cannot be read)."""
        return (yield from route.ask({"queue": queue, "name": name}, query={"count": count}))

    @operation("POST", "/v1/queues/{queue}/schedules/{name}/run")
    def run_schedule(
        route: Route, queue: str, name: str, *, id: Optional[str] = None
    ) -> Call[types.ScheduleRan]:
        """Makes the task of a schedule now, beside its times and also while it is paused. `id` is
        that of the task; the same one repeats the request. Errors: `not_found`, `wrong_state` (its
        definition cannot be read), `overloaded` (the queue is full)."""
        return (yield from route.ask({"queue": queue, "name": name}, body={"id": id or route.environment.make_id()}))

    @operation("POST", "/v1/queues/{queue}/actions")
    def start_queue_action(
        route: Route,
        queue: str,
        action: str,
        *,
        filter: Optional[Mapping[str, Any]] = None,
        dry_run: bool = False,
        id: Optional[str] = None,
    ) -> Call[types.QueueActionView]:
        """Changes every task of the queue that `filter` matches, in the background: `pause`,
        `resume`, `cancel`, `retry` or `redrive`. `dry_run` only counts them. `id` is that of the
        action; the same one repeats the request. Errors: `not_found`, `payload_invalid`,
        `overloaded` (too many actions run)."""
        body = members(
            id=id or route.environment.make_id(),
            action=action,
            filter=None if filter is None else dict(filter),
            dry_run=dry_run or None,
        )
        return (yield from route.ask({"queue": queue}, body=body))

    @operation("GET", "/v1/queues/{queue}/actions")
    def list_queue_actions(
        route: Route, queue: str, *, after: Optional[str] = None, limit: Optional[int] = None
    ) -> Call[types.QueueActionPage]:
        """Lists the bulk actions of a queue, the latest first. While `more` is true, the next page
        begins after the last id. Errors: `not_found`."""
        return (yield from route.ask({"queue": queue}, query={"after": after, "limit": limit}))

    @operation("GET", "/v1/queues/{queue}/actions/{id}")
    def get_queue_action(route: Route, queue: str, id: str) -> Call[types.QueueActionView]:
        """Reads how far a bulk action is. Errors: `not_found`."""
        return (yield from route.ask({"queue": queue, "id": id}))

    @operation("POST", "/v1/queues/{queue}/actions/{id}/stop")
    def stop_queue_action(route: Route, queue: str, id: str) -> Call[types.QueueActionView]:
        """Stops a bulk action. What it has changed stays changed. Errors: `not_found`."""
        return (yield from route.ask({"queue": queue, "id": id}))

    # --- contributors at work ---

    @operation("GET", "/v1/available-steps")
    def find_steps(
        route: Route,
        contributor_id: Optional[str] = None,
        *,
        limit: Optional[int] = None,
        after_priority: Optional[int] = None,
        after: Optional[Id] = None,
    ) -> Call[types.StepOffers]:
        """Lists the open steps whose requirements a contributor meets, the most urgent first: 20
        unless `limit` (1 to 1000) says otherwise. The next page begins after `priority` and `id` of
        the last step. `complete` is false where a part of the steps could not be looked at."""
        query = {
            "contributor_id": contributor_id,
            "limit": limit,
            "after_priority": after_priority,
            "after": after,
        }
        return (yield from route.ask(query=query))

    @operation("POST", "/v1/assignments")
    def ask_assignment(
        route: Route,
        step_id: Id,
        contributor_id: Optional[str] = None,
        *,
        id: Optional[Id] = None,
        wait: float = 0.0,
    ) -> Call[Optional[types.Assignment]]:
        """Leases a unit of a step to a contributor; None when the step has none for them within
        `wait` seconds (0 to 60).

        `lease_seconds` counts from the answer. The same `id` gets the same lease again.

        Errors: `not_found`, `not_qualified` (this contributor gets no unit of this step any more),
        `limit_reached` (they hold too many units).
        """
        body = members(step_id=step_id, contributor_id=contributor_id)
        try:
            return (yield from route.ask(body=body, key=id, wait=wait))
        except HoldfastError as error:
            if error.code == "no_unit_available":
                return None
            raise

    @operation("POST", "/v1/assignments/{assignment_id}/extend")
    def extend_assignment(
        route: Route,
        assignment_id: Id,
        step_id: Id,
        unit_id: Id,
        token: int,
        contributor_id: Optional[str] = None,
    ) -> Call[types.AssignmentExtended]:
        """Extends a lease; `lease_seconds` counts from the answer. Errors: `not_extendable` (the
        lease has lived as long as it may), `lease_not_held`, `stale_token`, `lease_expired`."""
        body = members(step_id=step_id, unit_id=unit_id, token=token, contributor_id=contributor_id)
        return (yield from route.ask({"assignment_id": assignment_id}, body=body))

    @operation("POST", "/v1/assignments/{assignment_id}/release")
    def release_assignment(
        route: Route,
        assignment_id: Id,
        step_id: Id,
        unit_id: Id,
        token: int,
        contributor_id: Optional[str] = None,
        *,
        decline: bool = False,
    ) -> Call[types.AssignmentReleased]:
        """Gives a unit back. With `decline` it is never offered to this contributor again. Errors:
        `lease_not_held`, `stale_token`, `lease_expired`."""
        body = members(
            step_id=step_id,
            unit_id=unit_id,
            token=token,
            contributor_id=contributor_id,
            decline=decline or None,
        )
        return (yield from route.ask({"assignment_id": assignment_id}, body=body))

    @operation("POST", "/v1/judgments")
    def submit_judgment(
        route: Route,
        step_id: Id,
        unit_id: Id,
        token: int,
        data: Any,
        contributor_id: Optional[str] = None,
        *,
        assignment_id: Optional[Id] = None,
        id: Optional[Id] = None,
    ) -> Call[types.JudgmentAccepted]:
        """Hands in a judgment. The same `id` repeats the request.

        Errors: `payload_invalid` (the detail names the place; the lease goes on),
        `already_judged`, `lease_not_held`, `stale_token`, `lease_expired`.
        """
        body = members(
            step_id=step_id,
            unit_id=unit_id,
            assignment_id=assignment_id,
            token=token,
            contributor_id=contributor_id,
        )
        body["data"] = data
        return (yield from route.ask(body=body, key=id))

    @operation("POST", "/v1/judgments/{judgment_id}/correct")
    def correct_judgment(
        route: Route,
        judgment_id: Id,
        step_id: Id,
        unit_id: Id,
        data: Any,
        contributor_id: Optional[str] = None,
        *,
        number: int = 1,
    ) -> Call[types.JudgmentCorrected]:
        """Hands in another judgment in place of one's own, within the time that the step gives.
        `number` is 1 for the first correction of the judgment; the same number repeats the request.

        Errors: `payload_invalid` (the detail names the place), `wrong_state` (the step lets nobody
        correct, the time is over, or the judgment is used), `not_found`, `already_exists`,
        `limit_reached`.
        """
        body = members(
            step_id=step_id, unit_id=unit_id, contributor_id=contributor_id, number=number
        )
        body["data"] = data
        return (yield from route.ask({"judgment_id": judgment_id}, body=body))

    @operation("GET", "/v1/judgments/{judgment_id}/feedback")
    def get_feedback(
        route: Route,
        judgment_id: Id,
        step_id: Id,
        unit_id: Id,
        contributor_id: Optional[str] = None,
    ) -> Call[types.JudgmentFeedback]:
        """Reads whether a judged unit was a test question that was answered right. Errors:
        `wrong_state` (the step tells nobody)."""
        query = {"step_id": step_id, "unit_id": unit_id, "contributor_id": contributor_id}
        return (yield from route.ask({"judgment_id": judgment_id}, query=query))

    @operation("DELETE", "/v1/sessions/{contributor_id}")
    def end_session(route: Route, contributor_id: str) -> Call[types.SessionEnded]:
        """Gives back every unit that a contributor holds."""
        return (yield from route.ask({"contributor_id": contributor_id}))

    # --- contributors ---

    @operation("PUT", "/v1/contributors/{contributor_id}")
    def put_profile(
        route: Route,
        contributor_id: str,
        *,
        channels: Optional[Sequence[str]] = None,
        skills: Optional[Sequence[str]] = None,
        certifications: Optional[Sequence[str]] = None,
        location: Optional[str] = None,
        trust: Optional[float] = None,
    ) -> Call[types.ProfileView]:
        """Sets the whole profile of a contributor. `trust` is 0 to 1. Errors: `payload_invalid`,
        `wrong_state` (profiles come from elsewhere)."""
        body = members(
            channels=channels,
            skills=skills,
            certifications=certifications,
            location=location,
            trust=trust,
        )
        return (yield from route.ask({"contributor_id": contributor_id}, body=body))

    @operation("GET", "/v1/contributors/{contributor_id}")
    def get_profile(route: Route, contributor_id: str) -> Call[types.ProfileView]:
        """Reads the profile of a contributor."""
        return (yield from route.ask({"contributor_id": contributor_id}))

    @operation("POST", "/v1/contributors/{contributor_id}/removals")
    def put_removal(
        route: Route,
        contributor_id: str,
        *,
        workflow_id: Optional[Id] = None,
        step_id: Optional[Id] = None,
        until: Optional[str] = None,
        seconds: Optional[float] = None,
        keep_judgments: bool = False,
        reason: Optional[str] = None,
    ) -> Call[types.RemovalView]:
        """Removes a contributor from a step or a workflow; with neither, everywhere. Ends at `until`
        or after `seconds`, else never. With `keep_judgments` what they said goes on counting. Errors:
        `not_found`, `payload_invalid`."""
        body = members(
            workflow_id=workflow_id,
            step_id=step_id,
            until=until,
            seconds=seconds,
            keep_judgments=keep_judgments or None,
            reason=reason,
        )
        return (yield from route.ask({"contributor_id": contributor_id}, body=body))

    @operation("GET", "/v1/contributors/{contributor_id}/removals")
    def list_removals(
        route: Route, contributor_id: str, *, limit: Optional[int] = None
    ) -> Call[types.RemovalPage]:
        """Lists the removals of a contributor, also those that are over, 100 unless `limit` (1 to
        1000) says otherwise."""
        return (
            yield from route.ask({"contributor_id": contributor_id}, query={"limit": limit})
        )

    @operation("POST", "/v1/contributors/{contributor_id}/reinstatements")
    def reinstate_contributor(
        route: Route,
        contributor_id: str,
        *,
        workflow_id: Optional[Id] = None,
        step_id: Optional[Id] = None,
    ) -> Call[types.RemovalView]:
        """Ends the removal of a contributor from a step or a workflow; with neither, that from
        everywhere. What it took out counts again where there is room. Errors: `not_found`."""
        body = members(workflow_id=workflow_id, step_id=step_id)
        return (yield from route.ask({"contributor_id": contributor_id}, body=body))

    @operation("GET", "/v1/job-steps/{step_id}/contributors")
    def list_contributors(
        route: Route, step_id: Id, *, after: Optional[str] = None, limit: Optional[int] = None
    ) -> Call[types.ContributorPage]:
        """Lists the contributors of a step by name, 100 unless `limit` (1 to 1000) says otherwise.
        While `more` is true, the next page begins after the last name."""
        return (yield from route.ask({"step_id": step_id}, query={"after": after, "limit": limit}))

    @operation("GET", "/v1/job-steps/{step_id}/contributors/{contributor_id}/explanation")
    def explain_contributor(
        route: Route, step_id: Id, contributor_id: str
    ) -> Call[types.ContributorExplanation]:
        """Explains why a contributor gets no unit of a step."""
        return (yield from route.ask({"step_id": step_id, "contributor_id": contributor_id}))

    @operation("DELETE", "/v1/job-steps/{step_id}/contributors/{contributor_id}")
    def remove_contributor(
        route: Route, step_id: Id, contributor_id: str
    ) -> Call[types.ContributorRemoved]:
        """Removes a contributor from a step for good."""
        return (yield from route.ask({"step_id": step_id, "contributor_id": contributor_id}))

    @operation("POST", "/v1/job-steps/{step_id}/contributors/{contributor_id}/repair")
    def repair_contributor(
        route: Route,
        step_id: Id,
        contributor_id: str,
        *,
        dry_run: bool = False,
        id: Optional[Id] = None,
    ) -> Call[types.RepairProgress]:
        """Repairs results that rest on a contributor. The answer comes at once; the same `id` asks
        how far the repair is. Errors: `wrong_state`, `already_exists`, `overloaded`."""
        return (
            yield from route.ask(
                {"step_id": step_id, "contributor_id": contributor_id},
                body=members(dry_run=dry_run or None),
                key=id,
            )
        )

    # --- workflows ---

    @operation("POST", "/v1/workflows")
    def create_workflow(
        route: Route, definition: Mapping[str, Any], *, id: Optional[Id] = None
    ) -> Call[types.WorkflowCreated]:
        """Creates a workflow; source data goes to the first of its steps. The same `id` with the
        same definition repeats the request. Errors: `payload_invalid` names every wrong place,
        `already_exists` (the id belongs to another definition)."""
        return (yield from route.ask(body=dict(definition), key=id))

    @operation("POST", "/v1/workflows/validate")
    def check_workflow(route: Route, definition: Mapping[str, Any]) -> Call[types.WorkflowChecked]:
        """Tells everything that is wrong with a definition, and what may surprise its author;
        creates nothing. `valid` says whether `create_workflow` would take it."""
        return (yield from route.ask(body=dict(definition)))

    @operation("GET", "/v1/workflows/{id}")
    def get_workflow(
        route: Route, id: Id, *, version: Optional[int] = None
    ) -> Call[types.WorkflowView]:
        """Reads a workflow, by default in its latest version. Errors: `not_found`."""
        return (yield from route.ask({"id": id}, query={"version": version}))

    @operation("POST", "/v1/workflows/{id}/data")
    def load_data(
        route: Route,
        id: Id,
        data: Union[bytes, str, Iterable[Mapping[str, Any]]],
        *,
        content_type: str = "text/csv",
        map: Optional[Sequence[str]] = None,
        key: Optional[Sequence[str]] = None,
        on_change: Optional[Literal["report", "replace"]] = None,
        dry_run: Optional[bool] = None,
    ) -> Call[types.DataLoaded]:
        """Adds a file of rows as source data of a workflow, or mappings.

        `data` is the content of a file of the type `content_type` (`text/csv`,
        `text/tab-separated-values`, `application/x-ndjson` or `application/json`), at most as large
        as a body may be; or mappings, which go in as many requests as it takes and whose `line` is
        their number, from 1. `map` has entries such as `input.text=column:number`; `key` names the
        columns that tell rows apart. A row whose key is there already is left as it is, or with
        `on_change="replace"` replaces a unit that nobody has had. So the call may be repeated.
        """
        query = {"map": map, "key": key, "on_change": on_change, "dry_run": dry_run}
        return (yield from load_rows(route, id, data, content_type, query))

    @operation("GET", "/v1/workflows")
    def list_workflows(
        route: Route, *, after: Optional[Id] = None, limit: Optional[int] = None
    ) -> Call[types.WorkflowPage]:
        """Lists workflows by id, 100 unless `limit` (1 to 1000) says otherwise. While `more` is
        true, the next page begins after the last id."""
        return (yield from route.ask(query={"after": after, "limit": limit}))

    @operation("GET", "/v1/workflows/{workflow_id}/results")
    def list_workflow_results(
        route: Route,
        workflow_id: Id,
        *,
        after: Optional[str] = None,
        limit: Optional[int] = None,
        states: Optional[Sequence[ResultState]] = None,
        pseudonyms: bool = False,
        inputs: bool = True,
    ) -> Call[types.WorkflowResultPage]:
        """Lists what has become of the items of a workflow, 100 unless `limit` (1 to 1000) says
        otherwise: those that are `final` unless `states` says otherwise. While `more` is true, the
        next page begins after `last`; a page may be empty and have others behind it. `pseudonyms`
        stand in place of the names of contributors; without `inputs` the data of the items are left
        out. Errors: `not_found`."""
        return (
            yield from route.ask(
                {"workflow_id": workflow_id},
                query={
                    "after": after,
                    "limit": limit,
                    "state": states,
                    "pseudonyms": pseudonyms or None,
                    "inputs": None if inputs else False,
                },
            )
        )

    @operation("PUT", "/v1/workflows/{id}")
    def update_workflow(
        route: Route, id: Id, definition: Mapping[str, Any], version: int
    ) -> Call[types.WorkflowUpdated]:
        """Changes the definition of a workflow. `version` is the latest one that you know. Errors:
        `wrong_state` (somebody else was first), `payload_invalid`, `not_found`."""
        return (yield from route.ask({"id": id}, query={"version": version}, body=dict(definition)))

    @operation("POST", "/v1/workflows/{id}/validate")
    def validate_workflow(
        route: Route, id: Id, definition: Mapping[str, Any], version: int
    ) -> Call[types.WorkflowUpdated]:
        """Tells the changes that `update_workflow` would make, and makes none. Errors: as there."""
        return (yield from route.ask({"id": id}, query={"version": version}, body=dict(definition)))

    @operation("POST", "/v1/workflows/{workflow_id}/job")
    def set_job_status(
        route: Route, workflow_id: Id, revision: int, status: JobStatus
    ) -> Call[types.JobStatusNoted]:
        """Tells the status of the job that a workflow is. `revision` grows from 1 with each change
        of the job; an older one changes nothing. Errors: `wrong_state` (the job is canceled)."""
        return (
            yield from route.ask(
                {"workflow_id": workflow_id}, body={"revision": revision, "status": status}
            )
        )

    # --- steps ---

    @operation("GET", "/v1/job-steps")
    def list_steps(
        route: Route, *, after: Optional[Id] = None, limit: Optional[int] = None
    ) -> Call[types.ListedSteps]:
        """Lists all steps in the order of their creation, 100 unless `limit` (1 to 1000) says
        otherwise. The next page begins after the last id. `find_steps` lists those that are
        offered to a contributor."""
        return (yield from route.ask(query={"after": after, "limit": limit}))

    @operation("GET", "/v1/job-steps/{step_id}")
    def get_step(route: Route, step_id: Id) -> Call[types.StepStatistics]:
        """Reads a step with the counts of its units. Errors: `not_found`."""
        return (yield from route.ask({"step_id": step_id}))

    @operation("POST", "/v1/job-steps/{step_id}")
    def change_step(route: Route, step_id: Id, status: StepStatus) -> Call[types.StepView]:
        """Pauses, resumes, cancels or seals a step. `canceled` is final; `sealed` says that no more
        source data will come. Errors: `not_found`, `wrong_state`."""
        return (yield from route.ask({"step_id": step_id}, body={"status": status}))

    @operation("POST", "/v1/job-steps/{step_id}/source-data")
    def add_source_data(
        route: Route, step_id: Id, rows: Iterable[Mapping[str, Any]]
    ) -> Call[types.SourceDataAdded]:
        """Adds units of source data to the first step of a workflow.

        Each row is a mapping with the members of `types.SourceRow`: `key`, `input` and perhaps
        `judgments`. A row whose key is there already is left as it is, so the call may be
        repeated. The answer counts the rows and names the bad ones as `problems`. Requests hold
        1,000 rows and 4 MiB each.
        """
        return (yield from add_rows(route, step_id, rows))

    @operation("POST", "/v1/job-steps/{step_id}/test-questions")
    def add_test_questions(
        route: Route, step_id: Id, rows: Iterable[Mapping[str, Any]]
    ) -> Call[types.SourceDataAdded]:
        """Adds test questions to a step: mappings with `key`, `input` and `truth`. Otherwise as
        `add_source_data`. Errors: `wrong_state` (the step has no test questions)."""
        return (yield from add_rows(route, step_id, rows))

    @operation("GET", "/v1/job-steps/{step_id}/test-questions")
    def list_test_questions(
        route: Route, step_id: Id, *, after: Optional[int] = None, limit: Optional[int] = None
    ) -> Call[types.TestQuestionPage]:
        """Lists test questions with their health, 100 unless `limit` (1 to 500) says otherwise.
        While `more` is true, the next page begins after the last `ordinal`."""
        return (yield from route.ask({"step_id": step_id}, query={"after": after, "limit": limit}))

    @operation("POST", "/v1/job-steps/{step_id}/test-questions/{unit_id}/forgive")
    def forgive_question(
        route: Route, step_id: Id, unit_id: Id, *, count_again: bool = False
    ) -> Call[types.QuestionForgiven]:
        """Takes the answers to a test question out of every verdict, or counts them again.
        Errors: `wrong_state` (the unit is no test question)."""
        return (
            yield from route.ask(
                {"step_id": step_id, "unit_id": unit_id},
                body=members(count_again=count_again or None),
            )
        )

    @operation("POST", "/v1/job-steps/{step_id}/test-questions/{unit_id}/repair")
    def repair_question(
        route: Route,
        step_id: Id,
        unit_id: Id,
        *,
        dry_run: bool = False,
        id: Optional[Id] = None,
    ) -> Call[types.RepairProgress]:
        """Repairs results after a test question changed. Otherwise as `repair_contributor`."""
        return (
            yield from route.ask(
                {"step_id": step_id, "unit_id": unit_id},
                body=members(dry_run=dry_run or None),
                key=id,
            )
        )

    @operation("GET", "/v1/job-steps/{step_id}/results")
    def list_results(
        route: Route, step_id: Id, *, after: Optional[int] = None, limit: Optional[int] = None
    ) -> Call[types.ResultPage]:
        """Lists the units of a step with their results in the order of arrival, 100 unless `limit`
        (1 to 10000) says otherwise. The next page begins after `last`; an empty page is the end."""
        return (yield from route.ask({"step_id": step_id}, query={"after": after, "limit": limit}))

    @operation("GET", "/v1/job-steps/{step_id}/quality")
    def get_step_quality(route: Route, step_id: Id) -> Call[types.StepQuality]:
        """Measures the agreement of the last 50,000 judgments of a step."""
        return (yield from route.ask({"step_id": step_id}))

    # --- units ---

    @operation("GET", "/v1/units/{unit_id}")
    def get_unit(
        route: Route, unit_id: Id, *, step_id: Optional[Id] = None
    ) -> Call[types.UnitView]:
        """Reads a unit. With its `step_id` no look-up is needed. Errors: `not_found`."""
        return (yield from route.ask({"unit_id": unit_id}, query={"step_id": step_id}))

    @operation("GET", "/v1/units/{unit_id}/result")
    def get_unit_result(
        route: Route, unit_id: Id, *, step_id: Optional[Id] = None, wait: float = 0.0
    ) -> Call[types.ResultOfUnit]:
        """Reads the result of a unit, for which the request waits `wait` seconds (0 to 60). Errors:
        `not_found` (also where there is no result in that time)."""
        query = {"step_id": step_id}
        if wait > 0:
            found = yield from route.ask({"unit_id": unit_id}, query=query, wait=wait)
            if found is not None:
                return found
        return (yield from route.ask({"unit_id": unit_id}, query=query))

    @operation("POST", "/v1/units/{unit_id}")
    def change_unit(
        route: Route, unit_id: Id, status: UnitStatus, *, step_id: Optional[Id] = None
    ) -> Call[types.UnitChanged]:
        """Pauses, resumes or cancels a unit. Errors: `not_found`, `wrong_state`."""
        return (
            yield from route.ask({"unit_id": unit_id}, body=members(status=status, step_id=step_id))
        )

    @operation("GET", "/v1/units/{unit_id}/explanation")
    def explain_unit(
        route: Route,
        unit_id: Id,
        *,
        step_id: Optional[Id] = None,
        contributor_id: Optional[str] = None,
    ) -> Call[types.UnitExplanation]:
        """Explains why a unit does not move on, and why `contributor_id` does not get it."""
        query = {"step_id": step_id, "contributor_id": contributor_id}
        return (yield from route.ask({"unit_id": unit_id}, query=query))

    @operation("POST", "/v1/job-steps/{step_id}/units/{unit_id}/reopen")
    def reopen_unit(
        route: Route,
        step_id: Id,
        unit_id: Id,
        reason: str,
        *,
        judgments: int = 1,
        id: Optional[Id] = None,
    ) -> Call[types.UnitCorrected]:
        """Has a finished unit judged again by so many more contributors. What was made from its
        result is withdrawn. The same `id` repeats the request. Errors: `not_found`, `wrong_state`
        (the unit has no result)."""
        return (
            yield from route.ask(
                {"step_id": step_id, "unit_id": unit_id},
                body=members(reason=reason, judgments=judgments),
                key=id,
            )
        )

    @operation("POST", "/v1/job-steps/{step_id}/units/{unit_id}/override")
    def override_result(
        route: Route,
        step_id: Id,
        unit_id: Id,
        answer: Any,
        reason: str,
        *,
        corrected_to: Any = None,
        id: Optional[Id] = None,
    ) -> Call[types.UnitCorrected]:
        """Says what the result of a unit is, whether or not it has one. In a step that reviews,
        `corrected_to` is the answer that there should be where `answer` is "correct". The same `id`
        repeats the request. Errors: `payload_invalid` (no judgment could give the answer),
        `not_found`, `wrong_state`."""
        body = members(reason=reason, corrected_to=corrected_to)
        body["answer"] = answer
        return (
            yield from route.ask({"step_id": step_id, "unit_id": unit_id}, body=body, key=id)
        )

    @operation("POST", "/v1/job-steps/{step_id}/units/{unit_id}/judgments/{judgment_id}/taint")
    def taint_judgment(
        route: Route,
        step_id: Id,
        unit_id: Id,
        judgment_id: Id,
        reason: str,
        *,
        id: Optional[Id] = None,
    ) -> Call[types.UnitCorrected]:
        """Counts a judgment no more. An open unit asks for another one; a finished unit is repaired
        without it. The same `id` repeats the request. Errors: `not_found`, `wrong_state`."""
        return (
            yield from route.ask(
                {"step_id": step_id, "unit_id": unit_id, "judgment_id": judgment_id},
                body=members(reason=reason),
                key=id,
            )
        )

    @operation("POST", "/v1/job-steps/{step_id}/units/{unit_id}/judgments/{judgment_id}/reinstate")
    def reinstate_judgment(
        route: Route,
        step_id: Id,
        unit_id: Id,
        judgment_id: Id,
        reason: str,
        *,
        id: Optional[Id] = None,
    ) -> Call[types.UnitCorrected]:
        """Counts a judgment again. The same `id` repeats the request. Errors: `not_found`,
        `wrong_state` (its contributor is removed from the step)."""
        return (
            yield from route.ask(
                {"step_id": step_id, "unit_id": unit_id, "judgment_id": judgment_id},
                body=members(reason=reason),
                key=id,
            )
        )

    @operation("GET", "/v1/job-steps/{step_id}/units/{unit_id}/corrections")
    def list_corrections(route: Route, step_id: Id, unit_id: Id) -> Call[types.CorrectionList]:
        """Lists what was corrected of a unit, with who has asked for it and why, and what authors
        have handed in for judgments that they have corrected. Errors: `not_found`."""
        return (yield from route.ask({"step_id": step_id, "unit_id": unit_id}))

    @operation("GET", "/v1/units/{unit_id}/lineage")
    def get_lineage(
        route: Route, unit_id: Id, *, after: Optional[Id] = None, limit: Optional[int] = None
    ) -> Call[types.UnitLineage]:
        """Reads everything that happened to an item, 20 units at a time unless `limit` (1 to 100)
        says otherwise. While `more` is true, the next page begins after the last id."""
        return (yield from route.ask({"unit_id": unit_id}, query={"after": after, "limit": limit}))

    # --- events and webhooks ---

    @operation("GET", "/v1/events")
    def read_all_events(
        route: Route,
        *,
        cursor: Optional[str] = None,
        start: Optional[Literal["newest", "oldest"]] = None,
        limit: Optional[int] = None,
        wait: float = 0.0,
        types: Optional[Sequence[str]] = None,
        workflow_id: Optional[Id] = None,
        step_id: Optional[Id] = None,
        unit_id: Optional[Id] = None,
        queue: Optional[str] = None,
        envelope: Optional[Literal["plain", "cloudevents"]] = None,
    ) -> Call[types.EventList]:
        """Reads the events of all shards behind `cursor`, at most `limit` (1 to 1000). Where there
        is none, the request waits `wait` seconds (0 to 60) for one. Without a cursor it begins with
        the next event, or with the oldest that is kept. `events` goes on by itself. With the
        envelope `cloudevents` each `event` is one of CloudEvents 1.0. Errors: `events_gone` (410:
        the cursor is too old)."""
        query = {
            "cursor": cursor,
            "from": start,
            "limit": limit,
            "types": types,
            "workflow_id": workflow_id,
            "step_id": step_id,
            "unit_id": unit_id,
            "queue": queue,
            "envelope": envelope,
        }
        return (yield from route.ask(query=query, wait=wait))

    @operation("GET", "/v1/shards/{shard}/events")
    def read_events(
        route: Route,
        shard: int,
        *,
        after: Optional[int] = None,
        start: Optional[Literal["after", "oldest", "newest"]] = None,
        limit: Optional[int] = None,
        wait: float = 0.0,
        step_id: Optional[Id] = None,
        types: Optional[Sequence[str]] = None,
    ) -> Call[types.EventPage]:
        """Reads the events of a shard behind the position `after`, at most `limit` (1 to 1000).
        Where there is none, the request waits `wait` seconds (0 to 60) for one. `position` of the
        page is `after` of the next. Errors: `events_gone` (410: the position is too old)."""
        query = {
            "from": start,
            "after": after,
            "limit": limit,
            "step_id": step_id,
            "types": types,
        }
        return (yield from route.ask({"shard": shard}, query=query, wait=wait))

    @operation("PUT", "/v1/webhooks/{name}")
    def put_webhook(
        route: Route, name: str, definition: Mapping[str, Any]
    ) -> Call[types.WebhookSaved]:
        """Makes or changes a webhook. Errors: `payload_invalid`, `limit_reached`."""
        return (yield from route.ask({"name": name}, body=dict(definition)))

    @operation("GET", "/v1/webhooks")
    def list_webhooks(route: Route, prefix: Optional[str] = None) -> Call[List[types.WebhookView]]:
        """Lists the webhooks whose names begin with `prefix`."""
        answer = yield from route.ask(query={"prefix": prefix})
        return answer["webhooks"]

    @operation("POST", "/v1/webhooks/{name}/pause")
    def pause_webhook(route: Route, name: str) -> Call[types.WebhookSaved]:
        """Pauses a webhook. Errors: `not_found`."""
        return (yield from route.ask({"name": name}))

    @operation("POST", "/v1/webhooks/{name}/resume")
    def resume_webhook(route: Route, name: str) -> Call[types.WebhookSaved]:
        """Resumes a webhook, also where delivery has stopped. Errors: `not_found`."""
        return (yield from route.ask({"name": name}))

    @operation("DELETE", "/v1/webhooks/{name}")
    def remove_webhook(route: Route, name: str) -> Call[types.WebhookSaved]:
        """Removes a webhook with its dead letters. Errors: `not_found`."""
        return (yield from route.ask({"name": name}))

    @operation("GET", "/v1/webhooks/{name}/dead-letters")
    def list_dead_letters(
        route: Route,
        name: str,
        shard: int,
        *,
        after: Optional[int] = None,
        limit: Optional[int] = None,
    ) -> Call[List[types.DeadLetter]]:
        """Lists the events of a shard that could not be delivered, behind `after`."""
        query = {"shard": shard, "after": after, "limit": limit}
        answer = yield from route.ask({"name": name}, query=query)
        return answer["dead_letters"]

    @operation("POST", "/v1/webhooks/{name}/replay")
    def replay_webhook(
        route: Route,
        name: str,
        shard: int,
        what: Literal["dead_letters", "forget", "all"],
        *,
        after: Optional[int] = None,
        limit: Optional[int] = None,
    ) -> Call[types.WebhookReplayed]:
        """Delivers dead letters or all events of a shard once more, or forgets dead letters."""
        body = members(shard=shard, what=what, after=after, limit=limit)
        return (yield from route.ask({"name": name}, body=body))

    # --- the cluster ---

    @operation("GET", "/v1/node")
    def get_node_status(route: Route) -> Call[types.NodeStatus]:
        """Reads the status of the node that answers."""
        return (yield from route.ask())

    @operation("GET", "/v1/node/link")
    def get_link_status(route: Route) -> Call[types.LinkStatus]:
        """Reads the counts of the TLS link of the node that answers."""
        return (yield from route.ask())

    @operation("GET", "/v1/node/audits")
    def get_audit_status(route: Route) -> Call[types.AuditStatus]:
        """Reads the findings of the audits of the node that answers."""
        return (yield from route.ask())

    @operation("POST", "/v1/cluster/verify")
    def verify_cluster(route: Route) -> Call[types.ClusterVerified]:
        """Checks the invariants in the database now, but for those of objects. Errors:
        `unavailable`, when that takes too long."""
        return (yield from route.ask())

    @operation("GET", "/v1/audit")
    def list_audit(
        route: Route,
        *,
        since: Optional[str] = None,
        who: Optional[str] = None,
        operation: Optional[str] = None,
        item: Optional[str] = None,
        before: Optional[int] = None,
        limit: Optional[int] = None,
    ) -> Call[types.AuditPage]:
        """Lists administrative changes and who made them, the newest first, 100 unless `limit` (1
        to 1000) says otherwise. While `more` is true, the next page begins `before` the last
        `number`."""
        query = {
            "since": since,
            "who": who,
            "operation": operation,
            "item": item,
            "before": before,
            "limit": limit,
        }
        return (yield from route.ask(query=query))

    @operation("GET", "/v1/node/guards")
    def get_guard_status(route: Route) -> Call[types.GuardStatus]:
        """Reads the counts of the guards of the node that answers."""
        return (yield from route.ask())

    @operation("GET", "/v1/cluster")
    def get_placement(route: Route) -> Call[types.Placement]:
        """Reads which node hosts which shard."""
        return (yield from route.ask())

    @operation("GET", "/v1/cluster/nodes")
    def list_nodes(route: Route, *, limit: Optional[int] = None) -> Call[types.NodeList]:
        """Lists the starts of the cluster's nodes, the latest first, also those that are gone."""
        return (yield from route.ask(query={"limit": limit}))

    @operation("POST", "/v1/cluster/step-index/rebuild")
    def rebuild_step_index(route: Route) -> Call[types.StepIndexRebuilt]:
        """Has every node list the steps anew that it hosts. Takes up to half a minute."""
        return (yield from route.ask())

    @operation("POST", "/v1/tokens")
    def create_token(
        route: Route,
        role: Role,
        *,
        contributor: Optional[str] = None,
        worker: Optional[str] = None,
        queues: Optional[Sequence[str]] = None,
        workflows: Optional[Sequence[Id]] = None,
        expires_in: Optional[float] = None,
        id: Optional[Id] = None,
    ) -> Call[types.TokenMade]:
        """Makes an API token, good for `expires_in` seconds. `token` of the answer is shown here
        and nowhere again. Errors: `already_exists` (also when an answer was lost: revoke the token
        of this `id`, and make another one), `payload_invalid`."""
        body = members(
            role=role,
            contributor=contributor,
            worker=worker,
            queues=None if queues is None else list(queues),
            workflows=None if workflows is None else [str(one) for one in workflows],
            expires_in=expires_in,
        )
        return (yield from route.ask(body=body, key=id))

    @operation("POST", "/v1/sign-in-links")
    def create_sign_in_link(
        route: Route,
        role: Role,
        *,
        contributor: Optional[str] = None,
        worker: Optional[str] = None,
        queues: Optional[Sequence[str]] = None,
        workflows: Optional[Sequence[Id]] = None,
        id: Optional[Id] = None,
    ) -> Call[types.SignInLinkMade]:
        """Makes a link that signs a person in at the pages of a node, once, within ten minutes.
        `path` of the answer goes behind the address of a node. Errors: `already_exists`,
        `payload_invalid`."""
        body = members(
            role=role,
            contributor=contributor,
            worker=worker,
            queues=None if queues is None else list(queues),
            workflows=None if workflows is None else [str(one) for one in workflows],
        )
        return (yield from route.ask(body=body, key=id))

    @operation("GET", "/v1/tokens")
    def list_tokens(
        route: Route, *, after: Optional[Id] = None, limit: Optional[int] = None
    ) -> Call[types.TokenPage]:
        """Lists API tokens by id, 100 unless `limit` (1 to 1000) says otherwise. While `more` is
        true, the next page begins after the last id."""
        return (yield from route.ask(query={"after": after, "limit": limit}))

    @operation("DELETE", "/v1/tokens/{id}")
    def revoke_token(route: Route, id: Id) -> Call[types.TokenView]:
        """Ends an API token for good. Nodes refuse it within 5 seconds. Errors: `not_found`."""
        return (yield from route.ask({"id": id}))


def add_rows(
    route: Route, step_id: Id, rows: Iterable[Mapping[str, Any]]
) -> Call[types.SourceDataAdded]:
    """Adds rows in as many requests as it takes, and puts the answers together."""
    added: types.SourceDataAdded = {"added": 0, "already_there": 0, "problems": []}
    texts = [encoded(row) for row in rows]
    for part in parts_of(texts):
        content = b'{"rows":[' + b",".join(texts[place] for place in part) + b"]}"
        answer = yield from route.ask({"step_id": step_id}, content=content)
        added["added"] += answer["added"]
        added["already_there"] += answer["already_there"]
        for problem in answer["problems"]:
            problem["row"] = part[problem["row"]]
            added["problems"].append(problem)
    return added


def load_rows(
    route: Route,
    id: Id,
    data: Union[bytes, str, Iterable[Mapping[str, Any]]],
    content_type: str,
    query: Mapping[str, Any],
) -> Call[types.DataLoaded]:
    """Sends a file in one request; mappings in as many as it takes, whose answers are put
    together."""
    if isinstance(data, (bytes, str)):
        content = data.encode() if isinstance(data, str) else data
        return (
            yield from route.ask(
                {"id": id}, content=content, query=query, headers={"Content-Type": content_type}
            )
        )
    texts = [encoded(row) for row in data]
    loaded: Optional[types.DataLoaded] = None
    for part in parts_of(texts) or [[]]:
        content = b"[" + b",\n".join(texts[place] for place in part) + b"]"
        answer = yield from route.ask({"id": id}, content=content, query=query)
        before = part[0] if part else 0
        for told in answer["problems"] + answer["changes"] + answer["first"]:
            told["line"] += before
        if loaded is None:
            loaded = answer
            continue
        for name in ("rows", "added", "already_there", "changed", "replaced", "refused"):
            loaded[name] += answer[name]  # type: ignore[literal-required]
        loaded["problems"] += answer["problems"]
        loaded["changes"] += answer["changes"]
    assert loaded is not None
    return loaded
