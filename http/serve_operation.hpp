#pragma once

#include "http/request_reader.hpp"
#include "http/route_table.hpp"
#include "http/schema_maker.hpp"
#include "http/set_aside.hpp"
#include "http/streamed_list.hpp"

#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// From the types of a row to its route. For the sources of http/routes, which have the shapes.
namespace holdfast::http {

/// Whether items of a composed request that cannot be read are set aside: it has `items`, the name
/// of their array, and `aside`.
template <class Request, class = void>
inline constexpr bool sets_aside = false;
template <class Request>
inline constexpr bool sets_aside<Request, std::void_t<decltype(std::declval<Request>().aside)>> =
    true;

/// The message of a visit; none when the visit was answered with what is wrong.
template <class Request>
std::optional<Request> message_of(const visit& from) {
  std::vector<request_problem> problems;
  auto message = read_request<Request>(from.parts, problems);
  if constexpr (sets_aside<Request>) {
    if (from.items)
      explain_items(problems, Request::items, *from.items);
    message.aside = set_aside{Request::items, problems};
  }
  if (problems.empty())
    return message;
  from.call->answer(problem_of(problems));
  return std::nullopt;
}

template <class Composed, class = void>
inline constexpr bool takes_if_match = false;
template <class Composed>
inline constexpr bool takes_if_match<Composed, std::void_t<decltype(Composed::compares_version)>> =
    true;

template <class Composed, class = void>
inline constexpr bool has_other_answers = false;
template <class Composed>
inline constexpr bool
    has_other_answers<Composed, std::void_t<decltype(Composed::other_answers())>> = true;

template <class Composed, class = void>
inline constexpr bool takes_table = false;
template <class Composed>
inline constexpr bool takes_table<Composed, std::void_t<decltype(Composed::takes_table)>> = true;

/// Whether a composed request answers with a whole list, too: of `item`, in lines and as CSV.
template <class Composed, class = void>
inline constexpr bool has_lines = false;
template <class Composed>
inline constexpr bool has_lines<Composed, std::void_t<typename Composed::item>> = true;

template <class Message>
void describe_as(schema_maker& maker) {
  Message sample;
  maker.message(sample);
}

/// The bare name of a message: `claim_tasks`.
template <class Message>
constexpr std::string_view bare_name() {
  return std::string_view{wire_name(static_cast<const Message*>(nullptr))}.substr(4);
}

/// Answers with a whole list, piece by piece.
template <class Request>
void serve_list(const door& through, visit from, list_form form) {
  const auto limit = take_limit(from.parts.query);
  if (!limit)
    return from.call->answer(problem_of({{"limit", "must be a whole number from 1 on"}}));
  if (auto message = message_of<Request>(from))
    std::make_shared<streamed_list<Request>>(through, from, std::move(*message), form, *limit)
        ->begin(from);
}

template <class Request>
void serve_operation(const door& through, const visit& from) {
  if constexpr (list_of<Request>::is_streamed)
    if (const auto form = form_for(from.call->asked(), list_of<Request>::has_csv);
        form != list_form::page)
      return serve_list<Request>(through, from, form);
  if (auto message = message_of<Request>(from))
    through.ask(from, std::move(*message),
                [&through, from](auto& answer) { through.answer(from, answer); });
}

/// The same of a request about many items: one that cannot be read harms no other.
template <class Request>
void serve_batch(const door& through, const visit& from) {
  std::vector<request_problem> problems;
  auto message = read_request<Request>(from.parts, problems);
  if (from.items)
    explain_items(problems, batch_of<Request>::items, *from.items);
  set_aside aside{batch_of<Request>::items, problems};
  if (!problems.empty())
    return from.call->answer(problem_of(problems));
  auto& items = batch_of<Request>::list(message);
  aside.take_out(items);
  const auto answer_with = [&through, from, aside](auto& answer) {
    aside.put_back(answer);
    through.answer(from, answer);
  };
  if (!items.empty() || aside.empty())
    return through.ask(from, std::move(message), answer_with);
  msg::answer_to<Request> nothing;
  if (through.admits(from, message))
    answer_with(nothing);
}

template <class Request>
void add_operation(route_table& table) {
  route made;
  made.row = route_of<Request>::row;
  made.name =
      name_in_reference<Request>.empty() ? bare_name<Request>() : name_in_reference<Request>;
  if constexpr (batch_of<Request>::items.empty())
    made.serve = serve_operation<Request>;
  else
    made.serve = serve_batch<Request>;
  made.describe_request = describe_as<Request>;
  made.describe_answer = describe_as<msg::answer_to<Request>>;
  if constexpr (list_of<Request>::is_streamed) {
    made.describe_item = describe_as<typename list_of<Request>::item>;
    made.has_csv = list_of<Request>::has_csv;
  }
  made.lines_of = batch_of<Request>::items;
  made.takes_csv = std::is_same_v<Request, msg::add_source_data>;
  table.add(std::move(made));
}

/// Adds the rows of `msg::operations` that are about one of these topics.
template <class... Rows, class Wanted>
void add_operations(route_table& table, caf::detail::type_list<Rows...>, Wanted wanted) {
  const auto add_row = [&](auto row) {
    using asked = typename decltype(row)::request;
    if constexpr (!is_composed<asked>)
      if constexpr (Wanted::has(route_of<asked>::row.about))
        add_operation<asked>(table);
  };
  (add_row(Rows{}), ...);
  static_cast<void>(wanted);
}

template <topic... About>
struct topics {
  static constexpr bool has(topic one) { return ((one == About) || ...); }
};

template <topic... About>
void add_operations_about(route_table& table) {
  add_operations(table, msg::operations{}, topics<About...>{});
}

/// Adds a route that takes several steps: `Composed` is the request with a shape, and has
///
///   static constexpr route_row row;         its row
///   static constexpr std::string_view name; what it is called in the reference
///   using answer = …;                       the message of its answer
///   static void run(const door&, const visit&, Composed); asks, and answers the visit
///   static constexpr bool compares_version; where there: the header `If-Match` is compared by the
///                                           actor that decides
///   static std::vector<other_answer> other_answers(); where there: good answers under other
///                                           statuses

///   static constexpr bool takes_table;      where there: the body is a file of rows
///   using item = …;                         where there: it answers with lines and CSV of these,
///                                           too, where `Accept` asks for them

///   static constexpr std::string_view items; with `set_aside aside`, of a batch: the array of its
///                                           items, and those of them that cannot be read
template <class Composed>
void add_composed(route_table& table) {
  route made;
  made.row = Composed::row;
  made.name = Composed::name;
  made.serve = [](const door& through, const visit& from) {
    if (auto message = message_of<Composed>(from))
      Composed::run(through, from, std::move(*message));
  };
  made.describe_request = describe_as<Composed>;
  made.describe_answer = describe_as<typename Composed::answer>;
  if constexpr (sets_aside<Composed>)
    made.lines_of = Composed::items;
  made.takes_if_match = takes_if_match<Composed>;
  made.takes_table = takes_table<Composed>;
  if constexpr (has_lines<Composed>) {
    made.describe_item = describe_as<typename Composed::item>;
    made.has_csv = true;
  }
  if constexpr (has_other_answers<Composed>)
    made.other_answers = Composed::other_answers();
  table.add(std::move(made));
}

} // namespace holdfast::http
