#pragma once

#include "core/access.hpp"
#include "core/time.hpp"
#include "core/uuid.hpp"
#include "documents/json_slices.hpp"
#include "http/fields.hpp"
#include "http/json_values.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace holdfast::http {

/// A name of a path or query with its value, both decoded.
struct parameter {
  std::string name;
  std::string value;
};

/// One thing that is wrong with a request.
struct request_problem {
  std::string place; ///< A JSON pointer into the body, or the name of a parameter.
  std::string what;
};

/// The members that a request may have, as its shape names them while it is read. A failure that an
/// actor tells names them too: `places_in` of http/failure_places.hpp finds their places.
struct known_places {
  std::vector<std::pair<std::string, std::string>> members; ///< Each name with its place.
  std::vector<std::string> documents; ///< The places of those that are documents.
};

/// Where the members of a message come from.
struct request_parts {
  std::vector<parameter> path;
  std::vector<parameter> query;
  /// Of a body that is there: one JSON value that `documents::check_json` has accepted.
  std::string_view body;
  /// GET and DELETE: there is no body.
  bool from_query = false;
  std::optional<core::uuid> idempotency_key;
  const core::principal* who = nullptr; ///< Never null when a request is read.
  core::instant now;                    ///< The time of the cluster.
  std::function<core::uuid()> make_id;
  /// Filled by the reader; null: nobody wants to know.
  std::shared_ptr<known_places> places;
};

/// Reads a message from the parts of an HTTP request, by its shape, and collects all that is wrong
/// with them.
class request_reader {
public:
  /// The whole request.
  request_reader(const request_parts& parts, std::vector<request_problem>& problems);

  // --- what shapes call ---

  template <class T>
  void required(std::string_view name, T&& member, std::string_view) {
    if (!take(name, member, false))
      problem(name, "is missing");
  }
  template <class T>
  void optional(std::string_view name, T&& member, std::string_view) {
    take(name, member, false);
  }
  template <class T>
  void query(std::string_view name, T&& member, std::string_view) {
    take(name, member, true);
  }
  void whole(const document& member, std::string_view);
  template <class Tag>
  void made(std::string_view name, core::strong_id<Tag>& member, std::string_view) {
    made(name, member.value);
  }
  /// The contributor or the worker that the request is for.
  void caller(std::string_view name, std::string& member, std::string_view);
  template <class T>
  void hidden(T&&) {}

  /// To be called last: what no shape has asked for is a problem.
  void refuse_unknown();

private:
  /// A message inside another.
  request_reader(const request_parts& parts, std::string_view object, std::string place,
                 std::vector<request_problem>& problems);

  void made(std::string_view name, core::uuid& member);

  struct found_value {
    std::string_view json;               ///< Of the body.
    std::vector<std::string_view> texts; ///< Of the path or query.
    bool is_text = false;
  };
  /// The value of a member, which is known from now on. None when it is left out.
  std::optional<found_value> find(std::string_view name, bool in_query);

  /// False when the member is left out.
  template <class T>
  bool take(std::string_view name, T& member, bool in_query) {
    const auto found = find(name, in_query);
    note_place(name, std::is_same_v<std::decay_t<T>, document>);
    // A document may be null; a null of any other member leaves it out.
    if (!found || (found->json == "null" && !std::is_same_v<std::decay_t<T>, document>))
      return false;
    if (found->is_text)
      read_texts(name, found->texts, member);
    else
      read(place_of(name), found->json, member);
    return true;
  }

  template <class T>
  void read_texts(std::string_view name, const std::vector<std::string_view>& texts, T& member) {
    using plain = std::decay_t<T>;
    if (texts.size() != 1)
      return problem(name, "is there more than once");
    read(place_of(name), json_of_text(texts.front(), is_plain_value<plain>::value), member);
  }
  template <class T>
  void read_texts(std::string_view name, const std::vector<std::string_view>& texts,
                  std::vector<T>& member) {
    for (const auto text : texts)
      read(place_of(name), json_of_text(text, is_plain_value<T>::value), member.emplace_back());
  }

  template <class T>
  void read(const std::string& place, std::string_view json, T& member) {
    if constexpr (is_shape<T>::value)
      read_object(place, json, member);
    else if constexpr (std::is_same_v<T, seconds_from_now>) {
      core::duration span{};
      read(place, json, span);
      member.at = parts_.now + span;
    } else if (auto why = read_value(json, member); !why.empty())
      problems_.push_back({place, std::move(why)});
  }
  template <class T>
  void read(const std::string& place, std::string_view json, std::vector<T>& member) {
    if (json.front() != '[')
      return problems_.push_back({place, "must be an array"});
    const auto elements = documents::elements_of(json);
    member.resize(elements.size());
    for (std::size_t i = 0; i < elements.size(); ++i)
      read(place + '/' + std::to_string(i), elements[i], member[i]);
  }
  template <class T>
  void read_object(const std::string& place, std::string_view json, T& message) {
    if (json.front() != '{')
      return problems_.push_back({place, "must be an object"});
    request_reader inner{parts_, json, place, problems_};
    describe(inner, message);
    inner.refuse_unknown();
  }

  /// Whether T has a shape: it is read member by member.
  template <class T, class = void>
  struct is_shape : std::false_type {};
  template <class T>
  struct is_shape<
      T, std::void_t<decltype(describe(std::declval<request_reader&>(), std::declval<T&>()))>>
      : std::true_type {};

  /// The part of the request that has a member.
  enum class part : std::uint8_t { path, query, body };
  struct known_member {
    std::string name;
    part in = part::body;
  };
  part part_of(std::string_view name, bool in_query) const;
  /// Remembers the place of a member of the whole request.
  void note_place(std::string_view name, bool is_document);
  void refuse_unknown(const std::string& name, std::string place, part in);

  std::string place_of(std::string_view name) const;
  void problem(std::string_view name, std::string what);

  const request_parts& parts_;
  const bool inner_;   ///< An object inside the body: it has no path and no query.
  bool whole_ = false; ///< The body is one document: what is not in it comes from the query.
  std::string place_;
  std::vector<documents::member_slice> members_;
  std::vector<known_member> known_;
  std::vector<request_problem>& problems_;
};

/// A message from the parts of a request; `problems` is empty when it is good.
template <class Message>
Message read_request(const request_parts& parts, std::vector<request_problem>& problems) {
  Message message;
  request_reader reader{parts, problems};
  describe(reader, message);
  reader.refuse_unknown();
  return message;
}

} // namespace holdfast::http
