#include "app/cluster_command.hpp"
#include "app/commands.hpp"
#include "app/printable.hpp"
#include "core/uuid.hpp"
#include "messages/interfaces.hpp"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <iostream>
#include <memory>
#include <string>

namespace holdfast::app {

namespace {

using nlohmann::ordered_json;

struct quality_flags {
  cluster_flags cluster;
  std::string step;
  bool json = false;
};

std::string two_digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text;
}

void print_text(const msg::step_quality& told) {
  std::cout << "judgments       " << told.judgments << " of " << told.units << " units, with "
            << told.labels << " different answers\n"
            << "agreement       "
            << (told.comparable ? "Krippendorff's alpha " + two_digits(told.krippendorff_alpha)
                                      + ", Fleiss' kappa " + two_digits(told.fleiss_kappa)
                                : std::string{"nothing to compare"})
            << '\n'
            << "finished units  " << told.finished_units << ", of which " << told.unsure_units
            << " less sure than " << two_digits(told.sure) << '\n'
            << "saved           " << told.judgments_saved << " judgments\n";
  for (const auto& one : told.concerns)
    std::cout << "worth a look    " << printable(one.contributor) << " (" << one.monitor
              << "): " << printable(one.why) << '\n';
}

void print_json(const msg::step_quality& told) {
  auto concerns = ordered_json::array();
  for (const auto& one : told.concerns)
    concerns.push_back(
        {{"contributor", one.contributor}, {"monitor", one.monitor}, {"why", one.why}});
  const auto figure = [&](double value) {
    return told.comparable ? ordered_json(value) : ordered_json{};
  };
  const ordered_json all{{"step", core::to_string(told.step)},
                         {"judgments", told.judgments},
                         {"units", told.units},
                         {"labels", told.labels},
                         {"krippendorff_alpha", figure(told.krippendorff_alpha)},
                         {"fleiss_kappa", figure(told.fleiss_kappa)},
                         {"finished_units", told.finished_units},
                         {"sure", told.sure},
                         {"unsure_units", told.unsure_units},
                         {"judgments_saved", told.judgments_saved},
                         {"concerns", std::move(concerns)}};
  std::cout << all.dump(2, ' ', false, ordered_json::error_handler_t::replace) << '\n';
}

exit_code run(const quality_flags& flags) {
  const auto step = core::parse_uuid(flags.step);
  if (!step)
    return refuse(
        {core::errc::invalid_argument, "STEP must be the id of a step, and not " + flags.step},
        exit_code::usage);
  return with_cluster(flags.cluster, [&](const client::connection& cluster) {
    const auto told = cluster.ask<msg::step_quality>(msg::get_step_quality{{*step}});
    if (!told)
      return refused_by_node(told.error());
    if (flags.json)
      print_json(*told);
    else
      print_text(*told);
    return exit_code::ok;
  });
}

} // namespace

void add_quality_command(CLI::App& cli, exit_code& result) {
  auto flags = std::make_shared<quality_flags>();
  auto* command =
      cli.add_subcommand("quality", "Measure the agreement in a step, and flag contributors");
  flags->cluster.add_to(*command);
  command->add_option("step", flags->step, "Id of a step")->required()->type_name("STEP");
  command->add_flag("--json", flags->json, "As one JSON document");
  command->callback([flags, &result] { result = run(*flags); });
}

} // namespace holdfast::app
