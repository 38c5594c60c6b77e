#include "app/workflow_results_command.hpp"

#include "app/cluster_command.hpp"
#include "app/pretty_json.hpp"
#include "app/printable.hpp"
#include "core/item_result.hpp"
#include "files/output_file.hpp"
#include "http/result_form.hpp"
#include "messages/result_messages.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::app {

namespace {

using nlohmann::ordered_json;

constexpr std::uint32_t results_per_page = 1000;
/// Between two lines about how far it is.
constexpr std::uint64_t results_per_line = 100'000;

struct results_flags {
  cluster_flags cluster;
  std::string workflow;
  std::string format = "jsonl";
  std::string out;
  std::string from;
  std::vector<std::string> states;
  bool pseudonyms = false;
  bool leave_inputs = false;
  bool json = false;
};

/// How far it is.
struct results_written {
  std::uint64_t results = 0;
  std::uint64_t unreadable = 0; ///< Of these: some of it the database does not give back.
  std::string last;             ///< Behind all that is written.
};

std::optional<std::uint8_t> states_of(const results_flags& flags) {
  std::uint8_t states = 0;
  for (const auto& name : flags.states) {
    const auto state = core::result_state_named(name);
    if (!state) {
      refuse({core::errc::invalid_argument,
              "--state must be final, rejected, canceled, superseded or gathered, and not " + name},
             exit_code::usage);
      return std::nullopt;
    }
    states = static_cast<std::uint8_t>(states | core::bit_of(*state));
  }
  return states;
}

/// Writes the results page by page. Answers why not all of them are written.
core::failure write_results(const client::connection& cluster, msg::list_workflow_results first,
                            http::result_form form, std::ostream& to, results_written& so_far) {
  // All that is told is committed: nothing is left out for its time.
  const auto writer = http::make_result_writer(form, core::instant::max());
  for (unsigned pass = 1; pass <= writer->passes(); ++pass) {
    auto ask = first;
    so_far = {0, 0, first.after};
    std::string text;
    writer->begin(pass, text);
    for (bool more = true; more;) {
      auto page = cluster.ask<msg::workflow_result_page>(ask);
      if (!page)
        return page.error();
      for (auto& result : page->results) {
        const auto before = text.size();
        if (auto why = writer->append(result, text); why.code != core::errc::none) {
          to << text.substr(0, before);
          return why;
        }
        if (!result.problem.empty()) {
          ++so_far.unreadable;
          std::cerr << "holdfast: the result of unit " << core::to_string(result.unit)
                    << " is not whole: " << printable(result.problem) << '\n';
        }
        ++so_far.results;
        so_far.last = core::to_string(core::result_place{result.ordinal, result.unit});
        if (so_far.results % results_per_line == 0)
          std::cerr << so_far.results << " results; --from " << so_far.last << '\n';
      }
      to << text;
      text.clear();
      if (!to)
        return {core::errc::unavailable, "the results cannot be written"};
      more = page->more;
      ask.after = so_far.last = page->last;
    }
  }
  std::string text;
  writer->finish(text);
  to << text;
  return {};
}

/// Whether what is written of a file that was cut is of use.
bool is_of_lines(http::result_form form) { return form != http::result_form::coco; }

exit_code tell(const results_flags& flags, const results_written& done, const core::failure& why) {
  const bool is_whole = why.code == core::errc::none;
  if (flags.json) {
    ordered_json told{{"file", flags.out},
                      {"results", done.results},
                      {"unreadable", done.unreadable},
                      {"last", done.last},
                      {"complete", is_whole}};
    std::cout << pretty(told) << '\n';
  } else {
    std::cerr << done.results << " results"
              << (flags.out.empty() ? std::string{} : " are in " + printable(flags.out)) << '\n';
  }
  if (!is_whole) {
    std::cerr << "holdfast: there are more results; go on with --from "
              << (done.last.empty() ? "\"\"" : done.last) << '\n';
    return refused_by_node(why);
  }
  if (done.unreadable == 0)
    return exit_code::ok;
  std::cerr << "holdfast: " << done.unreadable << " results are not whole; see holdfast verify\n";
  return exit_code::incomplete;
}

exit_code take_results(const results_flags& flags) {
  const auto workflow = id_in<core::workflow_id>(flags.workflow, "WORKFLOW");
  const auto states = states_of(flags);
  if (!workflow || !states)
    return exit_code::usage;
  const auto usage = [](const std::string& why) {
    return refuse({core::errc::invalid_argument, why}, exit_code::usage);
  };
  const auto form = http::result_form_named(flags.format);
  if (!form)
    return usage("--format must be " + std::string{http::result_form_names} + ", and not "
                 + flags.format);
  if (!core::result_place_of(flags.from))
    return usage("--from must be a position that results were told with, and not " + flags.from);
  if (flags.json && flags.out.empty())
    return usage("--json tells of a file: name it with --out");
  if (flags.leave_inputs && form == http::result_form::conll)
    return usage("--format conll has the texts of the items: leave --no-inputs out");
  const msg::list_workflow_results first{*workflow, flags.from,       results_per_page,
                                         *states,   flags.pseudonyms, flags.leave_inputs};
  return with_cluster(flags.cluster, [&](const client::connection& cluster) {
    results_written done;
    if (flags.out.empty()) {
      const auto why = write_results(cluster, first, *form, std::cout, done);
      std::cout.flush();
      return tell(flags, done, why);
    }
    auto file = files::output_file::create(flags.out);
    if (!file)
      return refuse(file.error(), exit_code::usage);
    const auto why = write_results(cluster, first, *form, file->stream(), done);
    if (why.code != core::errc::none && (!is_of_lines(*form) || done.results == 0))
      return refused_by_node(why);
    if (const auto written = file->finish(); !written)
      return refuse(written.error(), exit_code::failed_check);
    return tell(flags, done, why);
  });
}

} // namespace

void add_workflow_results(CLI::App& workflow, exit_code& result) {
  const auto flags = std::make_shared<results_flags>();
  auto* command = workflow.add_subcommand(
      "results", "Take its results away: one for each end of each item of source data");
  flags->cluster.add_to(*command);
  command->add_option("workflow", flags->workflow, "Id of a workflow")
      ->type_name("WORKFLOW")
      ->required();
  command
      ->add_option("--format", flags->format,
                   "jsonl, csv, hf (JSON lines with columns of one type), coco (boxes on images) "
                   "or conll (tags on texts)")
      ->type_name("FORMAT")
      ->capture_default_str();
  command
      ->add_option("--out", flags->out,
                   "The file that is written when all is there; else the standard output")
      ->type_name("FILE");
  command
      ->add_option("--state", flags->states,
                   "final (as without it), rejected, canceled, superseded or gathered; may be "
                   "given several times")
      ->type_name("STATE");
  command
      ->add_option("--from", flags->from,
                   "Go on behind this position, which each result has and a cut run tells; it "
                   "stays good while the workflow goes on")
      ->type_name("POSITION");
  command->add_flag("--pseudonyms", flags->pseudonyms,
                    "Put pseudonyms in place of the names of contributors");
  command->add_flag("--no-inputs", flags->leave_inputs, "Leave the data of the items out");
  command->add_flag("--json", flags->json, "Print one JSON object about the file");
  command->callback([flags, &result] { result = take_results(*flags); });
}

} // namespace holdfast::app
