#include "documents/queue_document.hpp"

#include "core/task_events.hpp"
#include "documents/exact_number.hpp"
#include "documents/member_reader.hpp"
#include "documents/parse.hpp"
#include "documents/pointer.hpp"
#include "documents/schema.hpp"

#include <algorithm>
#include <memory>

namespace holdfast::documents {

using nlohmann::json;

namespace {

/// Far above any `limits.json_depth`: whoever lets a text in has bounded it already.
constexpr std::size_t depth_max = 1000;

/// Checks JSON texts, which are well-formed, against a schema that is compiled once. None when it
/// is no usable schema; `problems` then say why.
core::text_check compiled_check(const json& source, const std::string& place,
                                std::vector<core::definition_problem>& problems) {
  auto compiled = schema::compile(source, place, problems);
  if (!compiled)
    return {};
  // Shared, because a policy may be copied.
  return [schema = std::make_shared<const schema>(std::move(*compiled))](std::string_view text) {
    const auto value = parse_json(text, {text.size(), depth_max});
    if (!value)
      return value.error();
    const auto violation = schema->violation_in(*value);
    return violation ? core::failure{core::errc::payload_invalid,
                                     at_place(violation->place, violation->what)}
                     : core::failure{};
  };
}

class policy_reader {
public:
  core::queue_policy policy;
  std::vector<core::definition_problem> problems;

  void read(const json& document) {
    member_reader from{document, "", problems};
    if (const auto* lease = from.member("lease"))
      read_lease(*lease, "/lease");
    if (const auto* retry = from.member("retry"))
      read_retry(*retry, "/retry", policy.retry);
    from.count("running_max", policy.running_max);
    from.count("running_per_key_max", policy.running_per_key_max);
    from.each_of("weights", [&](const auto& key, const json& weight, const std::string& place) {
      if (is_number(weight))
        policy.weights[key] = nearest_in(weight);
      else
        problems.push_back({place, "must be a number"});
    });
    read_rate(from, "rate", "/rate", policy.rate);
    read_rates(from, "", policy.credentials);
    from.seconds("aging_seconds", policy.aging);
    from.count("depth_max", policy.depth_max);
    from.seconds("retention_seconds", policy.retention);
    if (const auto* events = from.member("events"))
      read_events(*events, "/events");
    if (const auto* push = from.member("push"))
      read_push(*push, "/push", policy.push.emplace());
    from.each_of("types", [&](const auto& name, const json& type, const std::string& place) {
      read_type(type, place, policy.types[name]);
    });
    from.refuse_unknown();
  }

private:
  void read_lease(const json& source, const std::string& place) {
    member_reader from{source, place, problems};
    auto& lease = policy.lease;
    from.seconds("ttl_seconds", lease.ttl);
    lease.total_max = std::max(lease.total_max, lease.ttl);
    from.seconds("total_max_seconds", lease.total_max);
    from.refuse_unknown();
  }

  void read_events(const json& source, const std::string& place) {
    constexpr auto* names = "TaskCompleted, TaskFailed, TaskDead or TaskCanceled";
    if (!source.is_array()) {
      problems.push_back({place, std::string{"must be a list of "} + names});
      return;
    }
    for (std::size_t i = 0; i < source.size(); ++i) {
      const auto ending = source[i].is_string()
                              ? core::ending_told_by(source[i].get_ref<const std::string&>())
                              : std::nullopt;
      if (ending)
        policy.events.insert(*ending);
      else
        problems.push_back({place + "/" + std::to_string(i), std::string{"must be "} + names});
    }
  }

  void read_retry(const json& source, const std::string& place, core::retry_policy& retry) {
    member_reader from{source, place, problems};
    from.count("max_attempts", retry.max_attempts);
    from.count("crashes_max", retry.crashes_max);
    from.count("failures_max", retry.failures_max);
    from.count("pauses_max", retry.pauses_max);
    from.count("releases_max", retry.releases_max);
    from.seconds("least_seconds", retry.least);
    retry.most = std::max(retry.most, retry.least);
    from.seconds("most_seconds", retry.most);
    from.refuse_unknown();
  }

