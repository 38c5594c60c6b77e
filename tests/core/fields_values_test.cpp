// Fields of one value: categories, sets, numbers, places on a scale, texts; and how much people
// agree about them.

#include "core/fields/combine.hpp"
#include "core/fields/edit_distance.hpp"
#include "core/fields/whole_step.hpp"
#include "tests/core/random_source.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace holdfast::core::fields {

namespace {

using names = std::vector<std::string>;
constexpr double exactly = 1e-9;

field_rule field_of(field_kind kind, names labels = {}) {
  field_rule rule;
  rule.name = "f";
  rule.kind = kind;
  rule.method = methods_of(kind).front();
  rule.labels = std::move(labels);
  return rule;
}

/// A text whose normalised form is in lower case.
phrase text_of(const std::string& written) {
  phrase made;
  made.written = written;
  word next;
  const auto end_word = [&] {
    if (!next.written.empty())
      made.words.push_back(next);
    next = {};
  };
  for (const char letter : written) {
    const auto low = static_cast<char>(letter >= 'A' && letter <= 'Z' ? letter + 32 : letter);
    made.compared += low;
    if (letter == ' ') {
      end_word();
      continue;
    }
    next.written += letter;
    next.compared += low;
  }
  end_word();
  return made;
}

template <class Value>
std::vector<given_value> said_by_all(const std::vector<Value>& values) {
  std::vector<given_value> given;
  for (const auto& one : values)
    given.push_back({one, 1, 100 + given.size()});
  return given;
}

std::string label_of(const found_value& found) { return std::get<std::string>(found.answer); }
names set_of(const found_value& found) { return std::get<names>(found.answer); }
double number_of(const found_value& found) { return std::get<double>(found.answer); }
std::string written_in(const found_value& found) { return std::get<phrase>(found.answer).written; }

void is_near(double found, double wanted) {
  BOOST_TEST(std::abs(found - wanted) <= exactly, found << " is not " << wanted);
}

} // namespace

BOOST_AUTO_TEST_SUITE(fields_of_one_value)

// A30, A31, A32
BOOST_AUTO_TEST_CASE(a_category_has_most_weight_and_ties_go_by_lot) {
  const auto rule = field_of(field_kind::category, {"cat", "dog"});
  auto given = said_by_all<std::string>({"dog", "cat", "cat"});
  auto found = combine(rule, given);
  BOOST_TEST(label_of(found) == "cat");
  is_near(found.confidence, 2.0 / 3);
  BOOST_REQUIRE_EQUAL(found.support.size(), 2U);
  BOOST_TEST(found.support[0].name == "cat");
  BOOST_TEST(found.support[0].votes == 2U);
  given[0].weight = 3;
  BOOST_TEST(label_of(combine(rule, given)) == "dog");
  given.pop_back();
  given[0].weight = 1;
  found = combine(rule, given);
  BOOST_TEST(found.tied == 2U);
  BOOST_TEST(label_of(found) == "dog"); // of the lesser lot
  given[1].lot = 1;
  BOOST_TEST(label_of(combine(rule, given)) == "cat");
}

BOOST_AUTO_TEST_CASE(what_nobody_said_has_no_answer_and_silence_agrees_with_silence) {
  const auto rule = field_of(field_kind::number);
  const auto found = combine(rule, {{absent{}}, {absent{}}});
  BOOST_TEST(is_absent(found.answer));
  BOOST_TEST(found.votes == 0U);
  BOOST_TEST(agree(rule, absent{}, absent{}));
  BOOST_TEST(!agree(rule, absent{}, 1.0));
  BOOST_TEST(degenerate(rule, absent{}) == "is missing");
  auto optional = rule;
  optional.optional = true;
  BOOST_TEST(degenerate(optional, absent{}) == "");
}

