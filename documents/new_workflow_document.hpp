#pragma once

#include "core/outcome.hpp"
#include "core/workflow_versions.hpp"
#include "documents/limits.hpp"

#include <string>
#include <vector>

namespace holdfast::documents {

/// What a requester sent, and what is to be stored of it.
struct new_workflow_document {
  core::workflow_definition definition;
  std::string text;
};

/// Reads a definition that a requester sends, as `parse_workflow` does, and refuses what stored
/// ones may have that were taken by earlier versions of Holdfast: two labels of a step that spell
/// one number. Where a step leaves its method to us and that is not the majority
/// (`core::default_method`), `text` names it: a stored definition says what holds, whatever later
/// versions of Holdfast take for the default. All else in `text` is as it was sent.
///
/// A step that `earlier` versions have keeps the majority if that is what it goes by, and its
/// labels.
core::outcome<new_workflow_document>
parse_new_workflow(std::string text, const json_limits& limits,
                   const core::versioned_workflow& earlier = {});

/// What `parse_new_workflow` refuses in a definition that `parse_workflow` takes.
std::vector<core::definition_problem> problems_of_new(const core::workflow_definition& definition,
                                                      const core::versioned_workflow& earlier = {});

} // namespace holdfast::documents
