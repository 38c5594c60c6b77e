#include "app/demo/web_job.hpp"

#include "app/admin_token.hpp"
#include "app/demo/clock.hpp"
#include "app/demo/workload.hpp"
#include "core/api_token.hpp"
#include "core/sign_in_link.hpp"
#include "messages/token_messages.hpp"
#include "objects/sha256.hpp"

#include <caf/actor_system.hpp>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <filesystem>
#include <iostream>
#include <utility>

namespace holdfast::app::demo {

namespace {

using std::chrono::steady_clock;
using namespace std::chrono_literals;
using nlohmann::ordered_json;

constexpr auto node_restart_limit = 60s;
/// A node that was up for less ended by itself, most likely; people take longer between two kills.
constexpr auto early_end = 5s;
constexpr unsigned early_ends_max = 5;
/// Nothing happens for so long only if something hangs.
constexpr auto first_half_stall_limit = 60s;
constexpr int web_wake_interval_ms = 50;
constexpr auto web_observe_interval = 500ms;
/// More than the demo has steps, of which there is one for each set.
constexpr std::uint32_t steps_of_sets_max = 1000;
/// The name under which the link for a contributor signs in.
constexpr const char* guest = "you";

/// 12190 as `12,190`.
std::string grouped(std::uint64_t number) {
  auto text = std::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3)
    text.insert(static_cast<std::size_t>(at), 1, ',');
  return text;
}

std::filesystem::path path_of_program() {
  std::error_code failed;
  return std::filesystem::read_symlink("/proc/self/exe", failed);
}

std::string pace_in_words(double per_second) {
  if (per_second == 1)
    return "one judgment a second";
  char text[64];
  std::snprintf(text, sizeof text, "%g judgments a second", per_second);
  return text;
}

} // namespace

web_job::web_job(const std::vector<dataset>& sets, web_job_settings settings, node_process& node,
                 progress_bar& bar, main_loop& loop)
    : sets_(sets),
      settings_(std::move(settings)),
      pages_("http://127.0.0.1:" + settings_.http_port),
      node_(node),
      bar_(bar),
      loop_(loop),
      no_kills_(0, 0, [] {}),
      tally_(std::make_shared<tally>(no_kills_)),
      seen_(std::make_shared<observed>()),
      up_since_(steady_clock::now()) {
  for (const auto& set : sets) {
    units_ += set.units.size();
    judgments_ += set.answers();
    contributors_ += set.contributors.size();
  }
  pace_ = std::make_shared<work_pace>(judgments_ / 2, settings_.per_second);
}

web_job::~web_job() = default;

core::outcome<bool> web_job::run() {
  peer_ = std::make_unique<demo_peer>(node_.port(), settings_.seed);
  if (auto loaded = load(); !loaded)
    return loaded;
  send_contributors();
  if (auto done = run_first_half(); !done || loop_.signaled() != 0)
    return done;
  if (auto told = tell_places(); !told)
    return told;
  return run_second_half();
}

core::outcome<bool> web_job::load() {
  for (std::size_t i = 0; i < sets_.size(); ++i) {
    auto loaded = load_set(*peer_, sets_[i], i, lease_for_people());
    if (!loaded)
      return loaded.error();
    loaded_.push_back(std::move(*loaded));
  }
  return true;
}

void web_job::send_contributors() {
  for (std::size_t i = 0; i < loaded_.size(); ++i) {
    auto plans = plan_answers(sets_[i], settings_.speed, settings_.seed + i);
    remember_all(plans);
    start_contributors(*peer_, loaded_[i],
                       {i, std::move(plans), lease_for_people(), settings_.seed, tally_, pace_});
  }
  peer_->actors.push_back(peer_->system.spawn(
      observer, observer_deps{peer_->node.gateway(), peer_->node.request_timeout(),
                              web_observe_interval, steps_of(loaded_), seen_}));
}

void web_job::show_progress() {
  progress_state state;
  state.units = units_;
  state.units_done = seen_->units_done;
  state.judgments = judgments_;
  state.judgments_done = tally_->acknowledged_count();
  state.leases = static_cast<std::uint64_t>(std::max<std::int64_t>(0, tally_->holding));
  bar_.show(state, progress_bar::clock::now());
}

core::outcome<bool> web_job::run_first_half() {
  auto moved_at = steady_clock::now();
  std::uint64_t moved = 0;
  while (tally_->acknowledged_count() < judgments_ / 2 && loop_.signaled() == 0) {
    loop_.run_for(web_wake_interval_ms);
    if (auto tended = tend_node(); !tended)
      return tended;
    show_progress();
    const auto now_moved = tally_->acknowledged_count() + tally_->offers;
    if (now_moved != moved) {
      moved = now_moved;
      moved_at = steady_clock::now();
    } else if (steady_clock::now() - moved_at > first_half_stall_limit) {
      return core::failure{core::errc::unavailable, "nothing has happened for a minute with "
                                                        + std::to_string(tally_->working)
                                                        + " contributors at work"};
    }
  }
  return true;
}

/// Of a person who is to be signed in once.
core::outcome<std::string> web_job::make_link(const std::string& role,
                                              const std::string& contributor) {
  const auto secret = new_token_secret();
  if (!secret)
    return secret.error();
  msg::create_token wanted;
  wanted.token = core::api_token_id{peer_->ids.next(wall_clock())};
  wanted.secret_hash = core::to_string(objects::sha256(core::hashed_text_of_link(*secret)));
  wanted.role = role;
  wanted.name = contributor;
  wanted.lifetime = core::sign_in_link_lifetime;
  wanted.created_by = "holdfast demo";
  const auto made = peer_->node.ask<msg::token_view>(wanted);
  if (!made)
    return core::failure{made.error().code,
                         "a sign-in link was refused: " + in_words(made.error())};
  return pages_ + core::page_of_link(role, core::text_of_link({wanted.token, *secret}));
}

