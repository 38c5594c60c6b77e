-- I-14: A bulk action counts each refusal under its reason, tells a problem when it has failed and
-- at no other time, and has a bookmark once it has counted a task.
SELECT queue, action_id, status, refused, refusals, problem
FROM holdfast.queue_actions a
WHERE refused <> (SELECT coalesce(sum(split_part(one, ' ', 2)::bigint), 0)
                    FROM unnest(string_to_array(a.refusals, ',')) AS one)
   OR (status = 4) <> (problem <> '')
   OR (changed + unchanged + refused > 0
       AND bookmark = '00000000-0000-0000-0000-000000000000')