BOOST_AUTO_TEST_CASE(each_option_of_a_set_is_voted_on_by_itself) {
  const auto rule = field_of(field_kind::set, {"red", "green", "blue"});
  const auto given = said_by_all<names>({{"green", "red"}, {"red"}, {"blue", "red"}, {"green"}});
  const auto found = combine(rule, given);
  BOOST_TEST(set_of(found) == (names{"red"}), boost::test_tools::per_element());
  is_near(found.confidence, 0.5); // green: two of four
  is_near(found.support[0].share, 0.75);
  BOOST_TEST(set_of(combine(rule, said_by_all<names>({{}, {}, {"red"}}))).empty());
  auto half = rule;
  half.share = 0.75;
  BOOST_TEST(set_of(combine(half, given)) == (names{"red"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_set_as_a_whole_is_one_answer) {
  auto rule = field_of(field_kind::set, {"a", "b"});
  rule.method = field_method::exact;
  const auto found = combine(rule, said_by_all<names>({{"a", "b"}, {"a"}, {"a", "b"}, {}}));
  BOOST_TEST(set_of(found) == (names{"a", "b"}), boost::test_tools::per_element());
  is_near(found.confidence, 0.5);
  is_near(likeness(rule, names{"a", "b"}, names{"a"}), 0.5);
  is_near(likeness(rule, names{}, names{}), 1);
  BOOST_TEST(!agree(rule, names{"a", "b"}, names{"a"}));
  BOOST_TEST(degenerate(rule, names{"c"}) == "has the option \"c\", which the field does not have");
}

// Quantiles by the definition of numpy's default, reckoned by hand in Python.
BOOST_AUTO_TEST_CASE(numbers_have_a_median_and_intervals) {
  const auto rule = field_of(field_kind::number);
  const auto found = combine(rule, said_by_all<double>({3.5, 1.25, 10, 2, 7, 4.75}));
  is_near(number_of(found), 4.125);
  is_near(found.half->low, 2.375);
  is_near(found.half->high, 6.4375);
  is_near(found.nearly->low, 1.34375);
  is_near(found.nearly->high, 9.625);
  BOOST_TEST(found.confidence == 0); // nobody said just that
  auto given = said_by_all<double>({1, 2, 10});
  given[2].weight = 5;
  is_near(number_of(combine(rule, given)), 10);
  is_near(combine(rule, given).confidence, 5.0 / 7);
}

BOOST_AUTO_TEST_CASE(numbers_have_means_with_and_without_the_outer_ones) {
  auto rule = field_of(field_kind::number);
  rule.method = field_method::mean;
  auto given = said_by_all<double>({1, 2, 3, 4, 100});
  is_near(number_of(combine(rule, given)), 22);
  rule.method = field_method::trimmed_mean; // one of five at each end
  is_near(number_of(combine(rule, given)), 3);
  rule.trim = 0.19;
  is_near(number_of(combine(rule, given)), 22);
  rule.trim = 0.5; // leaves one
  given.resize(1);
  is_near(number_of(combine(rule, given)), 1);
}

BOOST_AUTO_TEST_CASE(numbers_agree_within_the_greater_of_both_tolerances) {
  auto rule = field_of(field_kind::number);
  BOOST_TEST(agree(rule, 0.0, 0.0));
  BOOST_TEST(agree(rule, -0.0, 0.0));
  BOOST_TEST(!agree(rule, 1.0, std::nextafter(1.0, 2.0)));
  rule.within = 0.1;
  BOOST_TEST(agree(rule, 0.3, 0.2));
  BOOST_TEST(!agree(rule, 0.3, 0.19999));
  rule.within_share = 0.02;
  BOOST_TEST(agree(rule, 1000.0, 980.0));
  BOOST_TEST(agree(rule, -980.0, -1000.0));
  BOOST_TEST(!agree(rule, 1000.0, 979.9));
}

BOOST_AUTO_TEST_CASE(a_place_on_a_scale_is_the_weighted_median) {
  const auto rule = field_of(field_kind::ordinal, {"poor", "fair", "good", "great"});
  auto found = combine(rule, said_by_all<std::string>({"poor", "great", "good"}));
  BOOST_TEST(label_of(found) == "good");
  is_near(found.confidence, 1.0 / 3);
  // Just between two: by lot, and not by their names or places.
  auto given = said_by_all<std::string>({"poor", "great"});
  found = combine(rule, given);
  BOOST_TEST(found.tied == 2U);
  BOOST_TEST(label_of(found) == "poor");
  given[1].lot = 0;
  BOOST_TEST(label_of(combine(rule, given)) == "great");
  is_near(likeness(rule, std::string{"poor"}, std::string{"good"}), 1.0 / 3);
}

BOOST_AUTO_TEST_CASE(a_careful_contributor_outweighs_two_careless_ones_on_a_scale) {
  auto rule = field_of(field_kind::ordinal, {"1", "2", "3", "4", "5"});
  rule.method = field_method::dawid_skene_ordinal;
  test::random_source random{7};
  std::vector<step_value> given;
  std::vector<int> truth;
  constexpr std::uint32_t units = 300;
  for (std::uint32_t unit = 0; unit < units; ++unit) {
    truth.push_back(static_cast<int>(random.below(5)));
    for (std::uint32_t who = 0; who < 5; ++who) {
      // Two are right or one off now and then; three say anything.
      auto said = static_cast<int>(random.below(5));
      if (who < 2) {
        said = truth.back();
        if (random.below(10) == 0)
          said = std::min(4, said + 1);
      }
      given.push_back({unit, who, rule.labels[static_cast<std::size_t>(said)], 1, who});
    }
  }
  const auto right = [&](const step_found& found) {
    std::uint32_t count = 0;
    for (std::uint32_t unit = 0; unit < units; ++unit)
      count += label_of(found.units[unit]) == rule.labels[static_cast<std::size_t>(truth[unit])];
    return count;
  };
  const auto found = combine_step(rule, units, 5, given);
  rule.method = field_method::weighted_median;
  BOOST_TEST(right(found) > 260U);
  BOOST_TEST(right(found) > right(combine_step(rule, units, 5, given)) + 50);
  BOOST_TEST(found.contributors[0] > 0.85);
  BOOST_TEST(found.contributors[4] < 0.4);
}

BOOST_AUTO_TEST_CASE(options_of_a_step_are_believed_of_those_who_are_right_elsewhere) {
  auto rule = field_of(field_kind::set, {"a", "b", "c"});
  rule.method = field_method::one_coin_options;
  test::random_source random{11};
  std::vector<step_value> given;
  std::vector<names> truth;
  constexpr std::uint32_t units = 200;
  for (std::uint32_t unit = 0; unit < units; ++unit) {
    names holds;
    for (const auto* option : {"a", "b", "c"})
      if (random.below(3) == 0)
        holds.emplace_back(option);
    truth.push_back(holds);
    for (std::uint32_t who = 0; who < 5; ++who) {
      names said;
      for (const auto* option : {"a", "b", "c"}) {
        const bool is_so = std::count(holds.begin(), holds.end(), option) != 0;
        if (is_so != (random.below(20) < (who < 2 ? 1U : 9U)))
          said.emplace_back(option);
      }
      given.push_back({unit, who, said, 1, who});
    }
  }
  const auto right = [&](const step_found& found) {
    std::uint32_t count = 0;
    for (std::uint32_t unit = 0; unit < units; ++unit)
      count += set_of(found.units[unit]) == truth[unit];
    return count;
  };
  const auto found = combine_step(rule, units, 5, given);
  rule.method = field_method::options;
  BOOST_TEST(right(found) > right(combine_step(rule, units, 5, given)) + 20);
  BOOST_TEST(found.contributors[0] > 0.9);
  BOOST_TEST(found.contributors[4] < 0.7);
}

BOOST_AUTO_TEST_CASE(texts_are_the_same_once_normalised_and_shown_as_most_wrote_them) {
  const auto rule = field_of(field_kind::text);
  const auto found =
      combine(rule, said_by_all<phrase>({text_of("Main St"), text_of("main st"), text_of("main st"),
                                         text_of("Station Rd")}));
  BOOST_TEST(written_in(found) == "main st");
  is_near(found.confidence, 0.75);
  BOOST_TEST(agree(rule, text_of("A B"), text_of("a b")));
  is_near(likeness(rule, text_of("kitten"), text_of("sitting")), 1 - 3.0 / 7);
  is_near(likeness(rule, text_of(""), text_of("")), 1);
}

BOOST_AUTO_TEST_CASE(words_of_several_transcripts_are_voted_on) {
  auto rule = field_of(field_kind::text);
  rule.method = field_method::rover;
  const auto found = combine(
      rule, said_by_all<phrase>({text_of("the cat sat on mat"), text_of("a cat sat on the mat"),
                                 text_of("the cat sad on the mat")}));
  BOOST_TEST(written_in(found) == "the cat sat on the mat");
  is_near(found.confidence, (2.0 / 3 + 1 + 2.0 / 3 + 1 + 2.0 / 3 + 1) / 6);
  const auto nothing = combine(rule, said_by_all<phrase>({text_of(""), text_of(""), text_of("x")}));
  BOOST_TEST(written_in(nothing) == "");
  is_near(nothing.confidence, 2.0 / 3);
}

BOOST_AUTO_TEST_CASE(the_medoid_is_the_text_most_like_the_others) {
  auto rule = field_of(field_kind::text);
  rule.method = field_method::medoid;
  const auto found =
      combine(rule, said_by_all<phrase>({text_of("abcdefghij"), text_of("abcdefghix"),
                                         text_of("zzzzzzzzzz"), text_of("abcdefghij")}));
  BOOST_TEST(written_in(found) == "abcdefghij");
  is_near(found.confidence, (1 + 0.9 + 0 + 1) / 4);
}

BOOST_AUTO_TEST_CASE(edit_distances_by_words_of_bits_are_those_of_the_plain_table) {
  const auto plain = [](const std::u32string& a, const std::u32string& b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), 0U);
    for (std::size_t i = 1; i <= a.size(); ++i) {
      auto before = row;
      row[0] = i;
      for (std::size_t j = 1; j <= b.size(); ++j)
        row[j] = std::min(
            {before[j] + 1, row[j - 1] + 1, before[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
    }
    return row.back();
  };
  test::random_source random{3};
  for (int run = 0; run < 400; ++run) {
    std::u32string texts[2];
    for (auto& text : texts)
      for (auto length = random.below(run < 200 ? 20 : 300); length > 0; --length)
        text += static_cast<char32_t>(U'a' + random.below(4));
    BOOST_REQUIRE_EQUAL(edit_distance(texts[0], texts[1]), plain(texts[0], texts[1]));
  }
  BOOST_TEST(code_points("aé€😀").size() == 4U);
  BOOST_TEST(code_points("\xff\xc3").size() == 2U);
}

BOOST_AUTO_TEST_CASE(neither_order_nor_scale_of_weights_nor_names_of_labels_matter) {
  test::random_source random{19};
  const names labels{"k", "l", "m", "n"};
  for (int run = 0; run < 200; ++run) {
    for (const auto kind : {field_kind::category, field_kind::set, field_kind::number,
                            field_kind::ordinal, field_kind::text}) {
      for (const auto method : methods_of(kind)) {
        auto rule = field_of(kind, labels);
        rule.method = method;
        if (looks_at_the_step(kind, method))
          continue;
        std::vector<given_value> given;
        for (std::uint64_t i = 0; i < 5; ++i) {
          const auto label = random.below(4);
          value said = labels[label];
          if (kind == field_kind::number)
            said = static_cast<double>(label);
          else if (kind == field_kind::text)
            said = text_of(labels[label] + " " + labels[random.below(4)]);
          else if (kind == field_kind::set)
            said = label == 0 ? names{} : names{labels[label]};
          given.push_back(
              {said, 1.0 + static_cast<double>(random.below(3)), 10 * i + random.below(9)});
        }
        const auto found = combine(rule, given);
        auto other = given;
        std::reverse(other.begin(), other.end());
        for (auto& one : other)
          one.weight *= 8;
        const auto again = combine(rule, other);
        BOOST_TEST(agree(rule, found.answer, again.answer));
        is_near(found.confidence, again.confidence);
        BOOST_TEST(found.confidence <= 1 + exactly);
        BOOST_TEST(found.tied == again.tied);
        if (kind != field_kind::category)
          continue;
        const std::map<std::string, std::string> renamed{
            {"k", "z"}, {"l", "y"}, {"m", "x"}, {"n", "w"}};
        for (auto& one : other)
          one.said = renamed.at(std::get<std::string>(one.said));
        rule.labels = {"w", "x", "y", "z"};
        BOOST_TEST(label_of(combine(rule, other)) == renamed.at(label_of(found)));
      }
    }
  }
}

// K. Krippendorff, "Computing Krippendorff's alpha-reliability", 2011: four observers, twelve
// units, values from 1 to 5; the figures there are 0.743, 0.815 and 0.849. The digits below are of
// the definition, written down in Python.
BOOST_AUTO_TEST_CASE(alpha_has_the_distance_of_the_kind) {
  const std::vector<std::vector<int>> observers{{1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0, 0},
                                                {1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0, 3},
                                                {0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 0},
                                                {1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, 0}};
  std::vector<step_value> labels;
  std::vector<step_value> numbers;
  for (std::uint32_t who = 0; who < 4; ++who)
    for (std::uint32_t unit = 0; unit < 12; ++unit)
      if (const auto said = observers[who][unit]; said > 0) {
        labels.push_back({unit, who, std::to_string(said)});
        numbers.push_back({unit, who, static_cast<double>(said)});
      }
  const names scale{"1", "2", "3", "4", "5"};
  is_near(alpha(field_of(field_kind::category, scale), 12, labels).value(), 0.743421052631579);
  is_near(alpha(field_of(field_kind::ordinal, scale), 12, labels).value(), 0.8153875037548813);
  is_near(alpha(field_of(field_kind::number), 12, numbers).value(), 0.8491071428571428);
  // By the general way, of sets of one: nominal distances once more.
  std::vector<step_value> sets;
  for (const auto& one : labels)
    sets.push_back({one.unit, one.contributor, names{std::get<std::string>(one.said)}});
  is_near(alpha(field_of(field_kind::set), 12, sets).value(), 0.743421052631579);
  BOOST_TEST(!alpha(field_of(field_kind::set), 12, {{0, 0, names{"a"}}}));
  BOOST_TEST(!alpha(field_of(field_kind::category), 1,
                    {{0, 0, std::string{"a"}}, {0, 1, std::string{"a"}}}));
  is_near(mean_likeness(field_of(field_kind::category), 2,
                        {{0, 0, std::string{"a"}},
                         {0, 1, std::string{"a"}},
                         {0, 2, std::string{"b"}},
                         {1, 0, std::string{"a"}}})
              .value(),
          1.0 / 3);
}

BOOST_AUTO_TEST_CASE(every_name_of_a_kind_and_a_method_is_read_back) {
  for (int kind = 1; kind <= static_cast<int>(field_kind::none); ++kind) {
    const auto one = static_cast<field_kind>(kind);
    BOOST_TEST((field_kind_named(to_string(one)) == one));
    for (const auto method : methods_of(one))
      BOOST_TEST((field_method_named(to_string(method)) == method));
  }
  BOOST_TEST(!field_kind_named("colour"));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::core::fields
