#pragma once

#include <string>
#include <string_view>
#include <vector>

/// The catalogue of errors: everything that somebody who asks for a bulk action can be told about
/// why it did not happen. Neither a stack trace nor a detail for operators ever is.
namespace bulk {

namespace error {

// At submit: nothing was done, and there is no task.
inline constexpr const char* request_invalid = "REQUEST_INVALID";
inline constexpr const char* request_known = "REQUEST_KNOWN";
inline constexpr const char* not_allowed = "NOT_ALLOWED";
inline constexpr const char* too_many_targets = "TOO_MANY_TARGETS";
inline constexpr const char* not_ready = "NOT_READY";

// Of a task.
inline constexpr const char* rights_revoked = "RIGHTS_REVOKED";
inline constexpr const char* export_too_large = "EXPORT_TOO_LARGE";
inline constexpr const char* recipients_refused = "RECIPIENTS_REFUSED";
inline constexpr const char* recipients_put_off = "RECIPIENTS_PUT_OFF";
inline constexpr const char* mail_unavailable = "MAIL_UNAVAILABLE";
inline constexpr const char* disk_unavailable = "DISK_UNAVAILABLE";
inline constexpr const char* node_unavailable = "NODE_UNAVAILABLE";
inline constexpr const char* spec_unreadable = "SPEC_UNREADABLE";
inline constexpr const char* spec_newer = "SPEC_NEWER";
inline constexpr const char* not_kept = "NOT_KEPT";
inline constexpr const char* internal = "INTERNAL_ERROR"; ///< Whatever is not in the catalogue.

} // namespace error

struct catalogue_entry {
  std::string_view code;
  std::string_view message; ///< For the person who asked.
};

const std::vector<catalogue_entry>& catalogue();

/// What the person is told of this code. Codes of Holdfast itself, and whatever else is not in the
/// catalogue, are `INTERNAL_ERROR` to them; operators see the code in `report.tasks`.
const catalogue_entry& entry_for(std::string_view code);

} // namespace bulk
