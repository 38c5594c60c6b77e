#include "client/id_source.hpp"

#include <boost/test/unit_test.hpp>

#include <set>

namespace client = holdfast::client;
namespace core = holdfast::core;

BOOST_AUTO_TEST_SUITE(id_source)

BOOST_AUTO_TEST_CASE(ids_grow_and_no_two_sources_agree) {
  client::id_source one;
  client::id_source other;
  std::set<core::uuid> seen;
  core::uuid last;
  for (int i = 0; i < 1000; ++i) {
    const auto id = one.next();
    BOOST_TEST((last < id));
    last = id;
    seen.insert(id);
    seen.insert(other.next());
  }
  BOOST_TEST(seen.size() == 2000U);
}

BOOST_AUTO_TEST_SUITE_END()
