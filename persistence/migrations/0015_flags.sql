-- Flags: what monitors have found worth a look.

-- One of each monitor for a contributor in a step; it stays as it was when it was raised.
CREATE TABLE holdfast.contributor_flags (
  step_id uuid NOT NULL,
  raised_at timestamptz NOT NULL,
  monitor smallint NOT NULL CHECK (monitor BETWEEN 1 AND 4), -- agreement, copying, patterns, speed
  contributor_id text COLLATE "C" NOT NULL CHECK (octet_length(contributor_id) BETWEEN 1 AND 128),
  why text NOT NULL CHECK (octet_length(why) BETWEEN 1 AND 512),
  PRIMARY KEY (step_id, contributor_id, monitor)
);

-- Reports ---------------------------------------------------------------------------------------

CREATE VIEW report.contributor_flags AS
SELECT step_id AS workflow_step_id, contributor_id,
       (ARRAY['agreement', 'copying', 'patterns', 'speed'])[monitor] AS monitor, why, raised_at
FROM holdfast.contributor_flags;
