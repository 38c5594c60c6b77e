#include "core/fields/word_network.hpp"

#include "core/fields/shares.hpp"

#include <algorithm>
#include <limits>

namespace holdfast::core::fields {

bool word_network::same(const word* a, const word* b) {
  return a == nullptr || b == nullptr ? a == b : a->compared == b->compared;
}

bool word_network::has(const place& where, const word* what) {
  return std::any_of(where.claims.begin(), where.claims.end(),
                     [&](const claim& one) { return same(one.what, what); });
}

void word_network::vote_at(place& where, const word* what, double weight, std::uint64_t lot) {
  auto known = std::find_if(where.claims.begin(), where.claims.end(),
                            [&](const claim& one) { return same(one.what, what); });
  if (known == where.claims.end())
    known = where.claims.insert(known, {what, 0, 0, std::numeric_limits<std::uint64_t>::max()});
  known->weight += weight;
  ++known->votes;
  known->lot = std::min(known->lot, lot);
}

word_network::place word_network::empty_place() const {
  place made;
  for (const auto& one : voters_)
    vote_at(made, nullptr, one.weight, one.lot);
  return made;
}

void word_network::add(const std::vector<word>& text, double weight, std::uint64_t lot) {
  enum step : std::uint8_t { together, left_out, put_in };
  const auto columns = text.size() + 1;
  const auto rows = places_.size() + 1;
  std::vector<step> steps(rows * columns);
  std::vector<std::size_t> above(columns);
  std::vector<std::size_t> costs(columns);
  for (std::size_t column = 1; column < columns; ++column) {
    above[column] = column;
    steps[column] = put_in;
  }
  for (std::size_t row = 1; row < rows; ++row) {
    const auto& where = places_[row - 1];
    const std::size_t skipping = has(where, nullptr) ? 0 : 1;
    costs[0] = above[0] + skipping;
    steps[row * columns] = left_out;
    for (std::size_t column = 1; column < columns; ++column) {
      auto best = above[column - 1] + (has(where, &text[column - 1]) ? 0 : 1);
      auto how = together;
      if (above[column] + skipping < best) {
        best = above[column] + skipping;
        how = left_out;
      }
      if (costs[column - 1] + 1 < best) {
        best = costs[column - 1] + 1;
        how = put_in;
      }
      costs[column] = best;
      steps[row * columns + column] = how;
    }
    std::swap(above, costs);
  }
  std::vector<place> reversed;
  for (auto row = rows - 1, column = columns - 1; row > 0 || column > 0;) {
    switch (steps[row * columns + column]) {
    case together:
      vote_at(places_[row - 1], &text[column - 1], weight, lot);
      reversed.push_back(std::move(places_[--row]));
      --column;
      break;
    case left_out:
      vote_at(places_[row - 1], nullptr, weight, lot);
      reversed.push_back(std::move(places_[--row]));
      break;
    case put_in:
      reversed.push_back(empty_place());
      vote_at(reversed.back(), &text[--column], weight, lot);
      break;
    }
  }
  places_.assign(std::make_move_iterator(reversed.rbegin()),
                 std::make_move_iterator(reversed.rend()));
  voters_.push_back({weight, lot});
}

word_network::chosen word_network::vote() const {
  double all = 0;
  for (const auto& one : voters_)
    all += one.weight;
  chosen found;
  double shares = 0;
  double least_empty = 1;
  for (const auto& where : places_) {
    const claim* best = nullptr;
    for (const auto& one : where.claims) {
      const auto grain = share_grain * all;
      if (best == nullptr || one.weight > best->weight + grain
          || (one.weight >= best->weight - grain
              && (one.votes > best->votes || (one.votes == best->votes && one.lot < best->lot))))
        best = &one;
    }
    if (best->what == nullptr) {
      least_empty = std::min(least_empty, best->weight / all);
      continue;
    }
    found.words.push_back(*best->what);
    shares += best->weight / all;
  }
  found.mean_share =
      found.words.empty() ? least_empty : shares / static_cast<double>(found.words.size());
  return found;
}

} // namespace holdfast::core::fields
