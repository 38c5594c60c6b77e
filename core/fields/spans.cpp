#include "core/fields/spans.hpp"

#include "core/fields/matching.hpp"
#include "core/fields/shares.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <tuple>
#include <utility>
#include <variant>

namespace holdfast::core::fields {

namespace {

/// A span without characters is overlooked.
std::vector<span> spans_in(const value& v) {
  std::vector<span> spans;
  if (const auto* said = std::get_if<std::vector<span>>(&v))
    std::copy_if(said->begin(), said->end(), std::back_inserter(spans),
                 [](const span& one) { return one.start < one.end; });
  return spans;
}

struct span_end {
  std::uint32_t at = 0;
  bool begins = false; ///< Ends come first, so that what covers a boundary is known between them.
  std::uint32_t label = 0;
  std::uint32_t person = 0;
};

bool comes_before(const span_end& a, const span_end& b) {
  return std::tie(a.at, a.begins, a.person, a.label) < std::tie(b.at, b.begins, b.person, b.label);
}

/// What people have open of one label where the sweep stands.
struct swept_label {
  std::string name;
  std::vector<std::uint32_t> before; ///< By person: spans open before the boundary,
  std::vector<std::uint32_t> across; ///< those of them that go on behind it,
  std::vector<std::uint32_t> after;  ///< and all that are open behind it.
  bool carried = false;              ///< Its label is in the answer behind the boundary.
  bool touched = false;              ///< Somebody's span begins or ends at the boundary.
  double weight = 0;                 ///< Of those who have a span open behind the boundary.
  std::uint32_t votes = 0;
  std::uint64_t lot = 0;

  // The span of the answer that is under way.
  bool open = false;
  span current;
  part_support support;
  std::vector<bool> voters;
};

/// Goes over a text from boundary to boundary. Between two of them each person says the same of all
/// characters, so that one vote does for them.
class text_sweep {
public:
  text_sweep(const field_rule& rule, const std::vector<given_value>& given) : rule_(rule) {
    for (const auto who : in_order_of_lots(given))
      add(given[who]);
    std::sort(ends_.begin(), ends_.end(), comes_before);
    for (auto& label : labels_) {
      label.before.resize(lots_.size());
      label.across.resize(lots_.size());
      label.after.resize(lots_.size());
    }
  }

  found_value finish() {
    std::size_t next = 0;
    while (next < ends_.size()) {
      const auto at = ends_[next].at;
      next = pass(next);
      settle(at);
    }
    return answer();
  }

private:
  void add(const given_value& given) {
    const auto person = static_cast<std::uint32_t>(lots_.size());
    lots_.push_back(given.lot);
    weights_.push_back(given.weight);
    all_ += given.weight;
    const auto spans = spans_in(given.said);
    if (spans.empty())
      said_nothing_ += given.weight;
    for (const auto& one : spans) {
      const auto label = place_of(one.label);
      ends_.push_back({one.start, true, label, person});
      ends_.push_back({one.end, false, label, person});
    }
  }

  std::uint32_t place_of(const std::string& name) {
    const auto known = std::find_if(labels_.begin(), labels_.end(),
                                    [&](const swept_label& one) { return one.name == name; });
    const auto place = static_cast<std::uint32_t>(known - labels_.begin());
    if (known == labels_.end()) {
      labels_.emplace_back();
      labels_.back().name = name;
    }
    return place;
  }

  /// Takes in what ends and begins at one boundary; where the next one begins in the list.
  std::size_t pass(std::size_t next) {
    const auto at = ends_[next].at;
    for (auto& label : labels_)
      label.touched = false;
    for (; next < ends_.size() && ends_[next].at == at; ++next) {
      const auto& end = ends_[next];
      auto& label = labels_[end.label];
      if (!std::exchange(label.touched, true)) {
        label.before = label.after;
        label.across = label.after;
      }
      if (end.begins) {
        ++label.after[end.person];
      } else {
        --label.after[end.person];
        --label.across[end.person];
      }
    }
    for (auto& label : labels_)
      if (label.touched)
        count(label);
    labelled_ = 0;
    for (std::size_t person = 0; person < weights_.size(); ++person)
      if (std::any_of(labels_.begin(), labels_.end(),
                      [&](const swept_label& one) { return one.after[person] > 0; }))
        labelled_ += weights_[person];
    return next;
  }

  void count(swept_label& label) const {
    label.weight = 0;
    label.votes = 0;
    for (std::size_t person = 0; person < weights_.size(); ++person) {
      if (label.after[person] == 0)
        continue;
      label.weight += weights_[person];
      if (label.votes++ == 0)
        label.lot = lots_[person]; // people are in the order of their lots
    }
  }

  /// Decides about the characters from the boundary to the next one.
  void settle(std::uint32_t at) {
    bool any = false;
    for (auto& label : labels_) {
      const auto share = label.weight / all_;
      label.carried = is_enough(share, rule_.share);
      any = any || label.carried;
      if (label.weight > 0)
        be_at_most(std::max(share, 1 - share));
    }
    if (!any && labelled_ > 0) {
      const auto share = labelled_ / all_;
      if (is_enough(share, rule_.share))
        carry_the_leader(); // most labelled the characters, but differently
      else
        be_at_most(std::max(share, 1 - share));
    }
    for (auto& label : labels_) {
      if (label.open && (!label.carried || is_split(label)))
        close(label, at);
      if (label.carried)
        go_on(label, at);
    }
  }

