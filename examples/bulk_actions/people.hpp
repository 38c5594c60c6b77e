#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// What the application itself keeps: the people a college looks after, and the staff who act on
/// many of them at once. Holdfast knows nothing of them.
namespace bulk {

using person_id = std::int64_t; ///< From 1.
using staff_id = std::int64_t;  ///< From 1.

enum class program_status { active, on_leave, withdrawn, graduated };

/// As the tables have it, e.g. `ON_LEAVE`.
std::string_view to_string(program_status status);
std::optional<program_status> status_named(std::string_view name);

struct person {
  person_id id = 0;
  std::string name;
  std::string email;
  std::string program;
  std::string campus;
  program_status status = program_status::active;
};

/// Somebody who is not in the tables yet.
struct newcomer {
  std::string name;
  std::string email;
  std::string campus;
};

/// What somebody may do to many people at once; one for each action.
enum class right {
  export_people,
  change_status,
  watch,
  send_mail,
  enrol,
  run_as_others, ///< Have a task run under the rights of somebody else.
  change_units,  ///< Of the work that contributors do.
};

std::string_view to_string(right which);
std::optional<right> right_named(std::string_view name);

struct staff_member {
  staff_id id = 0;
  std::string name;
  std::set<right> rights;
  std::string campus; ///< Whose people they see; empty: all. What they do reaches nobody else.
};

// --- targets ---

/// At most this many ids in one request.
inline constexpr std::size_t ids_max = 10'000;

/// These people, each once and in order; see `in_order`. Who is not there is left out.
struct by_ids {
  std::vector<person_id> ids;
};

/// Whoever matches. Live: it is resolved at run, chunk by chunk in order of id. Who matches when
/// their chunk is read is dealt with, once, as they are then; who begins to match behind that place
/// is not.
struct by_query {
  std::string program;                  ///< Empty: any.
  std::optional<program_status> status; ///< None: any.
};

using target = std::variant<by_ids, by_query>;

/// Sorted, each once: then the place in the list is the last id, as with a query.
by_ids in_order(by_ids wanted);

/// Whether it can be one address of SMTP, without anything that would end a line or an argument.
bool is_address(std::string_view text);

} // namespace bulk
