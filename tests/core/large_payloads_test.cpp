// What a queue decides about tasks whose documents are in the object store (docs/adr/0011).

#include "core/object_ref.hpp"
#include "core/queue.hpp"
#include "tests/core/describe.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <string>

using namespace holdfast::core;
using namespace std::chrono_literals;
using holdfast::test::beginning;

namespace {

std::string ref_to(std::uint64_t bytes) { return to_json(object_ref{{}, bytes}); }

struct queue_with_objects {
  queue_with_objects() {
    q.name = "scans";
    q.revision = 1;
  }

  new_task a_task(const std::string& body) {
    new_task made;
    made.spec.id.value = ids.next(beginning);
    made.spec.type = "read";
    made.spec.version = "1.0";
    made.spec.body = body;
    return made;
  }
  task_id enqueued(new_task made) {
    const auto id = made.spec.id;
    const auto decided = decide(q, enqueue{{std::move(made)}}, beginning);
    BOOST_TEST((decided.answer.front().refusal == errc::none));
    return id;
  }
  std::vector<task_id> claimed(const claim& command) {
    return decide(q, command, beginning).answer;
  }
  claim by(const std::string& worker, std::uint32_t most = 100) {
    return {worker, {ids.next(beginning)}, most, {}};
  }
  decision<item_outcome> withhold(const task_id& id, const std::string& worker, errc why) {
    return decide(q,
                  withhold_task{worker, {id, 1}, {why, "objects/3f/3f79 is away"}, beginning + 8s},
                  beginning + 1s);
  }

  queue q;
  uuid_source ids{11};
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(large_payloads, queue_with_objects)

BOOST_AUTO_TEST_CASE(a_payload_has_the_bytes_of_its_object) {
  BOOST_TEST(payload_bytes("{}") == 2U);
  BOOST_TEST(payload_bytes(ref_to(70'000)) == 70'000U);
  BOOST_TEST(payload_bytes(R"({"$holdfast.object":7})") == 22U);
}

BOOST_AUTO_TEST_CASE(the_form_is_that_of_the_text_and_the_row_has_the_reference) {
  const text_check begins_with_1 = [](std::string_view json) {
    return json.substr(0, 1) == "1" ? failure{}
                                    : failure{errc::payload_invalid, "must begin with 1"};
  };
  q.policy.types["read"].versions = {{1, {begins_with_1, {}}}};
  auto good = a_task("1000");
  good.body_ref = ref_to(4);
  good.data_ref = ref_to(2);
  auto bad = a_task("2000");
  bad.body_ref = ref_to(4);
  const auto decided = decide(q, enqueue{{good, bad}}, beginning);
  BOOST_TEST((decided.answer[0].refusal == errc::none));
  BOOST_TEST((decided.answer[1].refusal == errc::payload_invalid));
  BOOST_REQUIRE_EQUAL(decided.changes.writes.size(), 1U);
  const auto& row = std::get<insert_task>(decided.changes.writes.front());
  BOOST_TEST(row.spec.body == ref_to(4));
  BOOST_TEST(row.progress.data == ref_to(2));
  BOOST_TEST(q.tasks.at(good.spec.id).spec.body == ref_to(4));
}

BOOST_AUTO_TEST_CASE(a_claim_counts_the_bytes_in_the_store) {
  for (int i = 0; i < 10; ++i)
    enqueued(a_task(ref_to(1'000)));
  auto command = by("w1");
  command.bytes_most = 3'500;
  BOOST_TEST(claimed(command).size() == 4U);
}

BOOST_AUTO_TEST_CASE(a_task_without_its_payload_fails_for_good) {
  for (const auto& [why, code] : {std::pair{errc::not_found, "PAYLOAD_MISSING"},
                                  std::pair{errc::damaged, "PAYLOAD_DAMAGED"}}) {
    const auto id = enqueued(a_task(ref_to(1'000)));
    claimed(by("w1"));
    const auto decided = withhold(id, "w1", why);
    BOOST_REQUIRE_EQUAL(decided.changes.writes.size(), 1U);
    const auto& gone = std::get<finish_task>(decided.changes.writes.front());
    BOOST_TEST((gone.ending == task_ending::failed));
    BOOST_TEST(gone.error.code == code);
    BOOST_TEST(gone.error.detail == "objects/3f/3f79 is away");
    BOOST_TEST(q.tasks.count(id) == 0U);
  }
}

BOOST_AUTO_TEST_CASE(a_task_whose_payload_is_out_of_reach_waits_and_counts_no_try) {
  const auto id = enqueued(a_task(ref_to(1'000)));
  claimed(by("w1"));
  const auto decided = withhold(id, "w1", errc::unavailable);
  const auto& over = std::get<end_task_lease>(decided.changes.writes.front());
  BOOST_TEST((over.how == attempt_ending::released));
  BOOST_TEST(over.error.code == "PAYLOAD_UNREACHABLE");
  const auto& t = q.tasks.at(id);
  BOOST_TEST(t.progress.attempts == 0U);
  BOOST_TEST(t.progress.crashes == 0U);
  BOOST_TEST((t.progress.next_action == beginning + 8s));
}

BOOST_AUTO_TEST_CASE(task_that_is_not_held_any_more_is_left_alone) {
  const auto id = enqueued(a_task(ref_to(1'000)));
  claimed(by("w1"));
  const auto decided = withhold(id, "w2", errc::not_found);
  BOOST_TEST((decided.answer.refusal == errc::lease_not_held));
  BOOST_TEST(decided.changes.empty());
  BOOST_TEST(q.tasks.count(id) == 1U);
}

BOOST_AUTO_TEST_SUITE_END()
