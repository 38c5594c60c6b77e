#pragma once

#include "core/outcome.hpp"
#include "core/time.hpp"
#include "messages/task_messages.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// The state machine of an identity verification: which states there are, what belongs to each, and
/// where each may go. State and data are one value here; a task has them as two texts.
namespace identity {

using namespace holdfast;

/// What the service outside can be asked to do.
enum class check { documents, face_match, manual_review };

/// What it finds.
enum class verdict { passed, failed, unclear };

/// How we came to know.
enum class source { polling, callback };

/// Work that the service has accepted.
struct job {
  std::string tracking; ///< The service's name for it.
  core::instant since;  ///< When it was accepted.
};

/// A check that is done: kept, so that nothing has to be asked twice.
struct finding {
  check what = check::documents;
  verdict says = verdict::unclear;
  source by = source::polling;
};

struct submitted {};
struct awaiting_document_processing {
  job asked;
};
struct documents_processed {};
struct verifying_face_match {
  job asked;
};
struct needs_manual_review {};
struct in_manual_review {
  job asked;
};
struct verified {};
struct rejected {};

/// In the order of `state`.
using stage =
    std::variant<submitted, awaiting_document_processing, documents_processed, verifying_face_match,
                 needs_manual_review, in_manual_review, verified, rejected>;

struct verification {
  stage at;
  std::vector<finding> findings; ///< In the order in which they came.
};

enum class state : std::size_t {
  submitted,
  awaiting_document_processing,
  documents_processed,
  verifying_face_match,
  needs_manual_review,
  in_manual_review,
  verified,
  rejected,
};

inline constexpr std::size_t states = std::variant_size_v<stage>;

state state_of(const verification& v);

/// As it is called in the task, e.g. `AWAITING_DOCUMENT_PROCESSING`.
std::string_view to_string(state s);
std::string_view to_string(check what);
std::string_view to_string(verdict says);
std::string_view to_string(source by);
std::optional<state> state_named(std::string_view name);
std::optional<check> check_named(std::string_view name);

/// The job that it waits for, in those states that wait for one.
const job* waits_for(const verification& v);

/// Where `from` may go.
const std::vector<state>& next_states(state from);

/// What a task has as its `data`: the job it waits for, if any, and the findings.
std::string data_of(const verification& v);

/// State and data of a task as one value; `payload_invalid` when they do not belong together.
core::outcome<verification> verification_of(const std::string& state, const std::string& data);

/// Stores all of it.
msg::task_update update_to(const verification& v);

/// The name of the tasks' type.
inline constexpr const char* task_type = "identity.verify";

/// The policy of the queue, as JSON: the states with their transitions, and leases of `ttl`.
std::string queue_policy(core::duration ttl);

} // namespace identity
