#include "app/demo/quality_act.hpp"

#include "app/demo/audit.hpp"
#include "app/demo/workload.hpp"
#include "client/id_source.hpp"
#include "core/quality/trust.hpp"
#include "persistence/postgres_store.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <thread>
#include <utility>

namespace holdfast::app::demo {

namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using std::chrono::steady_clock;

constexpr std::size_t recorded_most = 25;
/// Three share one list of answers. Nobody of them reads a question, so each hands in two judgments
/// while others think about one.
constexpr std::size_t ring_members = 3;
constexpr std::uint32_t ring_pace = 2;
constexpr std::size_t constant_spammers = 2;
constexpr std::size_t units_with_truth_min = 100;
constexpr std::size_t labels_most = 20;
/// Every tenth unit is a test question, as in the figures of docs/QUALITY.md.
constexpr std::size_t test_question_every = 10;
constexpr std::size_t threads = 4;
constexpr std::uint32_t page_limit = 1000;
/// Nobody gets work for so long only when what is left is open to nobody.
constexpr auto idle_limit = 3s;
constexpr auto pause_without_work = 20ms;

/// Somebody who works for both programmes.
struct person {
  std::string name;
  bool spammer = false;
  std::map<std::string, std::string> answers; ///< By task; of spammers, all there are.
  std::size_t units_left = 0;                 ///< Will do no more.
  std::uint32_t pace = 1;                     ///< Units in one turn.
  bool sent_away = false;                     ///< Gets nothing any more.
  std::set<std::string> done{};               ///< Tasks of the units handed in.

  bool can_do(const std::string& task) const {
    return !sent_away && units_left > 0 && answers.count(task) != 0 && done.count(task) == 0;
  }
};

/// What everybody is asked about.
struct material {
  std::map<std::string, std::string> truth; ///< By task, of the units to be done.
  std::map<std::string, std::string> tests; ///< The same of the test questions.
  std::vector<std::string> labels;
};

material material_of(const dataset& set) {
  material m;
  m.labels = set.labels;
  std::size_t known = 0;
  for (const auto& unit : set.units)
    if (unit.truth)
      (known++ % test_question_every == 0 ? m.tests : m.truth)[unit.task] = *unit.truth;
  return m;
}

std::vector<person> people_of(const dataset& set, const material& m, std::uint64_t seed) {
  auto busiest = set.contributors;
  std::stable_sort(busiest.begin(), busiest.end(), [](const auto& a, const auto& b) {
    return a.answers.size() > b.answers.size();
  });
  busiest.resize(std::min(busiest.size(), recorded_most));
  std::vector<person> people;
  for (const auto& one : busiest) {
    auto& p = people.emplace_back();
    p.name = "recorded-" + one.name;
    for (const auto& answer : one.answers)
      p.answers[set.units[answer.unit].task] = answer.label;
    p.units_left = one.answers.size();
  }
  std::mt19937_64 random{seed};
  const auto any_label = [&] { return m.labels[random() % m.labels.size()]; };
  const auto list_of = [&](const auto& label) {
    std::map<std::string, std::string> list;
    for (const auto* tasks : {&m.truth, &m.tests})
      for (const auto& [task, right] : *tasks)
        list[task] = label();
    return list;
  };
  const auto shared = list_of(any_label);
  for (std::size_t i = 0; i < ring_members; ++i)
    people.push_back({"spammer-ring-" + std::to_string(i + 1), true, shared,
                      busiest.front().answers.size(), ring_pace});
  for (std::size_t i = 0; i < constant_spammers; ++i)
    people.push_back({"spammer-constant-" + std::to_string(i + 1), true,
                      list_of([always = any_label()] { return always; }),
                      busiest.back().answers.size(), 1});
  return people;
}

bool is_spammer(const std::string& name) { return name.rfind("spammer-", 0) == 0; }

json step_of(const material& m) {
  return {{"key", "label"},
          {"lease", {{"ttl_seconds", 60}, {"regrant_after_seconds", 1}}},
          // Nobody's pace here says anything, so not `speed`.
          {"monitors", {"agreement", "copying", "patterns"}},
          {"judgment_schema",
           {{"type", "object"},
            {"properties", {{"answer", {{"enum", m.labels}}}}},
            {"required", {"answer"}}}}};
}

std::string fixed_programme(const material& m) {
  auto step = step_of(m);
  step["judgments_per_unit"] = 5;
  step["aggregation"] = {{"method", "majority"}};
  return json{{"name", "fixed overlap"}, {"steps", {step}}}.dump();
}

std::string adaptive_programme(const material& m) {
  auto step = step_of(m);
  step["stopping"] = {{"min", 2}, {"max", 5}, {"stop_at", 0.9}};
  step["aggregation"] = {{"labels", m.labels}}; // by the method that then is the default
  step["test_questions"] = {{"quiz", 4}, {"quiz_pass", 0.5}, {"every", 12}};
  return json{{"name", "adaptive overlap"}, {"steps", {step}}}.dump();
}

/// One programme on the node, from its definition to its results.
class programme {
public:
  programme(const material& m, const client::connection& node) : material_(m), node_(node) {}

