#include "bench/soak/total.hpp"

#include "bench/soak/figures.hpp"
#include "bench/soak/plan.hpp"
#include "bench/soak/run_options.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

namespace holdfast::soak {

namespace {

using bench::at_least;
using bench::at_most;
using bench::figure;
using bench::target;
using nlohmann::json;

/// Faults of a kind, of all runs.
struct kind_total {
  double struck = 0;
  double bit = 0;
  double violations = 0;
  double takeovers = 0;
  double longest_takeover = 0;
  std::vector<double> takeover_samples;
};

/// Reads verdicts and adds them up.
class total {
public:
  explicit total(std::string command) : command_(std::move(command)) {}

  void add(const verdict_file& file) {
    if (!texts_.insert(file.text).second)
      throw std::runtime_error{file.name + " has the verdict of a run that was added before"};
    try {
      add_run(json::parse(file.text));
    } catch (const json::exception& e) {
      throw std::runtime_error{file.name + " is not a verdict: " + e.what()};
    }
  }

  std::vector<figure> take() {
    put("total.runs", runs_);
    put("total.seeds", static_cast<double>(seeds_.size()));
    put("total.seconds", seconds_, {}, "s");
    for (const auto* word : {"green", "void"})
      put(std::string{"total."} + word, verdicts_[word]);
    put("total.red", verdicts_["red"], at_most(0));
    put("total.violations", violations_, at_most(0));
    for (const auto* what : never)
      put(std::string{"total."} + what, sums_[what], at_most(0));
    for (const auto* what : counted)
      put(std::string{"total."} + what, sums_[what]);
    for (const auto& [kind, of] : kinds_)
      put_kind("total." + kind, of);
    put_rows();
    return std::move(all_);
  }

private:
  static constexpr const char* never[] = {"lost", "doubled", "from_nowhere", "stale_accepted"};
  static constexpr const char* counted[] = {
      "excused",         "stale_attempted",   "stale_writes_refused", "requests",
      "tasks_handed_in", "results_handed_in", "judgments_handed_in"};

  void put(const std::string& name, double value, std::optional<target> goal = {},
           const std::string& unit = "") {
    all_.push_back({name, value, unit, command_, goal});
  }

  void add_run(const json& verdict) {
    const auto& figures = verdict.at("figures");
    for (const auto* what : never)
      sums_[what] += figures.at(what).get<double>();
    for (const auto* what : counted) // an older verdict does not have all of them
      sums_[what] += figures.value(what, 0.0);
    for (const auto& [kind, of] : figures.at("faults").items()) {
      add_kind(kinds_[as_word(kind)], of);
      if (kind != name_of(fault_kind::freeze))
        continue;
      late_beside_freezes_ += figures.at("stale_attempted").get<double>();
      refused_beside_freezes_ += figures.value("stale_writes_refused", 0.0);
    }
    const auto violations = static_cast<double>(verdict.at("violations").size());
    violations_ += violations;
    ++verdicts_[verdict.at("verdict").get<std::string>()];
    seeds_.insert(verdict.at("seed").get<std::uint64_t>());
    seconds_ += figures.at("seconds").get<double>();
    const auto lease = verdict.value("lease_seconds", run_options{}.lease_seconds);
    lease_ = std::min(lease_.value_or(lease), lease);
    all_.push_back({"total.run." + std::to_string(static_cast<int>(++runs_)) + ".violations",
                    violations, "", verdict.at("command").get<std::string>(), at_most(0)});
  }

  static std::string as_word(std::string name) {
    std::replace(name.begin(), name.end(), ' ', '_');
    return name;
  }

  static void add_kind(kind_total& all, const json& one) {
    all.struck += one.at("struck").get<double>();
    all.bit += one.at("bit").get<double>();
    all.violations += one.value("violations", 0.0);
    const auto takeovers = one.find("takeover_s");
    if (takeovers == one.end())
      return;
    all.takeovers += takeovers->at("n").get<double>();
    all.longest_takeover = std::max(all.longest_takeover, takeovers->at("max").get<double>());
    if (const auto samples = takeovers->find("samples"); samples != takeovers->end())
      for (const auto& sample : *samples)
        all.takeover_samples.push_back(sample.get<double>());
  }

  void put_kind(const std::string& name, const kind_total& of) {
    put(name + ".struck", of.struck);
    put(name + ".bit", of.bit);
    put(name + ".violations", of.violations, at_most(0));
  }

  /// The bounds are those of the shortest lease. Without the samples of every run, as of verdicts
  /// that do not have them, there is only the longest one.
  void put_takeovers(const std::string& row, const kind_total& of, bool with_median) {
    if (of.takeovers == 0)
      return;
    const auto name = "scorecard." + row + ".total.takeover_s_";
    if (static_cast<double>(of.takeover_samples.size()) == of.takeovers) {
      if (with_median)
        put(name + "p50", quantile(of.takeover_samples, 0.5), at_most(0.6 * *lease_), "s");
      put(name + "p99", quantile(of.takeover_samples, 0.99), at_most(*lease_ + 1), "s");
    }
    if (with_median)
      put(name + "max", of.longest_takeover, at_most(*lease_ + 2), "s");
  }

  void put_rows() {
    const auto of_kind = [&](fault_kind kind) {
      const auto found = kinds_.find(as_word(std::string{name_of(kind)}));
      return found == kinds_.end() ? kind_total{} : found->second;
    };
    const auto kills = of_kind(fault_kind::kill);
    put("scorecard.06.total.kills", kills.struck, at_least(kills_wanted));
    put("scorecard.06.total.lost", sums_["lost"], at_most(0));
    put("scorecard.06.total.doubled", sums_["doubled"], at_most(0));
    put_takeovers("07", kills, true);
    const auto freezes = of_kind(fault_kind::freeze);
    put("scorecard.08.total.freezes", freezes.struck, at_least(freezes_wanted));
    put("scorecard.08.total.stale_attempted", late_beside_freezes_, at_least(late_results_wanted));
    put("scorecard.08.total.stale_accepted", sums_["stale_accepted"], at_most(0));
    put("scorecard.08.total.stale_writes_refused", refused_beside_freezes_, at_least(1));
    put_takeovers("08", freezes, false);
  }

  std::string command_;
  std::set<std::string> texts_;
  std::vector<figure> all_;
  double runs_ = 0;
  double seconds_ = 0;
  double violations_ = 0;
  double late_beside_freezes_ = 0; ///< Late results in runs with freezes, as row 8 asks.
  double refused_beside_freezes_ = 0;
  std::optional<double> lease_;
  std::set<std::uint64_t> seeds_;
  std::map<std::string, double> verdicts_; ///< By their word.
  std::map<std::string, double> sums_;     ///< By the name of a figure.
  std::map<std::string, kind_total> kinds_;
};

} // namespace

std::vector<figure> total_figures(const std::vector<verdict_file>& verdicts,
                                  const std::string& command) {
  total all{command};
  for (const auto& one : verdicts)
    all.add(one);
  return all.take();
}

} // namespace holdfast::soak
