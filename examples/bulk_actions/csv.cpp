#include "examples/bulk_actions/csv.hpp"

namespace bulk {

namespace {

std::string field_of(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos)
    return text;
  std::string quoted{'"'};
  for (const auto c : text) {
    if (c == '"')
      quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

} // namespace

std::string csv_line(const std::vector<std::string>& fields) {
  std::string line;
  for (const auto& field : fields) {
    if (&field != &fields.front())
      line += ',';
    line += field_of(field);
  }
  return line + "\r\n";
}

std::string csv_header() {
  return csv_line({"id", "name", "email", "program", "campus", "status"});
}

std::string csv_rows(const std::vector<person>& people) {
  std::string rows;
  for (const auto& who : people)
    rows += csv_line({std::to_string(who.id), who.name, who.email, who.program, who.campus,
                      std::string{to_string(who.status)}});
  return rows;
}

} // namespace bulk
