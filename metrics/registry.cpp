#include "metrics/registry.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace holdfast::metrics {

namespace {

constexpr double millionths = 1e6;
constexpr const char* overflow_label = "other";

} // namespace

histogram::histogram(const std::vector<double>& bounds)
    : bounds_(bounds), buckets_(bounds.size() + 1) {}

void histogram::observe(double value) {
  value = std::max(value, 0.0);
  const auto bucket = std::lower_bound(bounds_.begin(), bounds_.end(), value) - bounds_.begin();
  buckets_[static_cast<std::size_t>(bucket)].fetch_add(1, std::memory_order_relaxed);
  sum_.fetch_add(static_cast<std::uint64_t>(std::llround(value * millionths)),
                 std::memory_order_relaxed);
}

distribution histogram::read() const {
  distribution found;
  std::uint64_t below = 0;
  for (const auto& bucket : buckets_)
    found.cumulative.push_back(below += bucket.load(std::memory_order_relaxed));
  found.sum = static_cast<double>(sum_.load(std::memory_order_relaxed)) / millionths;
  return found;
}

std::uint64_t source_list::add(source one) {
  const std::lock_guard lock{mutex_};
  sources_.emplace(++last_, std::move(one));
  return last_;
}

void source_list::remove(std::uint64_t number) {
  source gone; // destroyed without the mutex
  const std::lock_guard lock{mutex_};
  if (const auto found = sources_.find(number); found != sources_.end()) {
    gone.swap(found->second);
    sources_.erase(found);
  }
}

std::vector<source> source_list::all() const {
  const std::lock_guard lock{mutex_};
  std::vector<source> copies;
  copies.reserve(sources_.size());
  for (const auto& [number, one] : sources_)
    copies.push_back(one);
  return copies;
}

registration::registration(std::shared_ptr<source_list> of, std::uint64_t number)
    : of_(std::move(of)), number_(number) {}

registration::~registration() {
  if (of_)
    of_->remove(number_);
}

registration::registration(registration&& other) noexcept
    : of_(std::exchange(other.of_, nullptr)), number_(other.number_) {}

registration& registration::operator=(registration&& other) noexcept {
  std::swap(of_, other.of_);
  std::swap(number_, other.number_);
  return *this;
}

registry::registry() {
  for (std::size_t i = 0; i < catalogue.size(); ++i) {
    auto& one = series_[i];
    for (const auto& name : label_names(catalogue[i])) {
      one.open.push_back(is_open_label(name));
      one.any_open = one.any_open || one.open.back();
    }
  }
}

label_values registry::admit_locked(metric one, label_values labels) {
  auto& known = series_of(one);
  labels.resize(known.open.size());
  if (!known.any_open || known.admitted.count(labels) != 0)
    return labels;
  const bool is_histogram = !bounds_of(describe(one).kind).empty();
  if (known.admitted.size() < (is_histogram ? histogram_series_max : series_max)) {
    known.admitted.insert(labels);
    return labels;
  }
  folded_.add();
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (known.open[i])
      labels[i] = overflow_label;
  return labels;
}

label_values registry::admit(metric one, label_values labels) {
  const std::lock_guard lock{mutex_};
  return admit_locked(one, std::move(labels));
}

counter& registry::count(metric one, const label_values& labels) {
  const std::lock_guard lock{mutex_};
  if (one == metric::series_folded_total)
    return folded_;
  return series_of(one).counters[admit_locked(one, labels)];
}

histogram& registry::distribute(metric one, const label_values& labels) {
  const std::lock_guard lock{mutex_};
  const auto& bounds = bounds_of(describe(one).kind);
  return series_of(one).histograms.try_emplace(admit_locked(one, labels), bounds).first->second;
}

registration registry::join(source one) {
  return registration{sources_, sources_->add(std::move(one))};
}

void registry::for_counters(
    metric one, const std::function<void(const label_values&, std::uint64_t)>& each) const {
  if (one == metric::series_folded_total)
    return each({}, folded_.value());
  const std::lock_guard lock{mutex_};
  for (const auto& [labels, found] : series_of(one).counters)
    each(labels, found.value());
}

void registry::for_histograms(
    metric one, const std::function<void(const label_values&, const distribution&)>& each) const {
  const std::lock_guard lock{mutex_};
  for (const auto& [labels, found] : series_of(one).histograms)
    each(labels, found.read());
}

} // namespace holdfast::metrics
