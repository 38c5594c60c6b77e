#include "app/repair_passage.hpp"

#include "app/cluster_command.hpp"
#include "app/pretty_json.hpp"
#include "app/printable.hpp"
#include "client/id_source.hpp"
#include "core/errors.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <optional>
#include <thread>
#include <utility>

namespace holdfast::app {

namespace {

using namespace std::chrono_literals;

void print_text(const msg::repair_progress& told) {
  const auto line = [](const char* name, std::uint64_t value, const char* about) {
    print_formatted("%-12s  %10llu  %s\n", name, static_cast<unsigned long long>(value), about);
  };
  std::cout << (told.dry_run ? "a dry run: nothing has changed, this is what a repair does\n"
                             : "repaired\n");
  line("units", told.units_done, "looked at");
  line("found", told.found, "finished, and something counted that should not");
  line("unchanged", told.unchanged, "of these: the answer stands");
  line("changed", told.changed, "another answer, from the judgments that are left");
  line("reopened", told.reopened, "others are asked");
  line("reissued", told.reissued, "changed or reopened, and what was made from them is made anew");
  line("disregarded", told.disregarded, "judgments that count no more");
}

nlohmann::ordered_json to_json(const msg::repair_progress& told) {
  return {{"step", core::to_string(told.step)},
          {"repair", core::to_string(told.repair)},
          {"contributor", told.contributor},
          {"dry_run", told.dry_run},
          {"done", told.done},
          {"units", told.units},
          {"units_done", told.units_done},
          {"found", told.found},
          {"unchanged", told.unchanged},
          {"changed", told.changed},
          {"reopened", told.reopened},
          {"went_on", told.went_on},
          {"reissued", told.reissued},
          {"disregarded", told.disregarded}};
}

} // namespace

void repair_flags::add_to(CLI::App& command) {
  command.add_flag("--dry-run", dry_run, "Only count what it would do, and change nothing");
  command
      .add_option("--id", id,
                  "The id of a repair that was begun before, to see how far it is; else a new one")
      ->type_name("REPAIR");
}

exit_code
see_through(const repair_flags& flags, bool json,
            const std::function<core::outcome<msg::repair_progress>(const core::repair_id&)>& ask) {
  /// Soon enough for a person; a node looks at thousands of units in that time.
  constexpr auto between_looks = 200ms;
  std::optional<core::repair_id> id{core::repair_id{client::id_source{}.next()}};
  if (!flags.id.empty())
    id = id_in<core::repair_id>(flags.id, "--id");
  if (!id)
    return exit_code::usage;
  std::cerr << "repair " << core::to_string(*id) << '\n';
  for (std::optional<std::uint64_t> seen;;) {
    const auto told = ask(*id);
    if (!told) {
      if (seen || core::describe(told.error().code).retryable)
        std::cerr << "it may go on all the same: ask again with --id\n";
      return refused_by_node(told.error());
    }
    if (told->done) {
      if (json)
        std::cout << pretty(to_json(*told)) << '\n';
      else
        print_text(*told);
      return exit_code::ok;
    }
    if (seen != told->units_done)
      std::cerr << "looked at " << told->units_done << " of " << told->units << " units\n";
    seen = told->units_done;
    std::this_thread::sleep_for(between_looks);
  }
}

} // namespace holdfast::app
