#pragma once

#include "examples/bulk_actions/people.hpp"
#include "examples/bulk_actions/units.hpp"

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

/// What can be done to many people at once. There is no generic bulk call: each action is a type of
/// its own, with a task type, a right, and the form in which a task's body has it.
///
/// For each `Action` there are `encode` and `decode`, which the handler uses at submit and at run,
/// and `objection`: why nobody may ask for this, whoever they are; empty when there is no reason.
namespace bulk {

// Bounds of what a request may hold: bodies of live tasks are in the memory of the node.
inline constexpr std::size_t newcomers_max = 1'000;
inline constexpr std::size_t line_bytes_max = 200; ///< Of whatever is one line.
inline constexpr std::size_t text_bytes_max = 20'000;
/// Of a request as JSON. PostgreSQL writes it with more spaces, and Holdfast takes 256 KiB of that
/// unless configured otherwise (`limits.payload_bytes`).
inline constexpr std::size_t spec_bytes_max = 160 * 1024;

/// Everything about these people as CSV, in a file.
struct export_search {
  static constexpr const char* type = "bulk.export_search";
  static constexpr const char* version = "1.0";
  static constexpr right needs = right::export_people;
  target who;
};

struct change_program_status {
  static constexpr const char* type = "bulk.change_program_status";
  static constexpr const char* version = "1.1"; ///< 1.0 had no reason.
  static constexpr right needs = right::change_status;
  target who;
  program_status to = program_status::active;
  std::string reason; ///< For the history; may be empty.
};

/// Whoever it runs as is told of what happens to these people.
struct watch {
  static constexpr const char* type = "bulk.watch";
  static constexpr const char* version = "1.0";
  static constexpr right needs = right::watch;
  target who;
};

struct unwatch {
  static constexpr const char* type = "bulk.unwatch";
  static constexpr const char* version = "1.0";
  static constexpr right needs = right::watch;
  target who;
};

/// A mail to each of these people, of its own.
struct send_mail {
  static constexpr const char* type = "bulk.send_mail";
  static constexpr const char* version = "1.1";
  static constexpr right needs = right::send_mail;
  target who;
  std::string subject;
  std::string text; ///< UTF-8.
  /// Addresses that get a copy of each of the mails, and that each recipient sees. Since 1.1.
  std::vector<std::string> cc{};
};

/// Pauses, resumes or cancels units of a step of Holdfast, for all contributors.
struct change_unit_status {
  static constexpr const char* type = "bulk.change_unit_status";
  static constexpr const char* version = "1.0";
  static constexpr right needs = right::change_units;
  core::step_id step;
  unit_target who;
  core::unit_verb order = core::unit_verb::pause;
};

/// Makes people: the action that has no target.
struct enrol {
  static constexpr const char* type = "bulk.enrol";
  static constexpr const char* version = "1.0";
  static constexpr right needs = right::enrol;
  std::string program;
  std::vector<newcomer> people;
};

std::string encode(const export_search& what);
std::string encode(const change_program_status& what);
std::string encode(const watch& what);
std::string encode(const unwatch& what);
std::string encode(const send_mail& what);
std::string encode(const change_unit_status& what);
std::string encode(const enrol& what);

std::string objection(const export_search& what);
std::string objection(const change_program_status& what);
std::string objection(const watch& what);
std::string objection(const unwatch& what);
std::string objection(const send_mail& what);
std::string objection(const change_unit_status& what);
std::string objection(const enrol& what);

/// Why no task can have this as its body, whatever each part of it is; empty when one can.
std::string objection_to_spec(const std::string& spec);

/// A body that this program does not understand.
struct unreadable {
  std::string why;
  bool newer = false; ///< A newer program wrote it: another worker may understand it.
};

/// Reads what `encode` of this program wrote, or of an older one.
template <class Action>
std::variant<Action, unreadable> decode(const std::string& version, const std::string& body);

} // namespace bulk
