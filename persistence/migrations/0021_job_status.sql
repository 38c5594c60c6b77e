-- Jobs: what the lifecycle system outside says of the job that a workflow is to it.

ALTER TABLE holdfast.steps
  -- That `job_status` is of; 0: nobody has told of the job yet.
  ADD COLUMN job_revision bigint NOT NULL DEFAULT 0 CHECK (job_revision >= 0),
  -- launched, paused, finished, canceled
  ADD COLUMN job_status smallint NOT NULL DEFAULT 1 CHECK (job_status BETWEEN 1 AND 4);

-- Reports ---------------------------------------------------------------------------------------

CREATE OR REPLACE VIEW report.job_steps AS
SELECT step_id AS workflow_step_id, workflow_id, key, position,
       (ARRAY['Open', 'Paused', 'Completed', 'Canceled'])[status] AS status, sealed, total_units,
       completed_units, revision, created_at, job_revision,
       (ARRAY['launched', 'paused', 'finished', 'canceled'])[job_status] AS job_status
FROM holdfast.steps;
