#include "app/read_input.hpp"

#include "documents/file_text.hpp"

#include <fstream>
#include <iostream>
#include <iterator>

namespace holdfast::app {

core::outcome<std::string> read_input(const std::string& name) {
  std::ifstream file;
  if (name != "-")
    file.open(name, std::ios::binary);
  auto& from = name == "-" ? std::cin : file;
  std::string all;
  try {
    all.assign(std::istreambuf_iterator<char>{from}, {});
  } catch (const std::ios_base::failure&) { // of a directory, or a device
    from.setstate(std::ios_base::badbit);
  }
  if (!from)
    return core::failure{core::errc::not_found, name + " cannot be read"};
  const auto text = documents::text_of_file(all);
  if (!text)
    return core::failure{text.error().code, name + ": " + text.error().detail};
  return std::string{*text};
}

} // namespace holdfast::app
