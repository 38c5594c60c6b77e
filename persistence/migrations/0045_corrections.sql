-- works with programs of migration 34
-- Corrections (docs/adr/0113): what somebody in charge has said about a unit or one of its
-- judgments, and other payloads that authors have handed in for their judgments. A program of an
-- earlier version knows none of it: while both run, such a program may let a tainted judgment count
-- again, or repair a unit whose result was overridden.
ALTER TABLE holdfast.units
  ADD COLUMN overridden boolean NOT NULL DEFAULT false; -- the result is what the requester has said

CREATE INDEX units_overridden ON holdfast.units (step_id) WHERE overridden;

ALTER TABLE holdfast.judgments
  ADD COLUMN taint_requested boolean NOT NULL DEFAULT false, -- nothing but a request lets it count
  ADD COLUMN corrected smallint NOT NULL DEFAULT 0, -- the number of the last correction
  ADD CONSTRAINT judgments_corrected_check CHECK (corrected >= 0);

CREATE TABLE holdfast.corrections (
  unit_id uuid NOT NULL,
  correction_id uuid NOT NULL, -- chosen by the caller
  step_id uuid NOT NULL,
  judgment_id uuid, -- of a judgment that is tainted or reinstated
  at timestamptz NOT NULL,
  number integer NOT NULL CHECK (number BETWEEN 1 AND 100), -- in order, for each unit
  wanted integer NOT NULL CHECK (wanted >= 0), -- judgments that were asked for by it
  kind smallint NOT NULL CHECK (kind BETWEEN 1 AND 4), -- reopened, overridden, tainted, reinstated
  took_back boolean NOT NULL, -- it took back a result
  made_result boolean NOT NULL, -- it made a result
  is_open boolean NOT NULL, -- the unit is worked on after it
  contributor_id text COLLATE "C", -- who gave the judgment
  asked_by text COLLATE "C" NOT NULL, -- the principal; empty: a node's own request
  reason text NOT NULL CHECK (octet_length(reason) BETWEEN 1 AND 512),
  answer text, -- of an override
  PRIMARY KEY (unit_id, number),
  CONSTRAINT corrections_id_key UNIQUE (unit_id, correction_id),
  CONSTRAINT corrections_judgment_check
    CHECK ((kind IN (3, 4)) = (judgment_id IS NOT NULL)
           AND (judgment_id IS NULL) = (contributor_id IS NULL)),
  CONSTRAINT corrections_answer_check CHECK ((kind = 2) = (answer IS NOT NULL))
);

-- The payloads of judgments that were corrected: number 0 is what was handed in at first, the last
-- number that was applied is what the judgment says now.
CREATE TABLE holdfast.judgment_corrections (
  judgment_id uuid NOT NULL,
  unit_id uuid NOT NULL,
  at timestamptz NOT NULL,
  number smallint NOT NULL CHECK (number BETWEEN 0 AND 20),
  applied boolean NOT NULL, -- else it is only kept: the judgment was used, or must stay as it is
  answer text NOT NULL,
  payload text NOT NULL,
  PRIMARY KEY (judgment_id, number)
);

CREATE INDEX judgment_corrections_by_unit ON holdfast.judgment_corrections (unit_id);

CREATE INDEX judgment_corrections_by_object
  ON holdfast.judgment_corrections (substr(payload, 29, 64))
  WHERE starts_with(payload, '{"$holdfast.object":"sha256:');

-- Reports ---------------------------------------------------------------------------------------

CREATE VIEW report.corrections AS
SELECT unit_id, number, correction_id, step_id AS workflow_step_id,
       (ARRAY['reopened', 'overridden', 'tainted', 'reinstated'])[kind] AS what, judgment_id,
       contributor_id, answer, nullif(asked_by, '') AS asked_by, reason, at,
       wanted AS judgments_wanted, took_back, made_result
FROM holdfast.corrections;

CREATE VIEW report.judgment_corrections AS
SELECT judgment_id, unit_id, number, applied, answer, payload, at
FROM holdfast.judgment_corrections;
