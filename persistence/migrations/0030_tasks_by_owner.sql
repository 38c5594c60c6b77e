-- works with programs of migration 25
-- Who asked for tasks looks through their own. Tasks of nobody in particular, which is most of those
-- that come in thousands, cost nothing.
CREATE INDEX tasks_by_owner ON holdfast.tasks (owner_id, task_id) WHERE owner_id <> '';
CREATE INDEX finished_tasks_by_owner ON holdfast.finished_tasks (owner_id, task_id)
  WHERE owner_id <> '';
