-- works with programs of migration 25
-- What has ended in the last minute is found by its time, so that a request for an assignment that
-- comes very late is known when the step has another host by then. An index that knows blocks, not
-- rows, costs the making of judgments next to nothing.

CREATE INDEX judgments_by_time ON holdfast.judgments
  USING brin (submitted_at) WITH (autosummarize = on);
CREATE INDEX ended_leases_by_time ON holdfast.ended_leases
  USING brin (ended_at) WITH (autosummarize = on);
