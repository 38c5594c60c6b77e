#pragma once

#include "metrics/registry.hpp"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace holdfast::metrics {

/// The media type of a page.
inline constexpr const char* page_type = "text/plain; version=0.0.4; charset=utf-8";

/// One reading of all metrics. Its sources add to it, at once or from actors; when the last one has
/// let go of it, the page is written. Safe to use from several threads.
class scrape {
public:
  /// `done` gets the page, on the thread of the last source.
  scrape(std::shared_ptr<registry> of, std::function<void(std::string page)> done);
  ~scrape();
  scrape(const scrape&) = delete;
  scrape& operator=(const scrape&) = delete;

  /// Values with the same labels are summed.
  void add(metric to, const label_values& labels, double value);
  void add(metric to, double value) { add(to, {}, value); }
  /// Of values with the same labels the largest counts.
  void raise(metric to, const label_values& labels, double value);

private:
  std::string page() const;

  const std::shared_ptr<registry> registry_;
  const std::function<void(std::string)> done_;
  mutable std::mutex mutex_;
  std::map<metric, std::map<label_values, double>> values_;
};

/// Asks all sources.
void read_metrics(const std::shared_ptr<registry>& of, std::function<void(std::string page)> done);

} // namespace holdfast::metrics
