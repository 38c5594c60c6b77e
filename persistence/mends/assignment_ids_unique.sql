-- Of the leases that share an assignment id all but the first get another id. Nobody needs the old
-- one: a lease that is over is never asked for by it again, and a live one is only found by it when
-- its contributor repeats the request.
CREATE TEMPORARY TABLE doubled ON COMMIT DROP AS
SELECT kind, unit_id, contributor_id, token, assignment_id
  FROM (SELECT kind, unit_id, contributor_id, token, assignment_id,
               row_number() OVER (PARTITION BY assignment_id
                                  ORDER BY granted_at, token, unit_id, contributor_id) AS nth
          FROM (SELECT 1 AS kind, unit_id, contributor_id, token, assignment_id, granted_at
                  FROM holdfast.active_leases
                UNION ALL
                SELECT 2, unit_id, contributor_id, token, assignment_id, granted_at
                  FROM holdfast.ended_leases
                UNION ALL
                SELECT 3, unit_id, contributor_id, token, assignment_id, started_at
                  FROM holdfast.judgments) leases) numbered
 WHERE nth > 1;
UPDATE holdfast.active_leases l SET assignment_id = gen_random_uuid()
  FROM doubled d
 WHERE d.kind = 1 AND l.unit_id = d.unit_id AND l.contributor_id = d.contributor_id
   AND l.assignment_id = d.assignment_id;
UPDATE holdfast.ended_leases l SET assignment_id = gen_random_uuid()
  FROM doubled d
 WHERE d.kind = 2 AND l.unit_id = d.unit_id AND l.token = d.token
   AND l.assignment_id = d.assignment_id;
UPDATE holdfast.judgments l SET assignment_id = gen_random_uuid()
  FROM doubled d
 WHERE d.kind = 3 AND l.unit_id = d.unit_id AND l.contributor_id = d.contributor_id
   AND l.assignment_id = d.assignment_id;
SELECT count(*) FROM doubled
