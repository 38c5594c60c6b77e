#include "examples/record_linker/story.hpp"

#include "app/demo/node_process.hpp"
#include "client/connection.hpp"
#include "client/peer_system.hpp"
#include "core/uuid.hpp"
#include "examples/record_linker/matching.hpp"
#include "examples/record_linker/metrics.hpp"
#include "examples/record_linker/producer.hpp"
#include "examples/record_linker/simulation.hpp"
#include "examples/record_linker/sweeper.hpp"
#include "examples/record_linker/tables.hpp"
#include "examples/shared/story.hpp"

#include <CLI/Validators.hpp>
#include <caf/actor_system.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace linker {

namespace {

using namespace std::chrono_literals;
using examples::broken_off;
using examples::need;
using examples::wall_time;

struct story_flags {
  std::size_t records = 1'500; ///< Of the largest project; the others follow from it.
  simulation world;
};

constexpr auto start_limit = 60s;
constexpr auto stop_limit = 30s;
/// Far more than any part of the story takes at the slowest speed that is allowed.
constexpr auto part_limit = 5min;
constexpr auto ttl = 30s;
constexpr auto look_every = 100ms;
constexpr auto progress_every = 1s;
/// Of the world: longer than three tries and the waits between them.
constexpr auto outage_lasts = 90s;
constexpr std::uint32_t bulk = 1;
constexpr std::uint32_t modest = 2;
constexpr std::uint32_t lost = 3;
constexpr std::uint32_t forgotten = 4;

/// As W3C has them: 32 hexadecimal digits.
std::string new_trace(core::uuid_source& ids) {
  auto text = core::to_string(ids.next(wall_time()));
  text.erase(std::remove(text.begin(), text.end(), '-'), text.end());
  return text;
}

/// The node at the other end of a connection.
class connected_node : public node_port {
public:
  explicit connected_node(client::connection& line) : line_(line) {}

  core::outcome<msg::task_outcomes> ask(const msg::enqueue_tasks& request) override {
    return line_.ask<msg::task_outcomes>(request);
  }
  core::outcome<msg::task_view> ask(const msg::get_task& request) override {
    return line_.ask<msg::task_view>(request);
  }
  core::outcome<msg::tasks_redriven> ask(const msg::redrive_tasks& request) override {
    return line_.ask<msg::tasks_redriven>(request);
  }
  core::outcome<msg::queue_statistics> ask(const msg::get_queue_statistics& request) override {
    return line_.ask<msg::queue_statistics>(request);
  }

private:
  client::connection& line_;
};

class matching_story {
public:
  matching_story(const story_flags& flags, client::connection& line)
      : flags_(flags),
        line_(line),
        node_(line),
        pool_(tables_of(flags.world)),
        links_(pool_),
        ids_(flags.world.seed) {}

  /// What went wrong; empty when all is as promised.
  std::vector<std::string> run();

private:
  void prepare();
  void ask_for_all();
  void lose_a_project();
  void ask_for_one();
  void live_through_an_outage();
  void redrive();
  void sweep_up();

  void progress();
  void watch(const std::string& what, const std::function<bool()>& over);
  msg::queue_statistics counts();
  core::duration scaled(core::duration span) const;

  void check_tasks(const msg::queue_statistics& end);
  void check_links(const std::vector<link_standing>& all);
  void check_calls(const std::vector<api_call>& calls);
  void tell_end(const std::vector<link_standing>& all, const std::vector<api_call>& calls);
  void expect(bool kept, const std::string& otherwise);

