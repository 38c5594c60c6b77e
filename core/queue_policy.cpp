#include "core/queue_policy.hpp"

#include "core/receiver.hpp"

#include <algorithm>

namespace holdfast::core {

namespace {

constexpr duration wait_max = std::chrono::hours{24 * 365};
constexpr duration ttl_min = std::chrono::milliseconds{100};

/// Of one queue; the whole node has `push.requests_max`.
constexpr std::uint32_t push_concurrency_max = 1000;
/// The longest that functions of the large providers may run.
constexpr duration push_timeout_max = std::chrono::hours{1};

/// A worker extends at a third of the ttl, and needs the commit of that before the lease is over:
/// below this a commit that takes a second longer than usual loses healthy work.
constexpr duration comfortable_ttl = std::chrono::seconds{3};

class problem_finder {
public:
  std::vector<definition_problem> problems;

  void check(bool holds, std::string place, std::string what) {
    if (!holds)
      problems.push_back({std::move(place), std::move(what)});
  }

  void check(const rate_limit& rate, const std::string& place) {
    check(rate.per_second == 0 || (rate.per_second >= 1e-6 && rate.per_second <= 1e6),
          place + "/per_second", "must be 0 or between 0.000001 and 1000000");
    check(rate.burst >= 1 && rate.burst <= 1e6, place + "/burst", "must be between 1 and 1000000");
  }

  void check(const credential_rates& rates, const std::string& place) {
    check(rates.each, place + "/rate_per_credential");
    check(rates.without, place + "/rate_without_credential");
    for (const auto& [name, rate] : rates.named)
      check(rate, place + "/credentials/" + name);
  }

  void check(const retry_policy& retry, const std::string& place) {
    check(retry.max_attempts >= 1 && retry.max_attempts <= 1000, place + "/max_attempts",
          "must be between 1 and 1000");
    check(retry.crashes_max >= 1 && retry.crashes_max <= 100, place + "/crashes_max",
          "must be between 1 and 100");
    check(retry.failures_max >= 1 && retry.failures_max <= 1'000'000, place + "/failures_max",
          "must be between 1 and 1000000");
    check(retry.least > duration::zero() && retry.least <= retry.most, place + "/least_seconds",
          "must be more than 0 and at most most_seconds");
    check(retry.most <= wait_max, place + "/most_seconds", "must be at most a year");
    check(retry.pauses_max >= 1 && retry.pauses_max <= 1'000'000, place + "/pauses_max",
          "must be between 1 and 1000000");
    check(retry.releases_max >= 2 && retry.releases_max <= 1'000'000, place + "/releases_max",
          "must be between 2 and 1000000");
  }

  void check(const push_policy& push, const std::string& place) {
    for (auto& problem : problems_of_receiver(push.url, push.secret, place))
      problems.push_back(std::move(problem));
    check(push.concurrency >= 1 && push.concurrency <= push_concurrency_max, place + "/concurrency",
          "must be between 1 and 1000");
    check(push.timeout >= std::chrono::milliseconds{100} && push.timeout <= push_timeout_max,
          place + "/timeout_seconds", "must be between 0.1 and 3600");
  }

  void check_word(const std::string& word, const std::string& place) {
    check(!word.empty() && word.size() <= task_word_bytes_max, place, "must have 1 to 128 bytes");
  }

