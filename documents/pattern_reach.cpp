#include "documents/pattern_reach.hpp"

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <cwchar>
#include <cwctype>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace holdfast::documents {

namespace {

/// The kind of text before or behind a place in a text.
enum side : std::uint8_t { nothing = 1, word = 2, other = 4, anything = 7 };

/// A place in a text, as far as assertions ask about it: what stands before it, and what may stand
/// behind it.
struct place {
  std::uint8_t before = nothing;  ///< One side.
  std::uint8_t behind = anything; ///< A set of them.

  unsigned number() const { return before * 8U + behind; }
};

/// A set of places.
class places {
public:
  void add(const place& one) {
    if (one.behind != 0)
      members_.set(one.number());
  }
  void add(const places& more) { members_ |= more.members_; }
  bool empty() const { return members_.none(); }
  bool operator==(const places& to) const { return members_ == to.members_; }

  template <class F>
  void for_each(F&& f) const {
    for (std::uint8_t before : {nothing, word, other})
      for (std::uint8_t behind = 1; behind <= anything; ++behind)
        if (const place one{before, behind}; members_.test(one.number()))
          f(one);
  }

private:
  std::bitset<5 * 8> members_;
};

/// In order.
std::vector<wchar_t> candidates_in(const std::wstring& expression) {
  std::set<wchar_t> all{0x3b1, 0x4e2d, 0x2028, 0xfffd, 0x1f600, 0x10ffff};
  for (wchar_t c = 1; c < 256; ++c)
    all.insert(c);
  const auto add = [&](wchar_t c) {
    for (const auto near : {c - 1, c + 0, c + 1})
      if (near > 0 && near <= 0x10ffff)
        all.insert(static_cast<wchar_t>(near));
  };
  for (std::size_t i = 0; i < expression.size(); ++i) {
    add(expression[i]);
    if (expression[i] == L'\\' && i + 5 < expression.size() && expression[i + 1] == L'u')
      add(static_cast<wchar_t>(std::wcstol(expression.substr(i + 2, 4).c_str(), nullptr, 16)));
  }
  return {all.begin(), all.end()};
}

/// Follows an expression from a set of places to those where a match may have got by then.
class follower {
public:
  follower(const std::wstring& expression, const matched_by_atom& matched,
           std::vector<wchar_t> candidates)
      : text_(expression), matched_(matched), candidates_(std::move(candidates)) {}

  /// None where it cannot read on.
  std::optional<places> follow(const places& from) {
    auto ends = alternatives(from);
    if (failed_ || at_ != text_.size())
      return std::nullopt;
    return ends;
  }

private:
  static bool is_word(wchar_t c) {
    return c < 128 && (std::iswalnum(static_cast<std::wint_t>(c)) != 0 || c == L'_');
  }

  bool more() const { return at_ < text_.size(); }
  bool next_is(wchar_t c) const { return more() && text_[at_] == c; }
  bool take(wchar_t c) {
    const bool found = next_is(c);
    at_ += found ? 1 : 0;
    return found;
  }

  places alternatives(const places& from) {
    auto ends = sequence(from);
    while (!failed_ && take(L'|'))
      ends.add(sequence(from));
    return ends;
  }

  places sequence(const places& from) {
    auto here = from;
    while (!failed_ && more() && !next_is(L'|') && !next_is(L')'))
      here = term(here);
    return here;
  }

  places term(const places& from) {
    // A repeated term is followed again, and so twice as often with each group around it.
    if (++terms_ > terms_max)
      return fail();
    if (take(L'^'))
      return asserted(from, [](const place& p) {
        return place{p.before, p.before == nothing ? p.behind : std::uint8_t{0}};
      });
    if (take(L'$'))
      return asserted(from, [](const place& p) {
        return place{p.before, static_cast<std::uint8_t>(p.behind & nothing)};
      });
    if (next_is(L'\\') && at_ + 1 < text_.size()
        && (text_[at_ + 1] == L'b' || text_[at_ + 1] == L'B')) {
      const bool boundary = text_[at_ + 1] == L'b';
      at_ += 2;
      return asserted(from, [boundary](const place& p) {
        const std::uint8_t wanted =
            (p.before == word) == boundary ? nothing | other : std::uint8_t{word};
        return place{p.before, static_cast<std::uint8_t>(p.behind & wanted)};
      });
    }
    const auto begin = at_;
    auto once = atom(from);
    return repeated(from, once, begin, at_);
  }

  template <class F>
  static places asserted(const places& from, F&& narrowed) {
    places left;
    from.for_each([&](const place& p) { left.add(narrowed(p)); });
    return left;
  }

