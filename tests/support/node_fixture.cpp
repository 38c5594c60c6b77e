#include "tests/support/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <map>

namespace holdfast::test {

std::string step_json(const std::string& key, int judgments, const std::vector<std::string>& next) {
  std::string json =
      R"({"key": ")" + key + R"(", "judgments_per_unit": )" + std::to_string(judgments) + R"(,
    "lease": {"ttl_seconds": 60, "total_max_seconds": 120, "regrant_after_seconds": 30},
    "judgment_schema": {"type": "object", "required": ["answer"],
                        "properties": {"answer": {"enum": ["red", "blue"]}}})";
  if (!next.empty()) {
    json += R"(, "next": [)";
    for (const auto& name : next)
      json += (&name == &next.front() ? "\"" : ", \"") + name + "\"";
    json += "]";
  }
  return json + "}";
}

std::string workflow_json(const std::string& name, const std::vector<std::string>& steps) {
  std::string json = R"({"name": ")" + name + R"(", "steps": [)";
  for (const auto& step : steps)
    json += (&step == &steps.front() ? "" : ",\n") + step;
  return json + "]}";
}

const std::string one_step = workflow_json("colours", {step_json("label", 2, {})});

node_fixture::node_fixture(std::uint64_t seed)
    : virtual_world(seed), me(std::make_unique<client>(*this)) {
  watches_actors = true;
}

node_fixture::~node_fixture() {
  me.reset();
  node.reset();
}

virtual_node& node_fixture::prepare() {
  node.reset();
  node = std::make_unique<virtual_node>(*this, "n1", 1000 * ++starts_);
  return *node;
}

void node_fixture::start() {
  if (!node)
    prepare();
  node->start();
  settle();
  BOOST_REQUIRE(node->gateway);
}

void node_fixture::restart() {
  prepare();
  start();
}

caf::actor node_fixture::the_actor(const std::string& name) const {
  const auto found = actors_named(name);
  BOOST_REQUIRE_MESSAGE(found.size() == 1, found.size() << " actors are named " << name);
  return found.front();
}

std::vector<core::step_id> node_fixture::create_steps(const std::string& definition) {
  const auto created = call(msg::create_workflow{fresh<core::workflow_id>(), definition});
  BOOST_REQUIRE_MESSAGE(created.value, (created.error ? created.error->detail : "no answer"));
  std::vector<core::step_id> steps;
  for (const auto& step : created.value->steps)
    steps.push_back(step.step);
  return steps;
}

core::step_id node_fixture::create(const std::string& definition) {
  return create_steps(definition).front();
}

void node_fixture::feed(const core::step_id& step, std::size_t units, std::size_t first) {
  msg::add_source_data data{step, {}};
  for (auto i = first; i < first + units; ++i)
    data.rows.push_back({"row-" + std::to_string(i), R"({"n":)" + std::to_string(i) + "}", 0});
  const auto added = call(data);
  BOOST_REQUIRE_MESSAGE(added.value, (added.error ? added.error->detail : "no answer"));
  BOOST_REQUIRE(added.value->added == units);
}

answer<msg::assignment> node_fixture::assign(const core::step_id& step, const std::string& who) {
  return call(msg::ask_assignment{step, who, fresh<core::assignment_id>()});
}

msg::assignment node_fixture::assigned(const core::step_id& step, const std::string& who) {
  const auto granted = assign(step, who);
  BOOST_REQUIRE_MESSAGE(granted.value, who << " got no unit: " << granted.code());
  return *granted.value;
}

msg::submit_judgment node_fixture::judgment(const msg::assignment& a, const std::string& who,
                                            const std::string& text) {
  return {
      a.step, a.unit, who, a.token, fresh<core::judgment_id>(), R"({"answer":")" + text + "\"}"};
}

answer<msg::judgment_accepted>
node_fixture::submit(const msg::assignment& a, const std::string& who, const std::string& text) {
  return call(judgment(a, who, text));
}

void node_fixture::work(const core::step_id& step, const std::string& who,
                        const std::string& text) {
  const auto done = submit(assigned(step, who), who, text);
  BOOST_REQUIRE_MESSAGE(done.value, who << " could not submit: " << done.code());
}

answer<msg::assignment_released> node_fixture::release(const msg::assignment& a,
                                                       const std::string& who, bool decline) {
  return call(msg::release_assignment{a.step, a.unit, who, a.token, decline});
}

answer<msg::assignment_extended> node_fixture::extend(const msg::assignment& a,
                                                      const std::string& who) {
  return call(msg::extend_assignment{a.step, a.unit, who, a.token});
}

msg::step_view node_fixture::change(const core::step_id& step, core::unit_verb verb) {
  const auto changed = call(msg::change_step{step, static_cast<std::uint8_t>(verb)});
  BOOST_REQUIRE_MESSAGE(changed.value, "the step was not changed: " << changed.code());
  return *changed.value;
}

answer<msg::unit_changed> node_fixture::change(const msg::assignment& a, core::unit_verb verb) {
  return call(msg::change_unit{a.step, a.unit, static_cast<std::uint8_t>(verb)});
}

msg::step_view node_fixture::seal(const core::step_id& step) {
  const auto sealed = call(msg::seal_step{step});
  BOOST_REQUIRE_MESSAGE(sealed.value, "the step was not sealed: " << sealed.code());
  return *sealed.value;
}

