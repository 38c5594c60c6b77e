#include "bench/soak/report.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

namespace holdfast::soak {

namespace {

using nlohmann::ordered_json;

double seconds(clock::duration d) { return std::chrono::duration<double>(d).count(); }

double quantile(std::vector<double> values, double share) {
  if (values.empty())
    return 0;
  std::sort(values.begin(), values.end());
  const auto index =
      static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
  return values[std::min(values.size() - 1, index == 0 ? 0 : index - 1)];
}

ordered_json distribution(const std::vector<double>& values) {
  return {{"n", values.size()},
          {"p50", quantile(values, 0.5)},
          {"p99", quantile(values, 0.99)},
          {"max", quantile(values, 1)}};
}

std::vector<double> latencies(const soak_result& r) {
  std::vector<double> all;
  for (const auto& request : r.clients.requests)
    if (request.failure == core::errc::none)
      all.push_back(request.millis);
  return all;
}

std::vector<double> takeovers(const soak_result& r, fault_kind kind) {
  std::vector<double> all;
  for (const auto& fault : r.faults)
    if (fault.planned.kind == kind && fault.takeover_seconds && fault.bit)
      all.push_back(*fault.takeover_seconds);
  return all;
}

/// The longest time in which no request was answered, from a fault's beginning on.
double longest_silence(const soak_result& r, const std::vector<double>& answered_at,
                       const struck_fault& fault) {
  const auto from = seconds(fault.begun - r.begun);
  const auto to = seconds(fault.ended - r.begun) + 5;
  double last = from;
  double longest = 0;
  for (auto at = std::lower_bound(answered_at.begin(), answered_at.end(), from);
       at != answered_at.end() && *at < to; ++at) {
    longest = std::max(longest, *at - last);
    last = *at;
  }
  return longest;
}

std::vector<double> answer_times(const soak_result& r) {
  std::vector<double> all;
  for (const auto& request : r.clients.requests)
    if (request.failure == core::errc::none)
      all.push_back(seconds(request.begun - r.begun) + request.millis / 1000.0);
  std::sort(all.begin(), all.end());
  return all;
}

ordered_json figures(const soak_result& r) {
  ordered_json all;
  std::map<std::string, std::uint64_t> failed;
  for (const auto& request : r.clients.requests)
    if (request.failure != core::errc::none)
      ++failed[std::string{core::to_string(request.failure)}];
  const auto took = seconds(r.ended - r.begun);
  all["seconds"] = took;
  all["requests"] = r.clients.requests.size();
  all["requests_per_second"] = static_cast<double>(r.clients.requests.size()) / took;
  all["requests_failed"] = failed;
  all["latency_ms"] = distribution(latencies(r));
  all["tasks_handed_in"] = r.clients.enqueued.size();
  all["results_handed_in"] = r.clients.completed.size();
  all["judgments_handed_in"] = r.clients.judgments.size();
  all["lost"] = r.check.lost;
  all["doubled"] = r.check.doubled;
  all["from_nowhere"] = r.check.from_nowhere;
  all["stale_attempted"] = r.check.stale_attempted;
  all["stale_accepted"] = r.check.stale_accepted;
  all["verified_live"] = r.verified;
  const auto answered_at = answer_times(r);
  for (std::size_t i = 0; i < fault_names.size(); ++i) {
    const auto kind = static_cast<fault_kind>(i);
    std::uint64_t struck = 0;
    std::uint64_t bit = 0;
    std::vector<double> silence;
    for (const auto& fault : r.faults)
      if (fault.planned.kind == kind) {
        ++struck;
        bit += fault.bit ? 1 : 0;
        silence.push_back(longest_silence(r, answered_at, fault));
      }
    ordered_json one{{"struck", struck}, {"bit", bit}};
    if (const auto times = takeovers(r, kind); !times.empty())
      one["takeover_s"] = distribution(times);
    one["longest_silence_s"] = distribution(silence);
    all["faults"][std::string{fault_names[i]}] = one;
  }
  double most = 0;
  for (const auto& sample : r.memory)
    for (const auto node : sample.nodes)
      most = std::max(most, node);
  all["node_memory_mib_max"] = most;
  return all;
}

// --- plots ---

constexpr double width = 900;
constexpr double height = 160;

struct curve {
  std::string title;
  std::string unit;
  std::vector<std::pair<double, double>> points; ///< Seconds, value.
};

std::string band(const soak_result& r, const struck_fault& fault, double scale) {
  std::ostringstream svg;
  const auto from = seconds(fault.begun - r.begun) * scale;
  const auto to = seconds(fault.ended - r.begun) * scale;
  svg << "<rect x='" << from << "' y='0' width='" << std::max(1.0, to - from) << "' height='"
      << height << "' class='f" << static_cast<int>(fault.planned.kind) << "'><title>"
      << name_of(fault.planned.kind) << " of n" << fault.planned.node << "</title></rect>";
  return svg.str();
}

std::string plot(const soak_result& r, const curve& c) {
  const auto scale = width / std::max(1.0, seconds(r.ended - r.begun));
  double top = 0;
  for (const auto& [x, y] : c.points)
    top = std::max(top, y);
  top = top > 0 ? top : 1;
  std::ostringstream svg;
  svg << "<h3>" << c.title << " <small>(at most " << top << ' ' << c.unit << ")</small></h3><svg "
      << "viewBox='0 0 " << width << ' ' << height << "'>";
  for (const auto& fault : r.faults)
    svg << band(r, fault, scale);
  svg << "<polyline points='";
  for (const auto& [x, y] : c.points)
    svg << x * scale << ',' << height - y / top * (height - 10) << ' ';
  svg << "'/></svg>";
  return svg.str();
}

std::vector<curve> curves(const soak_result& r) {
  std::map<std::int64_t, std::uint64_t> answered;
  std::map<std::int64_t, std::uint64_t> failed;
  std::map<std::int64_t, double> slowest;
  for (const auto& request : r.clients.requests) {
    const auto at = static_cast<std::int64_t>(seconds(request.begun - r.begun));
    ++(request.failure == core::errc::none ? answered : failed)[at];
    slowest[at] = std::max(slowest[at], static_cast<double>(request.millis));
  }
  curve rate{"answered requests", "1/s", {}};
  curve errors{"failed requests", "1/s", {}};
  curve slow{"slowest request", "ms", {}};
  for (std::int64_t at = 0; at < static_cast<std::int64_t>(seconds(r.ended - r.begun)); ++at) {
    const auto x = static_cast<double>(at);
    rate.points.emplace_back(x, static_cast<double>(answered[at]));
    errors.points.emplace_back(x, static_cast<double>(failed[at]));
    slow.points.emplace_back(x, slowest[at]);
  }
  curve memory{"memory of all nodes", "MiB", {}};
  for (const auto& sample : r.memory) {
    double sum = 0;
    for (const auto node : sample.nodes)
      sum += node;
    memory.points.emplace_back(seconds(sample.at - r.begun), sum);
  }
  return {rate, errors, slow, memory};
}

std::string verdict_word(const soak_result& r) {
  if (!violations(r).empty())
    return "red";
  return void_reasons(r).empty() ? "green" : "void";
}

} // namespace

std::vector<std::string> void_reasons(const soak_result& r) {
  std::vector<std::string> reasons;
  for (std::size_t i = 0; i < fault_names.size(); ++i) {
    const auto kind = static_cast<fault_kind>(i);
    const auto planned = std::count_if(r.plan.faults.begin(), r.plan.faults.end(),
                                       [&](const auto& f) { return f.kind == kind; });
    const auto bit = std::count_if(r.faults.begin(), r.faults.end(),
                                   [&](const auto& f) { return f.planned.kind == kind && f.bit; });
    if (planned == 0)
      reasons.push_back("the run is too short for a " + std::string{fault_names[i]});
    else if (bit == 0)
      reasons.push_back("no " + std::string{fault_names[i]} + " met anything");
  }
  if (r.check.stale_attempted == 0)
    reasons.push_back("nobody handed anything in under a lease that had run out");
  if (r.verified == 0)
    reasons.push_back("the live database was never verified");
  return reasons;
}

std::vector<std::string> violations(const soak_result& r) {
  auto all = r.check.violations;
  if (r.check.stale_accepted > 0)
    all.push_back(std::to_string(r.check.stale_accepted)
                  + " results were accepted after their"
                    " leases had run out");
  for (const auto& fault : r.faults)
    if (!fault.violation.empty())
      all.push_back(std::string{name_of(fault.planned.kind)} + " of n"
                    + std::to_string(fault.planned.node) + ": " + fault.violation);
  all.insert(all.end(), r.broken_invariants.begin(), r.broken_invariants.end());
  if (!r.quiet)
    all.push_back("not all work was finished after everything had been healed");
  return all;
}

std::string verdict_json(const soak_result& r) {
  ordered_json verdict;
  verdict["verdict"] = verdict_word(r);
  verdict["seed"] = r.plan.seed;
  verdict["command"] = r.command;
  verdict["violations"] = violations(r);
  verdict["void_reasons"] = void_reasons(r);
  verdict["figures"] = figures(r);
  return verdict.dump(2) + '\n';
}

std::string report_html(const soak_result& r) {
  std::ostringstream page;
  page << "<!doctype html><meta charset='utf-8'><title>Holdfast soak</title><style>"
          "body{font:15px sans-serif;max-width:920px;margin:2em auto;color:#222}"
          "svg{width:100%;border:1px solid #ccc}polyline{fill:none;stroke:#234;stroke-width:1}"
          "h3 small{font-weight:normal;color:#777}pre{background:#f4f4f4;padding:1em;overflow:auto}"
          ".f0{fill:#e88}.f1{fill:#8ae}.f2{fill:#ace}.f3{fill:#ad8}.f4{fill:#ec8}.f5{fill:#c8e}"
          "</style><h1>Soak: "
       << verdict_word(r) << "</h1><p>Seed " << r.plan.seed << ", " << r.plan.nodes
       << " nodes. Bands are faults: ";
  for (std::size_t i = 0; i < fault_names.size(); ++i)
    page
        << "<svg style='width:1em;height:1em;border:0' viewBox='0 0 1 1'><rect width='1' height='1'"
        << " class='f" << i << "'/></svg> " << fault_names[i] << ' ';
  page << "</p>";
  for (const auto& c : curves(r))
    page << plot(r, c);
  page << "<h2>Verdict</h2><pre>" << verdict_json(r) << "</pre>";
  return page.str();
}

} // namespace holdfast::soak
