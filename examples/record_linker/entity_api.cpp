#include "examples/record_linker/entity_api.hpp"

#include "core/ids.hpp"

#include <algorithm>
#include <chrono>
#include <deque>

namespace linker {

namespace {

using namespace std::chrono_literals;

constexpr double anonymous_rate = 5;
constexpr double institution_rate = 50;

/// A number in [0, 1) that depends on all of its arguments.
double drawn(std::uint64_t seed, const std::string& about, std::uint64_t detail) {
  const auto bytes = std::to_string(seed) + '/' + std::to_string(detail) + '/' + about;
  // FNV-1a leaves the high bits of short texts alike; a multiplication and a shift spread them.
  const auto hash = (core::fnv1a(bytes) ^ core::fnv1a(about) >> 7) * 0x9e3779b97f4a7c15ULL;
  return static_cast<double>((hash ^ hash >> 32) & 0xffffffffULL) / 4294967296.0; // 2^32
}

} // namespace

bool is_verdict(const reply& said) {
  return !std::holds_alternative<slow_down>(said) && !std::holds_alternative<outage>(said);
}

std::map<std::string, std::size_t> most_calls(const std::vector<api_call>& calls,
                                              core::duration span) {
  std::map<std::string, std::deque<core::instant>> within;
  std::map<std::string, std::size_t> most;
  for (const auto& call : calls) {
    auto& last = within[call.credential];
    last.push_back(call.at);
    while (last.front() <= call.at - span)
      last.pop_front();
    most[call.credential] = std::max(most[call.credential], last.size());
  }
  return most;
}

reply truth_of(std::uint64_t seed, const std::string& label) {
  constexpr double unacceptable = 0.03;
  constexpr double unknown = 0.27;
  const auto where = drawn(seed, label, 0);
  if (where < unacceptable)
    return refused{"the label cannot be searched for"};
  if (where < unacceptable + unknown)
    return no_match{};
  return found{"Q" + std::to_string(core::fnv1a(label) % 100'000'000)};
}

double rate_of(const std::string& credential) {
  return credential == anonymous ? anonymous_rate : institution_rate;
}

simulated_api::simulated_api(std::uint64_t seed, double speed) : seed_(seed), speed_(speed) {}

reply simulated_api::ask(const std::string& label, const std::string& credential,
                         core::instant now) {
  if (const auto rest = busy_for(credential, now); rest > 0s)
    return slow_down{rest};
  if (!within_rate(credential, now))
    return slow_down{scaled(1s)};
  return truth_of(seed_, label);
}

/// Some half minutes begin with a busy spell.
core::duration simulated_api::busy_for(const std::string& credential, core::instant now) const {
  constexpr double busy_half_minutes = 0.2;
  const auto half_minute = scaled(30s);
  const auto since_epoch = now.time_since_epoch();
  const auto which = static_cast<std::uint64_t>(since_epoch / half_minute);
  const auto rest = scaled(4s) - since_epoch % half_minute;
  return drawn(seed_, credential, which) < busy_half_minutes ? rest : core::duration{0};
}

bool simulated_api::within_rate(const std::string& credential, core::instant now) {
  const std::lock_guard lock{mutex_};
  const auto per_second = rate_of(credential) * speed_;
  auto& bucket = allowances_.try_emplace(credential, allowance{per_second, now}).first->second;
  const std::chrono::duration<double> passed = now - bucket.since;
  bucket.left = std::min(per_second, bucket.left + std::max(0.0, passed.count()) * per_second);
  bucket.since = std::max(bucket.since, now);
  if (bucket.left < 1)
    return false;
  bucket.left -= 1;
  return true;
}

core::duration simulated_api::scaled(core::duration span) const {
  return core::duration{static_cast<std::int64_t>(static_cast<double>(span.count()) / speed_)};
}

} // namespace linker
