#include "messages/errors.hpp"

#include <caf/atom.hpp>
#include <caf/deep_to_string.hpp>
#include <caf/make_message.hpp>

namespace holdfast::msg {

namespace {
constexpr auto category = caf::atom("holdfast");
}

caf::error to_error(const core::failure& why) { return to_error(why.code, why.detail); }

caf::error to_error(core::errc code, std::string detail) {
  return {static_cast<std::uint8_t>(code), category, caf::make_message(std::move(detail))};
}

core::failure failure_of(const caf::error& error) {
  if (!error)
    return {};
  if (error.category() != category)
    return {core::errc::unavailable, caf::deep_to_string(error)};
  core::failure why{core::describe(static_cast<core::errc>(error.code())).code, {}};
  if (error.context().match_elements<std::string>())
    why.detail = error.context().get_as<std::string>(0);
  return why;
}

} // namespace holdfast::msg
