-- I-14: A repair says one thing of each unit that it has found, counts no unit that it has not
-- reached, disregards no fewer judgments than there are units without them, and reissues only what
-- it takes back.
SELECT repair_id, through, bookmark, found, unchanged, changed, reopened, went_on, disregarded,
       reissued
FROM holdfast.repairs
WHERE found <> unchanged + changed + reopened + went_on
   OR found > bookmark OR bookmark > through
   OR disregarded < found - went_on
   OR reissued > changed + reopened
