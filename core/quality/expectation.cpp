#include "core/quality/expectation.hpp"

#include "core/invariant.hpp"
#include "core/quality/label_product.hpp"

#include <algorithm>

namespace holdfast::core::quality {

namespace {

template <std::uint32_t Labels>
class em_run {
public:
  em_run(const answers& given, const em_options& options)
      : given_(given), options_(options), labels_(Labels == 0 ? given.labels : Labels) {
    counts_ = {std::vector<double>(labels_, 0.0), {given.contributors, labels_}};
    fit_.model = counts_;
    fit_.found = {given.units(), labels_};
    if (options.hard)
      were_in_front_.assign(labels_, false);
  }

  em_fit run(const maximise& step) {
    begin();
    const auto enough = options_.rise_min * static_cast<double>(given_.votes.size());
    auto& seen = fit_.log_likelihoods;
    while (seen.size() < options_.iterations_max) {
      std::swap(fit_.model, counts_);
      step(fit_.model, given_.units());
      changed_ = false;
      seen.push_back(expect() - fit_.model.divergence);
      if (seen.size() == 1)
        continue;
      if (options_.hard ? !changed_ : seen.back() - seen[seen.size() - 2] < enough)
        break;
    }
    return std::move(fit_);
  }

private:
  void begin() {
    if (options_.start != nullptr)
      fit_.found = *options_.start;
    for (std::size_t unit = 0; unit < given_.units(); ++unit) {
      auto* shares = fit_.found.of(unit);
      const auto votes = given_.of(unit);
      if (options_.start == nullptr)
        for (const auto& one : votes)
          shares[one.label] += 1.0 / static_cast<double>(votes.size());
      settle(unit, votes, shares);
    }
  }

  /// One pass over the votes: the expectation of a unit, and at once its share of the counts for
  /// the next maximisation, while its votes are in the cache.
  double expect() {
    std::fill(counts_.label_shares.begin(), counts_.label_shares.end(), 0.0);
    std::fill(counts_.given_true.cells.begin(), counts_.given_true.cells.end(), 0.0);
    label_product<Labels> product{labels_};
    double log_likelihood = 0;
    for (std::size_t unit = 0; unit < given_.units(); ++unit) {
      const auto votes = given_.of(unit);
      auto* shares = fit_.found.of(unit);
      product.begin(fit_.model.label_shares.data());
      for (const auto& one : votes)
        product.multiply(fit_.model.given_true.of(one));
      if (options_.hard)
        were_in_front_ = in_front(shares);
      log_likelihood += product.finish(shares);
      settle(unit, votes, shares);
    }
    return log_likelihood;
  }

  void settle(std::size_t unit, const vote_range& votes, double* shares) {
    even_out_ties(shares, labels_);
    if (!options_.clamped.empty())
      hold_at(shares, labels_, options_.clamped[unit]);
    if (options_.hard)
      return settle_certain(votes, shares);
    const auto labels = Labels == 0 ? labels_ : Labels;
    for (std::uint32_t k = 0; k < labels; ++k)
      counts_.label_shares[k] += shares[k];
    for (const auto& one : votes) {
      auto* cells = counts_.given_true.of(one);
      for (std::uint32_t k = 0; k < labels; ++k)
        cells[k] += shares[k];
    }
  }

  /// A tie of n labels counts 1/n for each.
  void settle_certain(const vote_range& votes, const double* shares) {
    const auto front = in_front(shares);
    changed_ = changed_ || front != were_in_front_;
    const auto part = 1.0 / static_cast<double>(std::count(front.begin(), front.end(), true));
    for (std::uint32_t label = 0; label < labels_; ++label) {
      if (!front[label])
        continue;
      counts_.label_shares[label] += part;
      for (const auto& one : votes)
        counts_.given_true.of(one)[label] += part;
    }
  }

  /// Of each label, whether it has the greatest share or is tied with one that has.
  std::vector<bool> in_front(const double* shares) const {
    const auto most = *std::max_element(shares, shares + labels_);
    std::vector<bool> front(labels_);
    for (std::uint32_t label = 0; label < labels_; ++label)
      front[label] = shares[label] >= most - tie_width;
    return front;
  }

  const answers& given_;
  const em_options& options_;
  std::uint32_t labels_;
  em_model counts_;
  em_fit fit_;
  std::vector<bool> were_in_front_; ///< Labels of the unit at hand before this iteration.
  bool changed_ = false;            ///< Of some unit, with `hard`: those in front.
};

} // namespace

bool fits_confusion_table(const answers& given) {
  const auto labels = static_cast<double>(given.labels);
  return given.contributors * labels * labels <= static_cast<double>(confusion_cells_max);
}

em_fit run_em(const answers& given, const em_options& options, const maximise& step) {
  HOLDFAST_INVARIANT(given.units() > 0 && fits_confusion_table(given), "the caller asks first");
  HOLDFAST_INVARIANT(options.iterations_max > 0, "an estimate takes an iteration");
  HOLDFAST_INVARIANT(options.clamped.empty() || options.clamped.size() == given.units(),
                     "the caller has one entry per unit");
  switch (given.labels) {
  case 2:
    return em_run<2>{given, options}.run(step);
  case 3:
    return em_run<3>{given, options}.run(step);
  case 4:
    return em_run<4>{given, options}.run(step);
  case 5:
    return em_run<5>{given, options}.run(step);
  default:
    return em_run<0>{given, options}.run(step);
  }
}

} // namespace holdfast::core::quality
