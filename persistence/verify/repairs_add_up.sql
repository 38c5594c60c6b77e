-- I-14: A repair says one thing of each unit that it has found, counts no unit that it has not
-- reached, and disregards no fewer judgments than there are units without them.
SELECT repair_id, through, bookmark, found, unchanged, changed, reopened, went_on, disregarded
FROM holdfast.repairs
WHERE found <> unchanged + changed + reopened + went_on
   OR found > bookmark OR bookmark > through
   OR disregarded < found - went_on
