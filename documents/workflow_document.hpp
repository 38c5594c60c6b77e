#pragma once

#include "core/outcome.hpp"
#include "core/workflow.hpp"
#include "documents/limits.hpp"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string_view>
#include <vector>

namespace holdfast::documents {

/// Reads a workflow definition from JSON, as it is stored; one from a requester is read by
/// `parse_new_workflow`, which also says by which method a step goes that names none:
///
///     {"name": "…",
///      "starts": "when_launched",
///      "steps": [{"key": "label",
///                 "title": "…",
///                 "ui": "…",
///                 "priority": 5,
///                 "requirements": {"channels": ["web"], "skills": ["german"],
///                                  "certifications": [], "locations": ["DE"], "trust": 0.7},
///                 "judgments_per_unit": 3,
///                 "lease": {"ttl_seconds": 900, "total_max_seconds": 3600,
///                           "regrant_after_seconds": 60, "late_submit": "reject"},
///                 "aggregation": {"method": "incremental", "answer": "/label",
///                                 "labels": ["cat", "dog"]},
///                 "repair": "refill",
///                 "stopping": {"min": 2, "max": 5, "stop_at": 0.9},
///                 "test_questions": {"quiz": 5, "quiz_pass": 0.7, "every": 10,
///                                    "accuracy_min": 0.7, "certainty": 0.9},
///                 … or, for the last two, "sequential": {"good": 0.85, "bad": 0.6}
///                 "gather": {"by": "count", "size": 20},
///                 "judgment_schema": {…JSON Schema draft 7…},
///                 "next": ["review"]}]}
///
/// `stopping` takes the place of `judgments_per_unit`, which is its simplest form.
/// Only `name`, `steps` and each `key` are required; `total_max_seconds` is never less than
/// `ttl_seconds` unless it says so itself. Unknown members are errors with a suggestion.
/// Fails with `payload_invalid`; the detail lists every problem with its JSON pointer, one per
/// line. Each `judgment_schema` is compiled, so that a bad schema is found here and not at the
/// first judgment.
core::outcome<core::workflow_definition> parse_workflow(std::string_view json,
                                                        const json_limits& limits);

/// The same of JSON that has been parsed: the definition, or the problems, all of them.
std::optional<core::workflow_definition>
read_workflow(const nlohmann::json& document, std::vector<core::definition_problem>& problems);

} // namespace holdfast::documents
