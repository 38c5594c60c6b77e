#include "bench/node_under_load.hpp"

#include "messages/errors.hpp"
#include "persistence/postgres_store.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <future>
#include <iostream>
#include <mutex>
#include <stdexcept>

namespace holdfast::bench {

namespace {

using clock = std::chrono::steady_clock;

/// How long a round waits for its last answers. The contributors themselves wait without a timer: a
/// timer each would measure CAF's clock.
constexpr std::chrono::seconds answer_timeout{30};

core::instant wall_now() {
  return std::chrono::time_point_cast<core::duration>(std::chrono::system_clock::now());
}

double millis_since(clock::time_point start) {
  return std::chrono::duration<double, std::milli>(clock::now() - start).count();
}

/// What all contributors of one round share.
struct round {
  msg::gateway_actor gateway;
  core::step_id step;
  bool submit = true;
  std::atomic<bool> stop{false};
  std::atomic<std::size_t> working{0};
  std::promise<void> all_done;
  std::mutex mutex;
  node_under_load::load_result result;
};

struct contributor_state {
  std::shared_ptr<round> shared;
  std::string name;
  core::uuid_source ids{0};
  node_under_load::load_result mine;
};

using self_ptr = caf::stateful_actor<contributor_state>*;

/// Test questions are numbered from here on, and units of the same step from half of it: as many
/// digits.
constexpr std::uint64_t first_question = 2'000'000;

bool is_question(const msg::assignment& a) {
  const auto at = a.input.find("\"n\":");
  return at != std::string::npos
         && std::strtoull(a.input.c_str() + at + 4, nullptr, 10) >= first_question;
}

void ask(self_ptr self);

void finish(self_ptr self) {
  auto& st = self->state;
  {
    const std::lock_guard<std::mutex> lock{st.shared->mutex};
    auto& all = st.shared->result;
    all.assignments += st.mine.assignments;
    all.judgments += st.mine.judgments;
    all.failures += st.mine.failures;
    all.ask_millis.insert(all.ask_millis.end(), st.mine.ask_millis.begin(),
                          st.mine.ask_millis.end());
    all.submit_millis.insert(all.submit_millis.end(), st.mine.submit_millis.begin(),
                             st.mine.submit_millis.end());
    all.question_ask_millis.insert(all.question_ask_millis.end(),
                                   st.mine.question_ask_millis.begin(),
                                   st.mine.question_ask_millis.end());
    all.question_submit_millis.insert(all.question_submit_millis.end(),
                                      st.mine.question_submit_millis.begin(),
                                      st.mine.question_submit_millis.end());
    all.held.insert(all.held.end(), st.mine.held.begin(), st.mine.held.end());
  }
  if (--st.shared->working == 0)
    st.shared->all_done.set_value();
  self->quit();
}

void submit(self_ptr self, const msg::assignment& a) {
  auto& st = self->state;
  const auto start = clock::now();
  const core::judgment_id judgment{st.ids.next(wall_now())};
  self->request(
          st.shared->gateway, caf::infinite,
          msg::submit_judgment{a.step, a.unit, st.name, a.token, judgment, R"({"answer":"yes"})"})
      .then(
          [=, tested = is_question(a)](const msg::judgment_accepted&) {
            auto& mine = self->state.mine;
            ++mine.judgments;
            (tested ? mine.question_submit_millis : mine.submit_millis)
                .push_back(millis_since(start));
            ask(self);
          },
          [=](const caf::error&) {
            ++self->state.mine.failures;
            ask(self);
          });
}

void ask(self_ptr self) {
  auto& st = self->state;
  if (st.shared->stop)
    return finish(self);
  const auto start = clock::now();
  self->request(st.shared->gateway, caf::infinite,
                msg::ask_assignment{st.shared->step, st.name, {st.ids.next(wall_now())}})
      .then(
          [=](const msg::assignment& a) {
            auto& mine = self->state.mine;
            ++mine.assignments;
            (is_question(a) ? mine.question_ask_millis : mine.ask_millis)
                .push_back(millis_since(start));
            if (self->state.shared->submit)
              return submit(self, a);
            self->state.mine.held.push_back({a.step, a.unit, self->state.name, 0, false});
            ask(self);
          },
          [=](const caf::error& error) {
            if (msg::failure_of(error).code == core::errc::no_unit_available)
              return finish(self); // the step is exhausted for this contributor
            ++self->state.mine.failures;
            ask(self);
          });
}

} // namespace

node_under_load::node_under_load(std::string conninfo, std::uint64_t seed,
                                 core::duration rejoin_max)
    : config_(client::peer_settings{}), ids_(seed) {
  using namespace std::chrono_literals;
  system_ = std::make_unique<caf::actor_system>(config_);
  actors::node_settings settings;
  settings.name = "bench";
  settings.incarnation = {ids_.next(wall_now())};
  settings.address = "none";
  settings.version = "bench";
  settings.seed = seed;
  settings.heartbeat_interval = 1500ms;
  settings.lease_time = 5s;
  settings.writer_retry_min = 50ms;
  settings.writer_retry_max = 2s;
  settings.writer_lanes = 2;
  settings.batching.rejoin_max = rejoin_max;
  settings.extension_delay = 1s;
  settings.intake_interval = 100ms;
  settings.sweep_interval = 15s;
  settings.session_grace = 30s;
  settings.leases_max = 1000000;
  settings.unit_idle_timeout = 60s;
  settings.events_redeliver_after = 10s;
  settings.events_retention = 1h;
  settings.events_prune_interval = 60s;
  settings.open_store = [conninfo] {
    return std::make_unique<persistence::postgres_store>(
        persistence::postgres_options{conninfo, "holdfast bench", std::chrono::seconds{30}});
  };
  settings.log = [](actors::log_level level, const std::string& event,
                    const actors::log_fields& fields) {
    if (level < actors::log_level::warning)
      return;
    std::cerr << event;
    for (const auto& [key, value] : fields)
      std::cerr << ' ' << key << '=' << value;
    std::cerr << '\n';
  };
  std::promise<msg::gateway_actor> opened;
  auto future = opened.get_future();
  auto once = std::make_shared<std::promise<msg::gateway_actor>>(std::move(opened));
  settings.on_gateway = [once](const msg::gateway_actor& gateway) {
    try {
      once->set_value(gateway);
    } catch (const std::future_error&) {
      std::cerr << "the gateway was started again during a benchmark: the figures are void\n";
    }
  };
  root_ = actors::spawn_node(*system_, std::move(settings));
  if (future.wait_for(60s) != std::future_status::ready)
    throw std::runtime_error{"the node did not come up within a minute"};
  gateway_ = future.get();
}

node_under_load::~node_under_load() {
  caf::scoped_actor self{*system_};
  self->monitor(root_);
  self->send(root_, actors::drain{});
  root_ = nullptr;
  gateway_ = nullptr;
  self->receive([](const caf::down_msg&) {});
}

template <class Answer, class Request>
Answer node_under_load::call(Request request) {
  caf::scoped_actor self{*system_};
  std::optional<Answer> answer;
  std::string why;
  self->request(gateway_, std::chrono::seconds{120}, std::move(request))
      .receive([&](Answer& a) { answer = std::move(a); },
               [&](const caf::error& error) { why = msg::failure_of(error).detail; });
  if (!answer)
    throw std::runtime_error{"the node refused: " + why};
  return *answer;
}

core::step_id node_under_load::make_workflow(std::uint32_t judgments_per_unit,
                                             const std::string& more) {
  const auto definition = R"({"name":"hot","steps":[{"key":"label","judgments_per_unit":)"
                          + std::to_string(judgments_per_unit) + more
                          + R"(,"judgment_schema":{"type":"object","required":["answer"],)"
                            R"("properties":{"answer":{"enum":["yes","no"]}}}}]})";
  return call<msg::workflow_created>(msg::create_workflow{{ids_.next(wall_now())}, definition})
      .steps.front()
      .step;
}

namespace {

std::string input_of(std::uint64_t number) {
  return R"({"text":"the quick brown fox jumps over the lazy dog","n":)" + std::to_string(number)
         + "}";
}

} // namespace

void node_under_load::fill(const core::step_id& step, std::uint64_t first, std::size_t units) {
  constexpr std::size_t rows_per_request = 2000;
  for (std::size_t from = 0; from < units; from += rows_per_request) {
    msg::add_source_data data{step, {}};
    for (auto i = from; i < std::min(units, from + rows_per_request); ++i)
      data.rows.push_back({"unit-" + std::to_string(i), input_of(first + i), 0});
    call<msg::source_data_added>(std::move(data));
  }
}

core::step_id node_under_load::make_step(std::size_t units, std::uint32_t judgments_per_unit) {
  const auto step = make_workflow(judgments_per_unit, {});
  fill(step, 0, units);
  return step;
}

core::step_id node_under_load::make_tested_step(std::size_t units, std::size_t questions) {
  const auto step = make_workflow(3, R"(,"aggregation":{"method":"majority"},)"
                                     R"("test_questions":{"quiz":0,"every":4})");
  msg::add_test_questions asked{step, {}};
  for (std::size_t i = 0; i < questions; ++i)
    asked.rows.push_back(
        {"question-" + std::to_string(i), input_of(first_question + i), R"({"answer":"yes"})"});
  call<msg::source_data_added>(std::move(asked));
  fill(step, first_question / 2, units);
  return step;
}

void node_under_load::touch(const std::vector<msg::release_assignment>& held) {
  caf::scoped_actor self{*system_};
  for (const auto& request : held) {
    bool refused = false;
    self->request(gateway_, answer_timeout, request)
        .receive([](const msg::assignment_released&) {},
                 [&](const caf::error& error) {
                   refused = msg::failure_of(error).code == core::errc::stale_token;
                 });
    if (!refused)
      throw std::runtime_error{"a unit did not answer as one with a lease does"};
  }
}

node_under_load::load_result node_under_load::work(const core::step_id& step,
                                                   std::size_t contributors,
                                                   std::chrono::milliseconds duration,
                                                   bool submit_too) {
  auto shared = std::make_shared<round>();
  shared->gateway = gateway_;
  shared->step = step;
  shared->submit = submit_too;
  shared->working = contributors;
  auto done = shared->all_done.get_future();
  ++rounds_;
  const auto before = call<msg::node_status>(msg::get_node_status{});
  const auto start = clock::now();
  for (std::size_t i = 0; i < contributors; ++i) {
    const auto name = "c" + std::to_string(rounds_) + '-' + std::to_string(i);
    const auto seed = rounds_ << 32 | i;
    system_->spawn([=](self_ptr self) {
      self->state.shared = shared;
      self->state.name = name;
      self->state.ids = core::uuid_source{seed};
      ask(self);
    });
  }
  done.wait_for(duration);
  const double seconds = std::chrono::duration<double>(clock::now() - start).count();
  const auto after = call<msg::node_status>(msg::get_node_status{});
  shared->stop = true;
  if (done.wait_for(answer_timeout) != std::future_status::ready)
    throw std::runtime_error{"some contributor got no answer"};
  shared->result.seconds = seconds;
  shared->result.commits = after.commits - before.commits;
  shared->result.changes = after.changes - before.changes;
  return std::move(shared->result);
}

} // namespace holdfast::bench
