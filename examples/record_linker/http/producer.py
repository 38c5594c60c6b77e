"""Has a project matched: `API_URL=… API_TOKEN=… LINKS=links.sqlite python producer.py PROJECT`. To run it again
makes nothing twice."""

from __future__ import annotations

import os
import sys

from links import Links
from matching import QUEUE, queue_policy, request_for

from holdfast import Holdfast

REQUESTS_PER_SECOND = 5.0


def match_project(client: Holdfast, links: Links, project: int) -> int:
    """Makes a task for each queued link; returns their number."""
    queued = links.queue_project(project)
    outcomes = client.enqueue_many(QUEUE, [request_for(one) for one in queued])
    refused = [one for one in outcomes if one.get("code")]
    if refused:
        raise RuntimeError(f"{len(refused)} tasks were not made: {refused[0]}")
    return len(outcomes)


if __name__ == "__main__":
    rate = float(os.environ.get("REQUESTS_PER_SECOND", REQUESTS_PER_SECOND))
    with Holdfast(os.environ["API_URL"], token=os.environ["API_TOKEN"]) as client:
        client.put_queue(QUEUE, queue_policy(rate))
        print(match_project(client, Links(os.environ["LINKS"]), int(sys.argv[1])))
