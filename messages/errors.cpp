#include "messages/errors.hpp"

#include <caf/atom.hpp>
#include <caf/deep_to_string.hpp>
#include <caf/make_message.hpp>

#include <cstdint>

namespace holdfast::msg {

namespace {
constexpr auto category = caf::atom("holdfast");
}

caf::error to_error(const core::failure& why) {
  if (why.retry_after <= core::duration::zero())
    return to_error(why.code, why.detail);
  const std::int64_t pause = why.retry_after.count();
  return {static_cast<std::uint8_t>(why.code), category, caf::make_message(why.detail, pause)};
}

caf::error to_error(core::errc code, std::string detail) {
  return {static_cast<std::uint8_t>(code), category, caf::make_message(std::move(detail))};
}

core::failure failure_of(const caf::error& error) {
  if (!error)
    return {};
  if (error.category() != category)
    return {core::errc::unavailable, caf::deep_to_string(error)};
  core::failure why{core::describe(static_cast<core::errc>(error.code())).code, {}};
  const auto& context = error.context();
  if (context.match_elements<std::string>()) {
    why.detail = context.get_as<std::string>(0);
  } else if (context.match_elements<std::string, std::int64_t>()) {
    why.detail = context.get_as<std::string>(0);
    why.retry_after = core::duration{context.get_as<std::int64_t>(1)};
  }
  return why;
}

} // namespace holdfast::msg
