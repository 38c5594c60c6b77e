"""A contributor at work: asks for units, hands in judgments."""

from __future__ import annotations

import functools
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Coroutine,
    Generic,
    Optional,
    TypeVar,
    Union,
    overload,
)

from . import types
from ._calls import Call, Id, Pause
from ._operations import Operations
from .client import AsyncHoldfast, Holdfast
from .errors import LEASE_OVER_CODES, HoldfastError

if TYPE_CHECKING:
    from typing_extensions import Concatenate, ParamSpec

    P = ParamSpec("P")
else:
    P = TypeVar("P")

R = TypeVar("R")

#: The time for which one request of `next` waits at the node. Seconds.
WAIT_SECONDS = 20.0
#: After an answer that came early, `next` asks again after a random pause between half of this and
#: all of it. Seconds.
ASK_AGAIN_SECONDS = 2.0


class SessionMethod(Generic[P, R]):
    """A method of both sessions: it returns its value in `ContributorSession`, and is awaited in
    `AsyncContributorSession`."""

    def __init__(self, build: "Callable[Concatenate[Any, P], Call[R]]") -> None:
        self._build = build
        self.__doc__ = build.__doc__

    @overload
    def __get__(self, session: None, owner: Any) -> "SessionMethod[P, R]": ...
    @overload
    def __get__(self, session: "ContributorSession", owner: Any) -> Callable[P, R]: ...
    @overload
    def __get__(
        self, session: "AsyncContributorSession", owner: Any
    ) -> Callable[P, Coroutine[Any, Any, R]]: ...
    def __get__(self, session: Any, owner: Any) -> Any:
        if session is None:
            return self

        @functools.wraps(self._build)
        def bound(*args: Any, **kwargs: Any) -> Any:
            return session._client._drive(self._build(session, *args, **kwargs))

        del bound.__wrapped__  # its signature has the session
        return bound


