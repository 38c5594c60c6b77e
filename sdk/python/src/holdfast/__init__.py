"""A client of Holdfast: durable, leased work for people and programs."""

from __future__ import annotations

from . import types
from ._operations import TaskMade
from ._version import __version__
from ._worker_core import Counts
from .client import AsyncHoldfast, Holdfast
from .contributor import AsyncContributorSession, ContributorSession
from .errors import HoldfastError, NoAnswerError
from .events import AsyncEvents, Events
from .worker import (
    AsyncTask,
    GiveBack,
    PermanentFailure,
    RateLimited,
    Task,
    TaskFailure,
    TransientFailure,
    Worker,
)

__all__ = [
    "AsyncContributorSession",
    "AsyncEvents",
    "AsyncHoldfast",
    "AsyncTask",
    "ContributorSession",
    "Counts",
    "Events",
    "GiveBack",
    "Holdfast",
    "HoldfastError",
    "NoAnswerError",
    "PermanentFailure",
    "RateLimited",
    "Task",
    "TaskFailure",
    "TaskMade",
    "TransientFailure",
    "Worker",
    "__version__",
    "types",
]
