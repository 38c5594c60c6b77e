#include "tests/examples/bulk_world.hpp"

#include "examples/bulk_actions/export_file.hpp"
#include "examples/bulk_actions/handlers.hpp"
#include "tests/support/printing.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

namespace holdfast::test {

namespace {

using namespace std::chrono_literals;
namespace lib = holdfast::client; // `client` is one of the tests' own here

constexpr auto ttl = 60s;

std::filesystem::path new_directory() {
  auto path = (std::filesystem::temp_directory_path() / "holdfast-bulk-XXXXXX").string();
  BOOST_REQUIRE(::mkdtemp(path.data()) != nullptr);
  return path;
}

college_tables full_college() {
  using bulk::right;
  const std::set<right> all{right::export_people, right::change_status, right::watch,
                            right::send_mail,     right::enrol,         right::run_as_others,
                            right::change_units};
  college_tables made;
  made.staff[registrar] = {registrar, "Rosa", all, ""};
  made.staff[coach] = {coach, "Carl", all, "north"};
  for (std::size_t i = 1; i <= college_size; ++i) {
    const auto id = static_cast<bulk::person_id>(i * 10);
    made.people[id] = {id,
                       "Person \"" + std::to_string(i) + "\"",
                       "p" + std::to_string(i) + "@campus.example",
                       i % 2 == 0 ? "biology" : "history",
                       i % 3 == 0 ? "north" : "south",
                       bulk::program_status::active};
    made.units[id] = {unit_numbered(i),
                      i == 7 ? core::unit_state::finalized : core::unit_state::judgable};
  }
  return made;
}

} // namespace

core::unit_id unit_numbered(std::size_t number) {
  core::unit_id id;
  id.value.bytes.back() = static_cast<std::uint8_t>(number);
  return id;
}

struct bulk_world::attempt {
  explicit attempt(virtual_worker as) : self(std::move(as)) {}

  virtual_worker self;
  std::optional<msg::leased_task> task;
  std::optional<lib::outcome> how;       ///< None after a death.
  std::unique_ptr<virtual_thread> hands; ///< Of one that hangs. Last: what it runs uses the others.
};

bulk_world::bulk_world() : exports_(new_directory()) {
  auto& settings = prepare().settings;
  settings.heartbeat_interval = 10min; // else most of the run would be heartbeats
  settings.lease_time = 1h;
  settings.intake_interval = 1min;
  start();
  college_ = std::make_shared<memory_college>();
  college_->at_step = [this] { step(); };
  post.at_step = [this] { step(); };
  with.tables = college_;
  with.open_mailer = [this] { return post.open(); };
  with.open_units = [this](const lib::task_context&) { return college_->open_units(); };
  with.exports = exports_;
  with.most.people_per_chunk = 10;
  with.most.rows_per_chunk = 10;
  with.most.mails_per_chunk = 10;
  use(with);
  BOOST_REQUIRE(call(msg::put_queue{bulk::queue_name, bulk::queue_policy(ttl)}).value);
  begin_anew();
}

bulk_world::~bulk_world() { std::filesystem::remove_all(exports_); }

void bulk_world::use(const bulk::tools& other) { handlers_ = bulk::handlers(other); }

void bulk_world::begin_anew() {
  college_->tables = full_college();
  post.delivered.clear();
}

core::task_id bulk_world::enqueue(const std::string& type, const std::string& version,
                                  const std::string& body, bulk::staff_id run_as) {
  msg::task_request made;
  made.task = fresh<core::task_id>();
  made.type = type;
  made.version = version;
  made.body = body;
  made.owner_id = std::to_string(registrar);
  made.run_as_id = std::to_string(run_as);
  const auto answered = call(msg::enqueue_tasks{bulk::queue_name, {made}});
  BOOST_REQUIRE(answered.value);
  BOOST_REQUIRE(answered.value->outcomes.front().refusal == core::errc::none);
  return made.task;
}

msg::task_view bulk_world::look(const core::task_id& task) {
  const auto seen = call(msg::get_task{task});
  BOOST_REQUIRE(seen.value);
  return *seen.value;
}

// --- workers ---

void bulk_world::step() {
  if (steps_left_ == 0 || --steps_left_ > 0)
    return;
  happened_ = true;
  happens_();
}

void bulk_world::claim(attempt& by) {
  auto request = by.self.claim("", 1);
  request.types.clear();
  request.tied = true;
  const auto given = by.self.send(request);
  settle();
  BOOST_REQUIRE(given->value);
  BOOST_REQUIRE(given->value->tasks.size() == 1U);
  by.task = given->value->tasks.front();
}

/// As `client::worker` would.
void bulk_world::run(attempt& by) {
  const auto save = [&](const msg::task_update& update) {
    step();
    const bool held = by.self.save(*by.task, update) == core::errc::none;
    step();
    return held;
  };
  const lib::task_context context{std::make_shared<const msg::leased_task>(*by.task),
                                  std::make_shared<lib::lease_watch>(), save,
                                  [this] { return now(); }};
  try {
    by.how = handlers_.at(by.task->type)->run(context);
  } catch (const worker_died&) {
  } catch (const std::exception& what) {
    by.how = lib::failed{"HANDLER_EXCEPTION", what.what()};
  }
}

void bulk_world::run_until_it_hangs(attempt& by) {
  by.hands = std::make_unique<virtual_thread>();
  happens_ = [&by] { by.hands->suspend(); };
  by.hands->start([this, &by] { run(by); });
}

void bulk_world::wake_up_too_late(attempt& by) {
  by.hands->resume();
  BOOST_REQUIRE(by.hands->idle());
  BOOST_REQUIRE(by.how.has_value());
  BOOST_TEST(by.self.hand_in(*by.task, *by.how) != core::errc::none);
}

void bulk_world::hand_in(attempt& by) {
  BOOST_REQUIRE(by.how.has_value());
  BOOST_TEST(by.self.hand_in(*by.task, *by.how) == core::errc::none);
}

lib::outcome bulk_world::work() {
  attempt one{virtual_worker{*this, bulk::queue_name, "w" + std::to_string(++names_)}};
  claim(one);
  run(one);
  hand_in(one);
  return *one.how;
}

bool bulk_world::do_with(mishap what, std::size_t step) {
  attempt first{virtual_worker{*this, bulk::queue_name, "w" + std::to_string(++names_)}};
  claim(first);
  steps_left_ = step;
  happened_ = false;
  if (what == mishap::hang) {
    run_until_it_hangs(first);
  } else {
    happens_ = [] { throw worker_died{}; };
    run(first);
  }
  steps_left_ = 0;
  if (!happened_) {
    hand_in(first);
    return false;
  }
  if (what == mishap::hang)
    advance(ttl + 1s);
  else
    first.self.disconnect();
  work();
  if (what == mishap::hang)
    wake_up_too_late(first);
  return true;
}

msg::task_view bulk_world::see_through(const core::task_id& task, core::duration limit) {
  const auto end = now() + limit;
  auto seen = look(task);
  while (seen.status == "QUEUED" && now() < end) {
    advance(std::max(core::duration{0}, seen.next_action - now()));
    work();
    seen = look(task);
  }
  return seen;
}

// --- files ---

std::string bulk_world::exported(const core::task_id& task) const {
  std::ifstream in{bulk::export_path(exports_, task), std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, std::istreambuf_iterator<char>{}};
}

std::size_t bulk_world::left_behind() const {
  std::size_t found = 0;
  for (const auto& file : std::filesystem::directory_iterator{exports_})
    found += file.path().extension() == ".part" ? 1U : 0U;
  return found;
}

} // namespace holdfast::test
