#include "documents/workflow_document.hpp"

#include "core/quality/labels.hpp"
#include "core/quality/method.hpp"
#include "core/queue_policy.hpp"
#include "documents/answer_text.hpp"
#include "documents/json.hpp"
#include "documents/member_reader.hpp"
#include "documents/parse.hpp"
#include "documents/pointer.hpp"
#include "documents/routes_document.hpp"
#include "documents/schema.hpp"
#include "documents/stopping_document.hpp"

#include <algorithm>

namespace holdfast::documents {

using nlohmann::json;

namespace {

/// Recorded answers are aggregated by more methods, and under more names.
std::string unknown_method(const std::string& name) {
  const std::string known = "must be majority, weighted, weighted_log_odds, wawa, one_coin, "
                            "dawid_skene_map, incremental, gold_selected or review";
  const auto recorded = core::quality::method_named(name);
  if (!recorded)
    return known;
  const std::string canonical{core::quality::name_of(*recorded)};
  if (core::aggregation_method_named(canonical))
    return "must be written '" + canonical + "': '" + name + "' is another name of it";
  return known + "; " + canonical + " is for recorded answers alone";
}

class definition_reader {
public:
  core::workflow_definition definition;
  std::vector<core::definition_problem> problems;

  void read(const json& document) {
    member_reader from{document, "", problems};
    if (const auto* name = from.required("name", "give the workflow one"))
      from.text(*name, "name", definition.name);
    const auto* steps = from.required("steps", "list at least one step");
    if (steps != nullptr && !steps->is_array())
      from.problem("steps", "must be a list of steps");
    else if (steps != nullptr)
      for (std::size_t i = 0; i < steps->size(); ++i)
        read_step((*steps)[i], "/steps/" + std::to_string(i));
    std::string starts{to_string(definition.starts)};
    from.text("starts", starts);
    if (const auto known = core::job_start_named(starts))
      definition.starts = *known;
    else
      from.problem("starts", "must be at_once or when_launched");
    from.refuse_unknown();
  }

private:
  void read_step(const json& source, const std::string& place) {
    core::step_definition step;
    member_reader from{source, place, problems};
    if (const auto* key = from.required("key", "give the step one that is unique here"))
      from.text(*key, "key", step.key);
    from.text("title", step.title);
    from.text("ui", step.ui);
    from.whole("priority", step.priority);
    if (const auto* asked = from.member("requirements"))
      step.asks = read_requirements(*asked, place + "/requirements");
    from.count("judgments_per_unit", step.judgments_per_unit);
    if (const auto* stopping = from.member("stopping")) {
      if (from.member("judgments_per_unit") != nullptr)
        from.problem("stopping", "excludes judgments_per_unit: it says how many itself");
      step.aggregation.stopping = read_stopping_rule(*stopping, place + "/stopping", problems);
      step.judgments_per_unit = step.aggregation.stopping->max;
    }
    if (const auto* lease = from.member("lease"))
      read_lease(*lease, place + "/lease", step.lease);
    if (const auto* rate = from.member("assignment_rate"))
      read_assignment_rate(*rate, place + "/assignment_rate", step.assignment_rate);
    if (const auto* cap = from.member("units_per_contributor"))
      read_cap(*cap, place + "/units_per_contributor", step.units_per_contributor);
    if (const auto* sources = from.member("trust_from"))
      step.trust_from = read_trust_sources(*sources, place + "/trust_from");
    if (const auto* aggregation = from.member("aggregation"))
      read_aggregation(*aggregation, place + "/aggregation", step);
    std::string repair{to_string(step.repair)};
    from.text("repair", repair);
    if (const auto known = core::repair_policy_named(repair))
      step.repair = *known;
    else
      from.problem("repair", "must be refill or keep");
    if (from.member("correct_within_seconds") != nullptr) {
      core::duration within{};
      from.seconds("correct_within_seconds", within);
      step.correct_within = within;
    }
    if (const auto* questions = from.member("test_questions"))
      step.test_questions = read_test_questions(*questions, place + "/test_questions");
    if (const auto* tasks = from.member("tasks"))
      step.tasks = read_tasks(*tasks, place + "/tasks");
    if (const auto* monitors = from.member("monitors"))
      step.monitors = read_monitors(*monitors, place + "/monitors");
    if (const auto* gather = from.member("gather"))
      step.gather = read_gather(*gather, place + "/gather");
    if (const auto* schema_source = from.member("judgment_schema")) {
      if (schema::compile(*schema_source, place + "/judgment_schema", problems))
        step.judgment_schema = schema_source->dump();
    }
    if (const auto* next = from.member("next"))
      step.next = read_step_keys(*next, place + "/next", problems);
    if (const auto* routes = from.member("routes"))
      step.routes = read_routes(*routes, place + "/routes", step.aggregation.labels, problems);
    from.refuse_unknown();
    definition.steps.push_back(std::move(step));
  }

