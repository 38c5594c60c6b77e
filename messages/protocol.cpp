#include "messages/protocol.hpp"

namespace holdfast::msg {

std::string to_string(const protocol_range& range) {
  const auto oldest = std::to_string(range.oldest);
  return range.oldest == range.newest
             ? "protocol " + oldest
             : "protocols " + oldest + " to " + std::to_string(range.newest);
}

std::string why_not_understood(const protocol_range& own, const protocol_range& other,
                               const std::string& other_version) {
  if (own.oldest <= other.newest && other.oldest <= own.newest)
    return {};
  return "it is version " + other_version + " and speaks " + to_string(other)
         + "; this program speaks " + to_string(own) + ": upgrade "
         + (own.newest < other.oldest ? "this program" : "that one") + " first";
}

} // namespace holdfast::msg
