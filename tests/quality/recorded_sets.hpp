#pragma once

#include "documents/labelled_set.hpp"
#include "tests/support/source_dir.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <fstream>
#include <iterator>
#include <string>

namespace holdfast::test {

inline std::string data_file(const std::string& path) {
  std::ifstream in{source_dir() + "/data/" + path, std::ios::binary};
  BOOST_REQUIRE_MESSAGE(in, "cannot read data/" << path);
  return {std::istreambuf_iterator<char>{in}, {}};
}

inline nlohmann::json data_json(const std::string& path) {
  return nlohmann::json::parse(data_file(path));
}

inline documents::labelled_set recorded_set(const std::string& name, core::quality::repeats rule) {
  auto set = documents::parse_labelled_set(name, data_file(name + "/answers.csv"),
                                           data_file(name + "/truth.csv"), rule);
  BOOST_REQUIRE_MESSAGE(set, (set ? std::string{} : set.error().detail));
  return std::move(*set);
}

inline documents::labelled_set recorded_set(const std::string& name) {
  return recorded_set(name, core::quality::repeats::first_counts);
}

/// Recorded jobs with known truth.
inline constexpr const char* sets_with_truth[] = {"sp_amt", "cf_amt", "zencrowd_us", "bluebird"};

/// What a key of data/expected.json calls its method: `ds_map` of `ds_map_gold_nongold`.
inline std::string method_of_key(const std::string& key) {
  for (const auto* mark : {"_gold_nongold", "_nongold"})
    if (const auto at = key.find(mark); at != std::string::npos)
      return key.substr(0, at);
  return key;
}

} // namespace holdfast::test