msg::unit_view node_fixture::unit(const core::step_id& step, const core::unit_id& id) {
  const auto view = call(msg::get_unit{step, id});
  BOOST_REQUIRE_MESSAGE(view.value, "the unit cannot be read: " << view.code());
  return *view.value;
}

msg::step_statistics node_fixture::statistics(const core::step_id& step) {
  const auto counted = call(msg::get_step_statistics{step});
  BOOST_REQUIRE_MESSAGE(counted.value, "the step cannot be read: " << counted.code());
  return *counted.value;
}

std::vector<msg::unit_result> node_fixture::results(const core::step_id& step) {
  const auto page = call(msg::list_results{step, 0, 10000});
  BOOST_REQUIRE_MESSAGE(page.value, "the results cannot be read: " << page.code());
  return page.value->results;
}

msg::node_status node_fixture::status() {
  const auto view = call(msg::get_node_status{});
  BOOST_REQUIRE_MESSAGE(view.value, "no status: " << view.code());
  return *view.value;
}

std::vector<core::event> node_fixture::events(core::event_type type) const {
  std::vector<core::event> found;
  for (const auto& [shard, rows] : database->tables().outbox)
    for (const auto& row : rows)
      for (const auto& event : row.events)
        if (event.type == type)
          found.push_back(event);
  return found;
}

std::string broken_invariants(const persistence::memory_database& database) {
  const auto& t = database.tables();
  std::string broken;
  const auto complain = [&](const char* id, const std::string& what) {
    broken += std::string{id} + ": " + what + "\n";
  };
  std::map<core::unit_id, std::uint32_t> taken;
  std::map<core::unit_id, core::token> ended_token;
  for (const auto& [key, lease] : t.active_leases)
    ++taken[key.first];
  for (const auto& [key, judgment] : t.judgments)
    taken[key.first] += judgment.tainted_at ? 0 : 1;
  for (const auto& [id, row] : t.units)
    if (taken[id] > row.made.slots)
      complain("I-1", "unit " + to_string(id) + " has more takers than slots");
  for (const auto& [key, lease] : t.active_leases) {
    if (t.judgments.count(key) != 0)
      complain("I-2", key.second + " holds a lease on a unit they have judged");
    if (t.ended_leases.count({key.first, lease.token}) != 0)
      complain("I-3", "token " + std::to_string(lease.token) + " was granted twice");
  }
  std::map<core::judgment_id, int> received;
  std::map<core::unit_id, std::uint32_t> finalized;
  std::map<core::unit_id, std::uint32_t> reopened;
  std::map<core::unit_id, std::uint32_t> withdrawn;
  std::map<core::unit_id, std::uint32_t> canceled;
  for (const auto& [shard, rows] : t.outbox)
    for (const auto& row : rows)
      for (const auto& event : row.events) {
        if (event.type == core::event_type::judgment_received)
          ++received[event.judgment];
        if (event.type == core::event_type::unit_finalized)
          ++finalized[event.unit];
        if (event.type == core::event_type::unit_reopened)
          ++reopened[event.unit];
        if (event.type == core::event_type::unit_withdrawn)
          ++withdrawn[event.unit];
        if (event.type == core::event_type::unit_canceled)
          ++canceled[event.unit];
      }
  for (const auto& [key, judgment] : t.judgments)
    if (received[judgment.made.id] != 1)
      complain("I-4", std::to_string(received[judgment.made.id]) + " events for one judgment");
  const auto is_withdrawn = [](const persistence::memory::unit_row& row) {
    return row.state == core::unit_state::canceled && row.result;
  };
  for (const auto& [id, row] : t.units) {
    const bool has_result = row.state == core::unit_state::finalized || is_withdrawn(row);
    if (finalized[id] != row.reopened + (has_result ? 1 : 0))
      complain("I-5", std::to_string(finalized[id]) + " UnitFinalized for unit " + to_string(id));
    if (reopened[id] != row.reopened)
      complain("I-5", std::to_string(reopened[id]) + " UnitReopened for unit " + to_string(id));
    if (withdrawn[id] != (is_withdrawn(row) ? 1 : 0))
      complain("I-5", std::to_string(withdrawn[id]) + " UnitWithdrawn for unit " + to_string(id));
    if (is_withdrawn(row) && canceled[id] != 0)
      complain("I-5", "UnitCanceled for unit " + to_string(id) + ", which was withdrawn");
    const auto parent = t.units.find(row.made.parent);
    if (parent == t.units.end())
      continue;
    const auto& from = parent->second;
    // A child may have been made just when its parent's result was taken back. A batch is withdrawn
    // before its units wait again.
    const auto gone = from.made.gathered ? from.ungathered : from.reopened;
    if (row.made.parent_reopened > gone)
      complain("I-5", "unit " + to_string(id) + " was made from a result that there never was");
    if (from.made.gathered && row.made.parent_reopened < gone
        && row.state != core::unit_state::canceled)
      complain("I-5", "batch " + to_string(id) + " is there although it was taken apart");
    if (is_withdrawn(row) && !from.made.gathered && row.made.parent_reopened == gone
        && !is_withdrawn(from))
      complain("I-5", "unit " + to_string(id) + " was withdrawn, its parent's result was not");
  }
  return broken;
}

} // namespace holdfast::test
