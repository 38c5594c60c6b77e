#pragma once

#include "core/errors.hpp"
#include "http/fields.hpp"
#include "http/json_values.hpp"

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace holdfast::http {

/// Writes messages as JSON, by their shapes.
class answer_writer {
public:
  /// Appends to `out`. `now` is the time of the cluster: leases are told as seconds from then.
  answer_writer(std::string& out, core::instant now) : out_(out), now_(now) {}

  // --- what shapes call ---

  template <class T>
  void required(std::string_view name, T&& member, std::string_view) {
    begin_member(name);
    value(member);
  }
  template <class T>
  void optional(std::string_view name, T&& member, std::string_view doc) {
    if (!is_empty(member))
      required(name, std::forward<T>(member), doc);
  }
  template <class T>
  void query(std::string_view, T&&, std::string_view) {}
  template <class T>
  void whole(T&&, std::string_view) {}
  template <class T>
  void made(std::string_view name, T&& member, std::string_view doc) {
    required(name, std::forward<T>(member), doc);
  }
  void caller(std::string_view name, std::string& member, std::string_view doc) {
    required(name, member, doc);
  }
  template <class T>
  void hidden(T&&) {}

  // --- values ---

  template <class T>
  void value(T& from) {
    using plain = std::remove_const_t<T>;
    if constexpr (std::is_same_v<plain, bool>)
      out_ += from ? "true" : "false";
    else if constexpr (std::is_floating_point_v<plain>)
      append_number(out_, from);
    else if constexpr (std::is_integral_v<plain>)
      out_ += std::to_string(from);
    else if constexpr (std::is_same_v<plain, core::errc>)
      append_string(out_, core::to_string(from));
    else
      written(from);
  }

private:
  void written(const std::string& text) { append_string(out_, text); }
  void written(const core::uuid& id) {
    if (id)
      append_string(out_, core::to_string(id));
    else
      out_ += "null";
  }
  template <class Tag>
  void written(const core::strong_id<Tag>& id) {
    written(id.value);
  }
  void written(const core::instant& at) { append_time(out_, at); }
  void written(const core::duration& span) { append_seconds(out_, span); }
  void written(const document& json) { out_ += json.text.empty() ? "null" : json.text; }
  void written(const seconds_until& end) {
    append_seconds(out_, end.at > now_ ? end.at - now_ : core::duration{});
  }
  template <class T>
  void written(const bounded<T>& number) {
    value(number.value);
  }
  template <class T>
  void written(const word<T>& one) {
    append_string(out_, word_for(static_cast<std::uint64_t>(one.value), one.words));
  }
  template <class T>
  void written(std::vector<T>& list) {
    out_ += '[';
    for (auto& one : list) {
      if (&one != &list.front())
        out_ += ',';
      value(one);
    }
    out_ += ']';
  }
  /// A message inside another.
  template <class T>
  auto written(T& message) -> std::void_t<decltype(describe(*this, message))> {
    const bool first = std::exchange(first_, true);
    out_ += '{';
    describe(*this, message);
    out_ += '}';
    first_ = first;
  }

  static bool is_empty(const std::string& text) { return text.empty(); }
  static bool is_empty(const document& json) { return json.text.empty(); }
  static bool is_empty(const core::instant& at) { return at == core::instant{}; }
  static bool is_empty(const seconds_until& end) { return end.at == core::instant{}; }
  static bool is_empty(core::errc code) { return code == core::errc::none; }
  static bool is_empty(const core::uuid& id) { return !id; }
  template <class Tag>
  static bool is_empty(const core::strong_id<Tag>& id) {
    return !id;
  }
  template <class T>
  static bool is_empty(const T&) {
    return false;
  }

  void begin_member(std::string_view name) {
    if (!std::exchange(first_, false))
      out_ += ',';
    append_string(out_, name);
    out_ += ':';
  }

  std::string& out_;
  const core::instant now_;
  bool first_ = true; ///< Of the members of the object that is being written.
};

/// A message as JSON.
template <class Message>
std::string to_json(Message& message, core::instant now) {
  std::string out;
  answer_writer{out, now}.value(message);
  return out;
}

} // namespace holdfast::http