  core::outcome<bool> define(const std::string& definition, bool with_tests);
  /// Lets everybody work until all is done or nobody gets any more.
  core::outcome<bool> let_work(std::vector<person>& people);
  core::outcome<std::vector<msg::unit_result>> results() const {
    return list_results(node_, step_);
  }
  core::outcome<std::vector<msg::contributor_view>> contributors() const;
  core::outcome<std::vector<flagged_contributor>> flagged() const;
  core::step_id step() const { return step_; }

private:
  enum class turn { worked, waited, ended };

  turn take_turn(person& who, client::id_source& ids);
  turn do_unit(person& who, client::id_source& ids);
  void work(std::vector<person*> crowd);
  void fail(core::failure why);

  const material& material_;
  const client::connection& node_;
  core::step_id step_;
  std::atomic<bool> over_{false};
  std::atomic<std::size_t> working_{0};
  std::mutex failure_lock_;
  std::optional<core::failure> failure_;
};

core::outcome<bool> programme::define(const std::string& definition, bool with_tests) {
  const auto created = node_.ask<msg::workflow_created>(
      msg::create_workflow{core::workflow_id{client::id_source{}.next()}, definition});
  if (!created)
    return created.error();
  step_ = created->steps.front().step;
  const auto input_of = [](const std::string& task) { return json{{"task", task}}.dump(); };
  msg::add_source_data units{step_, {}};
  for (const auto& [task, truth] : material_.truth)
    units.rows.push_back({task, input_of(task), 0});
  if (const auto added = node_.ask<msg::source_data_added>(units); !added)
    return added.error();
  if (with_tests) {
    msg::add_test_questions questions{step_, {}};
    for (const auto& [task, truth] : material_.tests)
      questions.rows.push_back({task, input_of(task), json{{"answer", truth}}.dump()});
    if (const auto added = node_.ask<msg::source_data_added>(questions); !added)
      return added.error();
  }
  const auto sealed = node_.ask<msg::step_view>(msg::seal_step{step_});
  return sealed ? core::outcome<bool>{true} : sealed.error();
}

programme::turn programme::take_turn(person& who, client::id_source& ids) {
  auto outcome = turn::worked;
  for (std::uint32_t i = 0; i < who.pace && outcome == turn::worked; ++i)
    outcome = do_unit(who, ids);
  return outcome;
}

programme::turn programme::do_unit(person& who, client::id_source& ids) {
  if (who.units_left == 0)
    return turn::ended;
  const auto given = node_.ask<msg::assignment>(
      msg::ask_assignment{step_, who.name, core::assignment_id{ids.next()}});
  if (!given) {
    if (given.error().code == core::errc::not_qualified) {
      who.sent_away = true;
      return turn::ended;
    }
    if (given.error().code != core::errc::no_unit_available)
      fail(given.error());
    return turn::waited;
  }
  const auto known = who.answers.find(task_of_input(given->input));
  if (known == who.answers.end()) {
    const auto declined = node_.ask<msg::assignment_released>(
        msg::release_assignment{step_, given->unit, who.name, given->token, true});
    if (!declined && declined.error().code != core::errc::lease_not_held)
      fail(declined.error());
    return turn::worked;
  }
  const auto accepted = node_.ask<msg::judgment_accepted>(
      msg::submit_judgment{step_, given->unit, who.name, given->token,
                           core::judgment_id{ids.next()}, payload_of_label(known->second)});
  --who.units_left;
  who.done.insert(known->first);
  if (accepted)
    return turn::worked;
  // Removed while they were at it.
  who.sent_away = true;
  if (accepted.error().code != core::errc::lease_not_held)
    fail(accepted.error());
  return turn::ended;
}

void programme::fail(core::failure why) {
  const std::lock_guard lock{failure_lock_};
  if (!failure_)
    failure_ = std::move(why);
  over_ = true;
}

void programme::work(std::vector<person*> crowd) {
  client::id_source ids;
  auto last_work = steady_clock::now();
  while (!over_ && !crowd.empty() && steady_clock::now() - last_work < idle_limit) {
    bool worked = false;
    for (auto at = crowd.begin(); at != crowd.end() && !over_;) {
      const auto outcome = take_turn(**at, ids);
      worked = worked || outcome == turn::worked;
      at = outcome == turn::ended ? crowd.erase(at) : std::next(at);
    }
    if (worked)
      last_work = steady_clock::now();
    else
      std::this_thread::sleep_for(pause_without_work);
  }
  --working_;
}

core::outcome<bool> programme::let_work(std::vector<person>& people) {
  std::vector<std::vector<person*>> crowds(threads);
  for (std::size_t i = 0; i < people.size(); ++i)
    crowds[i % threads].push_back(&people[i]);
  working_ = threads;
  std::vector<std::thread> at_work;
  for (auto& crowd : crowds)
    at_work.emplace_back([this, crowd = std::move(crowd)] { work(crowd); });
  while (!over_ && working_ > 0) {
    const auto statistics = node_.ask<msg::step_statistics>(msg::get_step_statistics{step_});
    if (!statistics)
      fail(statistics.error());
    else if (statistics->step.status == core::step_status::completed)
      over_ = true;
    else
      std::this_thread::sleep_for(pause_without_work);
  }
  for (auto& thread : at_work)
    thread.join();
  return failure_ ? core::outcome<bool>{*failure_} : true;
}

core::outcome<std::vector<msg::contributor_view>> programme::contributors() const {
  const auto page = node_.ask<msg::contributor_page>(msg::list_contributors{step_, {}, page_limit});
  if (!page)
    return page.error();
  return page->contributors; // fewer than a page holds
}

core::outcome<std::vector<flagged_contributor>> programme::flagged() const {
  const auto quality = node_.ask<msg::step_quality>(msg::get_step_quality{step_});
  if (!quality)
    return quality.error();
  const auto known = contributors();
  if (!known)
    return known.error();
  std::map<std::pair<std::string, std::string>, std::string> reasons;
  for (const auto& one : quality->concerns)
    reasons[{one.contributor, one.monitor}] = one.why;
  std::vector<flagged_contributor> all;
  for (const auto& one : *known)
    for (const auto& monitor : one.flags)
      all.push_back({one.contributor, is_spammer(one.contributor), monitor,
                     reasons[{one.contributor, monitor}]});
  return all;
}

std::string answer_of(const msg::unit_result& result) {
  const auto object = json::parse(result.result, nullptr, false);
  return object.is_object() ? object.value("answer", std::string{}) : std::string{};
}

programme_report scored(const std::vector<msg::unit_result>& results, const material& m,
                        const std::vector<person>& people) {
  programme_report report;
  report.units = m.truth.size();
  for (const auto& result : results) {
    report.judgments += result.judgments;
    if (result.state != core::unit_state::finalized) {
      report.out_of_people +=
          std::none_of(people.begin(), people.end(),
                       [&](const person& one) { return one.can_do(result.source_key); })
              ? 1
              : 0;
      continue;
    }
    ++report.finished;
    report.right += answer_of(result) == m.truth.at(result.source_key) ? 1 : 0;
  }
  return report;
}

std::vector<confidence_bin> calibration_of(const std::vector<msg::unit_result>& results,
                                           const material& m) {
  std::vector<confidence_bin> bins(10);
  for (const auto& result : results) {
    if (result.state != core::unit_state::finalized)
      continue;
    auto& bin = bins[std::min<std::size_t>(static_cast<std::size_t>(result.confidence * 10), 9)];
    bin.confidence += result.confidence;
    ++bin.units;
    bin.right += answer_of(result) == m.truth.at(result.source_key) ? 1 : 0;
  }
  bins.erase(std::remove_if(bins.begin(), bins.end(), [](const auto& b) { return b.units == 0; }),
             bins.end());
  for (auto& bin : bins)
    bin.confidence /= static_cast<double>(bin.units);
  return bins;
}

core::outcome<std::vector<trust_curve>> trust_curves(const std::string& conninfo,
                                                     core::step_id step) {
  persistence::postgres_options options;
  options.conninfo = conninfo;
  const auto history = persistence::postgres_store{options}.load_step_history(step, {true, false});
  if (!history)
    return history.error();
  std::map<std::string, core::quality::test_record> records;
  std::map<std::string, trust_curve> curves;
  const auto add = [&](const std::string& who) {
    auto& curve = curves[who];
    curve.spammer = is_spammer(who);
    curve.trust.push_back(core::quality::trust_after({}, records[who]).mean());
  };
  for (const auto& asked : history->asked_questions) {
    if (!asked.correct)
      continue;
    if (records.count(asked.contributor) == 0)
      add(asked.contributor);
    ++records[asked.contributor].asked;
    records[asked.contributor].right += *asked.correct ? 1 : 0;
    add(asked.contributor);
  }
  std::vector<trust_curve> all;
  for (auto& [who, curve] : curves)
    all.push_back(std::move(curve));
  return all;
}

void take_in(const std::vector<msg::contributor_view>& contributors, quality_report& report) {
  for (const auto& one : contributors) {
    report.adaptive.test_answers += one.tests;
    if (one.standing == core::contributor_standing::removed)
      report.removed.push_back({one.contributor, is_spammer(one.contributor),
                                std::string{to_string(one.reason)}, one.tests, one.right});
  }
}

} // namespace

