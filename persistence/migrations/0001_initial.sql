-- The tables of Holdfast and the views to read them by.
--
-- Schema `holdfast` is what the nodes write: lean, because every index and every foreign key on a
-- hot table is paid for at each claim. Where a foreign key is left out, the statement that inserts
-- joins the row it depends on and counts, and `holdfast verify` checks the whole again. Payloads
-- are `text`, because parsing them into jsonb doubles the cost of a row and nothing here looks
-- inside. Ids are UUID v7, so that rows made together lie together.
--
-- Schema `report` shows the same with the names, statuses and counters that people and reports
-- expect; payloads are jsonb there.

CREATE SCHEMA IF NOT EXISTS report;

-- Cluster ---------------------------------------------------------------------------------------

-- One row, written by the first node: the number of shards never changes afterwards.
CREATE TABLE holdfast.cluster (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  shards integer NOT NULL CHECK (shards > 0)
);

-- One row per start of a node process.
CREATE TABLE holdfast.nodes (
  incarnation uuid PRIMARY KEY,
  name text COLLATE "C" NOT NULL CHECK (name <> ''),
  address text NOT NULL,
  started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  expires_at timestamptz NOT NULL, -- of every shard lease that the node holds
  left_at timestamptz              -- set by a planned stop
) WITH (fillfactor = 50);

-- Who may write a shard, and how far its sequences have come. Every batch updates its row (compare
-- and swap on epoch and batch_seq), which fences, makes a replay harmless and tells after a lost
-- connection whether the batch had committed. The lease ends with its host's row in `nodes`: so a
-- renewal never waits for a batch, nor a batch for a renewal. Nearly empty pages keep the updates
-- on the page (HOT).
CREATE TABLE holdfast.shard_leases (
  shard integer PRIMARY KEY CHECK (shard >= 0),
  epoch bigint NOT NULL DEFAULT 0 CHECK (epoch >= 0),
  batch_seq bigint NOT NULL DEFAULT 0 CHECK (batch_seq >= 0),
  event_seq bigint NOT NULL DEFAULT 0 CHECK (event_seq >= 0),
  host uuid REFERENCES holdfast.nodes,
  taken_at timestamptz,
  CHECK (host IS NULL OR epoch > 0)
) WITH (fillfactor = 20);

-- Work ------------------------------------------------------------------------------------------

CREATE TABLE holdfast.workflows (
  workflow_id uuid PRIMARY KEY,
  created_at timestamptz NOT NULL,
  name text NOT NULL,
  definition text NOT NULL
);

CREATE TABLE holdfast.steps (
  step_id uuid PRIMARY KEY,
  workflow_id uuid NOT NULL REFERENCES holdfast.workflows,
  created_at timestamptz NOT NULL,
  total_units bigint NOT NULL CHECK (total_units >= 0),
  completed_units bigint NOT NULL CHECK (completed_units >= 0),
  revision bigint NOT NULL CHECK (revision > 0),
  position integer NOT NULL CHECK (position >= 0),
  status smallint NOT NULL CHECK (status BETWEEN 1 AND 4), -- open, paused, completed, canceled
  sealed boolean NOT NULL,
  key text COLLATE "C" NOT NULL CHECK (key <> ''),
  UNIQUE (workflow_id, key),
  UNIQUE (workflow_id, position),
  CHECK (completed_units <= total_units),
  -- A step is complete only when no more units are expected and every one has ended.
  CHECK (status <> 3 OR (sealed AND completed_units = total_units))
) WITH (fillfactor = 50);

CREATE INDEX steps_in_order ON holdfast.steps (created_at, step_id);

-- Written when a unit is made and when it ends, never when it is claimed: its counters are counted.
CREATE TABLE holdfast.units (
  unit_id uuid PRIMARY KEY,
  step_id uuid NOT NULL,
  root_id uuid NOT NULL,
  parent_id uuid REFERENCES holdfast.units,
  ordinal bigint NOT NULL CHECK (ordinal > 0),
  created_at timestamptz NOT NULL,
  changed_at timestamptz, -- of the last change of state
  confidence double precision CHECK (confidence >= 0 AND confidence <= 1),
  slots integer NOT NULL CHECK (slots > 0),
  -- judgable, paused, finalized, canceled
  state smallint NOT NULL DEFAULT 1 CHECK (state BETWEEN 1 AND 4),
  source_key text COLLATE "C" NOT NULL,
  input text NOT NULL,
  result text,
  CHECK ((state = 3) = (result IS NOT NULL)),
  CHECK ((result IS NULL) = (confidence IS NULL)),
  CHECK ((parent_id IS NULL) = (root_id = unit_id))
) WITH (fillfactor = 85);