  void carry_the_leader() {
    std::vector<label_claim> claims;
    for (const auto& label : labels_)
      claims.push_back({label.name, label.weight, label.votes, label.lot});
    std::uint32_t tied = 0;
    auto& leader = labels_[leading_claim(claims, tied)];
    tied_ = std::max(tied_, tied);
    leader.carried = true;
    be_at_most(leader.weight / all_);
  }

  /// Whether most of those who labelled the characters on both sides of the boundary end a span at
  /// it.
  bool is_split(const swept_label& label) {
    if (!label.touched)
      return false;
    double split = 0;
    double whole = 0;
    for (std::size_t person = 0; person < weights_.size(); ++person)
      if (label.before[person] > 0 && label.after[person] > 0)
        (label.across[person] > 0 ? whole : split) += weights_[person];
    if (split > 0)
      be_at_most(std::max(split, whole) / (split + whole));
    return split > whole * (1 + share_grain);
  }

  void go_on(swept_label& label, std::uint32_t at) {
    const auto share = label.weight / all_;
    const auto of_labelled = label.weight / labelled_;
    if (!label.open) {
      label.open = true;
      label.current = {at, at, label.name};
      label.support = {{}, share, 0, of_labelled};
      label.voters.assign(weights_.size(), false);
    }
    label.support.share = std::min({label.support.share, share, 1.0});
    label.support.label_share = std::min({label.support.label_share, of_labelled, 1.0});
    for (std::size_t person = 0; person < weights_.size(); ++person)
      label.voters[person] = label.voters[person] || label.after[person] > 0;
  }

  void close(swept_label& label, std::uint32_t at) {
    label.open = false;
    label.current.end = at;
    label.support.votes =
        static_cast<std::uint32_t>(std::count(label.voters.begin(), label.voters.end(), true));
    found_.emplace_back(std::move(label.current), std::move(label.support));
  }

  found_value answer() {
    std::sort(found_.begin(), found_.end(), [](const auto& a, const auto& b) {
      return std::tie(a.first.start, a.first.end, a.first.label)
             < std::tie(b.first.start, b.first.end, b.first.label);
    });
    found_value found;
    std::vector<span> spans;
    for (auto& [where, support] : found_) {
      spans.push_back(std::move(where));
      found.support.push_back(std::move(support));
    }
    found.confidence = spans.empty() ? said_nothing_ / all_ : confidence_;
    found.answer = std::move(spans);
    found.votes = static_cast<std::uint32_t>(weights_.size());
    found.tied = tied_;
    return found;
  }

  void be_at_most(double certainty) { confidence_ = std::min(confidence_, certainty); }

  const field_rule& rule_;
  std::vector<std::uint64_t> lots_; ///< By person, in their order.
  std::vector<double> weights_;
  double all_ = 0; ///< Weight.
  double said_nothing_ = 0;
  std::vector<span_end> ends_;
  std::vector<swept_label> labels_;
  double labelled_ = 0; ///< Weight of those who have a span open behind the boundary.
  std::vector<std::pair<span, part_support>> found_;
  double confidence_ = 1;
  std::uint32_t tied_ = 1;
};

/// How many spans of the two lists are one to one the same, by place and label.
std::size_t matching_spans(const field_rule& rule, const std::vector<span>& a,
                           const std::vector<span>& b) {
  std::vector<std::vector<std::uint32_t>> partners(a.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::uint32_t j = 0; j < b.size(); ++j) {
      if (a[i].label != b[j].label)
        continue;
      const auto start = std::max(a[i].start, b[j].start);
      const auto end = std::min(a[i].end, b[j].end);
      if (start >= end)
        continue;
      const double common = end - start;
      const double either = std::max(a[i].end, b[j].end) - std::min(a[i].start, b[j].start);
      if (common / either >= rule.overlap - share_grain)
        partners[i].push_back(j);
    }
  return greatest_matching(partners, b.size());
}

} // namespace

found_value combine_spans(const field_rule& rule, const std::vector<given_value>& given) {
  return text_sweep{rule, given}.finish();
}

double likeness_of_spans(const field_rule& rule, const value& a, const value& b) {
  const auto first = spans_in(a);
  const auto second = spans_in(b);
  return f1_of(matching_spans(rule, first, second), first.size(), second.size());
}

bool spans_agree(const field_rule& rule, const value& a, const value& b) {
  const auto first = spans_in(a);
  const auto second = spans_in(b);
  return first.size() == second.size() && matching_spans(rule, first, second) == first.size();
}

std::string degenerate_spans(const field_rule& rule, const value& truth) {
  const auto* spans = std::get_if<std::vector<span>>(&truth);
  if (spans == nullptr)
    return "is not a list of spans";
  for (std::size_t i = 0; i < spans->size(); ++i) {
    const auto& one = (*spans)[i];
    if (one.start >= one.end)
      return "has a span without characters";
    if (auto problem = problem_of_label(rule.labels, one.label); !problem.empty())
      return problem;
    for (std::size_t j = 0; j < i; ++j)
      if ((*spans)[j].start == one.start && (*spans)[j].end == one.end
          && (*spans)[j].label == one.label)
        return "has the same span twice";
  }
  return {};
}

} // namespace holdfast::core::fields