core::outcome<bool> web_job::tell_places() {
  const auto console = make_link("admin", "");
  if (!console)
    return console.error();
  const auto as_guest = make_link("contributor", guest);
  if (!as_guest)
    return as_guest.error();
  const auto steps = peer_->node.ask<msg::step_list>(msg::list_steps{{}, steps_of_sets_max});
  if (!steps)
    return core::failure{steps.error().code,
                         "the steps could not be listed: " + in_words(steps.error())};
  const auto units_done = units_done_in(steps_of(loaded_), *steps);
  const auto label = pages_ + "/label#/steps/" + core::to_string(loaded_.front().step);
  const auto judgments_done = tally_->acknowledged_count();

  auto particulars = ordered_json::object();
  particulars["console"] = *console;
  particulars["label"] = label;
  particulars["label_as_contributor"] = *as_guest;
  particulars["node_pid"] = node_.pid();
  particulars["data_dir"] = settings_.data_dir;
  particulars["contributors"] = contributors_;
  particulars["judgments"] = judgments_;
  particulars["judgments_done"] = judgments_done;
  particulars["units"] = units_;
  particulars["units_done"] = units_done;
  const auto text = text_of_places({*console, label, *as_guest});
  tell("ready", particulars,
       "\nHalf of the job is done: " + grouped(judgments_done) + " of " + grouped(judgments_)
           + " judgments; " + grouped(units_done) + " of " + grouped(units_)
           + " units have a result.\nThe " + grouped(contributors_)
           + " recorded contributors go on with the other half, "
           + pace_in_words(settings_.per_second) + ".\n\n" + text);
  return true;
}

core::outcome<bool> web_job::run_second_half() {
  bool is_finished = false;
  while (loop_.signaled() == 0) {
    loop_.run_for(web_wake_interval_ms);
    if (auto tended = tend_node(); !tended)
      return tended;
    if (settings_.live)
      show_progress();
    if (is_finished || seen_->units_done < units_)
      continue;
    is_finished = true;
    tell("finished", nullptr,
         "All " + grouped(units_)
             + " units have a result. The pages stay until you stop the demo with Ctrl-C.");
  }
  tell("stopped", nullptr, "Stopping.");
  return true;
}

core::outcome<bool> web_job::tend_node() {
  const auto ended = node_.ended();
  if (!ended)
    return true;
  constexpr int of_signals = 128;
  if (*ended != 0 && *ended <= of_signals)
    return core::failure{core::errc::unavailable,
                         "the node ended by itself with code " + std::to_string(*ended)};
  const auto noticed_at = steady_clock::now();
  early_ends_ = noticed_at - up_since_ < early_end ? early_ends_ + 1 : 0;
  if (early_ends_ > early_ends_max)
    return core::failure{core::errc::unavailable,
                         "the node has ended " + std::to_string(early_ends_)
                             + " times, each time soon after its start; it is not started again"};
  const auto how = *ended == 0 ? std::string{"was stopped"}
                               : "was ended by signal " + std::to_string(*ended - of_signals);
  tell("node_ended", {{"exit_code", *ended}}, "The node " + how + "; starting it again.");
  if (const auto started = node_.start(node_restart_limit); !started)
    return core::failure{started.error().code,
                         "the node did not start again: " + started.error().detail};
  up_since_ = steady_clock::now();
  const std::chrono::duration<double> away = up_since_ - noticed_at;
  char seconds_away[32];
  std::snprintf(seconds_away, sizeof seconds_away, "%.1f", away.count());
  tell("node_started", {{"node_pid", node_.pid()}, {"seconds", away.count()}},
       "It runs again after " + std::string{seconds_away} + " s, as process "
           + std::to_string(node_.pid()) + ".");
  return true;
}

std::string web_job::text_of_places(const places& of) {
  const auto program = path_of_program();
  std::string text;
  const auto say = [&](const std::string& what, const std::string& place) {
    text += what + "\n\n   " + place + "\n\n";
  };
  say("1. Open the console. The link signs you in as administrator, once, within 10 minutes.",
      of.console);
  say("2. Label units beside the contributors, in the same browser. Any name will do.", of.label);
  say("   Or as a contributor, who may do nothing else. Use a private window: a browser has one\n"
      "   sign-in at a time.",
      of.label_as_contributor);
  say("3. Kill the node. It is started again with the same data, and the pages go on.",
      "kill -9 " + std::to_string(node_.pid()));
  say("4. Make a job of your own (docs/TUTORIAL.md). It begins with these lines, in another\n"
      "   terminal; the second one prints a new link to the console.",
      "export PATH=\"" + program.parent_path().string()
          + ":$PATH\" HOLDFAST_NODE_DATA_DIR=" + settings_.data_dir
          + " HOLDFAST_HTTP_PORT=" + settings_.http_port + "\n   holdfast token link --role admin");
  return text + "Ctrl-C stops the demo and " + (settings_.is_kept ? "keeps " : "removes ")
         + settings_.data_dir + ".\n";
}

void web_job::tell(const char* event, const nlohmann::ordered_json& particulars,
                   const std::string& text) {
  bar_.clear();
  if (settings_.json) {
    auto line = ordered_json::object();
    line["event"] = event;
    if (particulars.is_object())
      line.update(particulars);
    std::cout << line.dump() << std::endl;
  } else {
    std::cout << text << std::endl;
  }
  bar_.hurry();
}

} // namespace holdfast::app::demo