  void read_push(const json& source, const std::string& place, core::push_policy& push) {
    member_reader from{source, place, problems};
    from.required("url", "it says where tasks are posted to");
    from.text("url", push.url);
    from.required("secret", "it names what the posts are signed with");
    from.text("secret", push.secret);
    from.count("concurrency", push.concurrency);
    from.seconds("timeout_seconds", push.timeout);
    from.refuse_unknown();
  }

  void read_rate(member_reader& from, std::string_view name, const std::string& place,
                 core::rate_limit& rate) {
    if (const auto* source = from.member(name))
      read_rate(*source, place, rate);
  }

  void read_rate(const json& source, const std::string& place, core::rate_limit& rate) {
    member_reader from{source, place, problems};
    from.number("per_second", rate.per_second);
    from.number("burst", rate.burst);
    from.refuse_unknown();
  }

  /// Members of a queue or type.
  void read_rates(member_reader& from, const std::string& place, core::credential_rates& rates) {
    read_rate(from, "rate_per_credential", place + "/rate_per_credential", rates.each);
    read_rate(from, "rate_without_credential", place + "/rate_without_credential", rates.without);
    from.each_of("credentials", [&](const auto& name, const json& rate, const std::string& at) {
      read_rate(rate, at, rates.named[name]);
    });
  }

  void read_type(const json& source, const std::string& place, core::type_policy& type) {
    member_reader from{source, place, problems};
    if (const auto* retry = from.member("retry"))
      read_retry(*retry, place + "/retry", type.retry.emplace(policy.retry));
    from.count("running_max", type.running_max);
    from.seconds("timeout_seconds", type.timeout);
    read_rate(from, "rate", place + "/rate", type.rate);
    read_rates(from, place, type.credentials);
    from.text("first_state", type.first_state);
    from.each_of("transitions", [&](const auto& state, const json& targets, const std::string& at) {
      read_targets(targets, at, type.transitions[state]);
    });
    from.each_of("versions", [&](const auto& version, const json& form, const std::string& at) {
      read_form(version, form, at, type.versions);
    });
    if (from.member("versions") != nullptr && type.versions.empty())
      from.problem("versions", "must name at least one; leave it out to take any version");
    from.refuse_unknown();
  }

  void read_form(const std::string& version, const json& source, const std::string& place,
                 core::task_forms& forms) {
    const auto major = core::major_of(version + ".0");
    if (!major || std::to_string(*major) != version) // 01 would be a second name of 1
      problems.push_back({place, "must be named by a major version, e.g. 1"});
    member_reader from{source, place, problems};
    auto& form = forms[major.value_or(0)];
    if (const auto* body = from.member("body"))
      form.body = compiled_check(*body, place + "/body", problems);
    if (const auto* data = from.member("data"))
      form.data = compiled_check(*data, place + "/data", problems);
    from.refuse_unknown();
  }

  void read_targets(const json& source, const std::string& place, std::set<std::string>& targets) {
    if (!source.is_array()) {
      problems.push_back({place, "must be a list of states"});
      return;
    }
    for (std::size_t i = 0; i < source.size(); ++i)
      if (source[i].is_string())
        targets.insert(source[i].get<std::string>());
      else
        problems.push_back({place + "/" + std::to_string(i), "must be a state"});
  }
};

} // namespace

core::outcome<core::queue_policy> parse_queue_policy(std::string_view text,
                                                     const json_limits& limits) {
  const auto document = parse_json(text, limits);
  if (!document)
    return document.error();
  policy_reader reader;
  reader.read(*document);
  // The core's rules speak of values; they are applied when everything could be read.
  if (reader.problems.empty())
    reader.problems = core::problems_of(reader.policy);
  if (!reader.problems.empty())
    return refusal_of(reader.problems);
  return std::move(reader.policy);
}

} // namespace holdfast::documents
