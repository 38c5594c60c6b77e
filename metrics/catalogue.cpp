#include "metrics/catalogue.hpp"

#include <algorithm>

namespace holdfast::metrics {

std::string_view type_of(kind one) {
  switch (one) {
  case kind::counter:
    return "counter";
  case kind::gauge:
    return "gauge";
  case kind::short_times:
  case kind::long_times:
  case kind::sizes:
    return "histogram";
  }
  return "untyped";
}

const std::vector<double>& bounds_of(kind one) {
  static const std::vector<double> none;
  static const std::vector<double> short_times{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
                                               0.25,  0.5,    1,     2.5,  5,     10};
  static const std::vector<double> long_times{0.01, 0.05, 0.1, 0.5, 1,    5,     10,
                                              30,   60,   300, 900, 3600, 21600, 86400};
  static const std::vector<double> sizes{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 10000};
  switch (one) {
  case kind::counter:
  case kind::gauge:
    return none;
  case kind::short_times:
    return short_times;
  case kind::long_times:
    return long_times;
  case kind::sizes:
    return sizes;
  }
  return none;
}

std::vector<std::string> label_names(const description& of) {
  std::vector<std::string> names;
  auto rest = of.labels;
  while (!rest.empty()) {
    const auto end = std::min(rest.find(','), rest.size());
    names.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return names;
}

bool is_open_label(std::string_view name) {
  return name == "queue" || name == "type" || name == "step";
}

std::string reference_table() {
  std::string table = "| metric | type | labels | meaning |\n|---|---|---|---|\n";
  for (const auto& one : catalogue) {
    std::string labels;
    for (const auto& name : label_names(one))
      labels += (labels.empty() ? "`" : ", `") + name + '`';
    table += "| `" + std::string{one.name} + "` | " + std::string{type_of(one.kind)} + " | "
             + labels + " | " + std::string{one.help} + " |\n";
  }
  return table;
}

} // namespace holdfast::metrics