CREATE UNIQUE INDEX units_by_source_key ON holdfast.units (step_id, source_key);
CREATE UNIQUE INDEX units_by_ordinal ON holdfast.units (step_id, ordinal);
-- What a step reads when it starts: nothing of what has ended.
CREATE INDEX units_open ON holdfast.units (step_id, ordinal) WHERE state < 3;
-- A parent has at most one child in each step, however often its event is delivered (I-5).
CREATE UNIQUE INDEX units_by_parent ON holdfast.units (parent_id, step_id)
  WHERE parent_id IS NOT NULL;

-- A live lease: inserted when granted, deleted when it ends. The key is invariant I-2.
CREATE TABLE holdfast.active_leases (
  unit_id uuid NOT NULL,
  contributor_id text COLLATE "C" NOT NULL CHECK (octet_length(contributor_id) BETWEEN 1 AND 128),
  token bigint NOT NULL CHECK (token > 0),
  assignment_id uuid NOT NULL,
  granted_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (unit_id, contributor_id),
  CHECK (expires_at > granted_at)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05,
        autovacuum_vacuum_threshold = 10000);

-- A lease that ended without a judgment. Append-only.
CREATE TABLE holdfast.ended_leases (
  unit_id uuid NOT NULL,
  contributor_id text COLLATE "C" NOT NULL,
  token bigint NOT NULL CHECK (token > 0),
  assignment_id uuid NOT NULL,
  granted_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  ended_at timestamptz NOT NULL,
  -- expired, released, declined, ejected, canceled
  ending smallint NOT NULL CHECK (ending BETWEEN 1 AND 5),
  PRIMARY KEY (unit_id, token)
);

-- An answer, with what remains of the lease it was given under. The key: one per contributor.
CREATE TABLE holdfast.judgments (
  judgment_id uuid NOT NULL UNIQUE,
  unit_id uuid NOT NULL,
  assignment_id uuid NOT NULL,
  token bigint NOT NULL CHECK (token > 0),
  started_at timestamptz NOT NULL, -- when the lease was granted
  lease_expires_at timestamptz NOT NULL,
  submitted_at timestamptz NOT NULL,
  trust_snapshot double precision NOT NULL CHECK (trust_snapshot >= 0 AND trust_snapshot <= 1),
  is_tainted boolean NOT NULL DEFAULT false,
  on_test_question boolean NOT NULL DEFAULT false,
  test_question_correct boolean,
  contributor_id text COLLATE "C" NOT NULL,
  answer text NOT NULL,
  payload text NOT NULL,
  PRIMARY KEY (unit_id, contributor_id),
  CHECK (on_test_question = (test_question_correct IS NOT NULL))
);

-- Events ----------------------------------------------------------------------------------------

-- The events of one batch and shard: a JSON array, numbered from first_seq without gaps. Rows of
-- hundreds of events are kept out of line uncompressed, because compressing them costs more than
-- the rest of the insert.
CREATE TABLE holdfast.outbox (
  shard integer NOT NULL,
  first_seq bigint NOT NULL CHECK (first_seq > 0),
  epoch bigint NOT NULL,
  batch_seq bigint NOT NULL,
  committed_at timestamptz NOT NULL DEFAULT now(),
  count integer NOT NULL CHECK (count > 0),
  events text NOT NULL,
  PRIMARY KEY (shard, first_seq)
);
ALTER TABLE holdfast.outbox ALTER COLUMN events SET STORAGE EXTERNAL;

-- What a consumer has applied. The key is invariant I-8.
CREATE TABLE holdfast.inbox (
  consumer text COLLATE "C" NOT NULL,
  shard integer NOT NULL,
  seq bigint NOT NULL CHECK (seq > 0),
  processed_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (consumer, shard, seq)
);

