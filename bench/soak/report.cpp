#include "bench/soak/report.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <sstream>

namespace holdfast::soak {

namespace {

using nlohmann::ordered_json;

/// Of what is answered when nothing is wrong; a second is short, so it is never quite the same.
constexpr double recovered_share = 0.8;

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

/// Answers in each second of the run.
std::vector<double> rates(const soak_result& r, const std::vector<double>& answered_at) {
  std::vector<double> by_second(static_cast<std::size_t>(seconds(r.ended - r.begun)) + 1);
  for (const auto at : answered_at)
    if (at >= 0 && static_cast<std::size_t>(at) < by_second.size())
      ++by_second[static_cast<std::size_t>(at)];
  return by_second;
}

/// What is answered in a second when nothing is wrong: the median before the first fault.
double calm_rate(const soak_result& r, const std::vector<double>& by_second) {
  const auto first = r.faults.empty() ? r.ended : r.faults.front().begun;
  const auto calm = std::min(static_cast<std::size_t>(seconds(first - r.begun)), by_second.size());
  // The first second is shared with the setting up.
  return calm < 2 ? 0 : quantile({by_second.begin() + 1, by_second.begin() + calm}, 0.5);
}

/// From a fault's end until as much is answered again as when nothing is wrong, nearly: to the end
/// of the first second of which that is true. Empty when the next fault or the end came first.
std::optional<double> recovery(const soak_result& r, const std::vector<double>& by_second,
                               std::size_t number) {
  const auto& fault = r.faults[number];
  const auto next = number + 1 < r.faults.size() ? r.faults[number + 1].begun : r.ended;
  const auto ended = seconds(fault.ended - r.begun);
  const auto wanted = recovered_share * calm_rate(r, by_second);
  for (auto second = static_cast<std::size_t>(std::ceil(ended)); second < by_second.size();
       ++second) {
    const auto over = static_cast<double>(second) + 1;
    if (over > seconds(next - r.begun))
      return std::nullopt;
    if (by_second[second] >= wanted)
      return over - ended;
  }
  return std::nullopt;
}

/// Rolling restarts that brought up another version.
std::ptrdiff_t changes(const soak_result& r, struck_fault::change which) {
  return std::count_if(r.faults.begin(), r.faults.end(),
                       [&](const struck_fault& f) { return f.bit && f.versions == which; });
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
  const auto by_second = rates(r, answered_at);
  all["calm_answers_per_second"] = calm_rate(r, by_second);
  for (const auto kind : r.plan.request.kinds) {
    std::uint64_t struck = 0;
    std::uint64_t bit = 0;
    std::vector<double> silence;
    std::vector<double> recovered;
    for (std::size_t number = 0; number < r.faults.size(); ++number) {
      const auto& fault = r.faults[number];
      if (fault.planned.kind != kind)
        continue;
      ++struck;
      bit += fault.bit ? 1 : 0;
      silence.push_back(longest_silence(r, answered_at, fault));
      if (const auto again = recovery(r, by_second, number))
        recovered.push_back(*again);
    }
    ordered_json one{{"struck", struck}, {"bit", bit}};
    if (const auto times = takeovers(r, kind); !times.empty())
      one["takeover_s"] = distribution(times);
    one["longest_silence_s"] = distribution(silence);
    one["recovery_s"] = distribution(recovered);
    all["faults"][std::string{name_of(kind)}] = one;
  }
  if (r.two_versions)
    all["versions"] = {{"upgrades", changes(r, struck_fault::change::upgrade)},
                       {"rollbacks", changes(r, struck_fault::change::rollback)}};
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
  std::map<std::int64_t, std::vector<double>> times;
  for (const auto& request : r.clients.requests) {
    const auto at = static_cast<std::int64_t>(seconds(request.begun - r.begun));
    ++(request.failure == core::errc::none ? answered : failed)[at];
    times[at].push_back(static_cast<double>(request.millis));
  }
  curve rate{"answered requests", "1/s", {}};
  curve errors{"failed requests", "1/s", {}};
  curve usual{"median time of a request", "ms", {}};
  curve slow{"slowest request", "ms", {}};
  for (std::int64_t at = 0; at < static_cast<std::int64_t>(seconds(r.ended - r.begun)); ++at) {
    const auto x = static_cast<double>(at);
    rate.points.emplace_back(x, static_cast<double>(answered[at]));
    errors.points.emplace_back(x, static_cast<double>(failed[at]));
    usual.points.emplace_back(x, quantile(times[at], 0.5));
    slow.points.emplace_back(x, quantile(times[at], 1));
  }
  curve memory{"memory of all nodes", "MiB", {}};
  for (const auto& sample : r.memory) {
    double sum = 0;
    for (const auto node : sample.nodes)
      sum += node;
    memory.points.emplace_back(seconds(sample.at - r.begun), sum);
  }
  return {rate, errors, usual, slow, memory};
}

/// One for each kind of fault, as far apart as so many can be.
std::string colours() {
  std::ostringstream style;
  for (std::size_t i = 0; i < fault_names.size(); ++i)
    style << ".f" << i << "{fill:hsl(" << i * 360 / fault_names.size() << ",70%,75%)}";
  return style.str();
}

/// What the faults did, in the figures of the verdict.
std::string fault_table(const soak_result& r) {
  std::ostringstream table;
  const auto cell = [&](const ordered_json& of, const char* what) {
    table << "<td>";
    if (of.contains(what) && of[what]["n"] != 0)
      table << std::round(of[what]["p50"].get<double>() * 100) / 100 << " / "
            << std::round(of[what]["max"].get<double>() * 100) / 100;
    table << "</td>";
  };
  table << "<table><tr><th>fault</th><th>struck</th><th>bit</th><th>takeover, s</th>"
           "<th>longest silence, s</th><th>recovery, s</th></tr>";
  const auto faults = figures(r)["faults"];
  for (const auto& [name, of] : faults.items()) {
    table << "<tr><td>" << name << "</td><td>" << of["struck"] << "</td><td>" << of["bit"]
          << "</td>";
    for (const auto* what : {"takeover_s", "longest_silence_s", "recovery_s"})
      cell(of, what);
    table << "</tr>";
  }
  table << "</table><p>Median / most.</p>";
  return table.str();
}

std::string verdict_word(const soak_result& r) {
  if (!violations(r).empty())
    return "red";
  return void_reasons(r).empty() ? "green" : "void";
}

} // namespace

std::vector<std::string> void_reasons(const soak_result& r) {
  std::vector<std::string> reasons;
  for (const auto kind : r.plan.request.kinds) {
    const std::string name{name_of(kind)};
    const auto planned = std::count_if(r.plan.faults.begin(), r.plan.faults.end(),
                                       [&](const auto& f) { return f.kind == kind; });
    const auto bit = std::count_if(r.faults.begin(), r.faults.end(),
                                   [&](const auto& f) { return f.planned.kind == kind && f.bit; });
    if (planned == 0)
      reasons.push_back("the run is too short for a " + name);
    else if (bit == 0)
      reasons.push_back("no " + name + " met anything");
  }
  if (r.two_versions && changes(r, struck_fault::change::upgrade) == 0)
    reasons.emplace_back("nothing was upgraded: two versions take a rolling restart");
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
  verdict["seed"] = r.plan.request.seed;
  verdict["command"] = r.command;
  verdict["violations"] = violations(r);
  verdict["void_reasons"] = void_reasons(r);
  verdict["left_out"] = ordered_json::object();
  for (const auto& [kind, why] : r.left_out)
    verdict["left_out"][std::string{name_of(kind)}] = why;
  verdict["figures"] = figures(r);
  return verdict.dump(2) + '\n';
}

std::string report_html(const soak_result& r) {
  std::ostringstream page;
  page << "<!doctype html><meta charset='utf-8'><title>Holdfast soak</title><style>"
          "body{font:15px sans-serif;max-width:920px;margin:2em auto;color:#222}"
          "svg{width:100%;border:1px solid #ccc}polyline{fill:none;stroke:#234;stroke-width:1}"
          "h3 small{font-weight:normal;color:#777}pre{background:#f4f4f4;padding:1em;overflow:auto}"
          "table{border-collapse:collapse}td,th{padding:.2em .7em;text-align:right}"
          "td:first-child,th:first-child{text-align:left}"
       << colours() << "</style><h1>Soak: " << verdict_word(r) << "</h1><p>Seed "
       << r.plan.request.seed << ", " << r.plan.request.nodes << " nodes. Bands are faults: ";
  for (const auto kind : r.plan.request.kinds)
    page
        << "<svg style='width:1em;height:1em;border:0' viewBox='0 0 1 1'><rect width='1' height='1'"
        << " class='f" << static_cast<int>(kind) << "'/></svg> " << name_of(kind) << ' ';
  page << "</p>" << fault_table(r);
  for (const auto& c : curves(r))
    page << plot(r, c);
  page << "<h2>Verdict</h2><pre>" << verdict_json(r) << "</pre>";
  return page.str();
}

} // namespace holdfast::soak
