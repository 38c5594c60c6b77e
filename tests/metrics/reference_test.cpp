// The pages and files that name metrics name those of the table, and no others.

#include "metrics/catalogue.hpp"
#include "tests/support/source_dir.hpp"
#include "tests/support/text.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>

namespace holdfast::metrics {

namespace {

std::string text_of_file(const std::string& path) {
  std::ifstream in{test::source_dir() + '/' + path};
  BOOST_REQUIRE_MESSAGE(in, path);
  return {std::istreambuf_iterator<char>{in}, {}};
}

/// The names of series that Prometheus makes of a metric.
std::set<std::string> known_series() {
  std::set<std::string> names;
  for (const auto& one : catalogue) {
    const std::string name{one.name};
    names.insert(name);
    if (type_of(one.kind) == "histogram")
      names.insert({name + "_bucket", name + "_sum", name + "_count"});
  }
  return names;
}

std::set<std::string> series_in(const std::string& text) {
  constexpr std::string_view prefix = "holdfast_";
  std::set<std::string> names;
  for (auto at = text.find(prefix); at != std::string::npos; at = text.find(prefix, at + 1)) {
    const auto end = std::find_if(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(),
                                  [](unsigned char c) { return std::isalnum(c) == 0 && c != '_'; });
    names.emplace(text.begin() + static_cast<std::ptrdiff_t>(at), end);
  }
  return names;
}

BOOST_AUTO_TEST_SUITE(metric_reference)

BOOST_AUTO_TEST_CASE(the_page_of_metrics_has_the_table) {
  const auto table = reference_table();
  BOOST_TEST(test::contains(text_of_file("docs/METRICS.md"), "## All metrics\n\n" + table),
             "docs/METRICS.md must end with:\n"
                 << table);
}

BOOST_AUTO_TEST_CASE(rules_and_board_use_metrics_that_exist) {
  const auto known = known_series();
  for (const auto* file :
       {"deploy/prometheus/holdfast.rules.yml", "deploy/grafana/holdfast.json"}) {
    const auto used = series_in(text_of_file(file));
    BOOST_TEST(used.size() > 10U);
    for (const auto& one : used)
      BOOST_TEST(known.count(one) == 1U, one << " in " << file << " is no metric");
  }
}

BOOST_AUTO_TEST_CASE(names_follow_the_rules_of_prometheus) {
  std::set<std::string_view> names;
  for (const auto& one : catalogue) {
    const auto name = one.name;
    BOOST_TEST(names.insert(name).second, name << " is there twice");
    const bool is_total = name.size() > 6 && name.substr(name.size() - 6) == "_total";
    BOOST_TEST(is_total == (one.kind == kind::counter), name);
    BOOST_TEST(!one.help.empty());
    BOOST_TEST(one.help.back() == '.', one.help);
    for (const auto& label : label_names(one))
      BOOST_TEST((label != "id" || name == "holdfast_invariant_violations_total"), name);
  }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::metrics
