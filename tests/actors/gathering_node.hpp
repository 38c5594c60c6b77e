#pragma once

#include "actors/internal_messages.hpp"
#include "core/step.hpp"
#include "persistence/memory_store.hpp"
#include "tests/support/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

/// What tests about steps that gather have in common.
namespace holdfast::test {

using namespace std::chrono_literals;

inline const std::string by_count = R"({"name":"w","steps":[
  {"key":"label","judgments_per_unit":1,"next":["page"]},
  {"key":"page","judgments_per_unit":1,"gather":{"by":"count","size":3},"next":["export"]},
  {"key":"export","judgments_per_unit":1}]})";

/// A list is found, each of its items judged, and what was said of them put together again.
inline const std::string by_list = R"({"name":"w","steps":[
  {"key":"find","judgments_per_unit":1,"routes":[{"to":["check"],"for_each":true}]},
  {"key":"check","judgments_per_unit":1,
   "routes":[{"when":{"answer_not":"drop"},"to":["join"],"exclude_judges":true}]},
  {"key":"join","judgments_per_unit":1,"gather":{"by":"list"}}]})";

using rows = std::vector<persistence::memory::unit_row>;

struct gathering_node : node_fixture {
  gathering_node() { start(); }

  void answer(const core::step_id& step, const std::string& who, const std::string& text) {
    BOOST_REQUIRE(submit(assigned(step, who), who, text).value);
    advance(1s);
  }
  /// As `answer`, with any JSON as the answer.
  void answer_json(const core::step_id& step, const std::string& who, const std::string& json) {
    const auto lease = assigned(step, who);
    const auto accepted =
        call(msg::submit_judgment{step, lease.unit, who, lease.token, fresh<core::judgment_id>(),
                                  R"({"answer":)" + json + '}'});
    BOOST_REQUIRE_MESSAGE(accepted.value, (accepted.error ? accepted.error->detail : "no answer"));
    advance(1s);
  }
  void source(const core::step_id& step, const std::string& key, const std::string& input) {
    BOOST_REQUIRE(call(msg::add_source_data{step, {{key, input, 0}}}).value);
  }
  void seal(const core::step_id& step) {
    BOOST_REQUIRE(call(msg::seal_step{step}).value);
    advance(1s);
  }

  /// The units of a step in that state, in order of arrival.
  rows units_of(const core::step_id& step, core::unit_state state) {
    rows units;
    const auto& tables = database->tables();
    for (const auto& [key, id] : tables.units_by_ordinal)
      if (const auto& row = tables.units.at(id); key.first == step && row.state == state)
        units.push_back(row);
    return units;
  }
  rows gathered(const core::step_id& step) { return units_of(step, core::unit_state::gathered); }
  std::vector<std::string> open_inputs(const core::step_id& step) {
    std::vector<std::string> inputs;
    for (const auto& unit : units_of(step, core::unit_state::judgable))
      inputs.push_back(unit.made.input);
    return inputs;
  }
  /// Where no look after what is late brings back what a timer was to bring back.
  void start_without_sweeps() {
    prepare().settings.sweep_interval = 24h;
    start();
  }
  /// From when so many units wait in the step: their next `times` reads fail. Others go well.
  void fail_reads_of_members(const core::step_id& step, std::size_t waiting, std::size_t times) {
    database->set_read_faults([=](std::string_view read) {
      if (read != "load_units" || gathered(step).size() < waiting)
        return false;
      return ++reads_of_members <= times;
    });
  }
  std::size_t reads_of_members = 0;

  /// As another node would: the waiting units of the step become a batch, of which the step itself
  /// hears nothing.
  void gather_elsewhere(const core::step_id& of) {
    core::step there;
    there.row = database->tables().steps.at(of).row;
    std::vector<core::unit_id> waiting;
    for (const auto& row : gathered(of)) {
      waiting.push_back(row.made.id);
      there.next_ordinal = std::max(there.next_ordinal, row.made.ordinal + 1);
    }
    persistence::memory_store store{database};
    const auto members = store.load_units(waiting, {});
    BOOST_REQUIRE(members);
    core::uuid_source fresh_ids{7};
    auto made = core::gather(there, *members, R"({"data":[]})", 1, fresh_ids, now());
    const auto shard = core::shard_of(of, node->settings.shards);
    system->spawn([&, shard, what = std::move(made.changes)](caf::event_based_actor* self) {
      self->send(the_actor("writer"), actors::write_request{{shard, {}, 1}, 1, what});
      return caf::behavior{[self](const actors::write_done& done) {
        BOOST_TEST((done.failure.code == core::errc::none));
        self->quit();
      }};
    });
    settle();
  }

  core::step_row row_of(const core::step_id& step) {
    const auto seen = statistics(step).step;
    core::step_row row;
    row.status = seen.status;
    row.total_units = seen.total_units;
    row.completed_units = seen.completed_units;
    row.sealed = seen.sealed;
    return row;
  }
  std::set<std::string> reasons(const core::step_id& step, const core::unit_id& unit) {
    const auto told = call(msg::explain_unit{step, unit, {}});
    BOOST_REQUIRE(told.value);
    std::set<std::string> codes;
    for (const auto& reason : told.value->reasons)
      codes.insert(reason.code);
    return codes;
  }
};

} // namespace holdfast::test
