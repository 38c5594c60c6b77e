#pragma once

#include "core/ids.hpp"
#include "core/time.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What the application itself keeps: projects with the entries of a dataset, and for each entry a
/// link, which says whether it was matched and with what. Holdfast knows nothing of these tables.
namespace linker {

using namespace holdfast;

enum class link_status {
  pending,   ///< Nobody has asked for it.
  queued,    ///< Asked for: a task sees to it.
  completed, ///< Matched, or known to match nothing.
  failed,    ///< The API said that it never will.
  cancelled, ///< Nobody wants it any more.
};

/// As the tables have it, e.g. `QUEUED`.
std::string_view to_string(link_status status);
std::optional<link_status> status_named(std::string_view name);

/// Names a link and its project. Each number is at least 1 and fits the id of a task; see
/// `task_of`.
struct link_id {
  std::uint32_t project = 0;
  std::uint64_t link = 0;

  friend bool operator==(const link_id& a, const link_id& b) {
    return a.project == b.project && a.link == b.link;
  }
  friend bool operator<(const link_id& a, const link_id& b) {
    return a.project != b.project ? a.project < b.project : a.link < b.link;
  }
};

struct link_row {
  link_id id;
  std::uint64_t entry = 0; ///< Of the dataset.
  std::string label;       ///< Of the entry: what is to be matched.
  std::string credential;  ///< Of the project: as whom the API is asked.
  link_status status = link_status::pending;
};

/// How the matching of a record ended.
struct link_result {
  link_status status = link_status::completed; ///< Or `failed`.
  std::string entity{};                        ///< Empty: it matches nothing.
  std::string message{};                       ///< Of a failure, for the user.
};

/// The application's tables, as far as matching needs them. Thread-safe; may block.
class link_store {
public:
  virtual ~link_store() = default;

  /// Makes the pending links of a project queued, and returns all that are queued then: also those
  /// of an earlier request, which may have got no further. None when there is no such project.
  virtual std::optional<std::vector<link_row>> queue_project(std::uint32_t project,
                                                             core::instant now) = 0;

  virtual std::optional<link_row> find(const link_id& which) = 0;

  /// Stores a result if the link is still queued. False when it is not: nothing was written.
  virtual bool settle(const link_id& which, const link_result& result, core::instant now) = 0;

  /// Up to `most` links that are queued and that nobody has touched since.
  virtual std::vector<link_row> untouched_since(core::instant since, std::size_t most) = 0;
  /// Somebody has seen to these.
  virtual void touch(const std::vector<link_id>& which, core::instant now) = 0;
};

} // namespace linker
