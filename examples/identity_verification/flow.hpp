#pragma once

#include "core/time.hpp"
#include "examples/identity_verification/verification.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <variant>

/// Every decision about a verification, as pure functions of what it is, what the service says and
/// the time.
namespace identity {

/// What the service says, or that it says nothing.
struct accepted {
  std::string tracking;
};
struct pending {};
struct outage {};
using reply = std::variant<accepted, pending, verdict, outage>;

/// A call of the service to us: it may come never, once, twice or late.
struct callback {
  std::string tracking;
  verdict says = verdict::unclear;
};

/// How long to leave a verification alone. A callback comes in between; these are for the case that
/// none does.
struct patience {
  core::duration first = std::chrono::seconds{30}; ///< Most documents are read by a machine.
  core::duration first_until = std::chrono::minutes{5};
  core::duration then = std::chrono::minutes{30}; ///< After that a person reads them,
  core::duration then_until = std::chrono::hours{6};
  core::duration at_last = std::chrono::hours{12}; ///< which takes up to a day.
  core::duration outage = std::chrono::seconds{30};
};

/// The same in a world in which time runs `speed` times as fast.
patience faster(const patience& wait, double speed);

/// It is in another state now and can be dealt with at once.
struct go_on {
  verification to;
};
/// Nothing can be done before `at` unless a callback comes.
struct look_again {
  verification as;
  core::instant at;
};
/// It is over.
struct conclude {
  std::string result; ///< Of the task.
};
using decision = std::variant<go_on, look_again, conclude>;

/// The check that has to be asked for now; none in other states.
std::optional<check> to_ask(const verification& v);

/// The check that is under way; none in other states.
std::optional<check> under_way(const verification& v);

/// What follows from the answer to `to_ask`.
decision on_asked(const verification& v, const reply& said, core::instant now,
                  const patience& wait);

/// What follows from the answer to a question after the job it waits for.
decision on_polled(const verification& v, const reply& said, core::instant now,
                   const patience& wait);

/// What a callback makes of it; nothing when it is not the one it waits for, such as a second one.
std::optional<verification> on_callback(const verification& v, const callback& from);

/// All that is known of it, as JSON.
std::string result_of(const verification& v);

/// What follows in one of the last states.
decision on_end(const verification& v);

} // namespace identity
