-- I-11: A judgment has a verdict when its unit is a test question, and only then.
SELECT j.judgment_id, j.unit_id, u.truth IS NOT NULL AS is_test_question, j.on_test_question,
       j.test_question_correct
FROM holdfast.judgments j
JOIN holdfast.units u USING (unit_id)
WHERE j.on_test_question <> (u.truth IS NOT NULL)
   OR j.on_test_question <> (j.test_question_correct IS NOT NULL)
