#pragma once

#include <string>
#include <string_view>

/// Labels that people cannot tell apart on a page, although a program can.
namespace holdfast::core {

/// How two labels resemble each other.
enum class likeness {
  none,
  letters, ///< They differ in case, blanks, invisible characters or dots at the end alone.
  shapes,  ///< They differ in characters that look alike: `0` and `O`, Latin and Cyrillic `a`.
};

/// Resembling by letters counts before resembling by shapes. Equal labels have no likeness: they
/// are one label. Text that is not UTF-8 is compared by its bytes.
likeness likeness_of(std::string_view one, std::string_view other);

/// A text that is the same for all labels that differ by letters alone.
std::string folded(std::string_view label);

/// A text that is the same for all labels that differ by letters and shapes alone.
std::string outline(std::string_view label);

} // namespace holdfast::core
