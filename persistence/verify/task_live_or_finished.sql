-- I-13: A task is there once: live or finished.
SELECT task_id, count(*) FILTER (WHERE live) AS live, count(*) FILTER (WHERE NOT live) AS finished
FROM (SELECT task_id, true AS live FROM holdfast.tasks
      UNION ALL SELECT task_id, false FROM holdfast.finished_tasks) tasks
GROUP BY task_id
HAVING count(*) > 1
