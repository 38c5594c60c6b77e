#include "examples/bulk_actions/units.hpp"

#include "messages/workflow_messages.hpp"

namespace bulk {

namespace {

class units_of_node : public unit_port {
public:
  explicit units_of_node(const client::connection& node) : node_(node) {}

  core::failure change(const core::step_id& step, const core::unit_id& unit,
                       core::unit_verb verb) override {
    const auto changed =
        node_.ask<msg::unit_changed>(msg::change_unit{step, unit, static_cast<std::uint8_t>(verb)});
    return changed ? core::failure{} : changed.error();
  }

private:
  const client::connection& node_;
};

} // namespace

std::unique_ptr<unit_port> open_units(const client::connection& node) {
  return std::make_unique<units_of_node>(node);
}

} // namespace bulk
