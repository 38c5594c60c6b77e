#pragma once

#include "core/ids.hpp"
#include "http/door.hpp"
#include "http/fields.hpp"
#include "http/routes.hpp"
#include "http/shapes/result_shapes.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

/// The results of a workflow: a page of them, or all as one file.
namespace holdfast::http {

struct workflow_results_wanted {
  static constexpr route_row row{topic::workflows, verb::get, "/v1/workflows/{workflow_id}/results",
                                 200,
                                 "Read the results of a workflow, or take them away as a file"};
  static constexpr std::string_view name = "list_workflow_results";
  using answer = msg::workflow_result_page;
  using item = msg::workflow_result;
  static void run(const door& through, const visit& from, workflow_results_wanted asked);

  core::workflow_id workflow;
  std::string after;
  std::uint64_t limit = 0; ///< 0: a page of 100; of a file all.
  std::vector<std::string> states;
  std::string format;
  bool pseudonyms = false;
  bool inputs = true;
};

template <class Fields>
void describe(Fields& f, workflow_results_wanted& x) {
  f.required("workflow_id", x.workflow, sentence::workflow);
  f.optional("after", x.after,
             "The `last` of an earlier answer, or the `position` of a result. Left out: from the "
             "first.");
  f.optional("limit", bounded{x.limit, 1, std::numeric_limits<std::int64_t>::max()},
             "How many results at most. Default: 100 of a page, which has at most 1000; all of a "
             "file.");
  f.optional("state", x.states,
             "The states of the results: `final`, `rejected`, `canceled`, `superseded` or "
             "`gathered`; may be there several times. Default: `final`.");
  f.optional("format", x.format,
             "The form of a file: `jsonl`, `csv`, `hf` (JSON lines in which each column has one "
             "type), `coco` (boxes on images) or `conll` (tags on texts). Left out: a page, or the "
             "form that `Accept` names.");
  f.optional("pseudonyms", x.pseudonyms,
             "True: contributors are told by pseudonyms, which are the same in all results of the "
             "workflow.");
  f.optional("inputs", x.inputs, "False: the results come without the data of their items.");
}

} // namespace holdfast::http
