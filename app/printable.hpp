#pragma once

#include <cstdio>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

/// Text from outside as it may reach a terminal. A name may hold whatever its sender chose: bytes
/// that a terminal obeys, ends of lines that look like lines of ours, marks that turn text around.
namespace holdfast::app {

/// `text` on one line: control characters, those of Latin-1 and those that reorder text are written
/// as JSON writes them, `\n` or `\u001b`; bytes that are no UTF-8 become the replacement character.
std::string printable(std::string_view text);

/// `text` on as many lines as it has, each written as `printable` does. All but the first are
/// indented, so that none looks like a message of its own.
std::string printable_lines(std::string_view text);

/// Writes as `std::printf` does, on `std::cout` and with each text made `printable`. For texts
/// whose length is no matter, because the format pads them.
namespace detail {

template <class T>
const T& as_argument(const T& value, std::vector<std::unique_ptr<std::string>>&) {
  return value;
}
inline const char* as_argument(const std::string& text,
                               std::vector<std::unique_ptr<std::string>>& kept) {
  kept.push_back(std::make_unique<std::string>(printable(text)));
  return kept.back()->c_str();
}

void write_to_stdout(std::string_view text);

} // namespace detail

template <class... Args>
void print_formatted(const char* format, const Args&... args) {
  std::vector<std::unique_ptr<std::string>> kept;
  const auto write = [format](const auto&... plain) {
    const auto bytes = std::snprintf(nullptr, 0, format, plain...);
    std::string text(static_cast<std::size_t>(bytes > 0 ? bytes : 0) + 1, '\0');
    std::snprintf(text.data(), text.size(), format, plain...);
    text.pop_back();
    detail::write_to_stdout(text);
  };
  write(detail::as_argument(args, kept)...);
}

/// While it lives, nothing that `std::cout` and `std::cerr` are given commands a terminal: they
/// write the same as `printable`, except that ends of lines and tabs stay. JSON is the same JSON
/// after that. The second line of defence: what is put on a line of its own goes through
/// `printable` before.
class guarded_output {
public:
  guarded_output();
  ~guarded_output();
  guarded_output(const guarded_output&) = delete;
  guarded_output& operator=(const guarded_output&) = delete;

  /// A stream past the guard, for the control sequences of our own progress bar.
  static std::ostream& terminal();

private:
  struct parts;
  std::unique_ptr<parts> parts_;
};

} // namespace holdfast::app