  const story_flags flags_;
  client::connection& line_;
  connected_node node_;
  const std::shared_ptr<connection_pool> pool_;
  pg_links links_;
  core::uuid_source ids_;
  const examples::teller teller_;
  msg::queue_statistics last_;
  core::instant last_at_ = wall_time();
  std::vector<std::string> problems_;
};

std::vector<std::string> matching_story::run() {
  try {
    prepare();
    ask_for_all();
    lose_a_project();
    ask_for_one();
    live_through_an_outage();
    redrive();
    sweep_up();
    const auto all = all_links(*pool_);
    const auto calls = logged_calls(*pool_);
    check_tasks(counts());
    check_links(all);
    check_calls(calls);
    tell_end(all, calls);
  } catch (const broken_off& end) {
    problems_.push_back(end.why);
  } catch (const std::exception& end) {
    problems_.push_back(std::string{"the database: "} + end.what());
  }
  return problems_;
}

void matching_story::expect(bool kept, const std::string& otherwise) {
  if (!kept)
    problems_.push_back(otherwise);
}

core::duration matching_story::scaled(core::duration span) const {
  return core::duration{
      static_cast<std::int64_t>(static_cast<double>(span.count()) / flags_.world.speed)};
}

// --- progress ---

msg::queue_statistics matching_story::counts() {
  return need(node_.ask(msg::get_queue_statistics{queue_name}), "no statistics");
}

/// A line of the dashboard, if it is time for one.
void matching_story::progress() {
  const auto now = wall_time();
  if (now - last_at_ < progress_every)
    return;
  const auto seen = counts();
  teller_.say("  " + to_string(metrics_of(last_, seen, now - last_at_)));
  last_ = seen;
  last_at_ = now;
}

void matching_story::watch(const std::string& what, const std::function<bool()>& over) {
  const auto until = wall_time() + part_limit;
  while (!over()) {
    if (wall_time() > until)
      throw broken_off{what + " took too long"};
    std::this_thread::sleep_for(look_every);
    progress();
  }
}

// --- what happens ---

void matching_story::prepare() {
  need(
      line_.ask<msg::queue_view>(msg::put_queue{queue_name, queue_policy(ttl, flags_.world.speed)}),
      "no queue");
  need(line_.ask<msg::queue_view>(msg::put_queue{sweep_queue, "{}"}), "no queue for sweeps");
  make_schema(*pool_);
  add_project(*pool_, bulk, flags_.records, institution);
  add_project(*pool_, modest, flags_.records / 10, anonymous);
  add_project(*pool_, lost, flags_.records / 3, institution);
  add_project(*pool_, forgotten, flags_.records / 50, institution);
  // Its producer wrote the rows and died before it asked the node, long ago.
  // Not scaled: the rows are simply written an hour ago.
  links_.queue_project(forgotten, wall_time() - sweep_patience - 1min);
  teller_.say("a node with a private database runs, the handler inside it");
}

void matching_story::ask_for_all() {
  const auto staged = links_.match_project(bulk, new_trace(ids_), wall_time());
  expect(staged == flags_.records, "the outbox has not all records of project 1");
  teller_.say("project 1: " + std::to_string(staged.value_or(0))
              + " rows and their tasks are committed in one transaction");
  for (const auto project : {modest, lost}) {
    const auto made =
        need(match_project(links_, node_, project, new_trace(ids_), wall_time()), "not enqueued");
    teller_.say("project " + std::to_string(project) + ": " + std::to_string(made.made)
                + " tasks are enqueued by message");
  }
  // As impatient users do, while the outbox may not be emptied yet. Whichever comes first, the
  // other is a repetition: see `check_tasks`.
  need(match_project(links_, node_, bulk, new_trace(ids_), wall_time()), "not enqueued");
}

void matching_story::lose_a_project() {
  watch("the start", [&] { return counts().completed * 5 > flags_.records; });
  delete_project(*pool_, lost);
  teller_.say("project 3 is deleted while " + std::to_string(counts().leased)
              + " tasks are at work");
}

void matching_story::ask_for_one() {
  const auto one = add_link(*pool_, bulk);
  links_.queue_project(bulk, wall_time());
  const auto asked_at = wall_time();
  const auto depth = counts().live;
  need(enqueue(node_, {one}, new_trace(ids_), interactive), "not enqueued");
  watch("one record", [&] {
    const auto row = links_.find(one.id);
    return row && row->status != link_status::queued;
  });
  const std::chrono::duration<double> took = wall_time() - asked_at;
  teller_.say("somebody asked for one record and had it "
              + std::to_string(static_cast<int>(took.count() * 1000)) + " ms later, before "
              + std::to_string(depth) + " others");
}

void matching_story::live_through_an_outage() {
  const auto now = wall_time();
  plan_outage(*pool_, now, now + scaled(outage_lasts));
  teller_.say("the API is out of order");
  watch("the outage", [&] { return wall_time() > now + scaled(outage_lasts); });
  teller_.say("the API is back");
  watch("the rest", [&] { return counts().live == 0; });
}

void matching_story::redrive() {
  const auto dead = counts().dead;
  expect(dead > 0, "the outage was shorter than the tries");
  const auto again = need(redrive_after_outage(node_), "not redriven");
  teller_.say("of " + std::to_string(dead) + " dead letters " + std::to_string(again)
              + " are redriven");
  watch("the redriven", [&] { return counts().live == 0; });
  expect(counts().dead == 0, "what was redriven has died again");
}

/// Once by hand, for those who do not want to wait; then its schedule sees to it.
void matching_story::sweep_up() {
  msg::task_request now;
  now.task.value = ids_.next(wall_time());
  now.type = sweep_type;
  now.body = "{}";
  need(line_.ask<msg::task_outcomes>(msg::enqueue_tasks{sweep_queue, {now}}), "no sweep");
  msg::task_view over;
  watch("the sweep", [&] {
    over = need(node_.ask(msg::get_task{now.task}), "the sweep is gone");
    return over.status != "QUEUED" && over.status != "EXECUTING";
  });
  const auto swept = nlohmann::json::parse(over.result.empty() ? "{}" : over.result);
  const auto enqueued = swept.value("enqueued", std::size_t{0});
  teller_.say("the sweeper finds " + std::to_string(swept.value("looked_at", std::size_t{0}))
              + " records that were queued an hour ago and enqueues " + std::to_string(enqueued));
  expect(enqueued == flags_.records / 50, "the sweeper has overlooked records");
  const auto begun = wall_time();
  const auto later = need(
      line_.ask<msg::schedule_view>(msg::put_schedule{sweep_queue, "quarterly", sweep_schedule()}),
      "no schedule");
  expect(later.next_due > begun - 1min && later.next_due <= wall_time() + 16min,
         "the next sweep is not within a quarter of an hour");
  // The sweeper stages its tasks: they are there when their queue has taken them in.
  watch("the swept",
        [&] { return links_.untouched_since(wall_time(), 1).empty() && counts().live == 0; });
  teller_.say("all is done");
}

// --- the end ---

/// One for each record that was ever asked for, however often that was.
void matching_story::check_tasks(const msg::queue_statistics& end) {
  const auto asked_for =
      flags_.records + flags_.records / 10 + flags_.records / 3 + 1 + flags_.records / 50;
  expect(end.live == 0, "tasks are left");
  expect(end.completed + end.failed + end.canceled + end.dead == asked_for,
         "there is not one task for each record");
}

void matching_story::check_links(const std::vector<link_standing>& all) {
  expect(all.size() == flags_.records + 1 + flags_.records / 10 + flags_.records / 50,
         "records are missing, or some of the deleted project are back");
  for (const auto& [row, result] : all) {
    const auto truth = truth_of(flags_.world.seed, row.label);
    const auto* known = std::get_if<found>(&truth);
    const auto status =
        std::holds_alternative<refused>(truth) ? link_status::failed : link_status::completed;
    expect(row.status == status && result.entity == (known != nullptr ? known->entity : ""),
           row.label + " is " + std::string{to_string(row.status)} + " with another result than "
               + "the API's");
  }
}

void matching_story::check_calls(const std::vector<api_call>& calls) {
  std::map<std::string, int> verdicts;
  for (const auto& call : calls)
    verdicts[call.label] += is_verdict(call.said) ? 1 : 0;
  for (const auto& [label, times] : verdicts)
    expect(times <= 1, label + " was matched " + std::to_string(times) + " times");
  for (const auto& [credential, most] : most_calls(calls, 1s)) {
    const auto rate = rate_of(credential) * flags_.world.speed;
    // Who was granted before a second began may call within it.
    expect(static_cast<double>(most) <= rate + 1 + handler_threads,
           credential + " called " + std::to_string(most) + " times in a second");
    teller_.say(std::string{"most calls in a second as "} + credential + ": " + std::to_string(most)
                + " of " + std::to_string(static_cast<int>(rate)));
  }
}

void matching_story::tell_end(const std::vector<link_standing>& all,
                              const std::vector<api_call>& calls) {
  std::array<std::size_t, std::variant_size_v<reply>> said{};
  for (const auto& call : calls)
    ++said[call.said.index()];
  std::size_t matched = 0;
  std::size_t failed = 0;
  for (const auto& one : all) {
    matched += one.result.entity.empty() ? 0U : 1U;
    failed += one.row.status == link_status::failed ? 1U : 0U;
  }
  const auto end = counts();
  std::cout << "\nrecords " << all.size() << ": matched " << matched << ", matching nothing "
            << all.size() - matched - failed << ", refused " << failed << "\ncalls " << calls.size()
            << ": answered " << said[0] + said[1] + said[2] << ", 429 " << said[3]
            << ", in the outage " << said[4] << "\ntasks "
            << end.completed + end.failed + end.canceled + end.dead << ": completed "
            << end.completed << ", failed " << end.failed << ", dead " << end.dead << '\n';
}

// --- the program ---

std::vector<std::string> tell(const story_flags& flags, app::demo::node_process& node) {
  if (const auto started = node.start(start_limit); !started)
    return {started.error().detail};
  std::vector<std::string> problems;
  {
    client::peer_system configuration{client::peer_settings{}};
    caf::actor_system system{configuration};
    client::connection line{system, {"127.0.0.1", node.port()}, {}, flags.world.seed};
    problems = matching_story{flags, line}.run();
  }
  if (node.stop(stop_limit) != 0)
    problems.emplace_back("the node did not stop as it should");
  return problems;
}

} // namespace

void add_story_command(CLI::App& cli, app::exit_code& result) {
  auto flags = std::make_shared<story_flags>();
  const auto options = [flags](CLI::App& command) {
    command.add_option("--records", flags->records, "Of the largest project")
        ->check(CLI::Range(100, 20'000))
        ->capture_default_str();
    command.add_option("--speed", flags->world.speed, "How many seconds pass in one")
        ->check(CLI::Range(1.0, 20.0))
        ->capture_default_str();
    command.add_option("--seed", flags->world.seed, "Of all that is random in the API")
        ->capture_default_str();
  };
  const auto play = [flags](app::demo::node_process& node, const std::filesystem::path& data_dir) {
    flags->world.data_dir = data_dir.string();
    set_environment(flags->world);
    return tell(*flags, node);
  };
  examples::add_story_command(
      cli, result,
      "Match some projects while one is deleted and the API has its bad days, and check that each "
      "record ends once and as it should",
      options, [play] {
        return examples::story{{}, "each record has one result, and that is the API's.", play};
      });
}

} // namespace linker
