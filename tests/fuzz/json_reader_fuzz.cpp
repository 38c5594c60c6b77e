// libFuzzer target of the reader of JSON documents from outside.
//
// A document that the reader accepts is JSON to another parser, too; the document has one canonical
// spelling, which is accepted again with the same value; and the members of an object are found in
// its text as they are in the value.

#include "documents/canonical_json.hpp"
#include "documents/exact_number.hpp"
#include "documents/json_slices.hpp"
#include "documents/parse.hpp"
#include "documents/raw_member.hpp"
#include "tests/fuzz/oracle.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace {

using namespace holdfast;
using fuzz::demand;
using nlohmann::json;

constexpr documents::json_limits limits{64 * 1024, 64};

/// Whether two values are equal where numbers are by all of their digits, however they are kept.
bool same(const json& a, const json& b) {
  if (documents::is_number(a) && documents::is_number(b))
    return documents::decimal_in(a) == documents::decimal_in(b);
  if (a.type() != b.type() || a.size() != b.size())
    return false;
  if (a.is_array())
    return std::equal(a.begin(), a.end(), b.begin(), same);
  if (!a.is_object())
    return a == b;
  for (const auto& [name, member] : a.items())
    if (const auto other = b.find(name); other == b.end() || !same(member, *other))
      return false;
  return true;
}

bool reads_as(std::string_view text, const json& expected) {
  const auto value = documents::parse_json(text, limits);
  return value && same(*value, expected);
}

void check_members(std::string_view text, const json& value) {
  constexpr int members_max = 8; // each is looked for from the beginning
  int members = 0;
  for (const auto& [name, member] : value.items()) {
    if (++members > members_max)
      return;
    demand(reads_as(documents::raw_member(text, name), member), "a member is its raw text");
    const auto slice = documents::member_text(text, name);
    demand(slice && reads_as(*slice, member), "a member is the slice of its text");
    auto rest = value;
    rest.erase(name);
    const auto without = documents::without_member(text, name);
    demand(reads_as(without, rest), "without a member the others stay");
  }
  demand(documents::raw_member(text, "no such member").empty()
             || value.count("no such member") != 0,
         "there is no other member");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const auto value = documents::parse_json(text, limits);
  if (!value) {
    demand(value.error().detail.size() < 4096, "a refusal is short");
    return 0;
  }
  demand(json::accept(text), "another parser accepts it, too");
  const auto canonical = documents::canonical_json(text);
  demand(documents::canonical_json(canonical) == canonical, "a canonical text is its own");
  const auto again = documents::parse_json(canonical, {16 * limits.bytes_max, limits.depth_max});
  demand(again && same(*again, *value), "a canonical text has the same value");
  if (value->is_object())
    check_members(text, *value);
  return 0;
}
