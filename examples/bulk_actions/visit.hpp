#pragma once

#include "core/uuid.hpp"
#include "examples/bulk_actions/endpoints.hpp"
#include "examples/bulk_actions/simulation.hpp"
#include "examples/shared/story.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace bulk {

/// How the story asks for things as people would, and looks at what comes of it. Throws
/// `examples::broken_off` when it cannot go on.
class visit {
public:
  visit(const simulation& world, std::uint64_t seed);

  /// What was not as promised.
  const std::vector<std::string>& problems() const { return problems_; }

protected:
  /// Anew after a node was killed: its database was too, and the connections are broken.
  void connect();

  /// Somebody with a request, as themselves unless it says otherwise.
  caller as(staff_id who, staff_id run_as = 0);
  core::task_id accepted(const answer<receipt>& given, const std::string& what);
  template <class T>
  void refused(const answer<T>& given, const std::string& code, const std::string& what) {
    const auto* why = std::get_if<refusal>(&given);
    expect(why != nullptr && why->code == code, what + " is not refused as " + code);
  }

  requester_view seen(staff_id who, const core::task_id& task);
  /// Once it has.
  requester_view ended(staff_id who, const core::task_id& task);
  /// What is in the file.
  std::string exported(staff_id who, const core::task_id& task);
  std::int64_t number(const std::string& query);

  void watch_until(const std::string& what, const std::function<bool()>& over);
  void expect(bool kept, const std::string& otherwise);

  const simulation world_;
  const examples::teller teller_;
  std::shared_ptr<connection_pool> pool_;
  std::unique_ptr<endpoints> college_;

private:
  core::uuid_source ids_;
  std::vector<std::string> problems_;
};

} // namespace bulk
