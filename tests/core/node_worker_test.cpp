// The names of workers inside nodes: B35.

#include "core/node_worker.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace holdfast::core;

BOOST_AUTO_TEST_SUITE(node_workers)

namespace {

incarnation_id some_process() { return {*parse_uuid("018f2c5e-7c1a-7000-8000-00000000000a")}; }
const std::string own_id = "-018f2c5e-7c1a-7000-8000-00000000000b";

} // namespace

BOOST_AUTO_TEST_CASE(name_says_in_which_process_the_worker_runs) {
  const auto name = name_inside("node-1", some_process()) + own_id;
  BOOST_TEST(name == "node-1@018f2c5e-7c1a-7000-8000-00000000000a" + own_id);
  BOOST_TEST((process_of(name) == some_process()));
}

// What is appended has 37 bytes, and a worker's name 128 at most.
BOOST_AUTO_TEST_CASE(long_name_of_a_node_leaves_room_for_the_rest) {
  const auto chosen = name_inside(std::string(200, 'n'), some_process());
  BOOST_TEST(chosen.size() == 90U);
  BOOST_TEST((process_of(chosen + own_id) == some_process()));
}

BOOST_AUTO_TEST_CASE(other_workers_run_in_no_node) {
  const auto at_process = "@018f2c5e-7c1a-7000-8000-00000000000a";
  for (const auto& name :
       {std::string{}, std::string{"w1"}, "worker" + own_id, "worker" + own_id + own_id,
        std::string{at_process}, std::string{"n"} + at_process,
        std::string{"n"} + at_process + "+018f2c5e-7c1a-7000-8000-00000000000b",
        std::string{"n"} + at_process + "-018f2c5e-7c1a-7000-8000-00000000000g",
        "n@018f2c5e-7c1a-7000-8000-00000000000g" + own_id}) {
    BOOST_TEST(!process_of(name), name);
  }
}

BOOST_AUTO_TEST_SUITE_END()
