#pragma once

#include "messages/workflow_messages.hpp"

#include <string>
#include <string_view>

/// Entity tags of answers (RFC 9110, 8.8): a client that sends one back in `If-None-Match` gets 304
/// while the answer is the same.
namespace holdfast::http {

/// The version of a definition that an answer has, for the requests that change it; empty for
/// answers without one.
inline std::string version_in_tag(const msg::workflow_view& of) {
  return std::to_string(of.version);
}
template <class Answer>
std::string version_in_tag(const Answer&) {
  return {};
}

/// The tag of an answer with this body: `W/"<hash>"`, the same on every node. With a version it is
/// `"<version>-<hash>"`, which `If-Match` takes.
std::string entity_tag_of(std::string_view body, const std::string& version);

/// Whether `If-None-Match` names the tag.
bool names_tag(std::string_view if_none_match, std::string_view tag);

} // namespace holdfast::http
