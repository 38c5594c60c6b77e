// Shapes name every member of their messages: what CAF's inspectors are given is held against what
// the shapes describe.

#include "http/fields.hpp"
#include "http/shapes/audit_shapes.hpp"
#include "http/shapes/cluster_shapes.hpp"
#include "http/shapes/correction_shapes.hpp"
#include "http/shapes/event_shapes.hpp"
#include "http/shapes/lineage_shapes.hpp"
#include "http/shapes/queue_action_shapes.hpp"
#include "http/shapes/reason_shape.hpp"
#include "http/shapes/removal_shapes.hpp"
#include "http/shapes/result_shapes.hpp"
#include "http/shapes/task_shapes.hpp"
#include "http/shapes/token_shapes.hpp"
#include "http/shapes/work_shapes.hpp"
#include "http/shapes/workflow_shapes.hpp"
#include "messages/inspect.hpp"
#include "messages/operations.hpp"

#include <boost/core/demangle.hpp>
#include <boost/test/unit_test.hpp>
#include <caf/detail/type_list.hpp>
#include <caf/meta/type_name.hpp>

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeindex>
#include <typeinfo>
#include <utility>
#include <vector>

namespace holdfast::http {

namespace {

/// A member by its place in memory and its type: a message and its first member share a place.
using described_member = std::pair<const void*, std::type_index>;

template <class T>
described_member member_at(const T& member) {
  return {&member, typeid(T)};
}

/// In the place of `fields`: collects the members that a shape names.
class member_collector {
public:
  template <class T>
  void required(std::string_view name, T&& member, std::string_view) {
    names_.emplace(name);
    add(member);
  }
  template <class T>
  void optional(std::string_view name, T&& member, std::string_view doc) {
    required(name, member, doc);
  }
  template <class T>
  void query(std::string_view name, T&& member, std::string_view doc) {
    required(name, member, doc);
  }
  template <class T>
  void whole(T&& member, std::string_view) {
    add(member);
  }
  template <class T>
  void made(std::string_view name, T&& member, std::string_view doc) {
    required(name, member, doc);
  }
  void caller(std::string_view name, std::string& member, std::string_view doc) {
    required(name, member, doc);
  }
  template <class T>
  void hidden(T&& member) {
    add(member);
  }

  bool has(const described_member& one) const { return members_.count(one) > 0; }
  const std::multiset<std::string>& names() const { return names_; }

private:
  template <class T>
  void add(const T& member) {
    members_.insert(member_at(member));
  }
  void add(const document& member) { add(member.text); }
  void add(const seconds_until& member) { add(member.at); }
  void add(const seconds_from_now& member) { add(member.at); }
  template <class T>
  void add(const word<T>& member) {
    add(member.value);
  }
  template <class T>
  void add(const bounded<T>& member) {
    add(member.value);
  }

  std::set<described_member> members_;
  std::multiset<std::string> names_;
};

/// In the place of an inspector of CAF: gives each member of a message to `visit`.
template <class Visit>
struct member_visitor {
  using result_type = void;
  Visit& visit;

  template <class... Members>
  void operator()(const caf::meta::type_name_t&, Members&... members) {
    (visit(members), ...);
  }
};

template <class Message, class Visit>
void each_member_of(Message& message, Visit visit) {
  member_visitor<Visit> visitor{visit};
  inspect(visitor, message);
}

template <class T, class = void>
inline constexpr bool is_message = false;
template <class T>
inline constexpr bool
    is_message<T, std::void_t<decltype(wire_name(static_cast<const T*>(nullptr)))>> = true;

template <class T, class = void>
inline constexpr bool has_shape = false;
template <class T>
inline constexpr bool has_shape<
    T, std::void_t<decltype(describe(std::declval<member_collector&>(), std::declval<T&>()))>> =
    true;

template <class Message>
std::string bare_name_of() {
  return std::string{wire_name(static_cast<const Message*>(nullptr))}.substr(4);
}

/// Whether a shape names a member, or each member of it where it is a message itself.
template <class T>
bool is_named(const member_collector& shape, T& member) {
  if (shape.has(member_at(member)))
    return true;
  if constexpr (is_message<T>) {
    bool all = true;
    each_member_of(member, [&](auto& inner) { all = all && is_named(shape, inner); });
    return all;
  } else {
    return false;
  }
}

/// The members that the shape of a message leaves out, for people.
template <class Message>
std::vector<std::string> members_left_out() {
  Message sample{};
  member_collector shape;
  describe(shape, sample);
  std::vector<std::string> left_out;
  std::size_t number = 0;
  each_member_of(sample, [&](auto& member) {
    ++number;
    if (!is_named(shape, member))
      left_out.push_back(bare_name_of<Message>() + ": its shape leaves out member "
                         + std::to_string(number) + ", of type "
                         + boost::core::demangle(typeid(member).name()));
  });
  return left_out;
}

/// The names that the shape of a message gives to more than one member.
template <class Message>
std::vector<std::string> names_given_twice() {
  Message sample{};
  member_collector shape;
  describe(shape, sample);
  std::vector<std::string> twice;
  for (const auto& name : shape.names())
    if (shape.names().count(name) > 1)
      twice.push_back(bare_name_of<Message>() + ": " + name);
  return twice;
}

/// Messages without a shape, and why they need none.
const std::map<std::string, std::string>& messages_without_shape() {
  static const std::map<std::string, std::string> all{
      {"enqueue_tasks", "make_tasks has one task in the body, or many"},
      {"complete_tasks", "complete_task and report_tasks make it"},
      {"extend_tasks", "extend_task and report_tasks make it"},
      {"save_task", "save_task in http/composed is a save_task_in_order that may have no number"},
      {"follow_task", "complete_task makes it of its member follow"},
      {"update_workflow", "its first step is looked up"},
      {"load_source_data", "load_data in http/composed makes it of a file"},
      {"source_data_loaded", "data_loaded is the answer of that"},
      {"list_workflow_results", "list_workflow_results in http/composed has words for its states"},
      {"list_steps", "list_steps in http/composed is two operations"},
      {"step_list", "listed_steps is the answer of these two operations"},
      {"seal_step", "change_step in http/composed has it as a status"},
      {"change_step", "change_step in http/composed has words for its verb"},
      {"get_unit", "the step of a unit may be left out"},
      {"change_unit", "the step of a unit may be left out"},
      {"explain_unit", "the step of a unit may be left out"},
      {"create_token", "create_token in http/composed makes the secret"},
      {"check_token", "the gate for tokens asks it"},
      {"token_identity", "the gate for tokens gets it"},
      {"note_token_use", "the gate for tokens asks it"},
      {"token_use_noted", "the gate for tokens gets it"},
      {"await_task", "get_task in http/composed makes it of its wait"},
      {"task_awaited", "get_task reads the task then"},
      {"await_units", "ask_assignment in http/composed makes it of its wait"},
      {"units_awaited", "ask_assignment asks again then"},
  };
  return all;
}

/// Looks at messages with those inside them, each once.
class shape_check {
public:
  template <class Message>
  void check() {
    if (!looked_at_.insert(bare_name_of<Message>()).second)
      return;
    const bool needs_none = messages_without_shape().count(bare_name_of<Message>()) > 0;
    if constexpr (has_shape<Message>) {
      BOOST_TEST(!needs_none, bare_name_of<Message>() << " has a shape: take it off the list");
      for (const auto& problem : members_left_out<Message>())
        BOOST_ERROR(problem);
      for (const auto& problem : names_given_twice<Message>())
        BOOST_ERROR("a name stands for two members of " << problem);
      Message sample{};
      each_member_of(sample, [&](auto& member) { look_into(member); });
    } else {
      BOOST_TEST(needs_none, bare_name_of<Message>() << " has no shape");
    }
  }

