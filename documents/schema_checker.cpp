#include "documents/schema_node.hpp"

#include "core/json_text.hpp"
#include "documents/exact_number.hpp"
#include "documents/pointer.hpp"
#include "documents/text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace holdfast::documents {

using nlohmann::json;

namespace {

/// Bytes of a value or a list of values that a message quotes.
constexpr std::size_t quoted_bytes_max = 120;

std::string number_text(const json& value) {
  return value.is_number_integer() ? value.dump() : decimal_in(value).text();
}

void append_canonical(std::string& out, const json& value) {
  if (value.is_object()) {
    char separator = '{';
    for (const auto& [name, member] : value.items()) { // in byte order of the names
      out += separator;
      out += core::json_quoted(name);
      out += ':';
      append_canonical(out, member);
      separator = ',';
    }
    out += value.empty() ? "{}" : "}";
  } else if (value.is_array()) {
    char separator = '[';
    for (const auto& element : value) {
      out += separator;
      append_canonical(out, element);
      separator = ',';
    }
    out += value.empty() ? "[]" : "]";
  } else if (value.is_string()) {
    out += core::json_quoted(value.get_ref<const std::string&>());
  } else if (is_number(value)) {
    out += number_text(value);
  } else {
    out += value.dump();
  }
}

/// The types of JSON Schema that `value` has: two for a number without a fraction.
std::uint8_t types_of(const json& value) {
  switch (value.type()) {
  case json::value_t::null:
    return null_type;
  case json::value_t::boolean:
    return boolean_type;
  case json::value_t::object:
    return object_type;
  case json::value_t::array:
    return array_type;
  case json::value_t::string:
    return string_type;
  case json::value_t::number_integer:
  case json::value_t::number_unsigned:
    return number_type | integer_type;
  case json::value_t::number_float:
    return std::floor(value.get<double>()) == value.get<double>() ? number_type | integer_type
                                                                  : number_type;
  case json::value_t::binary:
    return decimal_in(value).is_whole() ? number_type | integer_type : number_type;
  case json::value_t::discarded:
    break;
  }
  return 0;
}

/// "a string", "an integer or null".
std::string type_names(std::uint8_t types) {
  struct noun {
    json_type type;
    const char* text;
  };
  constexpr noun nouns[] = {{object_type, "an object"},   {array_type, "a list"},
                            {string_type, "a string"},    {number_type, "a number"},
                            {integer_type, "an integer"}, {boolean_type, "true or false"},
                            {null_type, "null"}};
  std::string text;
  for (const auto& n : nouns)
    if ((types & n.type) != 0)
      text += (text.empty() ? "" : " or ") + std::string{n.text};
  return text;
}

/// Whether `value` is a multiple of `divisor`, by all of their digits. A small fraction that
/// somebody has computed, such as 0.30000000000000004, need only be as near to one as rounding
/// explains.
bool is_multiple(const json& value, const number_bound& divisor) {
  constexpr number small = 1e6L;
  const auto nearest = number_in(value);
  const auto exact = decimal_in(value).is_multiple_of(divisor.exact);
  if (!exact)
    return std::fmod(nearest, divisor.nearest) == 0;
  const auto quotient = nearest / divisor.nearest;
  const bool computed = value.is_number_float() && std::abs(quotient) < small;
  return *exact || (computed && std::abs(quotient - std::nearbyint(quotient)) <= 1e-9L);
}

bool is_below(const json& value, const number_bound& bound) {
  return value.is_binary() || bound.rounded ? decimal_in(value) < bound.exact
                                            : number_in(value) < bound.nearest;
}

bool is_above(const json& value, const number_bound& bound) {
  return value.is_binary() || bound.rounded ? decimal_in(value) > bound.exact
                                            : number_in(value) > bound.nearest;
}

/// Where a check is: a chain on the stack, written out only for a message.
struct place {
  const place* up = nullptr;
  const std::string* member = nullptr; ///< Null: the element at `index`.
  std::size_t index = 0;

  std::string pointer() const {
    if (up == nullptr)
      return {};
    auto text = up->pointer();
    append_token(text, member != nullptr ? *member : std::to_string(index));
    return text;
  }
  std::size_t depth() const { return up == nullptr ? 0 : up->depth() + 1; }
};

/// Checks one value. Runs without messages first, because nearly all values are valid; one that is
/// not is checked again to say why.
class checker {
public:
  explicit checker(bool explain) : explain_(explain) {}

