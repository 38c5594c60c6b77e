#include "app/answer_json.hpp"
#include "app/cluster_command.hpp"
#include "app/commands.hpp"
#include "app/contributor_in_step.hpp"
#include "app/contributor_removals.hpp"
#include "app/printable.hpp"
#include "core/time_text.hpp"
#include "http/shapes/work_shapes.hpp"
#include "messages/interfaces.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::app {

namespace {

using nlohmann::ordered_json;

struct contributor_flags {
  cluster_flags cluster;
  msg::put_profile profile; ///< With the name, which all subcommands take.
  std::uint32_t limit = 20;
  bool json = false;
};

void print(const ordered_json& what) {
  std::cout << what.dump(2, ' ', false, ordered_json::error_handler_t::replace) << '\n';
}

// --- what is known ---

std::string text_of(const std::vector<std::string>& terms) {
  std::string text;
  for (const auto& term : terms)
    text += (text.empty() ? "" : ", ") + term;
  return text.empty() ? "none" : text;
}

void print_text(const msg::profile_view& known) {
  const auto line = [](const char* name, const std::string& value) {
    print_formatted("%-15s %s\n", name, value);
  };
  line("contributor", known.contributor);
  line("channels", text_of(known.channels));
  line("skills", text_of(known.skills));
  line("certifications", text_of(known.certifications));
  line("location", known.location.empty() ? "not known" : known.location);
  char trust[32];
  std::snprintf(trust, sizeof trust, "%.2f", known.trust);
  line("trust", known.trust_given || known.tests_answered > 0
                    ? trust + std::string{known.trust_given ? " as given" : " by test questions"}
                    : "not known");
  line("test questions", std::to_string(known.tests_right) + " of "
                             + std::to_string(known.tests_answered) + " right");
  line("changed",
       known.changed_at == core::instant{} ? "never" : core::to_rfc3339(known.changed_at));
}

void print_json(const msg::profile_view& known) {
  ordered_json object{{"contributor", known.contributor},
                      {"channels", known.channels},
                      {"skills", known.skills},
                      {"certifications", known.certifications},
                      {"location", known.location},
                      {"trust", known.trust},
                      {"trust_given", known.trust_given},
                      {"tests_right", known.tests_right},
                      {"tests_answered", known.tests_answered}};
  if (known.changed_at != core::instant{})
    object["changed_at"] = core::to_rfc3339(known.changed_at);
  print(object);
}

exit_code say(const contributor_flags& flags, const core::outcome<msg::profile_view>& known) {
  if (!known)
    return refused_by_node(known.error());
  if (flags.json)
    print_json(*known);
  else
    print_text(*known);
  return exit_code::ok;
}

exit_code show_contributor(const contributor_flags& flags, const client::connection& cluster) {
  return say(flags, cluster.ask<msg::profile_view>(msg::get_profile{flags.profile.contributor}));
}

exit_code put_contributor(const contributor_flags& flags, const client::connection& cluster) {
  return say(flags, cluster.ask<msg::profile_view>(flags.profile));
}

// --- what there is for them ---

void print_text(const msg::step_offers& offers) {
  if (offers.steps.empty())
    std::cout << "no steps\n";
  else
    print_formatted("%-36s  %8s  %-24s  %s\n", "step", "priority", "key", "title");
  for (const auto& offer : offers.steps)
    print_formatted("%-36s  %8d  %-24s  %s\n", core::to_string(offer.step), offer.priority,
                    offer.key, offer.title);
}

void print_json(const msg::step_offers& offers) {
  auto steps = ordered_json::array();
  for (const auto& offer : offers.steps)
    steps.push_back({{"step", core::to_string(offer.step)},
                     {"workflow", core::to_string(offer.workflow)},
                     {"key", offer.key},
                     {"title", offer.title},
                     {"ui", offer.ui},
                     {"priority", offer.priority}});
  print({{"steps", std::move(steps)}, {"complete", offers.complete}});
}

exit_code steps(const contributor_flags& flags, const client::connection& cluster) {
  const auto offers =
      cluster.ask<msg::step_offers>(msg::find_steps{flags.profile.contributor, flags.limit, 0, {}});
  if (!offers)
    return refused_by_node(offers.error());
  if (flags.json)
    print_json(*offers);
  else
    print_text(*offers);
  if (!offers->complete)
    std::cerr << "holdfast: part of the steps could not be looked at; ask again for the rest\n";
  return exit_code::ok;
}

exit_code end_session(const contributor_flags& flags, const client::connection& cluster) {
  const auto ended = cluster.ask<msg::session_ended>(msg::end_session{flags.profile.contributor});
  if (!ended)
    return refused_by_node(ended.error());
  if (flags.json)
    std::cout << answer_in_json(*ended, cluster.now()) << '\n';
  else
    std::cout << ended->released << " assignments given back\n";
  return exit_code::ok;
}

// --- the command line ---

using contributor_asking =
    std::function<exit_code(const contributor_flags&, const client::connection&)>;

struct contributor_subcommand {
  CLI::App* command;
  std::shared_ptr<contributor_flags> flags;

  void add_terms(const char* name, std::vector<std::string>& terms, const char* about) const {
    command->add_option(name, terms, about)->type_name("TERM")->take_all();
  }
};

contributor_subcommand add_for_contributor(CLI::App& contributor, exit_code& result,
                                           const char* name, const char* about,
                                           const contributor_asking& what) {
  auto flags = std::make_shared<contributor_flags>();
  auto* command = contributor.add_subcommand(name, about);
  flags->cluster.add_to(*command);
  command->add_option("contributor", flags->profile.contributor, "Name of a contributor")
      ->type_name("CONTRIBUTOR")
      ->required();
  command->add_flag("--json", flags->json, "Print one JSON object");
  command->callback([flags, what, &result] {
    result = with_cluster(flags->cluster,
                          [&](const client::connection& cluster) { return what(*flags, cluster); });
  });
  return {command, flags};
}

} // namespace

void add_contributor_command(CLI::App& cli, exit_code& result) {
  auto* contributor =
      cli.add_subcommand("contributor", "Show contributors, set their profiles, remove and repair");
  contributor->require_subcommand(1);
  add_for_contributor(*contributor, result, "show", "Print what is known of a contributor",
                      show_contributor);
  const auto putting = add_for_contributor(
      *contributor, result, "put", "Set what is known of a contributor, in place of all that was",
      put_contributor);
  auto& profile = putting.flags->profile;
  putting.add_terms("--channel", profile.channels, "A channel that they are in; may be repeated");
  putting.add_terms("--skill", profile.skills, "A skill that they have; may be repeated");
  putting.add_terms("--certification", profile.certifications,
                    "A certification that they have; may be repeated");
  putting.command
      ->add_option("--location", profile.location, "Where they are, e.g. DE-BY, which is within DE")
      ->type_name("PLACE");
  putting.command
      ->add_option("--trust", profile.trust,
                   "How far they are trusted, from 0 to 1; as their test questions say if left out")
      ->check(CLI::Range(0.0, 1.0));
  const auto finding = add_for_contributor(*contributor, result, "steps",
                                           "List the steps that they may work in", steps);
  finding.command->add_option("--limit", finding.flags->limit, "At most so many")
      ->check(CLI::Range(1, 1000));
  add_for_contributor(*contributor, result, "end-session",
                      "Give back at once all units that they hold, in all steps", end_session);
  add_contributor_in_step(*contributor, result);
  add_contributor_removals(*contributor, result);
}

} // namespace holdfast::app
