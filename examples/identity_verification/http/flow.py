"""Every decision about a verification, as pure functions of its state, its data and an answer of the
service. The states are those of `../verification.hpp`.

`data` of a task is `{"asked": {"tracking", "looks"}, "findings": [{"check", "verdict", "by"}]}`.
`looks` counts the questions after a job, so that no clock of a worker matters.
"""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional

QUEUE = "identity"
TASK_TYPE = "identity.verify"

#: The check that is asked for in a state, and the state that waits for it.
ASKING = {
    "SUBMITTED": ("documents", "AWAITING_DOCUMENT_PROCESSING"),
    "DOCUMENTS_PROCESSED": ("face_match", "VERIFYING_FACE_MATCH"),
    "NEEDS_MANUAL_REVIEW": ("manual_review", "IN_MANUAL_REVIEW"),
}
WAITING = {waits: check for check, waits in ASKING.values()}
ENDS = ("VERIFIED", "REJECTED")
AFTER_PASSED = {
    "documents": "DOCUMENTS_PROCESSED",
    "face_match": "VERIFIED",
    "manual_review": "VERIFIED",
}
VERDICTS = ("passed", "failed", "unclear")

#: The pauses between questions after a job that is under way, in seconds: half a minute while
#: machines read the documents, half an hour while a person does, then half a day.
PAUSES = [30] * 10 + [1800] * 12
PAUSE_AT_LAST = 43200
PAUSE_IN_OUTAGE = 30


class Verification(NamedTuple):
    state: str
    data: Dict[str, Any]

    @property
    def tracking(self) -> Optional[str]:
        """The job of the service that the verification waits for."""
        return self.data["asked"]["tracking"] if self.state in WAITING else None

    @property
    def findings(self) -> List[Dict[str, str]]:
        return self.data.get("findings", [])


def asked(v: Verification, tracking: str) -> Verification:
    """The service has accepted the check that `v` needs."""
    _, waits = ASKING[v.state]
    return Verification(
        waits, {"asked": {"tracking": tracking, "looks": 0}, "findings": v.findings}
    )


def looked(v: Verification) -> Verification:
    """The job is still under way."""
    job = v.data["asked"]
    return Verification(v.state, {**v.data, "asked": {**job, "looks": job["looks"] + 1}})


def pause_of(v: Verification) -> float:
    """The seconds before the next question after the job. A callback comes in between."""
    looks = v.data["asked"]["looks"]
    return PAUSES[looks] if looks < len(PAUSES) else PAUSE_AT_LAST


def answered(v: Verification, verdict: str, by: str) -> Verification:
    """The job has ended. Only a person may end a verification that a machine finds unclear."""
    check = WAITING[v.state]
    if verdict == "passed":
        state = AFTER_PASSED[check]
    elif verdict == "unclear" and check != "manual_review":
        state = "NEEDS_MANUAL_REVIEW"
    else:
        state = "REJECTED"
    finding = {"check": check, "verdict": verdict, "by": by}
    return Verification(state, {"findings": [*v.findings, finding]})


def on_callback(v: Verification, tracking: str, verdict: str) -> Optional[Verification]:
    """The verification after a callback; None where it does not wait for that job."""
    if v.tracking != tracking:
        return None
    return answered(v, verdict, "callback")


def queue_policy() -> Dict[str, Any]:
    """The node refuses every move that is not in here."""
    moves: Dict[str, List[str]] = {state: [waits] for state, (_, waits) in ASKING.items()}
    for waits, check in WAITING.items():
        unclear = [] if check == "manual_review" else ["NEEDS_MANUAL_REVIEW"]
        moves[waits] = [AFTER_PASSED[check], *unclear, "REJECTED"]
    moves.update({state: [] for state in ENDS})
    return {
        "lease": {"ttl_seconds": 30},
        "retry": {"crashes_max": 20},
        "types": {TASK_TYPE: {"first_state": "SUBMITTED", "transitions": moves}},
    }
