#pragma once

#include <cstdint>
#include <string>

/// Which versions of what processes say to each other a program understands: docs/adr/0038.
namespace holdfast::msg {

/// All that a program understands, both ends included. Each side keeps to what the other one
/// understands, so two programs can talk when their ranges meet.
struct protocol_range {
  std::uint32_t oldest = 1;
  std::uint32_t newest = 1;
};

/// `protocol 1`, or `protocols 1 to 2`.
std::string to_string(const protocol_range& range);

/// Of this program. `newest` goes up, once a version of Holdfast, when a node comes to send other
/// nodes something that the last version does not know; it may be sent to those alone whose own
/// `newest` is as high. `oldest` stays one behind, so that two versions can share a cluster.
/// Layouts never change: tests/messages/wire_contract.txt.
inline constexpr protocol_range own_protocols{1, 2};

/// What a program speaks that does not know the question.
inline constexpr protocol_range protocols_before_they_were_told{1, 1};

/// Why `own` and `other` cannot talk, and which of the two programs must be upgraded; empty when
/// they can. `other_version` is that of the other program.
std::string why_not_understood(const protocol_range& own, const protocol_range& other,
                               const std::string& other_version);

} // namespace holdfast::msg
