-- Webhooks: who wants events posted, how far that is on each shard, and what could not be delivered
-- (docs/adr/0021). What they are signed with is not here: it stays in files of the nodes.

CREATE TABLE holdfast.webhooks (
  webhook_id uuid PRIMARY KEY,
  created_at timestamptz NOT NULL,
  changed_at timestamptz NOT NULL,
  revision bigint NOT NULL CHECK (revision > 0),
  paused boolean NOT NULL,
  name text COLLATE "C" NOT NULL UNIQUE CHECK (name ~ '^[a-z0-9][a-z0-9_.-]{0,63}$'),
  definition text NOT NULL
);

-- One row for each shard, made with the webhook. The shard's host alone writes it from then on.
CREATE TABLE holdfast.webhook_positions (
  webhook_id uuid NOT NULL REFERENCES holdfast.webhooks ON DELETE CASCADE,
  shard integer NOT NULL,
  seq bigint NOT NULL CHECK (seq >= 0), -- up to here all is delivered, a dead letter, or not wanted
  changed_at timestamptz NOT NULL,
  stopped_revision bigint NOT NULL DEFAULT 0 CHECK (stopped_revision >= 0), -- of the webhook; 0: no
  reason text, -- why it stopped
  PRIMARY KEY (webhook_id, shard),
  CHECK ((stopped_revision = 0) = (reason IS NULL))
) WITH (fillfactor = 50);

CREATE TABLE holdfast.dead_letters (
  webhook_id uuid NOT NULL,
  shard integer NOT NULL,
  seq bigint NOT NULL CHECK (seq > 0),
  died_at timestamptz NOT NULL,
  status integer NOT NULL CHECK (status BETWEEN 0 AND 999), -- of HTTP; 0: there was no answer
  replayed boolean NOT NULL DEFAULT false, -- somebody wants it to be delivered once more
  event text NOT NULL,
  reason text NOT NULL,
  PRIMARY KEY (webhook_id, shard, seq),
  FOREIGN KEY (webhook_id, shard) REFERENCES holdfast.webhook_positions ON DELETE CASCADE
);

-- Reports ---------------------------------------------------------------------------------------

CREATE VIEW report.webhooks AS
SELECT w.name, w.definition::jsonb ->> 'url' AS url, p.shard,
       CASE WHEN w.paused THEN 'Paused' WHEN p.stopped_revision = w.revision THEN 'Failing'
            ELSE 'Active' END AS state,
       p.seq AS position, s.event_seq - p.seq AS behind,
       (SELECT count(*) FROM holdfast.dead_letters d
         WHERE d.webhook_id = p.webhook_id AND d.shard = p.shard) AS dead_letters,
       CASE WHEN p.stopped_revision = w.revision THEN p.reason END AS reason,
       w.revision, w.created_at, greatest(w.changed_at, p.changed_at) AS changed_at
FROM holdfast.webhooks w
JOIN holdfast.webhook_positions p USING (webhook_id)
JOIN holdfast.shard_leases s ON s.shard = p.shard;

CREATE VIEW report.dead_letters AS
SELECT w.name AS webhook, d.shard, d.seq, d.event::jsonb AS event, d.status, d.reason, d.died_at,
       d.replayed
FROM holdfast.dead_letters d
JOIN holdfast.webhooks w USING (webhook_id);
