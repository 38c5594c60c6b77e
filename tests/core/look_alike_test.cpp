#include "core/look_alike.hpp"

#include <boost/test/unit_test.hpp>

#include <ostream>

namespace holdfast::core {

static std::ostream& operator<<(std::ostream& out, likeness how) {
  return out << static_cast<int>(how);
}

BOOST_AUTO_TEST_SUITE(look_alikes)

BOOST_AUTO_TEST_CASE(labels_that_differ_in_case_blanks_or_dots_are_alike) {
  for (const auto* other :
       {"Not sure", "not  sure", " not sure", "not sure ", "not sure.", "notsure", "not\u00a0sure",
        "not sure\u2026", "not\u200b sure", "\uff4eot sure"})
    BOOST_TEST(likeness_of("not sure", other) == likeness::letters, other);
  BOOST_TEST(likeness_of("\u00c4hnlich", "\u00e4hnlich") == likeness::letters);
  BOOST_TEST(likeness_of("\u0414\u0410", "\u0434\u0430") == likeness::letters);
}

BOOST_AUTO_TEST_CASE(labels_of_characters_with_one_shape_are_alike) {
  BOOST_TEST(likeness_of("O", "0") == likeness::shapes);
  BOOST_TEST(likeness_of("l", "I") == likeness::shapes);
  BOOST_TEST(likeness_of("cat", "c\u0430t") == likeness::shapes);
  BOOST_TEST(likeness_of("A\u2013B", "A-B") == likeness::shapes);
}

BOOST_AUTO_TEST_CASE(other_labels_are_apart) {
  const char* labels[] = {"cat",    "cart", "good", "bad", "1", "10", "2",   "-1", "+",   "-",
                          "\u00e4", "a",    "yes",  "no",  "C", "C#", "C++", "",   "...", "\xff"};
  for (const auto* one : labels)
    for (const auto* other : labels)
      BOOST_TEST(likeness_of(one, other) == likeness::none, one << " and " << other);
}

BOOST_AUTO_TEST_CASE(text_that_is_not_utf8_is_compared_by_its_bytes) {
  BOOST_TEST(likeness_of("\xff", "\xfe") == likeness::none);
  BOOST_TEST(likeness_of("A\xc3", "a\xc3") == likeness::letters);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::core