  /// A group, or what stands for one character.
  places atom(const places& from) {
    if (take(L'(')) {
      if (take(L'?') && !take(L':'))
        return fail();
      auto ends = alternatives(from);
      return take(L')') ? ends : fail();
    }
    const auto begin = at_;
    if (take(L'[')) {
      // A bracket that closes at once closes the class: `[]` matches nothing, `[^]` anything.
      take(L'^');
      while (more() && !next_is(L']'))
        skip_member();
      if (!take(L']'))
        return fail();
    } else if (take(L'\\')) {
      const auto letter = more() ? text_[at_] : L'\0';
      at_ += letter == L'u' ? 5 : letter == L'x' ? 3 : letter == L'c' ? 2 : 1;
      if (at_ > text_.size())
        return fail();
    } else {
      ++at_;
    }
    return consumed(from, sides_of(text_.substr(begin, at_ - begin)));
  }

  /// Of a class: a character, or a named set such as `[:digit:]`.
  void skip_member() {
    if (next_is(L'[') && at_ + 1 < text_.size()) {
      const auto kind = text_[at_ + 1];
      const auto end = kind == L':' || kind == L'=' || kind == L'.'
                           ? text_.find(std::wstring{kind, L']'}, at_ + 2)
                           : std::wstring::npos;
      if (end != std::wstring::npos) {
        at_ = end + 2;
        return;
      }
    }
    at_ += next_is(L'\\') ? 2 : 1;
  }

  /// Behind one character on one of these sides.
  static places consumed(const places& from, std::uint8_t sides) {
    places ends;
    from.for_each([&](const place& p) {
      for (std::uint8_t one : {word, other})
        if ((p.behind & sides & one) != 0)
          ends.add(place{one, anything});
    });
    return ends;
  }

  /// Whether an atom matches word characters, others, or both.
  std::uint8_t sides_of(const std::wstring& atom) {
    if (atom.size() == 1 && atom != L".") {
      if (!std::binary_search(candidates_.begin(), candidates_.end(), atom.front()))
        return 0;
      return is_word(atom.front()) ? word : other;
    }
    const auto [known, fresh] = sides_.try_emplace(atom, std::uint8_t{0});
    failed_ = failed_ || sides_.size() > atoms_max;
    if (fresh && !failed_)
      for (const auto c : matched_(atom, candidates_))
        known->second |= is_word(c) ? word : other;
    return known->second;
  }

  /// The atom between `begin` and `end` was followed once, to `once`; its quantifier comes next.
  places repeated(const places& from, const places& once, std::size_t begin, std::size_t end) {
    std::size_t least = 1;
    bool more_than_least = false;
    if (take(L'*') || take(L'?')) {
      least = 0;
      more_than_least = true;
    } else if (take(L'+')) {
      more_than_least = true;
    } else if (take(L'{')) {
      least = 0;
      while (more() && text_[at_] >= L'0' && text_[at_] <= L'9')
        least = std::min<std::size_t>(least * 10 + static_cast<std::size_t>(text_[at_++] - L'0'),
                                      places_max);
      more_than_least = next_is(L',');
      while (more() && !next_is(L'}'))
        ++at_;
      if (!take(L'}'))
        return fail();
    }
    take(L'?'); // lazy or not, it matches the same texts
    const auto behind = at_;
    const auto again = [&](const places& here) {
      at_ = begin;
      auto ends = atom(here);
      failed_ = failed_ || at_ != end;
      return ends;
    };
    auto here = least == 0 ? from : once;
    for (std::size_t i = 1; i < least && !failed_ && !here.empty(); ++i) {
      auto next = again(here);
      if (next == here)
        break;
      here = next;
    }
    if (more_than_least)
      for (auto all = here; !failed_;) {
        all.add(again(all));
        if (all == here)
          break;
        here = all;
      }
    at_ = behind;
    return here;
  }

  places fail() {
    failed_ = true;
    return {};
  }

  /// Repetitions that are followed one by one.
  static constexpr std::size_t places_max = 64;
  /// Terms that are followed, repeated ones each time: expressions that people write have hundreds.
  static constexpr std::size_t terms_max = 20'000;
  /// Different atoms of which it is tried what they match.
  static constexpr std::size_t atoms_max = 100;

  const std::wstring& text_;
  const matched_by_atom& matched_;
  const std::vector<wchar_t> candidates_;
  std::map<std::wstring, std::uint8_t> sides_; ///< By atom.
  std::size_t at_ = 0;
  std::size_t terms_ = 0;
  bool failed_ = false;
};

} // namespace

bool can_match(const std::wstring& expression, const matched_by_atom& matched,
               const std::wstring& alphabet) {
  auto candidates = candidates_in(expression);
  if (!alphabet.empty())
    candidates.assign(alphabet.begin(), alphabet.end());
  std::sort(candidates.begin(), candidates.end());
  places anywhere;
  for (const std::uint8_t before : {nothing, word, other})
    anywhere.add(place{before, anything});
  const auto ends = follower{expression, matched, std::move(candidates)}.follow(anywhere);
  return !ends || !ends->empty();
}

} // namespace holdfast::documents
