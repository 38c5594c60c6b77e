#include "examples/bulk_actions/catalogue.hpp"

#include <algorithm>

namespace bulk {

const std::vector<catalogue_entry>& catalogue() {
  static const std::vector<catalogue_entry> entries{
      {error::request_invalid, "The request cannot be carried out by anybody."},
      {error::request_known, "Another request was made under this id."},
      {error::not_allowed, "You may not do this, or not as this person."},
      {error::too_many_targets, "More people match than one request may reach. Narrow the search."},
      {error::not_ready, "It is not finished."},
      {error::rights_revoked, "The right to do this was withdrawn before it was finished."},
      {error::export_too_large, "More people match than one export may hold. Narrow the search."},
      {error::recipients_refused,
       "Some recipients were refused by the mail server; all others have the mail."},
      {error::recipients_put_off,
       "Some recipients could not be reached for too long; all others have the mail."},
      {error::mail_unavailable, "The mail server could not be reached for too long."},
      {error::disk_unavailable, "The file could not be written."},
      {error::node_unavailable, "The work to be changed could not be reached for too long."},
      {error::spec_unreadable, "The request could not be read any more. Ask again."},
      {error::spec_newer, "No program that understands the request was there in time."},
      {error::not_kept, "It is over, and how it ended is not kept any more."},
      {error::internal, "Something went wrong here. Name the id of the task to support."},
  };
  return entries;
}

const catalogue_entry& entry_for(std::string_view code) {
  const auto& all = catalogue();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& entry) { return entry.code == code; });
  return found == all.end() ? all.back() : *found;
}

} // namespace bulk
