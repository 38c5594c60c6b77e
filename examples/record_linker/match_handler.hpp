#pragma once

#include "client/task_handler.hpp"
#include "examples/record_linker/entity_api.hpp"
#include "examples/record_linker/matching.hpp"
#include "examples/record_linker/records.hpp"

#include <functional>
#include <memory>
#include <string>

namespace linker {

/// Does the tasks of type `task_type`: looks whether the record is still wanted, asks the API, has
/// `matching` decide, and stores the result where nobody has settled the record meanwhile.
class match_handler : public client::task_handler {
public:
  using log = std::function<void(const std::string&)>;

  /// `speed`: of the world outside; see `on_reply`.
  match_handler(std::shared_ptr<link_store> store, std::shared_ptr<entity_api> api, log say,
                double speed);

  outcome run(const client::task_context& task) override;

private:
  outcome match(const link_row& row, const client::task_context& task);
  outcome drop(const link_id& which, const std::string& why) const;

  const std::shared_ptr<link_store> store_;
  const std::shared_ptr<entity_api> api_;
  const log say_;
  const double speed_;
};

} // namespace linker