class _Session:
    """The part that both sessions share.

    A session holds one unit at a time. `contributor_id` is the name of the contributor in your own
    identity system, 1 to 128 bytes. Two sessions of one contributor are one to the nodes. Use a
    session from one thread at a time.
    """

    _client: Union[Holdfast, AsyncHoldfast]

    def __init__(self, client: Union[Holdfast, AsyncHoldfast], contributor_id: str) -> None:
        self._client = client
        self.contributor_id = contributor_id
        #: The unit that the contributor holds, or None.
        self.assignment: Optional[types.Assignment] = None
        self._asked_as: Optional[str] = None  # the id of an assignment whose outcome is unknown
        self._asked_for: Optional[str] = None  # its step
        self._judgment_id: Optional[str] = None  # of the unit that is held
        self._ends_at = 0.0

    @property
    def time_left(self) -> float:
        """The seconds until the lease on the unit ends, by a monotonic clock; 0 when no unit is
        held."""
        if self.assignment is None:
            return 0.0
        return max(0.0, self._ends_at - self._client._environment.clock())

    @SessionMethod
    def steps(self, limit: Optional[int] = None) -> Call[types.StepOffers]:
        """The steps that are offered to the contributor, the most urgent first: 20 unless `limit`
        (1 to 1000) says otherwise."""
        return (
            yield from Operations.find_steps.call(
                self._client._environment, self.contributor_id, limit=limit
            )
        )

    @SessionMethod
    def next(self, step_id: Id, wait: float = 0.0) -> Call[Optional[types.Assignment]]:
        """Takes a unit of a step; None when there is none within `wait` seconds.

        Raises `HoldfastError`: `not_found`; `not_qualified` (this contributor gets no unit of this
        step any more); `limit_reached` (they hold too many units). `RuntimeError` while a unit is
        held: submit, release or decline it first.
        """
        if self.assignment is not None:
            raise RuntimeError("the session holds a unit already")
        environment = self._client._environment
        until = environment.clock() + wait
        if self._asked_as is None or self._asked_for != str(step_id):
            self._asked_as = environment.make_id()
            self._asked_for = str(step_id)
        while True:
            asked_at = environment.clock()
            wait_left = min(max(until - asked_at, 0.0), WAIT_SECONDS)
            # Under the id of a request whose outcome is unknown, so that a unit that was granted
            # to it is this one.
            try:
                given = yield from Operations.ask_assignment.call(
                    environment,
                    step_id,
                    self.contributor_id,
                    id=self._asked_as,
                    wait=wait_left,
                )
            except HoldfastError as error:
                if not error.retryable:
                    self._asked_as = None
                raise
            if given is not None:
                self._asked_as = None
                self.assignment = given
                self._judgment_id = environment.make_id()
                self._ends_at = environment.clock() + given["lease_seconds"]
                return given
            now = environment.clock()
            # A node that answers early does not wait, because it is of an older version.
            is_early = now - asked_at < wait_left / 2
            pause = ASK_AGAIN_SECONDS * (1 + environment.random()) / 2 if is_early else 0.0
            if now >= until or now + pause > until:
                self._asked_as = None
                return None
            if pause > 0:
                yield Pause(pause)

    @SessionMethod
    def submit(self, data: Any) -> Call[types.JudgmentAccepted]:
        """Hands in the judgment of the unit, any JSON that the schema of the step takes. After it
        no unit is held.

        Raises `HoldfastError`: `payload_invalid` (the detail names the place; the unit is still
        held); `NoAnswerError` (submit the same again, and it counts once); `lease_expired`,
        `stale_token`, `lease_not_held` or `already_judged` (the unit is no longer held).
        """
        held = self._held()
        try:
            accepted = yield from Operations.submit_judgment.call(
                self._client._environment,
                held["step_id"],
                held["unit_id"],
                held["token"],
                data,
                self.contributor_id,
                assignment_id=held["assignment_id"],
                id=self._judgment_id,
            )
        except HoldfastError as error:
            self._forget_after(error)
            raise
        self.assignment = None
        return accepted

    @SessionMethod
    def release(self) -> Call[None]:
        """Gives the unit back; others get it at once. A lease that is over already is no error."""
        yield from self._give_back(False)

    @SessionMethod
    def decline(self) -> Call[None]:
        """Gives the unit back for good: this contributor is never offered it again."""
        yield from self._give_back(True)

    @SessionMethod
    def extend(self) -> Call[float]:
        """Extends the lease on the unit; returns the seconds until its new end.

        Raises `HoldfastError`: `not_extendable` (the lease has lived as long as it may);
        `lease_expired`, `stale_token` or `lease_not_held` (the unit is no longer held).
        """
        held = self._held()
        environment = self._client._environment
        try:
            extended = yield from Operations.extend_assignment.call(
                environment,
                held["assignment_id"],
                held["step_id"],
                held["unit_id"],
                held["token"],
                self.contributor_id,
            )
        except HoldfastError as error:
            self._forget_after(error)
            raise
        seconds: float = extended["lease_seconds"]
        self._ends_at = environment.clock() + seconds
        return seconds

    @SessionMethod
    def feedback(self, judgment_id: Id, step_id: Id, unit_id: Id) -> Call[types.JudgmentFeedback]:
        """Reads whether a unit that the contributor has judged was a test question that they
        answered right. Raises `HoldfastError`: `wrong_state` (the step tells nobody)."""
        return (
            yield from Operations.get_feedback.call(
                self._client._environment, judgment_id, step_id, unit_id, self.contributor_id
            )
        )

    @SessionMethod
    def leave(self) -> Call[int]:
        """Gives back every unit that the contributor holds; returns their number."""
        ended = yield from Operations.end_session.call(
            self._client._environment, self.contributor_id
        )
        self.assignment = None
        released: int = ended["released"]
        return released

    def _give_back(self, decline: bool) -> Call[None]:
        held = self._held()
        try:
            yield from Operations.release_assignment.call(
                self._client._environment,
                held["assignment_id"],
                held["step_id"],
                held["unit_id"],
                held["token"],
                self.contributor_id,
                decline=decline,
            )
        except HoldfastError as error:
            # A repeated request finds the lease over, because the first one has ended it.
            if error.code not in LEASE_OVER_CODES:
                raise
        self.assignment = None

    def _held(self) -> types.Assignment:
        if self.assignment is None:
            raise RuntimeError("the session holds no unit")
        return self.assignment

    def _forget_after(self, error: HoldfastError) -> None:
        if error.code in LEASE_OVER_CODES or error.code == "already_judged":
            self.assignment = None


class ContributorSession(_Session):
    """One contributor at work, over a `Holdfast` client.

    session = ContributorSession(client, "ana")
    unit = session.next(step_id, wait=60)
    if unit is not None:
        session.submit({"answer": label(unit["input"])})
    """

    _client: Holdfast

    def __init__(self, client: Holdfast, contributor_id: str) -> None:
        super().__init__(client, contributor_id)


class AsyncContributorSession(_Session):
    """The session of `ContributorSession` over an `AsyncHoldfast` client: the same methods,
    awaited."""

    _client: AsyncHoldfast

    def __init__(self, client: AsyncHoldfast, contributor_id: str) -> None:
        super().__init__(client, contributor_id)