  void check(const type_policy& type, const std::string& place) {
    if (type.retry)
      check(*type.retry, place + "/retry");
    check(type.rate, place + "/rate");
    check(type.credentials, place);
    check(type.timeout == duration::zero() || (type.timeout >= ttl_min && type.timeout <= wait_max),
          place + "/timeout_seconds", "must be 0 or between 0.1 seconds and a year");
    check_word(type.first_state, place + "/first_state");
    if (type.transitions.empty())
      return;
    check(type.transitions.count(type.first_state) != 0, place + "/first_state",
          "must be one of the states of transitions");
    for (const auto& [from, targets] : type.transitions) {
      check_word(from, place + "/transitions");
      for (const auto& to : targets)
        check(type.transitions.count(to) != 0, place + "/transitions/" + from,
              "leads to '" + to + "', which is not a state of transitions");
    }
  }
};

} // namespace

bool is_queue_name(const queue_name& name) {
  return !name.empty() && name.size() <= queue_name_bytes_max
         && std::all_of(name.begin(), name.end(), [](char c) {
              return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-'
                     || c == '.';
            });
}

const rate_limit& rate_of(const credential_rates& rates, const std::string& credential) {
  if (credential.empty())
    return rates.without;
  const auto own = rates.named.find(credential);
  return own == rates.named.end() ? rates.each : own->second;
}

const type_policy& rules_of(const queue_policy& policy, const std::string& type) {
  static const type_policy no_rules;
  const auto found = policy.types.find(type);
  return found == policy.types.end() ? no_rules : found->second;
}

lease_policy lease_of(const queue_policy& policy, const std::string& type) {
  auto lease = policy.lease;
  if (const auto timeout = rules_of(policy, type).timeout; timeout > duration::zero()) {
    lease.total_max = timeout;
    lease.ttl = std::min(lease.ttl, timeout);
  }
  return lease;
}

duration shortest_ttl(const queue_policy& policy) {
  auto shortest = policy.lease.ttl;
  for (const auto& [name, type] : policy.types)
    shortest = std::min(shortest, lease_of(policy, name).ttl);
  return shortest;
}

const retry_policy& retry_of(const queue_policy& policy, const std::string& type) {
  const auto& own = rules_of(policy, type).retry;
  return own ? *own : policy.retry;
}

std::uint32_t failures_most(const retry_policy& retry, std::uint32_t max_attempts) {
  return std::max(retry.failures_max, max_attempts + retry.crashes_max);
}

bool is_suspect(const queue_policy& policy, const std::string& type, std::uint32_t crashes) {
  return crashes > 0 && crashes + 1 >= retry_of(policy, type).crashes_max;
}

bool may_move(const queue_policy& policy, const std::string& type, const std::string& from,
              const std::string& to) {
  const auto& transitions = rules_of(policy, type).transitions;
  if (from == to || transitions.empty())
    return true;
  const auto found = transitions.find(from);
  return found != transitions.end() && found->second.count(to) != 0;
}

std::optional<std::string> opening_state(const queue_policy& policy, const std::string& type,
                                         const std::string& state) {
  const auto& rules = rules_of(policy, type);
  const auto& opening = state.empty() ? rules.first_state : state;
  if (!rules.transitions.empty() && rules.transitions.count(opening) == 0)
    return std::nullopt;
  return opening;
}

std::vector<definition_problem> problems_of(const queue_policy& policy) {
  problem_finder finder;
  const auto& lease = policy.lease;
  finder.check(lease.ttl >= ttl_min && lease.ttl <= wait_max, "/lease/ttl_seconds",
               "must be between 0.1 seconds and a year");
  finder.check(lease.total_max >= lease.ttl && lease.total_max <= wait_max,
               "/lease/total_max_seconds", "must be at least ttl_seconds and at most a year");
  finder.check(policy.retry, "/retry");
  finder.check(policy.rate, "/rate");
  finder.check(policy.credentials, "");
  for (const auto& [key, weight] : policy.weights)
    finder.check(weight >= 0.001 && weight <= 1000, "/weights/" + key,
                 "must be between 0.001 and 1000");
  for (const auto& [name, type] : policy.types) {
    finder.check_word(name, "/types");
    finder.check(type, "/types/" + name);
  }
  finder.check(policy.aging > duration::zero() && policy.aging <= wait_max, "/aging_seconds",
               "must be more than 0 and at most a year");
  finder.check(policy.depth_max >= 1 && policy.depth_max <= 100'000'000, "/depth_max",
               "must be between 1 and 100000000");
  finder.check(policy.retention >= duration::zero() && policy.retention <= wait_max * 100,
               "/retention_seconds", "must be between 0 and 100 years");
  if (policy.push)
    finder.check(*policy.push, "/push");
  return std::move(finder.problems);
}

std::vector<definition_problem> warnings_of(const queue_policy& policy) {
  problem_finder finder;
  const auto extendable = [](const lease_policy& lease) { return lease.total_max > lease.ttl; };
  const auto in_time = [&](const lease_policy& lease) {
    return !extendable(lease) || lease.ttl >= comfortable_ttl;
  };
  const std::string short_ttl =
      "is less than 3 seconds: a worker extends its leases at a third of that, and loses healthy"
      " work whenever the commit takes longer than the rest";
  finder.check(in_time(policy.lease), "/lease/ttl_seconds", short_ttl);
  finder.check(policy.depth_max >= policy.running_max, "/running_max",
               "is more than depth_max, so it is never reached");
  const auto check_retry = [&](const retry_policy& retry, const std::string& place) {
    finder.check(retry.failures_max >= retry.max_attempts + retry.crashes_max,
                 place + "/failures_max",
                 "is less than max_attempts and crashes_max together, which hold instead");
  };
  check_retry(policy.retry, "/retry");
  for (const auto& [name, type] : policy.types) {
    const auto place = "/types/" + name;
    if (type.retry)
      check_retry(*type.retry, place + "/retry");
    finder.check(type.timeout == duration::zero() || type.timeout >= policy.lease.ttl,
                 place + "/timeout_seconds",
                 "is less than lease.ttl_seconds: such leases live as long as this, and are never"
                 " extended");
    finder.check(
        type.running_max == 0 || policy.running_max == 0 || type.running_max <= policy.running_max,
        place + "/running_max", "is more than running_max of the queue, which holds first");
  }
  finder.check(policy.running_per_key_max == 0 || policy.running_max == 0
                   || policy.running_per_key_max <= policy.running_max,
               "/running_per_key_max", "is more than running_max, which holds first");
  if (!policy.push)
    return std::move(finder.problems);
  finder.check(policy.push->timeout <= policy.lease.total_max, "/push/timeout_seconds",
               "is more than lease.total_max_seconds: no post waits longer than a lease may live");
  finder.check(policy.running_max == 0 || policy.push->concurrency <= policy.running_max,
               "/push/concurrency", "is more than running_max, which holds first");
  return std::move(finder.problems);
}

} // namespace holdfast::core
