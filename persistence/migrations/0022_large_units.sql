-- Inputs of units and payloads of judgments that are too large for a row are objects of the object
-- store, and the row refers to them (docs/adr/0032).

-- What a sweep of the object store asks for: the digests in references. Costs other rows nothing,
-- because they are not in it. The expressions are those of the sweep's statement.
CREATE INDEX units_by_object ON holdfast.units (substr(input, 29, 64))
  WHERE starts_with(input, '{"$holdfast.object":"sha256:');

CREATE INDEX judgments_by_object ON holdfast.judgments (substr(payload, 29, 64))
  WHERE starts_with(payload, '{"$holdfast.object":"sha256:');

CREATE INDEX surplus_judgments_by_object ON holdfast.surplus_judgments (substr(payload, 29, 64))
  WHERE starts_with(payload, '{"$holdfast.object":"sha256:');