  const std::set<std::string>& looked_at() const { return looked_at_; }

private:
  /// Messages inside others are told by shapes of their own, except where the outer shape names
  /// their members itself.
  template <class T>
  void look_into(T&) {
    if constexpr (is_message<T>)
      if constexpr (has_shape<T>)
        check<T>();
  }
  template <class T>
  void look_into(std::vector<T>&) {
    if constexpr (is_message<T>)
      check<T>();
  }

  std::set<std::string> looked_at_;
};

template <class... Rows>
void check_all(shape_check& checked, caf::detail::type_list<Rows...>) {
  (checked.check<typename Rows::request>(), ...);
  (checked.check<typename Rows::answer>(), ...);
}

// --- messages with which the check is checked ---

struct inner_sample {
  std::string key;
  std::uint32_t number = 0;
};
HOLDFAST_WIRE(inner_sample, x.key, x.number)

struct outer_sample {
  inner_sample inner;
  std::string text;
  core::instant at;
  std::uint8_t verb = 0;
};
HOLDFAST_WIRE(outer_sample, x.inner, x.text, x.at, x.verb)

const word_list& sample_words() {
  static const word_list words{{"one", 1}};
  return words;
}

template <class Fields>
void describe(Fields& f, outer_sample& x) {
  f.required("key", x.inner.key, "");
  f.optional("text", document{x.text}, "");
  f.required("seconds", seconds_until{x.at}, "");
  f.required("at", x.at, "");
  f.required("verb", word{x.verb, sample_words()}, "");
}

} // namespace

BOOST_AUTO_TEST_SUITE(shape)

BOOST_AUTO_TEST_CASE(shapes_name_every_member_of_all_messages) {
  shape_check checked;
  check_all(checked, msg::operations{});
  BOOST_TEST(checked.looked_at().count("task_view") == 1U);
  BOOST_TEST(checked.looked_at().count("lineage_judgment") == 1U); // in a list of a list
  BOOST_TEST(checked.looked_at().size() > 130U);
  for (const auto& [name, why] : messages_without_shape()) {
    BOOST_TEST(checked.looked_at().count(name) == 1U, name << " is no message: off the list");
    BOOST_TEST(!why.empty());
  }
}

BOOST_AUTO_TEST_CASE(a_member_that_a_shape_leaves_out_is_found) {
  const auto left_out = members_left_out<outer_sample>();
  // The number inside the first member.
  BOOST_REQUIRE_EQUAL(left_out.size(), 1U);
  BOOST_TEST(left_out.front().find("outer_sample: its shape leaves out member 1") == 0U);
  BOOST_TEST(names_given_twice<outer_sample>().empty());
}

BOOST_AUTO_TEST_CASE(wrapped_members_are_named_and_members_beside_them_are_not) {
  outer_sample sample;
  member_collector shape;
  describe(shape, sample);
  BOOST_TEST(is_named(shape, sample.text));
  BOOST_TEST(is_named(shape, sample.at));
  BOOST_TEST(is_named(shape, sample.verb));
  BOOST_TEST(is_named(shape, sample.inner.key));
  BOOST_TEST(!is_named(shape, sample.inner.number));
  BOOST_TEST(!is_named(shape, sample.inner)); // not as a whole, and not in all its parts
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::http
