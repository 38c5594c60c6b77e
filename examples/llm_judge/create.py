"""Makes the queue and the workflow, and prints the id of the workflow:
`API_URL=… API_TOKEN=… LABELS=spam,ham INSTRUCTIONS=… python create.py`."""

from __future__ import annotations

import os

from judging import QUEUE, queue_policy, workflow

from holdfast import Holdfast

if __name__ == "__main__":
    client = Holdfast(os.environ["API_URL"], token=os.environ["API_TOKEN"])
    labels = [label.strip() for label in os.environ["LABELS"].split(",")]
    client.put_queue(QUEUE, queue_policy())
    made = client.create_workflow(workflow(labels, os.environ["INSTRUCTIONS"], "judged by a model"))
    print(made["workflow_id"])
