-- A task is looked up by its id, through the key of its table and nothing else. Beside
-- (queue, task_id) that is not certain: when statistics say that next to no task is live, which is
-- how a healthy queue looks to autovacuum, both indexes seem to cost the same, and the planner may
-- read the whole of the second one for each task. A queue that starts needs its name alone.
DROP INDEX holdfast.tasks_by_queue;
CREATE INDEX tasks_by_queue ON holdfast.tasks (queue);