bool fit_for_quality_act(const dataset& set) {
  const auto known = std::count_if(set.units.begin(), set.units.end(),
                                   [](const auto& unit) { return unit.truth.has_value(); });
  return static_cast<std::size_t>(known) >= units_with_truth_min && set.labels.size() >= 2
         && set.labels.size() <= labels_most && set.contributors.size() >= recorded_most;
}

core::outcome<quality_report> run_quality_act(const dataset& set, const client::connection& node,
                                              const std::string& conninfo, std::uint64_t seed,
                                              const std::function<void(const std::string&)>& say) {
  const auto m = material_of(set);
  const auto people = people_of(set, m, seed);
  quality_report report;
  report.set = set.name;
  for (const auto& one : people)
    ++(one.spammer ? report.spammers : report.recorded);

  say("second act: " + std::to_string(m.truth.size()) + " units of " + set.name + ", "
      + std::to_string(report.recorded) + " recorded contributors and "
      + std::to_string(report.spammers) + " spammers; first five judgments each");
  programme fixed{m, node};
  if (const auto done = fixed.define(fixed_programme(m), false); !done)
    return done.error();
  auto crowd = people;
  if (const auto done = fixed.let_work(crowd); !done)
    return done.error();
  const auto by_majority = fixed.results();
  if (!by_majority)
    return by_majority.error();
  report.fixed = scored(*by_majority, m, crowd);
  auto flagged = fixed.flagged();
  if (!flagged)
    return flagged.error();
  report.fixed.flagged = std::move(*flagged);

  say("the same people and units again, with " + std::to_string(m.tests.size())
      + " test questions and as many judgments as a unit needs");
  programme adaptive{m, node};
  if (const auto done = adaptive.define(adaptive_programme(m), true); !done)
    return done.error();
  crowd = people;
  if (const auto done = adaptive.let_work(crowd); !done)
    return done.error();
  const auto by_model = adaptive.results();
  if (!by_model)
    return by_model.error();
  report.adaptive = scored(*by_model, m, crowd);
  report.calibration = calibration_of(*by_model, m);
  flagged = adaptive.flagged();
  if (!flagged)
    return flagged.error();
  report.adaptive.flagged = std::move(*flagged);
  const auto contributors = adaptive.contributors();
  if (!contributors)
    return contributors.error();
  take_in(*contributors, report);
  auto curves = trust_curves(conninfo, adaptive.step());
  if (!curves)
    return curves.error();
  report.trust = std::move(*curves);
  return report;
}

} // namespace holdfast::app::demo
