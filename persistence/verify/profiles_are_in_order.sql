-- schema: The lists of a profile are in order of bytes, each term once.
SELECT p.contributor_id, l.list, l.terms
FROM holdfast.contributor_profiles p
CROSS JOIN LATERAL (VALUES ('channels', p.channels), ('skills', p.skills),
                           ('certifications', p.certifications)) AS l(list, terms)
WHERE l.terms <> ARRAY(SELECT DISTINCT t.term FROM unnest(l.terms) AS t(term) ORDER BY t.term)
