#include "messages/protocol.hpp"

namespace holdfast::msg {

namespace {

std::string text_of(const protocol_range& range) {
  const auto oldest = std::to_string(range.oldest);
  return range.oldest == range.newest
             ? "protocol " + oldest
             : "protocols " + oldest + " to " + std::to_string(range.newest);
}

} // namespace

std::string why_not_understood(const protocol_range& own, const protocol_range& other,
                               const std::string& other_version) {
  if (own.oldest <= other.newest && other.oldest <= own.newest)
    return {};
  return "it is version " + other_version + " and speaks " + text_of(other)
         + "; this program speaks " + text_of(own) + ": upgrade "
         + (own.newest < other.oldest ? "this program" : "that one") + " first";
}

} // namespace holdfast::msg