  bool check(const schema_node& node, const json& value, const place& at) {
    if (exhausted_)
      return false;
    if (++checks_ > schema::checks_max || nesting_ == schema::nesting_max) {
      exhausted_ = true;
      explain_ = true;
      return fail(at, [] {
        return "takes too much work to check against this schema; send a simpler value or "
               "simplify the schema";
      });
    }
    ++nesting_;
    const bool valid = (node.target == nullptr || check(*node.target, value, at))
                       && (node.target_alone || check_keywords(node, value, at));
    --nesting_;
    return valid && !exhausted_;
  }

  bool exhausted() const { return exhausted_; }
  core::definition_problem violation() && { return {std::move(pointer_), std::move(what_)}; }

private:
  bool check_keywords(const schema_node& node, const json& value, const place& at) {
    if (node.never)
      return fail(at, [] { return "must not be here: the schema allows nothing at this place"; });
    if (node.types != 0 && (node.types & types_of(value)) == 0)
      return fail(at, [&] { return wrong_type(node.types, types_of(value)); });
    if (node.one_of_values && !check_values(*node.one_of_values, value, at))
      return false;
    const bool fits = is_number(value)    ? check_number(node, value, at)
                      : value.is_string() ? check_string(node, value, at)
                      : value.is_array()  ? check_array(node, value, at)
                      : value.is_object() ? check_object(node, value, at)
                                          : true;
    return fits && check_combinations(node, value, at);
  }

  static std::string wrong_type(std::uint8_t wanted, std::uint8_t given) {
    if ((given & integer_type) != 0)
      given = integer_type; // rather than "a number or an integer"
    return "must be " + type_names(wanted) + ", not " + type_names(given);
  }

  bool check_values(const std::vector<std::string>& allowed, const json& value, const place& at) {
    const auto given = canonical_text(value);
    if (std::binary_search(allowed.begin(), allowed.end(), given))
      return true;
    return fail(at, [&] {
      std::string list;
      for (const auto& text : allowed)
        list += (list.empty() ? "" : ", ") + text;
      return (allowed.size() == 1 ? "must be " : "must be one of ")
             + printable(list, quoted_bytes_max) + ", not " + printable(given, quoted_bytes_max);
    });
  }

  bool check_number(const schema_node& node, const json& value, const place& at) {
    const auto must_be = [&](const char* relation, const number_bound& bound) {
      return fail(at, [&] {
        return std::string{"must be "} + relation + ' ' + bound.exact.text() + ", not "
               + number_text(value);
      });
    };
    if (node.minimum && is_below(value, *node.minimum))
      return must_be("at least", *node.minimum);
    if (node.maximum && is_above(value, *node.maximum))
      return must_be("at most", *node.maximum);
    if (node.exclusive_minimum && !is_above(value, *node.exclusive_minimum))
      return must_be("greater than", *node.exclusive_minimum);
    if (node.exclusive_maximum && !is_below(value, *node.exclusive_maximum))
      return must_be("less than", *node.exclusive_maximum);
    if (node.multiple_of && !is_multiple(value, *node.multiple_of))
      return must_be("a multiple of", *node.multiple_of);
    return true;
  }

  bool check_string(const schema_node& node, const json& value, const place& at) {
    const auto& text = value.get_ref<const std::string&>();
    const auto length = code_points(text);
    if (!check_count(node.characters, length, "character", at))
      return false;
    if (node.matching && length > pattern::subject_max)
      return fail(at, [&] {
        return "has " + std::to_string(length)
               + " characters; where a pattern has to match, at "
                 "most "
               + std::to_string(pattern::subject_max) + " are allowed";
      });
    if (node.matching && !node.matching->found_in(text))
      return fail(at, [&] { return "must match the pattern " + node.matching->expression(); });
    if (node.format != nullptr && !node.format->accepts(text))
      return fail(at, [&] {
        return "must have the format " + std::string{node.format->name} + ", like "
               + std::string{node.format->example};
      });
    return true;
  }

