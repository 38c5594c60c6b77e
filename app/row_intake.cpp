#include "app/row_intake.hpp"

#include "app/printable.hpp"
#include "client/frame_guard.hpp"

#include "documents/answer_text.hpp"
#include "documents/parse.hpp"

#include <nlohmann/json.hpp>

#include <fstream>
#include <iostream>
#include <limits>

namespace holdfast::app {

namespace {

/// No request holds more (`client::frame_bytes_max`), so a longer line need not be kept in memory.
constexpr std::size_t line_bytes_max = client::frame_bytes_max;

} // namespace

void tell_of_line(std::uint64_t line, core::errc code, const std::string& detail) {
  std::cerr << "line " << line << ": " << core::to_string(code) << ": " << printable_lines(detail)
            << '\n';
}

core::outcome<std::string> key_in_line(const std::string& line, const std::string& member) {
  constexpr std::size_t depth_max = 1000; // the node has a bound of its own
  const auto row =
      documents::parse_json(line, {std::numeric_limits<std::size_t>::max(), depth_max});
  if (!row)
    return row.error();
  const auto key = row->is_object() ? row->find(member) : row->end();
  if (key == row->end() || key->is_structured() || key->is_null())
    return core::failure{core::errc::payload_invalid,
                         "must be an object whose member '" + member + "' names it"};
  return documents::answer_text(*key);
}

core::failure for_each_line(std::istream& lines,
                            const std::function<core::failure(file_line& line)>& take) {
  line_reader reader{lines, line_bytes_max};
  for (file_line line; reader.next(line);)
    if (auto why = take(line); why.code != core::errc::none)
      return why;
  return reader.failure();
}

exit_code with_lines(const std::string& file, const std::function<exit_code(std::istream&)>& what) {
  if (file == "-")
    return what(std::cin);
  std::ifstream lines{file, std::ios::binary};
  if (!lines)
    return refuse({core::errc::not_found, file + " cannot be read"}, exit_code::usage);
  return what(lines);
}

exit_code tell_figures(const intake_figures& all, bool as_json, const core::failure& why) {
  if (as_json)
    std::cout << nlohmann::ordered_json{{"added", all.added},
                                        {"already_there", all.already_there},
                                        {"refused", all.refused}}
              << '\n';
  else
    std::cout << "added " << all.added << ", there already " << all.already_there << ", refused "
              << all.refused << '\n';
  if (why.code != core::errc::none)
    return refused_by_node(why);
  return all.refused == 0 ? exit_code::ok : exit_code::failed_check;
}

} // namespace holdfast::app
