// `aggregate` reads every file that `step export` writes. Findings C6 and D5.

#include "app/judgment_export.hpp"
#include "documents/csv.hpp"
#include "documents/labelled_set.hpp"
#include "tests/core/random_source.hpp"

#include <boost/test/unit_test.hpp>

#include <map>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

using namespace holdfast;
using documents::csv_formulas;

namespace {

/// Pieces of which names and answers are made.
const std::vector<std::string> pieces{"",
                                      "a",
                                      "\"",
                                      "'",
                                      "''",
                                      "=",
                                      "+",
                                      "-",
                                      "@",
                                      "\t",
                                      "\r",
                                      "\n",
                                      ",",
                                      ";",
                                      " ",
                                      "1",
                                      "-1.5e3",
                                      "ä",
                                      "\xef\xbc\x9d",
                                      "\x1b",
                                      "=HYPERLINK(\"x\")",
                                      "\xef\xbb\xbf"};

std::string made_of(test::random_source& random, bool may_be_empty) {
  std::string text;
  for (std::uint64_t i = 0, n = random.below(5); i < n; ++i)
    text += random.of(pieces);
  return text.empty() && !may_be_empty ? "x" : text;
}

using answer_row = std::tuple<std::string, std::string, std::string>;

/// The rows as `aggregate` sees them, each with how often it is there.
std::map<answer_row, int> read_back(const std::string& csv) {
  const auto set = documents::parse_labelled_set("set", csv, "", core::quality::repeats::all_count);
  BOOST_TEST_REQUIRE(static_cast<bool>(set), (set ? "" : set.error().detail));
  std::map<answer_row, int> rows;
  const auto& named = set->named;
  for (std::size_t unit = 0; unit < named.units.size(); ++unit)
    for (const auto& vote : named.given.of(unit))
      ++rows[{named.contributors[vote.contributor], named.units[unit], named.labels[vote.label]}];
  return rows;
}

bool first_character_commands(const std::string& field) {
  auto text = field.substr(0, 1) == "\"" ? field.substr(1) : field;
  text.erase(0, std::min(text.find_first_not_of(' '), text.size()));
  return !text.empty() && std::string{"=@\t\r\n"}.find(text.front()) != std::string::npos;
}

} // namespace

BOOST_AUTO_TEST_SUITE(exported_judgments)

BOOST_AUTO_TEST_CASE(an_exported_file_is_read_again_to_the_byte) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    test::random_source random{seed};
    const auto formulas = random.one_in(2) ? csv_formulas::guarded : csv_formulas::as_they_are;
    std::string csv = app::export_header;
    std::map<answer_row, int> said;
    for (int i = 0; i < 5; ++i) {
      msg::lineage_unit unit;
      unit.source_key = made_of(random, false) + std::to_string(i);
      msg::lineage_judgment judgment;
      judgment.contributor = made_of(random, false);
      judgment.answer = made_of(random, true);
      csv += app::export_line(unit, judgment, formulas);
      ++said[{judgment.contributor, unit.source_key, judgment.answer}];
    }
    BOOST_TEST_REQUIRE((read_back(csv) == said), seed << ": " << csv);
  }
}

