#pragma once

#include "http/door.hpp"
#include "http/routes.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::http {

class schema_maker;

/// A good answer under another status than that of the row.
struct other_answer {
  unsigned status = 200;
  std::string_view doc;  ///< A sentence: when it is given.
  bool has_body = false; ///< In the form of the answer of the route.
};

/// A row of the tables with the functions that follow from its types.
struct route {
  route_row row;
  std::string_view name; ///< Of the operation, or of the composed route.
  /// Reads the message, asks for it and answers.
  std::function<void(const door&, const visit&)> serve;
  /// Says what the request and the answer look like.
  std::function<void(schema_maker&)> describe_request;
  std::function<void(schema_maker&)> describe_answer;
  /// Of a list that is also answered as a whole, piece by piece: says what one item looks like.
  std::function<void(schema_maker&)> describe_item{};
  bool has_csv = false; ///< Of such a list.
  /// Of a request about many items: the array of its body that has them, for which a body with one
  /// item on each line may stand.
  std::string_view lines_of{};
  bool takes_csv = false; ///< Such a body may be CSV.
  /// The body is a file of rows (`documents::table_reader`), and no part of the message.
  bool takes_table = false;
  /// Whether the header `If-Match` is compared by the actor that decides.
  bool takes_if_match = false;
  /// Good answers besides that of the row.
  std::vector<other_answer> other_answers{};
};

/// All routes, to be looked up by method and path.
class route_table {
public:
  void add(route one);
  const std::vector<route>& all() const { return routes_; }

  struct match {
    const route* found = nullptr;
    std::vector<parameter> path;
    /// Where another method is at this path: the methods that are.
    std::vector<verb> others;
  };
  /// `path` is percent-encoded and without the query.
  match find(std::string_view method, std::string_view path) const;

private:
  std::vector<route> routes_;
  std::vector<std::vector<std::string_view>> patterns_; ///< The segments of each path.
};

/// All routes of the door.
const route_table& routes();

// One for each source in http/routes, which instantiates the templates of its topics.
void add_task_routes(route_table& table);
void add_work_routes(route_table& table);
void add_workflow_routes(route_table& table);
void add_cluster_routes(route_table& table);

/// Decodes `%20` and the like; none when `text` is not well encoded or spells no UTF-8. With
/// `plus_is_blank` as in a query.
std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_blank);

/// The parameters of a query, without the question mark; none when they are not well encoded.
std::optional<std::vector<parameter>> query_of(std::string_view query);

} // namespace holdfast::http
