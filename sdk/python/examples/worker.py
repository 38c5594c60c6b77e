import os

from holdfast import Holdfast, Worker

client = Holdfast(os.environ["API_URL"], token=os.environ["API_TOKEN"])
worker = Worker(client, queue="mail")


@worker.handler("send")
def send(task):
    print(f"to {task.body['to']}: {task.body['text']}")
    return {"sent": True}


worker.run(concurrency=8)
