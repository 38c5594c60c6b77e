#include "examples/identity_verification/flow.hpp"

#include "core/invariant.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <utility>

namespace identity {

namespace {

/// How long to wait before the next look at a job that has been under way for `age`.
core::duration pause_after(core::duration age, const patience& wait) {
  if (age < wait.first_until)
    return wait.first;
  return age < wait.then_until ? wait.then : wait.at_last;
}

stage waiting_stage(check what, job asked) {
  switch (what) {
  case check::documents:
    return awaiting_document_processing{std::move(asked)};
  case check::face_match:
    return verifying_face_match{std::move(asked)};
  case check::manual_review:
    return in_manual_review{std::move(asked)};
  }
  return needs_manual_review{}; // no other check exists
}

/// Where a verdict leads. Only a person may end what a machine finds unclear.
stage stage_after(check what, verdict says) {
  if (says == verdict::failed)
    return rejected{};
  if (says == verdict::unclear && what != check::manual_review)
    return needs_manual_review{};
  if (what == check::documents)
    return documents_processed{};
  return says == verdict::passed ? stage{verified{}} : stage{rejected{}};
}

verification answered(const verification& v, check what, verdict says, source by) {
  verification next{stage_after(what, says), v.findings};
  next.findings.push_back({what, says, by});
  return next;
}

} // namespace

patience faster(const patience& wait, double speed) {
  const auto scaled = [&](core::duration span) {
    return core::duration{static_cast<std::int64_t>(static_cast<double>(span.count()) / speed)};
  };
  return {scaled(wait.first),      scaled(wait.first_until), scaled(wait.then),
          scaled(wait.then_until), scaled(wait.at_last),     scaled(wait.outage)};
}

std::optional<check> to_ask(const verification& v) {
  switch (state_of(v)) {
  case state::submitted:
    return check::documents;
  case state::documents_processed:
    return check::face_match;
  case state::needs_manual_review:
    return check::manual_review;
  default:
    return std::nullopt;
  }
}

std::optional<check> under_way(const verification& v) {
  switch (state_of(v)) {
  case state::awaiting_document_processing:
    return check::documents;
  case state::verifying_face_match:
    return check::face_match;
  case state::in_manual_review:
    return check::manual_review;
  default:
    return std::nullopt;
  }
}

decision on_asked(const verification& v, const reply& said, core::instant now,
                  const patience& wait) {
  const auto what = to_ask(v);
  HOLDFAST_INVARIANT(what.has_value(), "the router knows which states ask");
  const auto* yes = std::get_if<accepted>(&said);
  if (yes == nullptr)
    return look_again{v, now + wait.outage};
  return look_again{{waiting_stage(*what, {yes->tracking, now}), v.findings}, now + wait.first};
}

decision on_polled(const verification& v, const reply& said, core::instant now,
                   const patience& wait) {
  const auto what = under_way(v);
  HOLDFAST_INVARIANT(what.has_value(), "the router knows which states wait");
  if (const auto* says = std::get_if<verdict>(&said))
    return go_on{answered(v, *what, *says, source::polling)};
  if (std::holds_alternative<outage>(said))
    return look_again{v, now + wait.outage};
  return look_again{v, now + pause_after(now - waits_for(v)->since, wait)};
}

std::optional<verification> on_callback(const verification& v, const callback& from) {
  const auto* asked = waits_for(v);
  if (asked == nullptr || asked->tracking != from.tracking)
    return std::nullopt;
  return answered(v, *under_way(v), from.says, source::callback);
}

std::string result_of(const verification& v) {
  auto result = nlohmann::json::parse(data_of(v));
  result["verdict"] = to_string(state_of(v));
  return result.dump();
}

decision on_end(const verification& v) { return conclude{result_of(v)}; }

} // namespace identity
