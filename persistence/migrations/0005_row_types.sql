-- The rows of the busiest statements, as they travel: one array of rows costs the server half of
-- what an array for each column costs. A type is never changed, because nodes of two versions may
-- share a database; a statement that needs another one gets a type of a new name.

CREATE TYPE holdfast.task_row AS (
  task_id uuid,
  queue text,
  type text,
  version text,
  body text,
  trace_id text,
  span_id text,
  priority smallint,
  key text,
  credential text,
  unique_key text,
  max_attempts integer,
  owner_id text,
  run_as_id text,
  created_at timestamptz,
  state text,
  data text,
  execution_state text,
  percent integer,
  attempts integer,
  crashes integer,
  next_action timestamptz,
  last_change timestamptz,
  last_action timestamptz,
  paused boolean
);

CREATE TYPE holdfast.task_lease_row AS (
  task_id uuid,
  token bigint,
  claim_id uuid,
  worker text,
  granted_at timestamptz,
  expires_at timestamptz
);

CREATE TYPE holdfast.task_end_row AS (
  task_id uuid,
  token bigint,
  ending smallint,
  result text,
  error_code text,
  error_detail text,
  finished_at timestamptz,
  state text,
  data text,
  execution_state text,
  percent integer,
  attempts integer,
  crashes integer,
  next_action timestamptz,
  last_change timestamptz,
  last_action timestamptz,
  paused boolean
);

CREATE TYPE holdfast.lease_row AS (
  unit_id uuid,
  contributor_id text,
  token bigint,
  assignment_id uuid,
  granted_at timestamptz,
  expires_at timestamptz
);

CREATE TYPE holdfast.judgment_row AS (
  judgment_id uuid,
  unit_id uuid,
  contributor_id text,
  token bigint,
  payload text,
  answer text,
  trust_snapshot double precision,
  submitted_at timestamptz
);