  bool check_array(const schema_node& node, const json& value, const place& at) {
    if (!check_count(node.elements, value.size(), "element", at))
      return false;
    const auto& leading = node.leading_elements;
    for (std::size_t i = 0; i < value.size(); ++i) {
      const auto* element = !leading              ? node.each_element
                            : i < leading->size() ? (*leading)[i]
                                                  : node.further_elements;
      if (element != nullptr && !check(*element, value[i], {&at, nullptr, i}))
        return false;
    }
    const auto fits_contained = [&](const json& element) {
      return fits(*node.contained, element, at);
    };
    if (node.contained != nullptr) {
      const auto found =
          static_cast<std::uint64_t>(std::count_if(value.begin(), value.end(), fits_contained));
      if (!check_contained(node.contained_elements, found, at))
        return false;
    }
    return !node.unique || check_unique(value, at);
  }

  bool check_contained(const count_range& range, std::uint64_t found, const place& at) {
    if (found >= range.least && found <= range.most)
      return true;
    return fail(at, [&]() -> std::string {
      if (found < range.least && range.least == 1)
        return "must have an element that fits the schema of 'contains'";
      return "must have at "
             + (found < range.least ? "least " + std::to_string(range.least)
                                    : "most " + std::to_string(range.most))
             + " of the elements that fit the schema of 'contains', not " + std::to_string(found);
    });
  }

  bool check_unique(const json& value, const place& at) {
    std::vector<std::pair<std::string, std::size_t>> texts;
    texts.reserve(value.size());
    for (std::size_t i = 0; i < value.size(); ++i)
      texts.emplace_back(canonical_text(value[i]), i);
    std::sort(texts.begin(), texts.end());
    const auto twin =
        std::adjacent_find(texts.begin(), texts.end(),
                           [](const auto& a, const auto& b) { return a.first == b.first; });
    return twin == texts.end() || fail(at, [&] {
             return "must not have equal elements, but " + std::to_string(twin->second) + " and "
                    + std::to_string((twin + 1)->second) + " are equal";
           });
  }

  bool check_object(const schema_node& node, const json& value, const place& at) {
    if (!check_count(node.members, value.size(), "member", at))
      return false;
    for (const auto& name : node.required)
      if (!value.contains(name))
        return fail(at, [&] { return "needs the member " + quoted(name); });
    for (const auto& rule : node.requires_members)
      if (value.contains(rule.first))
        for (const auto& name : rule.second)
          if (!value.contains(name))
            return fail(at, [&] {
              return "needs the member " + quoted(name) + " because it has " + quoted(rule.first);
            });
    for (auto member = value.begin(); member != value.end(); ++member)
      if (!check_member(node, member.key(), member.value(), {&at, &member.key(), 0}))
        return false;
    return true;
  }

  bool check_member(const schema_node& node, const std::string& name, const json& value,
                    const place& at) {
    if (node.member_names != nullptr && !check(*node.member_names, json(name), at))
      return false;
    bool described = false;
    if (const auto known = node.properties.find(name); known != node.properties.end()) {
      described = true;
      if (!check(*known->second, value, at))
        return false;
    }
    if (!node.pattern_properties.empty() && code_points(name) > pattern::subject_max)
      return fail(at, [] { return "has too long a name to be matched against a pattern"; });
    for (const auto& rule : node.pattern_properties) {
      if (!rule.first.found_in(name))
        continue;
      described = true;
      if (!check(*rule.second, value, at))
        return false;
    }
    if (described || node.other_properties == nullptr)
      return true;
    if (!node.other_properties->never)
      return check(*node.other_properties, value, at);
    return fail(at, [&] {
      std::vector<std::string_view> known;
      for (const auto& property : node.properties)
        known.push_back(property.first);
      return "is not a member that the schema knows" + suggestion(name, known);
    });
  }

  bool check_combinations(const schema_node& node, const json& value, const place& at) {
    for (const auto* each : node.all_of)
      if (!check(*each, value, at))
        return false;
    if (!node.any_of.empty() && !check_any(node.any_of, value, at))
      return false;
    if (!node.one_of.empty() && !check_one(node.one_of, value, at))
      return false;
    if (node.none_of != nullptr && fits(*node.none_of, value, at))
      return fail(at, [] { return "must not fit the schema of 'not'"; });
    if (node.condition != nullptr) {
      const auto* then = fits(*node.condition, value, at) ? node.consequence : node.alternative;
      if (then != nullptr && !check(*then, value, at))
        return false;
    }
    for (const auto& rule : node.requires_schema)
      if (value.is_object() && value.contains(rule.first) && !check(*rule.second, value, at))
        return false;
    return true;
  }

