#pragma once

#include "documents/labelled_set.hpp"
#include "tests/support/source_dir.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace holdfast::test {

inline std::string data_file(const std::string& path) {
  std::ifstream in{source_dir() + "/data/" + path, std::ios::binary};
  BOOST_REQUIRE_MESSAGE(in, "cannot read data/" << path);
  return {std::istreambuf_iterator<char>{in}, {}};
}

inline nlohmann::json data_json(const std::string& path) {
  return nlohmann::json::parse(data_file(path));
}

/// The figures of data/expected.json. Its implementations of `wawa` and `fds` take the first label
/// of a tie; ours count a tie by its share (finding C2), which moves the sets that have ties on
/// their way. In place of those rows stands what a computation of its own finds by that definition,
/// in Python. With the first label of each tie that computation finds the figures of the file.
inline nlohmann::json expected_figures() {
  auto figures = data_json("expected.json");
  auto& wawa = figures.at("zencrowd_us").at("algos").at("wawa");
  wawa.at("acc") = wawa.at("acc_lowest") = 1756.0 / 2040;
  struct moved_row {
    const char* set;
    double right; // units
    double log_likelihood;
    int iterations;
  };
  for (const auto& row :
       {moved_row{"sp_amt", 472, -2742.381876, 2}, moved_row{"cf_amt", 258, -4084.709784, 2},
        moved_row{"zencrowd_us", 1687, -5200.874592, 11}}) {
    auto& fds = figures.at(row.set).at("algos").at("fds");
    fds.at("acc") = fds.at("acc_lowest") = row.right / fds.at("n").get<double>();
    fds.at("ll") = row.log_likelihood;
    fds.at("iters") = row.iterations;
  }
  return figures;
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

/// A row of data/ct_video_binary/judgments.csv.
struct platform_judgment {
  std::string worker;
  std::string unit;
  std::string label;
  double seconds = 0;
  std::string created_at; ///< Texts that sort as their times do.
  double trust = 0;
  bool tainted = false;
};

/// What a platform exported, in the order in which it came in.
inline std::vector<platform_judgment> platform_judgments() {
  std::istringstream rows{data_file("ct_video_binary/judgments.csv")};
  std::string row;
  std::getline(rows, row);
  BOOST_REQUIRE(row
                == "worker,unit,label,seconds,started_at,created_at,channel,country,trust,tainted");
  std::vector<platform_judgment> all;
  while (std::getline(rows, row)) {
    std::vector<std::string> fields;
    std::istringstream text{row};
    for (std::string field; std::getline(text, field, ',');)
      fields.push_back(field);
    BOOST_REQUIRE(fields.size() == 10U);
    all.push_back({fields[0], fields[1], fields[2], std::stod(fields[3]), fields[5],
                   std::stod(fields[8]), fields[9] != "false"});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.created_at < b.created_at; });
  return all;
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
