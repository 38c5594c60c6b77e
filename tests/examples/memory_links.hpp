#pragma once

#include "examples/record_linker/records.hpp"

#include <map>
#include <set>
#include <string>

namespace holdfast::test {

/// The application's tables of the example about links, in memory; and what tests and users do with
/// them.
class memory_links : public linker::link_store {
public:
  struct row {
    linker::link_row link;
    linker::link_result result;
    core::instant touched;
  };

  /// Enters an empty project.
  void add_project(std::uint32_t project);
  /// Enters a pending link; the number of links so far is its number.
  linker::link_row add(std::uint32_t project, const std::string& credential);
  /// With everything that belongs to it.
  void delete_project(std::uint32_t project);
  /// Those that have no result yet.
  void cancel_project(std::uint32_t project);

  const std::map<linker::link_id, row>& rows() const { return rows_; }
  std::uint64_t refused_writes() const { return refused_writes_; }

  std::optional<std::vector<linker::link_row>> queue_project(std::uint32_t project,
                                                             core::instant now) override;
  std::optional<linker::link_row> find(const linker::link_id& which) override;
  bool settle(const linker::link_id& which, const linker::link_result& result,
              core::instant now) override;
  std::vector<linker::link_row> untouched_since(core::instant since, std::size_t most) override;
  void touch(const std::vector<linker::link_id>& which, core::instant now) override;

private:
  std::set<std::uint32_t> projects_;
  std::map<linker::link_id, row> rows_;
  std::uint64_t numbers_ = 0;
  std::uint64_t refused_writes_ = 0; ///< Results that came too late.
};

} // namespace holdfast::test
