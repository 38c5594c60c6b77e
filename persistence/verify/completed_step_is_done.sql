-- I-6: A completed step is sealed and all its units are finished; it completed when they were.
SELECT step_id, status, sealed, total_units, completed_units
FROM holdfast.steps
WHERE completed_units > total_units
   OR (status = 3 AND NOT (sealed AND completed_units = total_units))
   OR (status = 1 AND sealed AND completed_units = total_units)
