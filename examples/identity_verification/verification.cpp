#include "examples/identity_verification/verification.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>

namespace identity {

namespace {

using nlohmann::json;

constexpr std::array<std::string_view, states> state_names{"SUBMITTED",
                                                           "AWAITING_DOCUMENT_PROCESSING",
                                                           "DOCUMENTS_PROCESSED",
                                                           "VERIFYING_FACE_MATCH",
                                                           "NEEDS_MANUAL_REVIEW",
                                                           "IN_MANUAL_REVIEW",
                                                           "VERIFIED",
                                                           "REJECTED"};
constexpr std::array<std::string_view, 3> check_names{"documents", "face_match", "manual_review"};
constexpr std::array<std::string_view, 3> verdict_names{"passed", "failed", "unclear"};
constexpr std::array<std::string_view, 2> source_names{"polling", "callback"};

template <class Enum, std::size_t N>
std::string_view name_in(const std::array<std::string_view, N>& names, Enum value) {
  return names[static_cast<std::size_t>(value)];
}

template <class Enum, std::size_t N>
std::optional<Enum> named_in(const std::array<std::string_view, N>& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

/// The stage of `s`, empty: a default-constructed alternative of the variant.
stage stage_of(state s) {
  static const std::array<stage, states> all{submitted{},
                                             awaiting_document_processing{},
                                             documents_processed{},
                                             verifying_face_match{},
                                             needs_manual_review{},
                                             in_manual_review{},
                                             verified{},
                                             rejected{}};
  return all[static_cast<std::size_t>(s)];
}

/// The job of a stage that waits for one, else null; as constant as the stage.
template <class Stage>
auto job_of(Stage& at) -> decltype(&std::get<awaiting_document_processing>(at).asked) {
  if (auto* documents = std::get_if<awaiting_document_processing>(&at))
    return &documents->asked;
  if (auto* face = std::get_if<verifying_face_match>(&at))
    return &face->asked;
  if (auto* review = std::get_if<in_manual_review>(&at))
    return &review->asked;
  return nullptr;
}

finding finding_of(const json& from) {
  const auto what = check_named(from.at("check").get<std::string>());
  const auto says = named_in<verdict>(verdict_names, from.at("says").get<std::string>());
  const auto by = named_in<source>(source_names, from.at("by").get<std::string>());
  if (!what || !says || !by)
    throw std::invalid_argument{"a finding has an unknown word"};
  return {*what, *says, *by};
}

} // namespace

state state_of(const verification& v) { return static_cast<state>(v.at.index()); }

std::string_view to_string(state s) { return name_in(state_names, s); }
std::string_view to_string(check what) { return name_in(check_names, what); }
std::string_view to_string(verdict says) { return name_in(verdict_names, says); }
std::string_view to_string(source by) { return name_in(source_names, by); }

std::optional<state> state_named(std::string_view name) {
  return named_in<state>(state_names, name);
}

std::optional<check> check_named(std::string_view name) {
  return named_in<check>(check_names, name);
}

const job* waits_for(const verification& v) { return job_of(v.at); }

const std::vector<state>& next_states(state from) {
  static const std::array<std::vector<state>, states> all{{
      {state::awaiting_document_processing},
      {state::documents_processed, state::needs_manual_review, state::rejected},
      {state::verifying_face_match},
      {state::verified, state::needs_manual_review, state::rejected},
      {state::in_manual_review},
      {state::verified, state::rejected},
      {},
      {},
  }};
  return all[static_cast<std::size_t>(from)];
}

std::string data_of(const verification& v) {
  json data{{"findings", json::array()}};
  for (const auto& found : v.findings)
    data["findings"].push_back({{"check", to_string(found.what)},
                                {"says", to_string(found.says)},
                                {"by", to_string(found.by)}});
  if (const auto* asked = waits_for(v))
    data["asked"] = {{"tracking", asked->tracking}, {"since", core::to_micros(asked->since)}};
  return data.dump();
}

core::outcome<verification> verification_of(const std::string& state, const std::string& data) {
  const auto named = state_named(state);
  if (!named)
    return core::failure{core::errc::payload_invalid, "no verification is ever in state " + state};
  verification v{stage_of(*named), {}};
  try {
    const auto from = json::parse(data);
    // A task that was just made has no data at all.
    for (const auto& found : from.value("findings", json::array()))
      v.findings.push_back(finding_of(found));
    if (auto* asked = job_of(v.at))
      *asked = {from.at("asked").at("tracking").get<std::string>(),
                core::from_micros(from.at("asked").at("since").get<std::int64_t>())};
  } catch (const std::exception& wrong) {
    return core::failure{core::errc::payload_invalid, "in state " + state + ": " + wrong.what()};
  }
  return v;
}

msg::task_update update_to(const verification& v) {
  msg::task_update update;
  update.state = to_string(state_of(v));
  update.data = data_of(v);
  return update;
}

std::string queue_policy(core::duration ttl) {
  const std::chrono::duration<double> seconds = ttl;
  json transitions = json::object();
  for (std::size_t s = 0; s < states; ++s) {
    auto& targets = transitions[std::string{state_names[s]}] = json::array();
    for (const auto target : next_states(static_cast<state>(s)))
      targets.push_back(to_string(target));
  }
  // Somebody waits at the other end, and the checks cost nothing to repeat: more crashes than usual
  // are tolerated before a person has to look.
  const json retry{{"crashes_max", 20}};
  const json rules{{"first_state", to_string(state::submitted)}, {"transitions", transitions}};
  return json{{"lease", {{"ttl_seconds", seconds.count()}}},
              {"retry", retry},
              {"types", {{task_type, rules}}}}
      .dump();
}

} // namespace identity
