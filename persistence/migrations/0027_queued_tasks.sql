-- works with programs of migration 25
-- Tasks as a queue of bulk actions knows them: who asked for what, which process has it and since
-- when, and how it ended. Derived from what is stored anyway: nothing is written for it.

-- For operators: with the workers' bookmark and all that is known of an error.
--
-- A worker that holds a lease and has not been heard of under it has the task in hand, as far as
-- anybody knows: SCHEDULING. One that has stored something or asked for more time is at work:
-- EXECUTING. So is a task that an operator has paused, resumed or retried under its lease: that is
-- the one other reason for which a leased row changes. ERROR says that Holdfast could not have it
-- done, because its queue refused it, or its workers or its documents were lost; FAILURE that the
-- work itself went wrong, for good or too often.
CREATE VIEW holdfast.queued_tasks AS
SELECT t.task_id AS id, t.created_at AS created_date, t.owner_id AS created_by,
       m.modified_at AS modified_date,
       -- Before a worker has had it, only its owner and operators change it.
       CASE WHEN l.task_id IS NOT NULL
              OR EXISTS (SELECT FROM holdfast.task_attempts a WHERE a.task_id = t.task_id)
            THEN m.run_as_id ELSE t.owner_id END AS modified_by,
       t.owner_id, m.run_as_id, t.type AS execution_component_name, t.body::jsonb AS execution_spec,
       t.execution_state::jsonb AS execution_state,
       CASE WHEN l.task_id IS NULL THEN 'QUEUED' WHEN m.at_work THEN 'EXECUTING'
            ELSE 'SCHEDULING' END AS workflow_status,
       NULL::text AS workflow_status_desc, l.granted_at AS scheduling_started_date,
       l.worker AS scheduled_by_process,
       CASE WHEN m.at_work THEN l.granted_at END AS execution_started_date,
       NULL::timestamptz AS workflow_stopped_date, t.queue
FROM holdfast.tasks t
LEFT JOIN holdfast.task_leases l USING (task_id)
LEFT JOIN holdfast.queues q ON q.queue = t.queue
CROSS JOIN LATERAL (
  SELECT greatest(t.last_action, l.granted_at) AS modified_at,
         coalesce(nullif(t.run_as_id, ''), t.owner_id) AS run_as_id,
         -- Times in a policy need not be whole microseconds.
         t.last_action > l.granted_at
         OR l.expires_at > l.granted_at + interval '1 ms' + make_interval(secs => coalesce(
              (q.definition::jsonb #>> '{lease,ttl_seconds}')::double precision, 60)) AS at_work
) AS m
UNION ALL
SELECT task_id, created_at, owner_id, finished_at,
       CASE WHEN token IS NULL THEN owner_id ELSE coalesce(nullif(run_as_id, ''), owner_id) END,
       owner_id, coalesce(nullif(run_as_id, ''), owner_id), type, body::jsonb,
       execution_state::jsonb,
       CASE WHEN ending = 1 THEN 'COMPLETED'
            WHEN ending = 3 THEN 'CANCELED'
            WHEN error_code IN ('WORKER_LOST', 'PAYLOAD_MISSING', 'PAYLOAD_DAMAGED') THEN 'ERROR'
            ELSE 'FAILURE' END,
       nullif(concat_ws(': ', nullif(error_code, ''), nullif(error_detail, '')), ''), granted_at,
       worker, granted_at, finished_at, queue
FROM holdfast.finished_tasks
UNION ALL
-- Staged by SQL: its queue takes it in within moments, or refuses it. The same id may be staged
-- again after a refusal, or come by message.
SELECT i.task_id, i.staged_at, i.owner_id, coalesce(i.refused_at, i.staged_at), i.owner_id,
       i.owner_id, coalesce(nullif(i.run_as_id, ''), i.owner_id), i.type, i.body::jsonb, '{}',
       CASE WHEN i.refused_at IS NULL THEN 'QUEUED' ELSE 'ERROR' END,
       nullif(concat_ws(': ', nullif(i.refusal, ''), nullif(i.refusal_detail, '')), ''), NULL,
       NULL, NULL, i.refused_at, i.queue
FROM holdfast.task_intake i
WHERE NOT EXISTS (SELECT FROM holdfast.task_intake later
                   WHERE later.task_id = i.task_id AND later.intake_id > i.intake_id)
  AND NOT EXISTS (SELECT FROM holdfast.tasks t WHERE t.task_id = i.task_id)
  AND NOT EXISTS (SELECT FROM holdfast.finished_tasks f WHERE f.task_id = i.task_id);

-- For everybody else: neither the bookmark nor the description of an error.
CREATE VIEW report.queued_tasks AS
SELECT id, created_date, created_by, modified_date, modified_by, owner_id, run_as_id,
       execution_component_name, execution_spec, workflow_status, scheduling_started_date,
       scheduled_by_process, execution_started_date, workflow_stopped_date, queue
FROM holdfast.queued_tasks;
