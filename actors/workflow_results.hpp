#pragma once

#include "actors/node_settings.hpp"
#include "core/object_ref.hpp"
#include "core/outcome.hpp"
#include "messages/result_messages.hpp"
#include "persistence/store.hpp"

#include <cstdint>
#include <string>
#include <vector>

/// The results of a workflow, which the database answers: the check of the request, and its answer,
/// which a reader makes.
namespace holdfast::actors {

inline constexpr std::uint32_t workflow_results_page_max = 1000;

core::failure check(const msg::list_workflow_results& m);
core::outcome<msg::workflow_result_page>
answer(const node_settings& settings, persistence::store& db, const msg::list_workflow_results& m);

/// The texts of the page that may be in the object store.
inline std::vector<std::string*> payloads_of(msg::workflow_result_page& page) {
  std::vector<std::string*> texts;
  for (auto& result : page.results)
    if (core::begins_like_object_ref(result.input))
      texts.push_back(&result.input);
  return texts;
}

} // namespace holdfast::actors
