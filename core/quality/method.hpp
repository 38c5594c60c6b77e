#pragma once

#include "core/quality/answers.hpp"
#include "core/quality/estimates.hpp"
#include "core/quality/expectation.hpp"
#include "core/quality/trust.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace holdfast::core::quality {

/// How the judgments of a step become answers. Chosen per step, as data.
enum class method {
  majority,
  weighted,
  weighted_log_odds,
  wawa,
  wawa_soft,
  dawid_skene_mle,
  dawid_skene_map,
  fast_dawid_skene,
  one_coin,
  one_coin_mle,
  ibcc_vb,
  glad,
  incremental,
  gold_selected,
};

/// What documents call a method, and when to take it.
struct method_description {
  method what;
  std::string_view name;
  std::string_view summary;
};

const std::vector<method_description>& method_descriptions();

/// Another name of a method, as the literature and published tables of figures have it.
struct method_alias {
  std::string_view name;
  method what;
};

const std::vector<method_alias>& method_aliases();

/// By its name or an alias; none when no method is called so.
std::optional<method> method_named(std::string_view name);

std::string_view name_of(method what);

/// What a method made of the answers.
struct aggregated {
  estimates found;
  method used; ///< The method itself; of `gold_selected` the one it chose.
  /// Of the methods that have one set of parameters in the end, else none.
  std::optional<double> log_likelihood;
  std::uint32_t iterations = 0; ///< 0 of methods that do not iterate.
  /// Of the methods with a confusion table, one for each contributor, else none.
  std::optional<em_model> model = {};
};

struct aggregation_settings {
  /// When methods that iterate end, as in `em_options`.
  std::uint32_t iterations_max = em_options{}.iterations_max;
  double rise_min = em_options{}.rise_min;
  /// For `weighted` and `weighted_log_odds`: how far each contributor is trusted; empty for what
  /// the test questions say.
  std::vector<double> trust = {};
  /// What these are added to.
  quality::trust trust_prior = {};
};

/// Runs `what`. `test_questions` is empty or has one entry per unit: trust is measured by them, and
/// their units are held at the truth. Requires answers that fit a confusion table where the method
/// makes one (`needs_confusion_table`), and a test question for `gold_selected`, which chooses
/// without the settings.
aggregated aggregate_by(method what, const answers& given, const known_labels& test_questions,
                        const aggregation_settings& settings = {});

/// The method that is right most often on the test questions, of `dawid_skene_map`, `one_coin`,
/// `wawa` and `majority`; of several, the first in this order. Each works without knowing the
/// truth. No single method is safe everywhere, and this is what test questions are best at telling.
/// Where answers fit no confusion table, `dawid_skene_map` is not among them.
method most_accurate_on(const answers& given, const known_labels& test_questions);

/// Whether `what` needs `fits_confusion_table`.
bool needs_confusion_table(method what);

} // namespace holdfast::core::quality
