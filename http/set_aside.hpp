#pragma once

#include "http/request_reader.hpp"
#include "messages/task_messages.hpp"
#include "messages/workflow_messages.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::http {

/// The items of a batch that cannot be read. They harm no other item: the rest of the batch is
/// asked for without them, and the answer tells of them in their places.
class set_aside {
public:
  set_aside() = default;
  /// Takes the problems of elements of the array `items` out of `problems`.
  set_aside(std::string_view items, std::vector<request_problem>& problems);

  bool empty() const { return unreadable_.empty(); }
  bool has(std::size_t place) const { return unreadable_.count(place) > 0; }

  /// Removes the items from the batch.
  template <class Item>
  void take_out(std::vector<Item>& batch) {
    std::vector<Item> readable;
    kept_.clear();
    for (std::size_t place = 0; place < batch.size(); ++place) {
      if (has(place))
        continue;
      kept_.push_back(place);
      readable.push_back(std::move(batch[place]));
    }
    batch = std::move(readable);
  }

  /// Puts them into the answer about a batch from which `take_out` has removed them.
  void put_back(msg::task_outcomes& answer) const;
  void put_back(msg::source_data_added& answer) const;

  /// The outcome of one of them.
  msg::task_outcome outcome_at(std::size_t place) const;

private:
  std::map<std::size_t, std::string> unreadable_; ///< What is wrong, by place.
  std::vector<std::size_t> kept_;                 ///< The places of the others.
};

/// Of an operation about many items: the array of its request that has them. Empty: it is about
/// one thing.
template <class Request>
struct batch_of {
  static constexpr std::string_view items{};
};
template <>
struct batch_of<msg::enqueue_envelopes> {
  static constexpr std::string_view items = "envelopes";
  static auto& list(msg::enqueue_envelopes& m) { return m.envelopes; }
};
template <>
struct batch_of<msg::add_source_data> {
  static constexpr std::string_view items = "rows";
  static auto& list(msg::add_source_data& m) { return m.rows; }
};
template <>
struct batch_of<msg::add_test_questions> {
  static constexpr std::string_view items = "rows";
  static auto& list(msg::add_test_questions& m) { return m.rows; }
};

} // namespace holdfast::http