-- Up to where a consumer needs no event of a shard again.
CREATE TABLE holdfast.consumer_cursors (
  consumer text COLLATE "C" NOT NULL,
  shard integer NOT NULL,
  seq bigint NOT NULL CHECK (seq >= 0),
  PRIMARY KEY (consumer, shard)
) WITH (fillfactor = 50);

-- Reports ---------------------------------------------------------------------------------------

CREATE VIEW report.nodes AS
SELECT incarnation AS node_incarnation, name, address, started_at, expires_at, left_at,
       left_at IS NULL AND expires_at > clock_timestamp() AS live
FROM holdfast.nodes;

CREATE VIEW report.shards AS
SELECT s.shard AS shard_id, n.name AS host, s.host AS host_incarnation, s.epoch, s.batch_seq,
       s.event_seq, n.expires_at, s.taken_at
FROM holdfast.shard_leases s LEFT JOIN holdfast.nodes n ON n.incarnation = s.host;

CREATE VIEW report.workflows AS
SELECT workflow_id, name, created_at, definition::jsonb AS definition FROM holdfast.workflows;

CREATE VIEW report.job_steps AS
SELECT step_id AS workflow_step_id, workflow_id, key, position,
       (ARRAY['Open', 'Paused', 'Completed', 'Canceled'])[status] AS status, sealed, total_units,
       completed_units, revision, created_at
FROM holdfast.steps;

CREATE VIEW report.units AS
SELECT u.unit_id, u.root_id AS root_data_id, u.parent_id AS parent_unit_id,
       u.step_id AS workflow_step_id, u.input::jsonb AS input_data,
       (ARRAY['Judgable', 'Paused', 'Finalized', 'Canceled'])[u.state] AS state,
       j.judgment_count, u.slots AS judgments_per_unit, l.assignment_count,
       (j.untainted_count + l.assignment_count)::integer AS slots_taken,
       u.result::jsonb AS aggregated_result, u.confidence::numeric AS confidence_score,
       u.created_at, u.changed_at, u.source_key, u.ordinal
FROM holdfast.units u
CROSS JOIN LATERAL (SELECT count(*)::integer AS judgment_count,
                           (count(*) FILTER (WHERE NOT is_tainted))::integer AS untainted_count
                    FROM holdfast.judgments WHERE unit_id = u.unit_id) j
CROSS JOIN LATERAL (SELECT count(*)::integer AS assignment_count
                    FROM holdfast.active_leases WHERE unit_id = u.unit_id) l;

CREATE VIEW report.judgments AS
SELECT judgment_id, unit_id, contributor_id, payload::jsonb AS data, answer,
       trust_snapshot::numeric AS worker_trust_snapshot, started_at, submitted_at, is_tainted,
       on_test_question, test_question_correct, assignment_id
FROM holdfast.judgments;

CREATE VIEW report.assignments AS
SELECT assignment_id, unit_id, contributor_id, granted_at AS created_at, expires_at,
       'Active' AS status, NULL::timestamptz AS ended_at, token
FROM holdfast.active_leases
UNION ALL
SELECT assignment_id, unit_id, contributor_id, started_at, lease_expires_at, 'Submitted',
       submitted_at, token
FROM holdfast.judgments
UNION ALL
SELECT assignment_id, unit_id, contributor_id, granted_at, expires_at,
       (ARRAY['Expired', 'Released', 'Declined', 'Ejected', 'Canceled'])[ending], ended_at, token
FROM holdfast.ended_leases;

-- An event is published when every consumer that keeps a cursor on its shard has moved past it.
CREATE VIEW report.outbox AS
SELECT o.shard || '-' || o.first_seq + e.place - 1 AS outbox_id, o.shard AS shard_id,
       o.first_seq + e.place - 1 AS seq, e.payload ->> 'type' AS event_type, e.payload,
       CASE WHEN o.first_seq + e.place - 1
                 <= (SELECT min(c.seq) FROM holdfast.consumer_cursors c WHERE c.shard = o.shard)
            THEN 'Published' ELSE 'Unpublished' END AS status,
       o.committed_at AS created_at
FROM holdfast.outbox o
CROSS JOIN LATERAL jsonb_array_elements(o.events::jsonb) WITH ORDINALITY AS e(payload, place);

CREATE VIEW report.inbox AS
SELECT shard || '-' || seq AS message_id, consumer, processed_at FROM holdfast.inbox;
