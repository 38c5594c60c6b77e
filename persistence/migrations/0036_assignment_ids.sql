-- works with programs of migration 34
-- An assignment id names one lease for ever (I-3, docs/adr/0084). Contributors choose it, so another
-- lease may have it: that is found by key when a lease is granted, among live leases and in the
-- histories. Live leases that share an id keep working under other ids: nothing but the repetition
-- of a request for an assignment goes by it. Histories that share one stay as they are:
-- `holdfast verify` names the leases, and `holdfast verify --repair` gives all but the first another
-- id.

-- Nodes that grant meanwhile wait for the index: a lease under an id that is taken would otherwise
-- come between the update and the index, which then could not be made.
LOCK TABLE holdfast.active_leases IN SHARE ROW EXCLUSIVE MODE;

UPDATE holdfast.active_leases l SET assignment_id = gen_random_uuid()
  FROM (SELECT unit_id, contributor_id,
               row_number() OVER (PARTITION BY assignment_id
                                  ORDER BY granted_at, unit_id, contributor_id) AS nth
          FROM holdfast.active_leases) d
 WHERE d.unit_id = l.unit_id AND d.contributor_id = l.contributor_id AND d.nth > 1;

CREATE UNIQUE INDEX active_leases_by_assignment ON holdfast.active_leases (assignment_id);
CREATE INDEX ended_leases_by_assignment ON holdfast.ended_leases (assignment_id);
CREATE INDEX judgments_by_assignment ON holdfast.judgments (assignment_id);