  core::requirements read_requirements(const json& source, const std::string& place) {
    core::requirements asked;
    member_reader from{source, place, problems};
    from.texts("channels", asked.channels);
    from.texts("skills", asked.skills);
    from.texts("certifications", asked.certifications);
    from.texts("locations", asked.locations);
    from.number("trust", asked.trust);
    from.refuse_unknown();
    return asked;
  }

  void read_assignment_rate(const json& source, const std::string& place,
                            core::assignment_rate_policy& rate) {
    member_reader from{source, place, problems};
    from.number("per_second", rate.per_second);
    from.number("per_contributor_per_minute", rate.per_contributor_per_minute);
    from.refuse_unknown();
  }

  void read_cap(const json& source, const std::string& place, core::contributor_cap& cap) {
    member_reader from{source, place, problems};
    from.count("count", cap.count);
    if (from.member("count") != nullptr && cap.count == 0)
      from.problem("count", "must be at least 1; leave it out for any number");
    from.number("share", cap.share);
    if (from.member("share") != nullptr && !(cap.share > 0))
      from.problem("share", "must be above 0; leave it out for all");
    from.refuse_unknown();
  }

  void read_lease(const json& source, const std::string& place, core::lease_policy& lease) {
    member_reader from{source, place, problems};
    const auto total_by_default = lease.total_max;
    from.seconds("ttl_seconds", lease.ttl);
    // Without a word about it, a lease longer than the default total may simply not be extended.
    lease.total_max = std::max(total_by_default, lease.ttl);
    from.seconds("total_max_seconds", lease.total_max);
    from.seconds("regrant_after_seconds", lease.regrant_after);
    std::string late{to_string(lease.late_submit)};
    from.text("late_submit", late);
    if (const auto known = core::late_submit_named(late))
      lease.late_submit = *known;
    else
      from.problem("late_submit", "must be reject, accept_if_free or surplus");
    from.refuse_unknown();
  }

  void read_aggregation(const json& source, const std::string& place, core::step_definition& step) {
    member_reader from{source, place, problems};
    std::string method{to_string(step.aggregation.method)};
    from.text("method", method);
    if (const auto known = core::aggregation_method_named(method))
      step.aggregation.method = *known;
    else
      from.problem("method", unknown_method(method));
    const bool reviews = step.aggregation.method == core::aggregation_method::review;
    if (reviews)
      step.answer_pointer = "/verdict";
    if (const auto* labels = from.member("labels"))
      read_labels(*labels, place + "/labels", step.aggregation.labels);
    from.text("answer", step.answer_pointer);
    check_pointer(from, "answer", step.answer_pointer);
    if (reviews) {
      from.text("correction", step.correction_pointer);
      check_pointer(from, "correction", step.correction_pointer);
    }
    from.refuse_unknown();
  }

  static void check_pointer(member_reader& from, const char* name, const std::string& pointer) {
    if (!json_pointer::parse(pointer))
      from.problem(name, "must be a JSON pointer such as /answer, with ~0 for ~ and ~1 for /");
  }

  /// Labels are named as answers are: strings as they are, other values as their JSON.
  void read_labels(const json& source, const std::string& place, std::vector<std::string>& labels) {
    if (!source.is_array()) {
      problems.push_back({place, "must be the list of all answers there can be"});
      return;
    }
    for (const auto& label : source)
      labels.push_back(answer_text(label));
    core::quality::sort_labels(labels);
  }

