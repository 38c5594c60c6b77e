#pragma once

#include "core/access.hpp"
#include "http/route_table.hpp"
#include "http/schema_maker.hpp"
#include "http/value_form.hpp"

#include <optional>
#include <string_view>
#include <vector>

/// All that the reference says of the API, put together from the tables: `openapi.cpp` writes it
/// for programs, `reference_page.cpp` for people.
namespace holdfast::http {

struct operation_description {
  route_row row;
  std::string_view name;
  core::role_set roles; ///< That may call it.
  request_form request;
  value_form answer;
  std::optional<value_form> item; ///< Of a list that is also answered as a whole.
  bool has_csv = false;           ///< Of such a list.
  std::string_view lines_of;      ///< As of the route.
  bool takes_csv = false;
  bool takes_table = false;
  std::vector<other_answer> other_answers;
  bool takes_if_match = false;
};

struct topic_description {
  topic about;
  std::string_view name;     ///< As a tag: `tasks`.
  std::string_view title;    ///< Of the chapter: `Tasks`.
  std::string_view sentence; ///< For people.
};

/// An error that a problem document may tell.
struct problem_description {
  std::string code;
  unsigned status = 500;
  bool retryable = false;
  std::string advice;
};

struct api_description {
  std::vector<operation_description> operations; ///< In order of the routes.
  named_forms objects;
  std::vector<problem_description> problems; ///< Those of operations first.
};

api_description describe_api(const route_table& table);

/// One for each topic, in the order of the chapters.
const std::vector<topic_description>& all_topics();

/// The roles that may use a route; none for a route that the tables do not know.
core::role_set roles_of_route(std::string_view name);

/// The names of the roles, in the order of `core::role`.
std::vector<std::string_view> names_of(core::role_set roles);

/// The version of this program.
std::string_view api_version();

} // namespace holdfast::http
