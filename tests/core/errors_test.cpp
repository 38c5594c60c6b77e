// The error table: numbers are on the wire for ever, names are what programs compare.

#include "core/errors.hpp"
#include "core/outcome.hpp"

#include <boost/test/unit_test.hpp>

#include <cctype>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace holdfast::core;

namespace {

/// Numbers and names as they were first published. A line here never changes; new ones are added.
const std::vector<std::pair<int, std::string_view>> published{
    {0, "none"},
    {1, "invalid_argument"},
    {2, "not_found"},
    {3, "no_unit_available"},
    {4, "payload_invalid"},
    {5, "too_large"},
    {6, "lease_not_held"},
    {7, "stale_token"},
    {8, "lease_expired"},
    {9, "already_judged"},
    {10, "not_extendable"},
    {11, "already_exists"},
    {12, "wrong_state"},
    {13, "limit_reached"},
    {14, "overloaded"},
    {15, "unavailable"},
    {16, "fenced"},
    {17, "duplicate_message"},
    {18, "refused_by_store"},
    {19, "damaged"},
    {20, "not_qualified"},
    {21, "events_gone"},
    {22, "rate_limited"},
};

} // namespace

BOOST_AUTO_TEST_SUITE(errors)

BOOST_AUTO_TEST_CASE(numbers_and_names_stay_as_published) {
  for (const auto& [number, name] : published) {
    const auto& row = describe(static_cast<errc>(number));
    BOOST_TEST(static_cast<int>(row.code) == number);
    BOOST_TEST(row.name == name);
    BOOST_TEST(to_string(static_cast<errc>(number)) == name);
  }
}

BOOST_AUTO_TEST_CASE(every_number_is_published_or_unknown) {
  std::set<std::string_view> names;
  std::size_t known = 0;
  for (int number = 0; number <= 255; ++number) {
    const auto& row = describe(static_cast<errc>(number));
    if (static_cast<int>(row.code) == number) {
      ++known;
      BOOST_TEST(names.insert(row.name).second, row.name);
    } else {
      // From a newer peer: nothing is known but that it may or may not have been carried out.
      BOOST_TEST((row.code == errc::unavailable));
    }
  }
  BOOST_TEST(known == published.size());
}

BOOST_AUTO_TEST_CASE(every_error_says_what_to_do) {
  for (const auto& [number, name] : published) {
    const auto& row = describe(static_cast<errc>(number));
    BOOST_TEST(row.advice.size() > 10U, name);
    BOOST_TEST(row.advice.back() == '.', name);
    BOOST_TEST(std::isupper(static_cast<unsigned char>(row.advice.front())) != 0, name);
  }
}

BOOST_AUTO_TEST_CASE(only_what_may_succeed_unchanged_is_retryable) {
  const std::set<errc> retryable{errc::no_unit_available, errc::limit_reached, errc::overloaded,
                                 errc::unavailable,       errc::fenced,        errc::rate_limited};
  for (const auto& [number, name] : published) {
    const auto code = static_cast<errc>(number);
    BOOST_TEST(describe(code).retryable == (retryable.count(code) != 0), name);
  }
}

BOOST_AUTO_TEST_CASE(transient_errors_are_those_that_need_nothing_but_a_pause) {
  const std::set<errc> transient{errc::overloaded, errc::unavailable, errc::fenced,
                                 errc::rate_limited};
  for (const auto& [number, name] : published) {
    const auto code = static_cast<errc>(number);
    BOOST_TEST(is_transient(code) == (transient.count(code) != 0), name);
  }
  BOOST_TEST(!is_transient(errc::none));
}

BOOST_AUTO_TEST_CASE(an_outcome_is_a_value_or_a_failure) {
  outcome<int> good{7};
  BOOST_TEST(static_cast<bool>(good));
  BOOST_TEST(*good == 7);
  const outcome<std::string> bad{failure{errc::not_found, "step"}};
  BOOST_TEST(!bad);
  BOOST_TEST((bad.error().code == errc::not_found));
  BOOST_TEST(bad.error().detail == "step");
  BOOST_CHECK_THROW((outcome<int>{failure{}}), broken_invariant);
}

BOOST_AUTO_TEST_CASE(a_broken_invariant_says_where_and_who_guarantees_it) {
  try {
    HOLDFAST_INVARIANT(1 > 2, "arithmetic");
    BOOST_ERROR("the invariant holds");
  } catch (const broken_invariant& broken) {
    const std::string text = broken.what();
    BOOST_TEST(text.find("errors_test.cpp:") != std::string::npos, text);
    BOOST_TEST(text.find("arithmetic (1 > 2)") != std::string::npos, text);
  }
  BOOST_CHECK_NO_THROW(HOLDFAST_INVARIANT(2 > 1, "arithmetic"));
}

BOOST_AUTO_TEST_SUITE_END()
