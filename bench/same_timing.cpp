#include "bench/same_timing.hpp"

#include "bench/node_under_load.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

namespace holdfast::bench {

namespace {

using times = std::vector<double>;

/// How often one of `a` is above one of `b`, equals counted half: 0.5 where nobody could tell them
/// apart by that. Both sorted.
double share_above(const times& a, const times& b) {
  double above = 0;
  for (const auto one : a) {
    const auto [first, last] = std::equal_range(b.begin(), b.end(), one);
    above += static_cast<double>(first - b.begin()) + static_cast<double>(last - first) / 2;
  }
  return above / (static_cast<double>(a.size()) * static_cast<double>(b.size()));
}

/// The most by which the shares below any time differ. Both sorted.
double kolmogorov_smirnov(const times& a, const times& b) {
  double most = 0;
  const auto below = [](const times& all, double bound) {
    return static_cast<double>(std::upper_bound(all.begin(), all.end(), bound) - all.begin())
           / static_cast<double>(all.size());
  };
  for (const auto* all : {&a, &b})
    for (const auto one : *all)
      most = std::max(most, std::abs(below(a, one) - below(b, one)));
  return most;
}

/// How likely equal sources differ so much, with `a` and `b` samples: Kolmogorov's distribution in
/// the approximation of Stephens (1970).
double chance_of(double distance, std::size_t a, std::size_t b) {
  const auto root =
      std::sqrt(static_cast<double>(a) * static_cast<double>(b) / static_cast<double>(a + b));
  const auto x = (root + 0.12 + 0.11 / root) * distance;
  double sum = 0;
  for (int k = 1; k <= 100; ++k)
    sum += (k % 2 == 1 ? 2 : -2) * std::exp(-2.0 * k * k * x * x);
  return x < 0.2 ? 1 : std::clamp(sum, 0.0, 1.0); // the series ends too early for small ones
}

/// As many as a contributor who wants to find out has: more would find any difference, however
/// small.
constexpr std::size_t samples = 1000;

times some_of(times all, std::mt19937_64& random) {
  std::shuffle(all.begin(), all.end(), random);
  all.resize(std::min(all.size(), samples));
  std::sort(all.begin(), all.end());
  return all;
}

void compare(const std::string& name, times questions, times units, results& out) {
  if (questions.size() < samples || units.size() < samples)
    throw std::runtime_error{"too few answers to compare: " + std::to_string(questions.size())
                             + " and " + std::to_string(units.size())};
  std::sort(questions.begin(), questions.end());
  std::sort(units.begin(), units.end());
  const auto above = share_above(questions, units);
  out.add(name + ".auc", std::max(above, 1 - above), "", at_most(0.54));
  std::mt19937_64 random{1};
  const auto some_questions = some_of(questions, random);
  const auto some_units = some_of(units, random);
  const auto distance = kolmogorov_smirnov(some_questions, some_units);
  out.add(name + ".ks_p", chance_of(distance, samples, samples), "", at_least(0.01));
  out.add(name + ".questions_p50", quantile(std::move(questions), 0.5), "ms");
  out.add(name + ".units_p50", quantile(std::move(units), 0.5), "ms");
}

} // namespace

void same_timing(const std::string& conninfo, int seconds, results& out) {
  constexpr std::size_t contributors = 16;
  constexpr std::size_t questions = 300;
  constexpr std::size_t units = 50'000;
  node_under_load node{conninfo, 8};
  const auto step = node.make_tested_step(units, questions);
  auto done = node.work(step, contributors, std::chrono::seconds{seconds}, true);
  if (done.failures > 0)
    throw std::runtime_error{"some requests failed: the times are not those of answers"};
  compare("timing.ask", std::move(done.question_ask_millis), std::move(done.ask_millis), out);
  compare("timing.submit", std::move(done.question_submit_millis), std::move(done.submit_millis),
          out);
}

} // namespace holdfast::bench
