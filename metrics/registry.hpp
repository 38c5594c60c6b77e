#pragma once

#include "metrics/catalogue.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace holdfast::metrics {

/// The values of the labels of a metric, in the order of its description.
using label_values = std::vector<std::string>;

/// A number that only grows. Safe to use from several threads, without a lock.
class counter {
public:
  void add(std::uint64_t more = 1) { value_.fetch_add(more, std::memory_order_relaxed); }
  std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

private:
  std::atomic<std::uint64_t> value_{0};
};

/// How many of a histogram's values lie below each bound.
struct distribution {
  std::vector<std::uint64_t> cumulative; ///< One for each bound, and one for all values.
  double sum = 0;
};

/// Values sorted into buckets. Safe to use from several threads, without a lock.
class histogram {
public:
  explicit histogram(const std::vector<double>& bounds);

  void observe(double value);
  distribution read() const;

private:
  const std::vector<double>& bounds_;
  std::vector<std::atomic<std::uint64_t>> buckets_;
  std::atomic<std::uint64_t> sum_{0}; ///< In millionths.
};

class scrape;
using scrape_ptr = std::shared_ptr<scrape>;
/// A function that adds values to a scrape, at once or later. It runs on any thread, and must
/// neither block nor throw. The scrape ends when nobody holds it any more.
using source = std::function<void(const scrape_ptr&)>;

/// The sources of a registry.
class source_list {
public:
  std::uint64_t add(source one);
  void remove(std::uint64_t number);
  std::vector<source> all() const;

private:
  mutable std::mutex mutex_;
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, source> sources_;
};

/// Keeps a source in its registry for as long as it lives.
class registration {
public:
  registration() = default;
  registration(std::shared_ptr<source_list> of, std::uint64_t number);
  ~registration();
  registration(registration&& other) noexcept;
  registration& operator=(registration&& other) noexcept;

private:
  std::shared_ptr<source_list> of_;
  std::uint64_t number_ = 0;
};

/// Label values of one metric at most, if users choose them: queues, types and steps can be made by
/// anybody with a role, and each costs memory here and in Prometheus. Histograms have a tenth,
/// because each has a dozen values. Values beyond are counted together, under the label `other`.
inline constexpr std::size_t series_max = 1000;
inline constexpr std::size_t histogram_series_max = series_max / 10;

/// The counters and histograms of a node, and the sources of its gauges. Safe to use from several
/// threads. A caller that counts often looks the counter up once and keeps the reference.
class registry {
public:
  registry();

  /// Valid for as long as the registry.
  counter& count(metric of, const label_values& labels = {});
  histogram& distribute(metric of, const label_values& labels = {});

  /// The labels under which a value is kept: those given, or `other` in place of what users choose.
  label_values admit(metric of, label_values labels);

  registration join(source one);
  std::vector<source> sources() const { return sources_->all(); }

  /// Calls `each` for every counter or histogram of the metric.
  void for_counters(metric of,
                    const std::function<void(const label_values&, std::uint64_t)>& each) const;
  void
  for_histograms(metric of,
                 const std::function<void(const label_values&, const distribution&)>& each) const;

private:
  struct series {
    std::map<label_values, counter> counters;
    std::map<label_values, histogram> histograms;
    std::set<label_values> admitted;
    std::vector<bool> open; ///< For each label.
    bool any_open = false;
  };
  label_values admit_locked(metric of, label_values labels);
  series& series_of(metric one) { return series_[static_cast<std::size_t>(one)]; }
  const series& series_of(metric one) const { return series_[static_cast<std::size_t>(one)]; }

  mutable std::mutex mutex_;
  std::array<series, catalogue.size()> series_;
  counter folded_;
  std::shared_ptr<source_list> sources_ = std::make_shared<source_list>();
};

} // namespace holdfast::metrics
