#pragma once

#include "core/errors.hpp"
#include "core/time.hpp"
#include "core/uuid.hpp"
#include "http/fields.hpp"
#include "http/routes.hpp"
#include "http/value_form.hpp"

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace holdfast::http {

/// The place of a parameter in a request.
enum class parameter_place : std::uint8_t { path, query, header };

/// As OpenAPI spells it: `path`.
constexpr std::string_view to_string(parameter_place place) {
  switch (place) {
  case parameter_place::path:
    return "path";
  case parameter_place::query:
    return "query";
  case parameter_place::header:
    break;
  }
  return "header";
}

struct parameter_form {
  parameter_place from = parameter_place::query;
  member_form member;
};

/// All parts of a request.
struct request_form {
  std::vector<parameter_form> parameters;
  /// Of the body; an object without members stands for a request without a body.
  value_form body;
  std::string body_doc;
  bool has_body = false;
  bool body_required = false;
};

/// Collects the forms of requests and answers, by their shapes. It sorts the members of a request
/// into path, query and body exactly as `request_reader` reads them.
class schema_maker {
public:
  /// Of a request under this route. Objects with names are added to `named`.
  static schema_maker of_request(const route_row& row, named_forms& named);
  /// Of an answer.
  static schema_maker of_answer(named_forms& named);

  /// The message as a whole.
  template <class Message>
  void message(Message& sample) {
    if (is_answer_)
      answer_ = form_of(sample);
    else
      describe(*this, sample);
  }

  // --- what came of it ---

  request_form request() const;
  const value_form& answer() const { return answer_; }

  // --- what shapes call ---

  template <class T>
  void required(std::string_view name, T&& member, std::string_view doc) {
    add(name, form_of(member), doc, true);
  }
  template <class T>
  void optional(std::string_view name, T&& member, std::string_view doc) {
    auto form = form_of(member);
    form.may_be_null = false; // an answer leaves it out instead
    add(name, std::move(form), doc, false);
  }
  template <class T>
  void query(std::string_view name, T&& member, std::string_view doc) {
    if (!is_answer_)
      add(name, form_of(member), doc, false, true);
  }
  template <class T>
  void whole(T&&, std::string_view doc) {
    if (!is_answer_)
      add_whole(doc);
  }
  template <class T>
  void made(std::string_view name, T&& member, std::string_view doc) {
    add_made(name, form_of(member), doc);
  }
  void caller(std::string_view name, std::string& member, std::string_view doc);
  template <class T>
  void hidden(T&&) {}

private:
  schema_maker(bool is_answer, named_forms& named) : is_answer_(is_answer), named_(named) {}

  /// Whether T has a shape: it is an object.
  template <class T, class = void>
  struct is_shape : std::false_type {};
  template <class T>
  struct is_shape<
      T, std::void_t<decltype(describe(std::declval<schema_maker&>(), std::declval<T&>()))>>
      : std::true_type {};

  /// The name under which a type is described once; empty for one that is described where it
  /// stands.
  template <class T, class = void>
  struct own_name {
    static std::string_view get() { return {}; }
  };
  template <class T>
  struct own_name<T, std::enable_if_t<std::is_same_v<decltype(T::name), const std::string_view>>> {
    static std::string_view get() { return T::name; }
  };
  template <class T, class = void>
  struct name_of : own_name<T> {};
  template <class T>
  struct name_of<T, std::void_t<decltype(wire_name(std::declval<const T*>()))>> {
    static std::string_view get() { return bare(wire_name(static_cast<const T*>(nullptr))); }
  };

  template <class T>
  value_form form_of(T& value) {
    using plain = std::remove_const_t<T>;
    if constexpr (std::is_same_v<plain, bool>)
      return plain_form(value_form::kind::boolean);
    else if constexpr (std::is_same_v<plain, core::errc>)
      return error_name();
    else if constexpr (std::is_floating_point_v<plain>)
      return plain_form(value_form::kind::number);
    else if constexpr (std::is_integral_v<plain>)
      return whole_number(std::is_unsigned_v<plain>);
    else if constexpr (is_shape<plain>::value)
      return object_of(value);
    else
      return form(value);
  }

  value_form form(const std::string&) const { return plain_form(value_form::kind::text); }
  value_form form(const core::uuid&) const { return text_form("uuid", false); }
  template <class Tag>
  value_form form(const core::strong_id<Tag>& id) const {
    return form(id.value);
  }
  value_form form(const core::instant&) const { return text_form("date-time", is_answer_); }
  value_form form(const core::duration&) const { return seconds(); }
  value_form form(const seconds_until&) const { return seconds(); }
  value_form form(const seconds_from_now&) const { return seconds(); }
  value_form form(const document&) const { return {}; }
  template <class T>
  value_form form(const word<T>& one) const {
    return one_of(one.words);
  }
  template <class T>
  value_form form(const bounded<T>& number) {
    auto made = form_of(number.value);
    made.least = number.least;
    made.most = number.most;
    return made;
  }
  template <class T>
  value_form form(const std::vector<T>&) {
    T sample{};
    return list_of(form_of(sample));
  }

  static std::string_view bare(std::string_view wire_name);
  static value_form plain_form(value_form::kind kind);
  static value_form text_form(std::string_view format, bool may_be_null);
  /// In a list of an answer `null` stands in the place of an id that there is none of.
  value_form list_of(value_form element) const;
  /// Of a request no more than the reader takes.
  value_form seconds() const;
  static value_form whole_number(bool without_sign);
  static value_form error_name();
  static value_form one_of(const word_list& words);

  /// A message inside another, or an answer.
  template <class T>
  value_form object_of(T& sample) {
    using plain = std::remove_const_t<T>;
    auto made = plain_form(value_form::kind::object);
    const auto describe_it = [&] {
      schema_maker inner{is_answer_, named_};
      inner.is_inner_ = true;
      describe(inner, sample);
      return std::move(inner.members_);
    };
    const auto name = name_of<plain>::get();
    if (name.empty()) {
      made.object = std::make_shared<object_form>(object_form{describe_it(), is_answer_});
      return made;
    }
    made.named = key_of(name);
    if (named_.find(made.named) == named_.end())
      named_[made.named] = object_form{describe_it(), is_answer_};
    return made;
  }

  /// The key of a named form. One that requests and answers share would have two forms: members
  /// may be added to answers, and nothing to requests.
  std::string key_of(std::string_view name) const;

  void add(std::string_view name, value_form value, std::string_view doc, bool required,
           bool in_query = false);
  void add_made(std::string_view name, value_form value, std::string_view doc);
  void add_whole(std::string_view doc);
  bool is_in_path(std::string_view name) const;

  const bool is_answer_;
  bool is_inner_ = false; ///< An object inside the body, or an answer: no path and no query.
  bool from_query_ = false;
  bool is_whole_ = false;
  std::string whole_doc_;
  std::set<std::string, std::less<>> path_; ///< The names in the path.
  std::vector<parameter_form> parameters_;
  std::vector<member_form> members_; ///< Of the body.
  value_form answer_;
  named_forms& named_;
};

} // namespace holdfast::http
