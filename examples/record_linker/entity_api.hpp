#pragma once

#include "core/time.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

/// The API outside that knows the entities, and a simulation of it.
namespace linker {

using namespace holdfast;

/// As whom the API is asked: without a credential, or with the one of the institution.
inline constexpr const char* anonymous = "";
inline constexpr const char* institution = "institution";

// What it answers.
struct found {
  std::string entity;
};
struct no_match {};
/// The record itself is unacceptable: asking again cannot help.
struct refused {
  std::string message;
};
/// 429: come back after so long.
struct slow_down {
  core::duration retry_after{};
};
/// No answer in time, or a server error.
struct outage {};
using reply = std::variant<found, no_match, refused, slow_down, outage>;

/// Whether it says all there is to know about the record.
bool is_verdict(const reply& said);

/// The API as the handler sees it. Thread-safe; may block.
class entity_api {
public:
  virtual ~entity_api() = default;
  virtual reply ask(const std::string& label, const std::string& credential, core::instant now) = 0;
};

/// One call as the API's own access log has it.
struct api_call {
  core::instant at;
  std::string credential;
  std::string label;
  reply said;
};

/// The most calls of each credential in any span of this length. `calls` are in order of time.
std::map<std::string, std::size_t> most_calls(const std::vector<api_call>& calls,
                                              core::duration span);

/// Whether the API knows the record, independent of all circumstances: found, no_match or refused.
reply truth_of(std::uint64_t seed, const std::string& label);

/// Requests a second that the API grants a credential.
double rate_of(const std::string& credential);

/// An API that grants each credential a rate, and says 429 above it. Besides, it has busy spells of
/// some seconds in which it says 429 to a credential whatever its rate. Thread-safe.
class simulated_api {
public:
  /// `speed`: how much faster than in the world everything happens.
  simulated_api(std::uint64_t seed, double speed);

  reply ask(const std::string& label, const std::string& credential, core::instant now);

private:
  /// A token bucket that holds the requests of one second.
  struct allowance {
    double left = 0;
    core::instant since;
  };

  core::duration busy_for(const std::string& credential, core::instant now) const;
  bool within_rate(const std::string& credential, core::instant now);
  core::duration scaled(core::duration span) const;

  const std::uint64_t seed_;
  const double speed_;
  std::mutex mutex_; ///< Guards `allowances_`.
  std::map<std::string, allowance> allowances_;
};

} // namespace linker
