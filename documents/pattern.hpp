#pragma once

#include "core/outcome.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace holdfast::documents {

/// A regular expression (ECMAScript) that somebody else wrote, matched against text that a third
/// party sent: safe in time and in stack, whatever both are.
///
/// The standard library's usual matcher backtracks, which takes exponential time on `(a+)+$`, and
/// recurses per character, which overflows the stack at about 100,000. This one uses its
/// breadth-first matcher, whose work is the product of the two sizes, and bounds both. It knows no
/// back-references and no lookahead, because no such bound holds for them.
class pattern {
public:
  /// Characters of an expression, and of a text that is matched.
  static constexpr std::size_t expression_max = 512;
  static constexpr std::size_t subject_max = 4096;
  /// Size of an expression with its `{n,m}` written out: `[a-z]{1,64}` counts 64.
  static constexpr std::size_t expanded_max = 4096;

  /// Fails with `payload_invalid` and the reason.
  static core::outcome<pattern> compile(std::string_view expression);

  /// Whether the expression matches some part of `subject`, as JSON Schema has it. Both are
  /// sequences of code points, not of bytes. Requires at most `subject_max` characters; safe to use
  /// from several threads.
  bool found_in(std::string_view subject) const;

  /// False when no text has such a part, as with `a^b` or `[^\s\S]`. True also where that is not
  /// found out: of characters, those are tried that are written in the expression or next to them,
  /// the first 256, and some of each kind beyond. With an `alphabet`: no text of these characters.
  bool can_be_found(std::string_view alphabet = {}) const;

  /// As it was given.
  const std::string& expression() const;

private:
  pattern() = default;

  struct compiled;
  std::shared_ptr<const compiled> compiled_;
};

} // namespace holdfast::documents
