// Lists by which a requester finds things again: workflows.

#include "tests/persistence/conformance.hpp"

namespace holdfast::test {

namespace {

template <class World>
class workflow_list_fixture : public store_fixture<World> {
public:
  core::workflow_id given_workflow(const std::string& name, std::int64_t made_s) {
    const core::workflow_id workflow{this->ids.next(at(0))};
    BOOST_TEST(
        is(this->write({core::insert_workflow{workflow, name, "{}", at(made_s)}}), committed));
    return workflow;
  }
};

BOOST_AUTO_TEST_SUITE(store_lists)

BOOST_AUTO_TEST_CASE_TEMPLATE(workflows_are_listed_in_order_of_id, World, worlds) {
  workflow_list_fixture<World> f;
  BOOST_TEST(value_of(f.db->list_workflows({}, 10)).workflows.empty());
  std::vector<core::workflow_id> order;
  for (int i = 0; i < 5; ++i) // the last was made first
    order.push_back(f.given_workflow("w" + std::to_string(i), 50 - i));

  std::vector<core::workflow_id> seen;
  bool more = true;
  for (int page = 0; page < 3; ++page) {
    BOOST_TEST(more);
    const auto listed =
        value_of(f.db->list_workflows(seen.empty() ? core::workflow_id{} : seen.back(), 2));
    for (const auto& one : listed.workflows)
      seen.push_back(one.id);
    more = listed.more;
  }
  BOOST_TEST((seen == order));
  BOOST_TEST(!more);
  BOOST_TEST(!value_of(f.db->list_workflows({}, 5)).more);
  BOOST_TEST(value_of(f.db->list_workflows({}, 4)).more);
  const auto last = value_of(f.db->list_workflows(order[3], 10)).workflows;
  BOOST_REQUIRE_EQUAL(last.size(), 1U);
  BOOST_TEST(last[0].name == "w4");
  BOOST_TEST((last[0].created_at == at(46)));
  // Also behind an id that no workflow has.
  BOOST_TEST(value_of(f.db->list_workflows({f.ids.next(at(0))}, 10)).workflows.empty());
}

BOOST_AUTO_TEST_CASE_TEMPLATE(workflow_is_listed_with_its_versions_steps_and_job, World, worlds) {
  workflow_list_fixture<World> f;
  const auto empty = f.given_workflow("empty", 1);
  const auto full = f.given_workflow("full", 2);
  std::vector<core::write_op> writes{core::insert_workflow_version{full, 2, "{}", at(3)},
                                     core::insert_workflow_version{full, 3, "{}", at(4)}};
  // One open step, two that are paused, three complete and four canceled.
  std::uint32_t position = 0;
  for (std::uint32_t status = 1; status <= 4; ++status)
    for (std::uint32_t i = 0; i < status; ++i) {
      auto step = f.new_step(full, position);
      step.sealed = true;
      step.status = static_cast<core::step_status>(status);
      step.job_revision = position == 0 ? 7 : 9; // that of the first step counts
      step.job = position == 0 ? core::job_status::paused : core::job_status::canceled;
      writes.push_back(core::insert_step{step, at(5)});
      ++position;
    }
  BOOST_TEST(is(f.write(writes), committed));

  const auto listed = value_of(f.db->list_workflows({}, 10)).workflows;
  BOOST_REQUIRE_EQUAL(listed.size(), 2U);
  BOOST_TEST((listed[0].id == empty && listed[1].id == full));
  BOOST_TEST(listed[0].latest == 1U);
  BOOST_TEST(listed[0].open + listed[0].paused + listed[0].completed + listed[0].canceled == 0U);
  BOOST_TEST(listed[0].job_revision == 0U);
  BOOST_TEST((listed[0].job == core::job_status::launched));
  BOOST_TEST(listed[1].latest == 3U);
  BOOST_TEST(listed[1].open == 1U);
  BOOST_TEST(listed[1].paused == 2U);
  BOOST_TEST(listed[1].completed == 3U);
  BOOST_TEST(listed[1].canceled == 4U);
  BOOST_TEST(listed[1].job_revision == 7U);
  BOOST_TEST((listed[1].job == core::job_status::paused));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
