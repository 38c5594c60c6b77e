#pragma once

#include "core/errors.hpp"
#include "core/time.hpp"
#include "core/workflow.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::documents {

/// Reads members of one object of a definition at one place, and collects what is wrong with them.
/// Whatever it is not asked for is an unknown member.
class member_reader {
public:
  member_reader(const nlohmann::json& object, std::string place,
                std::vector<core::definition_problem>& problems);

  /// The member, or null; it then is known.
  const nlohmann::json* member(std::string_view name);
  /// The same; `what` says what to do when it is missing.
  const nlohmann::json* required(std::string_view name, const char* what);

  // Each leaves `into` alone when there is no such member.

  void text(std::string_view name, std::string& into);
  void text(const nlohmann::json& value, std::string_view name, std::string& into);
  /// A whole number that fits; its own bounds are the core's to check.
  void count(std::string_view name, std::uint32_t& into);
  /// The same, of either sign.
  void whole(std::string_view name, std::int32_t& into);
  void number(std::string_view name, double& into);
  void flag(std::string_view name, bool& into);
  /// A list of strings, in their order.
  void texts(std::string_view name, std::vector<std::string>& into);
  /// Seconds, fractions allowed, kept to the microsecond.
  void seconds(std::string_view name, core::duration& into);
  /// An object of which each member is one entry, read by `read` with its name and place.
  void each_of(std::string_view name,
               const std::function<void(const std::string& name, const nlohmann::json& value,
                                        const std::string& place)>& read);

  /// To be called last.
  void refuse_unknown();

  void problem(std::string_view name, std::string what);
  std::string place_of(std::string_view name) const;

private:
  const nlohmann::json& object_;
  const std::string place_;
  std::vector<core::definition_problem>& problems_;
  std::vector<std::string_view> known_;
};

/// The answer to whoever sent a definition with `problems`: one line each, as far as anybody would
/// read.
core::failure refusal_of(const std::vector<core::definition_problem>& problems);

} // namespace holdfast::documents
