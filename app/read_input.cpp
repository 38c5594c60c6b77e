#include "app/read_input.hpp"

#include <fstream>
#include <iostream>
#include <iterator>

namespace holdfast::app {

std::optional<std::string> read_input(const std::string& name) {
  if (name == "-")
    return std::string{std::istreambuf_iterator<char>{std::cin}, {}};
  std::ifstream file{name, std::ios::binary};
  std::string text{std::istreambuf_iterator<char>{file}, {}};
  if (!file)
    return std::nullopt;
  return text;
}

} // namespace holdfast::app
