#include "bench/soak/figures.hpp"
#include "bench/soak/report.hpp"
#include "bench/soak/trends.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

namespace holdfast::soak {

namespace {

constexpr double width = 900;
constexpr double height = 160;

double rounded(double number) { return std::round(number * 100) / 100; }

// ── over time ────────────────────────────────────────────────────────────────────────────────────

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

std::vector<curve> curves_of_requests(const soak_result& r) {
  std::map<std::int64_t, std::uint64_t> answered;
  std::map<std::int64_t, std::uint64_t> failed;
  std::map<std::int64_t, std::vector<double>> times;
  for (const auto& request : r.clients.requests) {
    const auto at = static_cast<std::int64_t>(seconds(request.begun - r.begun));
    ++(request.failure == core::errc::none ? answered : failed)[at];
    times[at].push_back(static_cast<double>(request.millis));
  }
  curve rate{"answered requests", "1/s", {}};
  curve errors{"refused or failed requests", "1/s", {}};
  curve usual{"median time of a request", "ms", {}};
  curve slow{"slowest request", "ms", {}};
  for (std::int64_t at = 0; at < static_cast<std::int64_t>(seconds(r.ended - r.begun)); ++at) {
    const auto x = static_cast<double>(at);
    rate.points.emplace_back(x, static_cast<double>(answered[at]));
    errors.points.emplace_back(x, static_cast<double>(failed[at]));
    usual.points.emplace_back(x, quantile(times[at], 0.5));
    slow.points.emplace_back(x, quantile(times[at], 1));
  }
  curve commits{"answers that followed from a commit", "1/s", {}};
  const auto by_second = commits_by_second(r, commit_times(r));
  for (std::size_t second = 0; second < by_second.size(); ++second)
    commits.points.emplace_back(static_cast<double>(second), by_second[second]);
  return {rate, commits, errors, usual, slow};
}

std::vector<curve> curves_of_nodes(const soak_result& r) {
  curve memory{"memory of all nodes", "MiB", {}};
  curve files{"open files of all nodes", "", {}};
  curve threads{"threads of all nodes", "", {}};
  curve actors{"actors of units and contributors of all nodes", "", {}};
  for (const auto& sample : r.samples) {
    process_reading sum;
    sum.actors = 0;
    for (const auto& node : sample.nodes)
      if (node) {
        sum.memory_mib += node->memory_mib;
        sum.files += node->files;
        sum.threads += node->threads;
        *sum.actors += node->actors.value_or(0);
      }
    const auto at = seconds(sample.at - r.begun);
    memory.points.emplace_back(at, sum.memory_mib);
    files.points.emplace_back(at, sum.files);
    threads.points.emplace_back(at, sum.threads);
    actors.points.emplace_back(at, *sum.actors);
  }
  return {memory, files, threads, actors};
}

// ── distributions ────────────────────────────────────────────────────────────────────────────────

using times_of_kinds = std::vector<std::pair<fault_kind, std::vector<double>>>;

constexpr double names_width = 160;
constexpr double row_height = 26;

double longest_of(const times_of_kinds& all) {
  double longest = 0;
  for (const auto& [kind, times] : all)
    longest = std::max(longest, quantile(times, 1));
  return longest > 0 ? longest : 1;
}

/// What share of the takeovers was over after how long: a line for each kind, which climbs by one
/// step for each of them.
std::string plot_shares(const times_of_kinds& all) {
  const auto scale = width / longest_of(all);
  std::ostringstream svg;
  svg << "<h3>takeover: share that was over <small>(after at most " << rounded(longest_of(all))
      << " s)</small></h3><svg viewBox='0 0 " << width << ' ' << height << "'>";
  for (const auto& [kind, times] : all) {
    auto sorted = times;
    std::sort(sorted.begin(), sorted.end());
    svg << "<polyline class='l" << static_cast<int>(kind) << "' points='0," << height << ' ';
    double before = height;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      const auto x = sorted[i] * scale;
      const auto y =
          height - static_cast<double>(i + 1) / static_cast<double>(sorted.size()) * (height - 10);
      svg << x << ',' << before << ' ' << x << ',' << y << ' ';
      before = y;
    }
    svg << width << ',' << before << "'><title>" << name_of(kind) << "</title></polyline>";
  }
  svg << "</svg>";
  return svg.str();
}

/// A row for each kind: a dot for each time, a box from the first quarter of them to the third, and
/// a stroke at the median.
std::string plot_boxes(const std::string& title, const times_of_kinds& all) {
  const auto scale = (width - names_width - 10) / longest_of(all);
  std::ostringstream svg;
  svg << "<h3>" << title << " <small>(at most " << rounded(longest_of(all))
      << " s)</small></h3><svg viewBox='0 0 " << width << ' '
      << row_height * static_cast<double>(all.size()) << "'>";
  double top = 0;
  for (const auto& one : all) {
    const auto kind = one.first;
    const auto& times = one.second;
    const auto at = [&](double share) { return names_width + quantile(times, share) * scale; };
    const auto middle = top + row_height / 2;
    svg << "<text x='4' y='" << middle + 5 << "'>" << name_of(kind) << "</text><rect x='"
        << at(0.25) << "' y='" << top + 5 << "' width='" << std::max(1.0, at(0.75) - at(0.25))
        << "' height='" << row_height - 10 << "' class='f" << static_cast<int>(kind)
        << "'/><line class='m' x1='" << at(0.5) << "' x2='" << at(0.5) << "' y1='" << top + 3
        << "' y2='" << top + row_height - 3 << "'/>";
    for (const auto time : times)
      svg << "<circle cx='" << names_width + time * scale << "' cy='" << middle << "' r='2'><title>"
          << rounded(time) << " s</title></circle>";
    top += row_height;
  }
  svg << "</svg>";
  return svg.str();
}

std::string distributions(const soak_result& r) {
  const auto by_second = commits_by_second(r, commit_times(r));
  times_of_kinds taken;
  times_of_kinds recovered;
  for (const auto kind : r.plan.request.kinds) {
    if (auto times = takeovers(r, kind); !times.empty())
      taken.emplace_back(kind, std::move(times));
    std::vector<double> times;
    for (std::size_t number = 0; number < r.faults.size(); ++number)
      if (r.faults[number].planned.kind == kind)
        if (const auto again = recovery(r, by_second, number))
          times.push_back(*again);
    if (!times.empty())
      recovered.emplace_back(kind, std::move(times));
  }
  std::string plots;
  if (!taken.empty())
    plots += plot_shares(taken) + plot_boxes("takeover", taken);
  if (!recovered.empty())
    plots += plot_boxes("recovery", recovered);
  return plots;
}

// ── tables ───────────────────────────────────────────────────────────────────────────────────────

/// One for each kind of fault, as far apart as so many can be.
std::string colours() {
  std::ostringstream style;
  for (std::size_t i = 0; i < fault_names.size(); ++i) {
    const auto hue = i * 360 / fault_names.size();
    style << ".f" << i << "{fill:hsl(" << hue << ",70%,75%)}polyline.l" << i << "{stroke:hsl("
          << hue << ",70%,45%);stroke-width:2}";
  }
  return style.str();
}

void add_cell(std::ostringstream& table, const std::vector<double>& times) {
  table << "<td>";
  if (!times.empty())
    table << rounded(quantile(times, 0.5)) << " / " << rounded(quantile(times, 1));
  table << "</td>";
}

/// What the faults did, in the figures of the verdict.
std::string fault_table(const soak_result& r) {
  std::ostringstream table;
  table << "<table><tr><th>fault</th><th>struck</th><th>bit</th><th>takeover, s</th>"
           "<th>exit, s</th><th>longest silence, s</th><th>recovery, s</th></tr>";
  const auto times = commit_times(r);
  const auto by_second = commits_by_second(r, times);
  for (const auto kind : r.plan.request.kinds) {
    std::uint64_t bit = 0;
    std::vector<double> silence;
    std::vector<double> recovered;
    for (std::size_t number = 0; number < r.faults.size(); ++number) {
      if (r.faults[number].planned.kind != kind)
        continue;
      bit += r.faults[number].bit ? 1 : 0;
      silence.push_back(longest_silence(r, times, number));
      if (const auto again = recovery(r, by_second, number))
        recovered.push_back(*again);
    }
    table << "<tr><td>" << name_of(kind) << "</td><td>" << silence.size() << "</td><td>" << bit
          << "</td>";
    add_cell(table, takeovers(r, kind));
    add_cell(table, exit_times(r, kind));
    add_cell(table, silence);
    add_cell(table, recovered);
    table << "</tr>";
  }
  table << "</table><p>Median / most.</p>";
  return table.str();
}

std::string growth_table(const soak_result& r) {
  std::ostringstream table;
  table << "<table><tr><th>of the node where it grows most</th><th>an hour</th><th>% an hour</th>"
           "<th>at least an hour, by 95 %</th></tr>";
  const auto add = [&](const char* name, resource what) {
    const auto grows = worst_trend(r, what);
    if (!grows)
      return;
    table << "<tr><td>" << name << "</td><td>" << rounded(grows->per_hour) << "</td><td>";
    if (grows->median > 0)
      table << rounded(100 * grows->per_hour / grows->median);
    table << "</td><td>" << rounded(grows->at_least_per_hour) << "</td></tr>";
  };
  add("memory, MiB", resource::memory);
  add("open files", resource::files);
  add("threads", resource::threads);
  add("actors", resource::actors);
  table << "</table>";
  if (r.plan.request.load_time < long_run)
    table << "<p>In so short a run that is chance, and no goal.</p>";
  return table.str();
}

} // namespace

