-- works with programs of migration 34
-- Late results are found by their task, for its attempts (`get_task_attempts`) and when it is
-- forgotten: each page of attempts, and each deletion of old tasks, read the whole table.

CREATE INDEX late_results_by_task ON holdfast.late_results (task_id, late_result_id);
