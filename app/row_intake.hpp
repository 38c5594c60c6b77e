#pragma once

#include "app/cluster_command.hpp"
#include "app/exit_codes.hpp"
#include "app/line_reader.hpp"
#include "client/connection.hpp"
#include "core/errors.hpp"
#include "core/ids.hpp"
#include "core/outcome.hpp"
#include "messages/workflow_messages.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <istream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Rows of a step from a file with a JSON object on each line.
namespace holdfast::app {

/// What became of the lines of a file.
struct intake_figures {
  std::uint64_t added = 0;
  std::uint64_t already_there = 0;
  std::uint64_t refused = 0;
};

/// Says on stderr which line was refused, and why.
void tell_of_line(std::uint64_t line, core::errc code, const std::string& detail);

/// The text of a member of the object on a line, as it names a row, or what is wrong with the line.
core::outcome<std::string> key_in_line(const std::string& line, const std::string& member);

/// Calls `take` with each line that is not blank, until it answers a failure, which is the answer
/// then. A line that nobody can read has a `problem`; only what keeps all from being read is a
/// failure by itself.
core::failure for_each_line(std::istream& lines,
                            const std::function<core::failure(file_line& line)>& take);

/// Runs `what` with the lines of `file`, where `-` is the standard input.
exit_code with_lines(const std::string& file, const std::function<exit_code(std::istream&)>& what);

/// Prints the figures and says how the command ends.
exit_code tell_figures(const intake_figures& all, bool as_json, const core::failure& why);

inline std::size_t bytes_of(const msg::source_row& row) {
  return row.key.size() + row.input.size();
}
inline std::size_t bytes_of(const msg::test_question& row) {
  return row.key.size() + row.input.size() + row.truth.size();
}

/// Adds rows, some at a time. `Request` has a `step` and `rows`.
template <class Request>
class row_sender {
public:
  using row = typename decltype(Request::rows)::value_type;

  row_sender(const client::connection& cluster, core::step_id step)
      : cluster_(cluster), request_{step, {}} {}

  /// What became of the rows so far.
  const intake_figures& figures() const { return figures_; }

  void refuse_line(std::uint64_t line, core::errc code, const std::string& detail) {
    ++figures_.refused;
    tell_of_line(line, code, detail);
  }

  /// Fails as a request does.
  core::failure add(std::uint64_t line, row one) {
    const auto bytes = bytes_of(one);
    if (bytes_ + bytes > bytes_max)
      if (auto why = send(); why.code != core::errc::none)
        return why;
    bytes_ += bytes;
    request_.rows.push_back(std::move(one));
    lines_.push_back(line);
    return lines_.size() < rows_max ? core::failure{} : send();
  }

  /// To be repeated without harm: what is there already is left as it is. A row that goes alone and
  /// is larger than a request may be is refused as its line is.
  core::failure send() {
    if (lines_.empty())
      return {};
    auto told = cluster_.ask<msg::source_data_added>(request_);
    if (!told && told.error().code == core::errc::too_large && lines_.size() == 1)
      told = msg::source_data_added{
          0, 0, {{0, static_cast<std::uint8_t>(core::errc::too_large), told.error().detail}}};
    if (!told)
      return told.error();
    figures_.added += told->added;
    figures_.already_there += told->already_there;
    for (const auto& problem : told->problems)
      refuse_line(lines_[problem.row], static_cast<core::errc>(problem.code), problem.detail);
    request_.rows.clear();
    lines_.clear();
    bytes_ = 0;
    return {};
  }

private:
  /// Of one request: a frame holds more of both, whatever each row says about itself. A row that is
  /// larger goes alone, and so harms no other.
  static constexpr std::size_t rows_max = 500;
  static constexpr std::size_t bytes_max = std::size_t{4} * 1024 * 1024;

  const client::connection& cluster_;
  Request request_;
  std::vector<std::uint64_t> lines_; ///< From which the rows of the request come.
  std::size_t bytes_ = 0;
  intake_figures figures_;
};

/// Adds a row of each line of `file`; `row_of` makes it of the line, or says what is wrong with it.
template <class Request>
exit_code add_rows(
    const cluster_flags& flags, core::step_id step, const std::string& file, bool as_json,
    const std::function<core::outcome<typename row_sender<Request>::row>(const std::string& line)>&
        row_of) {
  return with_lines(file, [&](std::istream& lines) {
    return with_cluster(flags, [&](const client::connection& cluster) {
      row_sender<Request> sender{cluster, step};
      core::failure stopped; // by the cluster
      auto why = for_each_line(lines, [&](file_line& line) {
        auto row = line.problem.code == core::errc::none
                       ? row_of(line.text)
                       : decltype(row_of(line.text)){line.problem};
        if (row)
          return stopped = sender.add(line.number, std::move(*row));
        sender.refuse_line(line.number, row.error().code, row.error().detail);
        return core::failure{};
      });
      if (stopped.code == core::errc::none)
        if (auto refused = sender.send(); refused.code != core::errc::none)
          why = std::move(refused);
      return tell_figures(sender.figures(), as_json, why);
    });
  });
}

} // namespace holdfast::app
