"""Errors of the API as exceptions."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence, Tuple

#: Codes under which the same request may succeed a moment later. An outcome of a batch that has
#: one of them is repeated with the same ids.
TRANSIENT_CODES = frozenset({"unavailable", "overloaded", "fenced"})

#: Codes that tell a worker that its lease is over.
LEASE_OVER_CODES = frozenset({"lease_not_held", "stale_token", "lease_expired", "not_found"})


class HoldfastError(Exception):
    """A request ended with an error.

    `code` is the name of the error for programs, such as `"stale_token"`; the page `/docs` of a
    node lists all codes. `status` is the HTTP status, and 0 where there was no answer. `detail`
    is a sentence for people. `retryable` tells whether the same request may succeed later.
    `errors` names each wrong place of the request: mappings with `place` and `detail`.
    `retry_after` is the number of seconds that the node asks the client to wait, or None.
    """

    def __init__(
        self,
        code: str,
        status: int,
        detail: str,
        retryable: bool = False,
        errors: Sequence[Mapping[str, Any]] = (),
        *,
        title: str = "",
        retry_after: Optional[float] = None,
        trace_id: Optional[str] = None,
    ) -> None:
        super().__init__(code, status, detail, retryable, errors)
        self.code = code
        self.status = status
        self.detail = detail
        self.retryable = retryable
        self.errors: Tuple[Mapping[str, Any], ...] = tuple(errors)
        self.title = title
        self.retry_after = retry_after
        self.trace_id = trace_id

    def __str__(self) -> str:
        status = f" ({self.status})" if self.status else ""
        return f"{self.code}{status}: {self.detail or self.title}"


class NoAnswerError(HoldfastError):
    """No node answered before the deadline of the call.

    The outcome of the request is unknown: the node may have done it. Send it again with the same
    ids. `code` is `"unavailable"` and `status` is 0.
    """

    def __init__(self, detail: str) -> None:
        super().__init__("unavailable", 0, detail, True)

    def __reduce__(self) -> Any:
        return (NoAnswerError, (self.detail,))
