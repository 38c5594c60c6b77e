#pragma once

#include "core/fields/combine.hpp"
#include "core/fields/rule.hpp"
#include "core/fields/value.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/// Values of fields, as tests write them.
namespace holdfast::test {

inline core::fields::mark box(double left, double top, double right, double bottom,
                              std::string label = {}) {
  core::fields::mark one;
  one.label = std::move(label);
  one.box = {left, top, right, bottom};
  return one;
}

inline core::fields::mark dot(double x, double y, std::string label = {}) {
  core::fields::mark one;
  one.label = std::move(label);
  one.corners = {{x, y}};
  return one;
}

inline core::fields::mark outline(std::vector<core::fields::point> corners,
                                  std::string label = {}) {
  core::fields::mark one;
  one.label = std::move(label);
  one.corners = std::move(corners);
  return one;
}

inline core::fields::field_rule rule_of(core::fields::field_kind kind,
                                        core::fields::field_method method) {
  core::fields::field_rule rule;
  rule.kind = kind;
  rule.method = method;
  return rule;
}

using drawn_marks = std::vector<core::fields::mark>;
using drawn_spans = std::vector<core::fields::span>;
using named_items = std::vector<std::string>;

/// What people said, each with weight 1 and their place as their lot.
template <class T>
std::vector<core::fields::given_value> said_by_all(const std::vector<T>& values) {
  std::vector<core::fields::given_value> given;
  for (const auto& one : values)
    given.push_back({one, 1, given.size() + 1});
  return given;
}

template <class T>
const T& answer_of(const core::fields::found_value& found) {
  const auto* answer = std::get_if<T>(&found.answer);
  BOOST_REQUIRE(answer != nullptr);
  return *answer;
}

inline bool within_1e9(double a, double b) { return a - b <= 1e-9 && b - a <= 1e-9; }

} // namespace holdfast::test
