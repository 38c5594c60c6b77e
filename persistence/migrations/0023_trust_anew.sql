-- Forgiving changes how much judgments of open units are trusted, one unit after the other: a step
-- that starts looks again at the judgments of those who answered such a question.

ALTER TABLE holdfast.units
  -- of a test question: when it was last forgiven or counted again
  ADD COLUMN forgiving_changed_at timestamptz,
  ADD CONSTRAINT units_forgiving_changed_check
    CHECK (forgiving_changed_at IS NULL OR truth IS NOT NULL);

-- Trust stays as it was stored where a question was forgiven before: nothing is known of the order.
