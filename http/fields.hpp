#pragma once

#include "core/time.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

/// The vocabulary in which `http/shapes` describes messages as JSON.
///
/// A shape is a function `describe(fields, message)` that names each member once. Three classes
/// take the place of `fields`: `answer_writer` writes a message, `request_reader` reads one, and
/// `schema_maker` says in JSON Schema what the other two do. So none of them can say another thing
/// than the others. A shape says of each member one of:
///
///   fields.required(name, member, doc)   a request must have it; an answer always does
///   fields.optional(name, member, doc)   a request may leave it out, which leaves the member as it
///                                        is; an answer leaves it out while it is empty
///   fields.query(name, member, doc)      the same, and in the query of every method
///   fields.whole(member, doc)            the body as a whole, a JSON document
///   fields.made(name, member, doc)       an id that makes the request repeatable: member `name`,
///                                        or the header `Idempotency-Key`, or else made here
///   fields.caller(name, member, doc)     the contributor or worker: may be left out by a caller
///                                        who can be only one
///   fields.hidden(member)                no matter of HTTP
///
/// A member that the path of the route names comes from there. Otherwise GET and DELETE take it
/// from the query, the others from the body. The doc is a sentence for readers of the API.
namespace holdfast::http {

class schema_maker;

/// A schema tells every member that there may be; a request or an answer has those that go
/// together.
template <class Fields>
inline constexpr bool tells_every_member = std::is_same_v<Fields, schema_maker>;

/// JSON in a member of text, passed on byte for byte. Empty: there is none.
struct document {
  std::string& text;
};

/// The end of a lease, told as the seconds until then: no clock of a client is needed for it.
struct seconds_until {
  core::instant& at;
};

/// A moment that a request names as the seconds from now until then.
struct seconds_from_now {
  core::instant& at;
};

/// One word of a fixed list, and the number that stands for it in messages.
struct numbered_word {
  std::string_view text;
  std::uint64_t number;
};
using word_list = std::vector<numbered_word>;

/// A member that is a number or an enumeration in the message and a word in JSON.
template <class T>
struct word {
  T& value;
  const word_list& words;
};
template <class T>
word(T&, const word_list&) -> word<T>;

/// A number or a span of seconds with bounds: the reader refuses what is outside, and the schema
/// tells them.
template <class T>
struct bounded {
  T& value;
  std::int64_t least;
  std::int64_t most;
};
template <class T, class A, class B>
bounded(T&, A, B) -> bounded<T>;

} // namespace holdfast::http