  bool check_any(const std::vector<schema_node::ref>& options, const json& value, const place& at) {
    const bool any = std::any_of(options.begin(), options.end(),
                                 [&](const auto* option) { return fits(*option, value, at); });
    return any || fail_options(options, value, at);
  }

  bool check_one(const std::vector<schema_node::ref>& options, const json& value, const place& at) {
    const auto fitting = std::count_if(options.begin(), options.end(), [&](const auto* option) {
      return fits(*option, value, at);
    });
    if (fitting == 0)
      return fail_options(options, value, at);
    return fitting == 1 || fail(at, [&] {
             return "must fit exactly one of the " + std::to_string(options.size())
                    + " alternatives of 'oneOf', but fits " + std::to_string(fitting);
           });
  }

  /// None of the options fits. Explains the one in which the value got furthest down, which most
  /// likely is the one that was meant.
  bool fail_options(const std::vector<schema_node::ref>& options, const json& value,
                    const place& at) {
    if (!explain_ || exhausted_)
      return false;
    checker best{true};
    for (const auto* option : options) {
      checker attempt{true};
      attempt.checks_ = checks_;
      attempt.nesting_ = nesting_;
      attempt.check(*option, value, at);
      checks_ = attempt.checks_;
      if (best.what_.empty() || attempt.depth_ > best.depth_)
        best = std::move(attempt);
    }
    pointer_ = std::move(best.pointer_);
    depth_ = best.depth_;
    what_ = std::move(best.what_);
    exhausted_ = best.exhausted_;
    if (options.size() > 1)
      what_ += " (none of the " + std::to_string(options.size()) + " alternatives fits)";
    return false;
  }

  /// Whether the value fits, without keeping the reason why not.
  bool fits(const schema_node& node, const json& value, const place& at) {
    const bool explain = explain_;
    explain_ = false;
    const bool valid = check(node, value, at);
    explain_ = explain;
    return valid;
  }

  bool check_count(const count_range& range, std::uint64_t n, const char* what, const place& at) {
    if (n >= range.least && n <= range.most)
      return true;
    return fail(at, [&] {
      const bool few = n < range.least;
      const auto bound = few ? range.least : range.most;
      return std::string{"must have at "} + (few ? "least " : "most ") + std::to_string(bound) + ' '
             + what + (bound == 1 ? "" : "s") + ", not " + std::to_string(n);
    });
  }

  /// Keeps the place and the message, when somebody wants them; false, for `return fail(…)`.
  template <class Message>
  bool fail(const place& at, Message&& message) {
    if (explain_) {
      pointer_ = at.pointer();
      depth_ = at.depth();
      what_ = message();
    }
    return false;
  }

  static std::string quoted(const std::string& name) {
    return '\'' + printable(name, quoted_bytes_max) + '\'';
  }

  bool explain_;
  bool exhausted_ = false;
  std::size_t checks_ = 0;
  std::size_t nesting_ = 0;
  std::string pointer_;
  std::size_t depth_ = 0; ///< Levels of `pointer_`.
  std::string what_;
};

} // namespace

number number_in(const json& value) {
  if (value.is_number_unsigned())
    return static_cast<number>(value.get<std::uint64_t>());
  if (value.is_number_integer())
    return static_cast<number>(value.get<std::int64_t>());
  if (value.is_binary())
    return std::strtold(decimal_in(value).text().c_str(), nullptr);
  return static_cast<number>(value.get<double>());
}

std::string canonical_text(const json& value) {
  std::string text;
  append_canonical(text, value);
  return text;
}

std::optional<core::definition_problem> violation_of(const schema_node& root, const json& value) {
  checker silent{false};
  if (silent.check(root, value, {}))
    return std::nullopt;
  if (silent.exhausted())
    return std::move(silent).violation();
  checker explaining{true};
  explaining.check(root, value, {});
  return std::move(explaining).violation();
}

std::optional<core::definition_problem> schema::violation_in(const json& value) const {
  return violation_of(*compiled_->nodes.front(), value);
}

} // namespace holdfast::documents