std::string report_html(const soak_result& r) {
  std::ostringstream page;
  page << "<!doctype html><meta charset='utf-8'><title>Holdfast soak</title><style>"
          "body{font:15px sans-serif;max-width:920px;margin:2em auto;color:#222}"
          "svg{width:100%;border:1px solid #ccc}polyline{fill:none;stroke:#234;stroke-width:1}"
          ".m{stroke:#234;stroke-width:2}circle{fill:#234}"
          "h3 small{font-weight:normal;color:#777}pre{background:#f4f4f4;padding:1em;overflow:auto}"
          "table{border-collapse:collapse}td,th{padding:.2em .7em;text-align:right}"
          "td:first-child,th:first-child{text-align:left}"
       << colours() << "</style><h1>Soak: " << verdict_word(r) << "</h1><p>Seed "
       << r.plan.request.seed << ", " << r.plan.request.nodes << " nodes. Bands are faults: ";
  for (const auto kind : r.plan.request.kinds)
    page
        << "<svg style='width:1em;height:1em;border:0' viewBox='0 0 1 1'><rect width='1' height='1'"
        << " class='f" << static_cast<int>(kind) << "'/></svg> " << name_of(kind) << ' ';
  page << "</p>" << fault_table(r) << distributions(r);
  for (const auto& c : curves_of_requests(r))
    page << plot(r, c);
  for (const auto& c : curves_of_nodes(r))
    page << plot(r, c);
  page << growth_table(r) << "<h2>Verdict</h2><pre>" << verdict_json(r) << "</pre>";
  return page.str();
}

} // namespace holdfast::soak
