// Figures that others have published (data/vectors.json), to the last digits given.

#include "core/quality/agreement.hpp"
#include "core/quality/dawid_skene.hpp"
#include "core/quality/trust.hpp"
#include "core/quality/voting.hpp"
#include "tests/quality/recorded_sets.hpp"

#include <boost/test/unit_test.hpp>

#include <map>
#include <string>
#include <vector>

using namespace holdfast;
using namespace core::quality;

namespace tt = boost::test_tools;

namespace {

const nlohmann::json& vectors() {
  static const auto all = test::data_json("vectors.json");
  return all;
}

/// One unit on which contributor i said `labels[i]`.
answers one_unit(const std::vector<std::uint32_t>& labels, std::uint32_t label_count) {
  answers given;
  given.labels = label_count;
  for (const auto label : labels)
    given.votes.push_back({given.contributors++, label});
  given.begins.push_back(given.votes.size());
  return given;
}

} // namespace

BOOST_AUTO_TEST_SUITE(published_vectors)

BOOST_AUTO_TEST_CASE(weighted_confidence_of_the_production_platform) {
  const auto& figures = vectors().at("figure8_confidence");
  // One voter for each label, with the sum of trust that the article names.
  std::vector<double> trust;
  std::vector<double> expected;
  for (const auto& [label, sum] : figures.at("sum_trust").items()) {
    trust.push_back(sum);
    expected.push_back(figures.at("expect").at(label));
  }
  const auto found = weighted(one_unit({0, 1, 2}, 3), trust);
  for (std::size_t label = 0; label < 3; ++label)
    BOOST_TEST(found.shares[label] == expected[label], tt::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(posterior_of_skilled_votes) {
  for (const auto& row : vectors().at("toloka_dynamic_overlap")) {
    const auto found = weighted_log_odds(
        one_unit(row.at("answers").get<std::vector<std::uint32_t>>(), row.at("Y")),
        row.at("skills").get<std::vector<double>>());
    const auto expected = row.at("posterior").get<std::vector<double>>();
    for (std::size_t label = 0; label < expected.size(); ++label)
      BOOST_TEST(found.shares[label] == expected[label], tt::tolerance(1e-12));
  }
}

BOOST_AUTO_TEST_CASE(mean_trust_under_either_prior) {
  for (const auto& row : vectors().at("toloka_skill").at("cases")) {
    const test_record record{row.at(0), row.at(1)};
    BOOST_TEST(trust_after({0.5, 0.5}, record).mean() == row.at(2).get<double>(),
               tt::tolerance(1e-15));
  }
  for (const auto& row : vectors().at("beta_trust").at("cases")) {
    const test_record record{row.at("correct"), row.at("total")};
    BOOST_TEST(trust_after({}, record).mean() == row.at("mean").get<double>(),
               tt::tolerance(1e-15));
  }
}

BOOST_AUTO_TEST_CASE(krippendorffs_alpha_with_missing_values) {
  const auto& figures = vectors().at("krippendorff_nominal");
  answers_builder builder;
  for (const auto* observer : {"A", "B", "C"})
    for (std::size_t unit = 0; unit < figures.at(observer).size(); ++unit)
      if (const std::string value = figures.at(observer).at(unit); value != "*")
        builder.add(observer, std::to_string(unit), value);
  const auto named = builder.finish(repeats::first_counts);
  BOOST_TEST(krippendorff_alpha(named.given).value() == figures.at("expect").get<double>(),
             tt::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(krippendorffs_alpha_of_two) {
  const auto& figures = vectors().at("crowdkit_alpha_doc");
  answers_builder builder;
  for (const auto& row : figures.at("answers"))
    builder.add(std::string{row.at(0)}, std::string{row.at(1)}, std::string{row.at(2)});
  const auto named = builder.finish(repeats::first_counts);
  BOOST_TEST(krippendorff_alpha(named.given).value() == figures.at("expect").get<double>(),
             tt::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(fleiss_kappa_of_his_own_table) {
  const auto& figures = vectors().at("fleiss_kappa");
  answers given;
  given.labels = 5;
  for (const auto& row : figures.at("counts")) {
    std::uint32_t who = 0;
    for (std::uint32_t label = 0; label < row.size(); ++label)
      for (int n = row.at(label); n > 0; --n)
        given.votes.push_back({who++, label});
    given.contributors = who;
    given.begins.push_back(given.votes.size());
  }
  BOOST_TEST(fleiss_kappa(given).value() == figures.at("expect").get<double>(),
             tt::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(cohens_kappa_of_two_by_two) {
  const auto& figures = vectors().at("cohen_kappa");
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (std::uint32_t a = 0; a < 2; ++a)
    for (std::uint32_t b = 0; b < 2; ++b)
      pairs.insert(pairs.end(), figures.at("table").at(a).at(b).get<std::size_t>(), {a, b});
  BOOST_TEST(cohen_kappa(pairs, 2).value() == figures.at("expect").get<double>(),
             tt::tolerance(1e-12));
}

// Each observer's answers count, also the three of the first one.
BOOST_AUTO_TEST_CASE(table_of_dawid_and_skene) {
  const auto& figures = vectors().at("dawid_skene_1979");
  const auto set = test::recorded_set("anaesthetist1979", repeats::all_count);
  BOOST_TEST(set.named.given.votes.size() == 315U);
  em_options until_it_stands;
  until_it_stands.rise_min = 1e-12;
  const auto fit = dawid_skene(set.named.given, prior::none, until_it_stands);
  BOOST_TEST(fit.iterations() == figures.at("iters").get<std::size_t>());
  BOOST_TEST(fit.log_likelihood() == figures.at("loglik").get<double>(), tt::tolerance(1e-12));
  BOOST_TEST(fit.log_likelihoods.front() == figures.at("loglik_iter1").get<double>(),
             tt::tolerance(1e-12));
  for (std::uint32_t k = 0; k < 4; ++k) {
    const auto share = fit.model.label_shares[k];
    BOOST_TEST(share == figures.at("class_marginals").at(k).get<double>(), tt::tolerance(1e-12));
    BOOST_TEST(std::round(share * 100) / 100
               == figures.at("published_marginals").at(k).get<double>());
    BOOST_TEST(fit.found.of(2)[k] == figures.at("posterior_p03").at(k).get<double>(),
               tt::tolerance(1e-9));
    BOOST_TEST(fit.found.of(35)[k] == figures.at("posterior_p36").at(k).get<double>(),
               tt::tolerance(1e-9));
    for (std::uint32_t given = 0; given < 4; ++given)
      BOOST_TEST(fit.model.given_true.of({0, given})[k]
                     == figures.at("observer1_confusion").at(k).at(given).get<double>(),
                 tt::tolerance(1e-9));
  }
}

BOOST_AUTO_TEST_CASE(agreement_of_recorded_jobs) {
  const auto expected = test::data_json("expected.json");
  for (const auto* name : test::sets_with_truth) {
    const auto set = test::recorded_set(name);
    const auto& meta = expected.at(name).at("meta");
    const auto& given = set.named.given;
    BOOST_TEST(std::abs(krippendorff_alpha(given).value() - meta.at("krippendorff").get<double>())
                   < 6e-6,
               name);
    BOOST_TEST(std::abs(fleiss_kappa(given).value() - meta.at("fleiss").get<double>()) < 6e-6,
               name);
    BOOST_TEST(
        std::abs(pairwise_agreement(given).value() - meta.at("pairwise_agreement").get<double>())
            < 6e-6,
        name);
  }
}

BOOST_AUTO_TEST_SUITE_END()
