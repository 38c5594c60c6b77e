-- I-1: An answer that was kept as surplus came after its lease, which is recorded as expired, and
-- is no judgment as well (5 s allow for the clocks of two hosts, and a step back of the database's
-- clock that the outbox has on record explains one that came before the end of its lease).
SELECT s.judgment_id, s.unit_id, s.contributor_id, s.token, s.submitted_at, e.expires_at
FROM holdfast.surplus_judgments s
LEFT JOIN holdfast.ended_leases e
  ON e.unit_id = s.unit_id AND e.token = s.token AND e.contributor_id = s.contributor_id
     AND e.ending = 1
WHERE e.unit_id IS NULL
   OR (s.submitted_at < e.expires_at - interval '5 s'
       AND NOT EXISTS (SELECT FROM pg_temp.stepped_back back
                        WHERE back.since <= e.expires_at AND back.until >= s.submitted_at))
   OR EXISTS (SELECT FROM holdfast.judgments j
               WHERE j.unit_id = s.unit_id AND j.judgment_id = s.judgment_id)
