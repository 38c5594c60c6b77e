-- schema: Every constraint and index of the schema is in force.
SELECT conrelid::regclass::text AS relation, conname AS name
FROM pg_constraint
WHERE connamespace = 'holdfast'::regnamespace AND NOT convalidated
UNION ALL
SELECT indrelid::regclass::text, indexrelid::regclass::text
FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
WHERE relnamespace = 'holdfast'::regnamespace AND NOT (indisvalid AND indisready)
UNION ALL
SELECT oid::regclass::text, 'has no primary key'
FROM pg_class
WHERE relnamespace = 'holdfast'::regnamespace AND relkind = 'r'
  AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conrelid = pg_class.oid AND contype = 'p')
