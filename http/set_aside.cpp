#include "http/set_aside.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <system_error>

namespace holdfast::http {

namespace {

/// The place of the element that `pointer` leads into, and the rest of the pointer.
std::optional<std::pair<std::size_t, std::string_view>> element_in(std::string_view pointer,
                                                                   std::string_view items) {
  if (pointer.size() < items.size() + 2 || pointer.front() != '/'
      || pointer.substr(1, items.size()) != items || pointer[items.size() + 1] != '/')
    return std::nullopt;
  pointer.remove_prefix(items.size() + 2);
  std::size_t place = 0;
  const auto read = std::from_chars(pointer.data(), pointer.data() + pointer.size(), place);
  if (read.ec != std::errc{})
    return std::nullopt;
  return std::pair{place, pointer.substr(static_cast<std::size_t>(read.ptr - pointer.data()))};
}

} // namespace

set_aside::set_aside(std::string_view items, std::vector<request_problem>& problems) {
  std::vector<request_problem> others;
  for (auto& problem : problems) {
    const auto element = element_in(problem.place, items);
    if (!element) {
      others.push_back(std::move(problem));
      continue;
    }
    auto& told = unreadable_[element->first];
    if (!told.empty())
      told += "; ";
    if (!element->second.empty())
      told.append(element->second) += ' ';
    told += problem.what;
  }
  problems = std::move(others);
}

void set_aside::put_back(msg::task_outcomes& answer) const {
  if (empty())
    return;
  std::vector<msg::task_outcome> all(kept_.size() + unreadable_.size());
  for (std::size_t i = 0; i < kept_.size() && i < answer.outcomes.size(); ++i)
    all[kept_[i]] = std::move(answer.outcomes[i]);
  for (const auto& one : unreadable_)
    all[one.first] = outcome_at(one.first);
  answer.outcomes = std::move(all);
}

void set_aside::put_back(msg::source_data_added& answer) const {
  if (empty())
    return;
  for (auto& problem : answer.problems)
    if (problem.row < kept_.size())
      problem.row = static_cast<std::uint32_t>(kept_[problem.row]);
  for (const auto& [place, what] : unreadable_)
    answer.problems.push_back({static_cast<std::uint32_t>(place),
                               static_cast<std::uint8_t>(core::errc::invalid_argument), what});
  std::sort(answer.problems.begin(), answer.problems.end(),
            [](const auto& a, const auto& b) { return a.row < b.row; });
}

msg::task_outcome set_aside::outcome_at(std::size_t place) const {
  return {{}, core::errc::invalid_argument, unreadable_.at(place), false};
}

} // namespace holdfast::http