  core::task_executor read_tasks(const json& source, const std::string& place) {
    core::task_executor tasks;
    member_reader from{source, place, problems};
    if (const auto* queue = from.required("queue", "name the queue of the tasks"))
      from.text(*queue, "queue", tasks.queue);
    if (const auto* type = from.required("type", "name the type of the tasks"))
      from.text(*type, "type", tasks.type);
    if (const auto why = check_text(tasks.type, "type", core::task_word_bytes_max);
        why.code != core::errc::none && !tasks.type.empty())
      from.problem("type", why.detail);
    from.count("judgments", tasks.judgments);
    from.seconds("patience_seconds", tasks.patience);
    from.refuse_unknown();
    return tasks;
  }

  core::gather_policy read_gather(const json& source, const std::string& place) {
    core::gather_policy policy;
    member_reader from{source, place, problems};
    if (const auto* named = from.required("by", "say count or list")) {
      std::string by;
      from.text(*named, "by", by);
      if (const auto known = core::gather_by_named(by))
        policy.by = *known;
      else
        from.problem("by", "must be count or list");
    }
    from.count("size", policy.size);
    from.refuse_unknown();
    return policy;
  }

  std::vector<core::monitor> read_monitors(const json& source, const std::string& place) {
    std::vector<core::monitor> monitors;
    if (!source.is_array())
      problems.push_back({place, "must be a list of monitors"});
    for (std::size_t i = 0; source.is_array() && i < source.size(); ++i) {
      const auto known = source[i].is_string()
                             ? core::monitor_named(source[i].get_ref<const std::string&>())
                             : std::nullopt;
      if (!known)
        problems.push_back(
            {place + '/' + std::to_string(i), "must be agreement, copying, patterns or speed"});
      else if (std::find(monitors.begin(), monitors.end(), *known) != monitors.end())
        problems.push_back({place + '/' + std::to_string(i), "is there already"});
      else
        monitors.push_back(*known);
    }
    return monitors;
  }

  core::trust_sources read_trust_sources(const json& source, const std::string& place) {
    core::trust_sources sources{false, false, false, false, true};
    if (!source.is_array())
      problems.push_back({place, "must be a list of step, workflow, everywhere and profile"});
    for (std::size_t i = 0; source.is_array() && i < source.size(); ++i) {
      auto* known = source[i].is_string()
                        ? core::source_named(sources, source[i].get_ref<const std::string&>())
                        : nullptr;
      if (known == nullptr)
        problems.push_back(
            {place + '/' + std::to_string(i), "must be step, workflow, everywhere or profile"});
      else if (std::exchange(*known, true))
        problems.push_back({place + '/' + std::to_string(i), "is there already"});
    }
    return sources;
  }

  core::quality::sequential_test read_sequential_test(const json& source,
                                                      const std::string& place) {
    core::quality::sequential_test test;
    member_reader from{source, place, problems};
    from.number("good", test.good);
    from.number("bad", test.bad);
    from.refuse_unknown();
    return test;
  }

  core::test_question_policy read_test_questions(const json& source, const std::string& place) {
    core::test_question_policy policy;
    member_reader from{source, place, problems};
    from.count("quiz", policy.placement.quiz);
    from.number("quiz_pass", policy.placement.quiz_pass);
    from.count("every", policy.placement.every);
    from.number("accuracy_min", policy.taint.threshold);
    from.number("certainty", policy.taint.certainty);
    from.flag("feedback", policy.feedback);
    if (const auto* test = from.member("sequential")) {
      policy.taint.sequential = read_sequential_test(*test, place + "/sequential");
      for (const auto* other : {"accuracy_min", "certainty"})
        if (from.member(other) != nullptr)
          from.problem(other, "must be left out: `sequential` decides in its place");
    }
    from.refuse_unknown();
    return policy;
  }
};

} // namespace

std::optional<core::workflow_definition>
read_workflow(const json& document, std::vector<core::definition_problem>& problems) {
  definition_reader reader;
  reader.read(document);
  // The core's rules speak of values; they are applied when everything could be read.
  if (reader.problems.empty())
    reader.problems = core::problems_of(reader.definition);
  if (reader.problems.empty())
    return std::move(reader.definition);
  problems = std::move(reader.problems);
  return std::nullopt;
}

core::outcome<core::workflow_definition> parse_workflow(std::string_view text,
                                                        const json_limits& limits) {
  const auto document = parse_json(text, limits);
  if (!document)
    return document.error();
  std::vector<core::definition_problem> problems;
  auto definition = read_workflow(*document, problems);
  if (!definition)
    return refusal_of(problems);
  return std::move(*definition);
}

} // namespace holdfast::documents
