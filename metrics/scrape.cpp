#include "metrics/scrape.hpp"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace holdfast::metrics {

namespace {

std::vector<prometheus::ClientMetric::Label> labels_of(const std::vector<std::string>& names,
                                                       const label_values& values) {
  std::vector<prometheus::ClientMetric::Label> labels;
  for (std::size_t i = 0; i < names.size(); ++i)
    labels.push_back({names[i], values[i]});
  return labels;
}

prometheus::MetricType prometheus_type(kind one) {
  if (one == kind::counter)
    return prometheus::MetricType::Counter;
  return one == kind::gauge ? prometheus::MetricType::Gauge : prometheus::MetricType::Histogram;
}

prometheus::ClientMetric::Histogram histogram_of(const distribution& found,
                                                 const std::vector<double>& bounds) {
  prometheus::ClientMetric::Histogram made;
  made.sample_count = found.cumulative.back();
  made.sample_sum = found.sum;
  for (std::size_t i = 0; i < found.cumulative.size(); ++i)
    made.bucket.push_back({found.cumulative[i], i < bounds.size()
                                                    ? bounds[i]
                                                    : std::numeric_limits<double>::infinity()});
  return made;
}

} // namespace

scrape::scrape(std::shared_ptr<registry> of, std::function<void(std::string)> done)
    : registry_(std::move(of)), done_(std::move(done)) {}

scrape::~scrape() {
  try {
    done_(page());
  } catch (...) {
    // For want of memory. The request ends without a page, and the next scrape is another one.
    return;
  }
}

void scrape::add(metric to, const label_values& labels, double value) {
  auto admitted = registry_->admit(to, labels);
  const std::lock_guard lock{mutex_};
  values_[to][std::move(admitted)] += value;
}

void scrape::raise(metric to, const label_values& labels, double value) {
  auto admitted = registry_->admit(to, labels);
  const std::lock_guard lock{mutex_};
  auto& known = values_[to][std::move(admitted)];
  known = std::max(known, value);
}

std::string scrape::page() const {
  const std::lock_guard lock{mutex_};
  std::vector<prometheus::MetricFamily> families;
  for (std::size_t i = 0; i < catalogue.size(); ++i) {
    const auto& row = catalogue[i];
    const auto one = static_cast<metric>(i);
    const auto names = label_names(row);
    prometheus::MetricFamily family;
    family.name = row.name;
    family.help = row.help;
    family.type = prometheus_type(row.kind);
    const auto add_series = [&](const label_values& labels) -> prometheus::ClientMetric& {
      auto& made = family.metric.emplace_back();
      made.label = labels_of(names, labels);
      return made;
    };
    if (const auto found = values_.find(one); found != values_.end())
      for (const auto& [labels, value] : found->second) {
        auto& made = add_series(labels);
        made.counter.value = made.gauge.value = value;
      }
    registry_->for_counters(one, [&](const label_values& labels, std::uint64_t value) {
      add_series(labels).counter.value = static_cast<double>(value);
    });
    registry_->for_histograms(one, [&](const label_values& labels, const distribution& found) {
      add_series(labels).histogram = histogram_of(found, bounds_of(row.kind));
    });
    if (!family.metric.empty())
      families.push_back(std::move(family));
  }
  return prometheus::TextSerializer{}.Serialize(families);
}

void read_metrics(const std::shared_ptr<registry>& of, std::function<void(std::string)> done) {
  const auto reading = std::make_shared<scrape>(of, std::move(done));
  for (const auto& one : of->sources())
    one(reading);
}

} // namespace holdfast::metrics