BOOST_AUTO_TEST_CASE(answers_are_as_long_as_judgments_may_be) {
  msg::lineage_unit unit;
  unit.source_key = std::string(600, 'k');
  msg::lineage_judgment judgment;
  judgment.contributor = std::string(128, 'w');
  judgment.answer = std::string(300'000, 'x');
  const auto rows =
      read_back(app::export_header + app::export_line(unit, judgment, csv_formulas::guarded));
  BOOST_REQUIRE(rows.size() == 1U);
  BOOST_TEST(std::get<2>(rows.begin()->first).size() == 300'000U);
}

// finding Q4
BOOST_AUTO_TEST_CASE(judgments_that_cannot_be_read_are_named_and_the_others_written) {
  msg::lineage_unit unit;
  unit.source_key = "photo-7";
  for (const auto* who : {"ana", "bob", "cid"}) {
    msg::lineage_judgment judgment;
    judgment.contributor = who;
    judgment.answer = "cat";
    judgment.status = "Counted";
    unit.judgments.push_back(judgment);
  }
  unit.judgments[1].status = "Unreadable";
  unit.judgments[1].answer.clear();
  unit.judgments[1].payload = R"({"problem":"judgment 9 in holdfast.judgments cannot be read"})";
  std::ostringstream csv;
  app::exported done;
  std::vector<std::string> left_out;
  const auto write = [&] {
    app::export_unit(unit, csv, csv_formulas::guarded, done,
                     [&](const std::string& why) { left_out.push_back(why); });
  };
  write();
  BOOST_TEST(done.judgments == 2U);
  BOOST_TEST(done.units == 1U);
  BOOST_TEST(done.unreadable == 1U);
  BOOST_REQUIRE_EQUAL(left_out.size(), 1U);
  BOOST_TEST(left_out[0]
             == "the answer of bob about photo-7 is left out: judgment 9 in"
                " holdfast.judgments cannot be read");
  const std::map<answer_row, int> others{{{"ana", "photo-7", "cat"}, 1},
                                         {{"cid", "photo-7", "cat"}, 1}};
  BOOST_TEST((read_back(app::export_header + csv.str()) == others));

  // One that counts no more is missing nowhere.
  unit.judgments[1].counts = false;
  write();
  BOOST_TEST(done.unreadable == 1U);
  BOOST_TEST(done.judgments == 4U);
}

BOOST_AUTO_TEST_CASE(judgments_of_a_unit_that_cannot_be_read_are_named_and_not_written) {
  msg::lineage_unit unit;
  unit.unit.value.bytes.fill(7);
  const auto name = core::to_string(unit.unit);
  msg::lineage_judgment judgment;
  judgment.contributor = "ana";
  judgment.answer = "cat";
  judgment.status = "Counted";
  unit.judgments.push_back(judgment);
  judgment.counts = false;
  unit.judgments.push_back(judgment);
  std::ostringstream csv;
  app::exported done;
  std::vector<std::string> left_out;
  const auto write = [&] {
    app::export_unit(unit, csv, csv_formulas::guarded, done,
                     [&](const std::string& why) { left_out.push_back(why); });
  };
  const auto problem = "unit " + name + " in holdfast.units cannot be read: invalid page";
  unit.input = R"({"problem":")" + problem + R"("})";
  write();
  BOOST_TEST(csv.str().empty());
  BOOST_TEST(done.unreadable == 1U);
  BOOST_TEST(done.units == 0U);
  BOOST_REQUIRE_EQUAL(left_out.size(), 1U);
  BOOST_TEST(left_out[0] == "the answer of ana about " + name + " is left out: " + problem);

  // Somebody's input may say the same of itself: its source key is there.
  unit.source_key = "photo-7";
  write();
  BOOST_TEST(done.judgments == 1U);
  BOOST_TEST(done.unreadable == 1U);
}

BOOST_AUTO_TEST_CASE(no_field_is_a_formula_unless_that_is_asked_for) {
  const auto guarded = [](const char* text) {
    return documents::csv_field(text, csv_formulas::guarded);
  };
  BOOST_TEST(guarded("=HYPERLINK(1)") == "'=HYPERLINK(1)");
  BOOST_TEST(guarded("+1+1") == "'+1+1");
  BOOST_TEST(guarded("-cmd|' /C calc'!A0") == "'-cmd|' /C calc'!A0");
  BOOST_TEST(guarded("@SUM(1)") == "'@SUM(1)");
  BOOST_TEST(guarded("\t=1") == "\"'\t=1\"");
  BOOST_TEST(guarded(" =1") == "\"' =1\"");
  BOOST_TEST(guarded("-1.5") == "-1.5"); // a number is none
  BOOST_TEST(guarded("'=1") == "''=1");
  BOOST_TEST(guarded("it's") == "it's");
  BOOST_TEST(documents::csv_field("=1", csv_formulas::as_they_are) == "=1");
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    test::random_source random{seed};
    const auto field = documents::csv_field(made_of(random, true), csv_formulas::guarded);
    BOOST_TEST_REQUIRE(!first_character_commands(field), seed << ": " << field);
  }
}

BOOST_AUTO_TEST_SUITE_END()
