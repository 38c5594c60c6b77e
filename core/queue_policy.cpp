#include "core/queue_policy.hpp"

#include <algorithm>

namespace holdfast::core {

namespace {

constexpr duration wait_max = std::chrono::hours{24 * 365};

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
  }

  void check_word(const std::string& word, const std::string& place) {
    check(!word.empty() && word.size() <= task_word_bytes_max, place, "must have 1 to 128 bytes");
  }

  void check(const type_policy& type, const std::string& place) {
    if (type.retry)
      check(*type.retry, place + "/retry");
    check(type.rate, place + "/rate");
    check(type.credentials, place);
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
  finder.check(lease.ttl >= std::chrono::milliseconds{100} && lease.ttl <= wait_max,
               "/lease/ttl_seconds", "must be between 0.1 seconds and a year");
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
  return std::move(finder.problems);
}

} // namespace holdfast::core
