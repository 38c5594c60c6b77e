#include "documents/webhook_document.hpp"

#include "core/queue_policy.hpp"
#include "documents/json.hpp"
#include "documents/member_reader.hpp"
#include "documents/parse.hpp"

#include <algorithm>

namespace holdfast::documents {

using nlohmann::json;

namespace {

class webhook_reader {
public:
  core::webhook_definition webhook;
  std::vector<core::definition_problem> problems;

  void read(const json& document) {
    member_reader from{document, "", problems};
    if (const auto* queue = from.member("queue"))
      read_tasks(from, *queue);
    else
      read_receiver(from);
    if (const auto* types = from.member("types"))
      read_types(from, *types);
    read_workflow(from);
    if (const auto* queues = from.member("queues"))
      read_queues(from, *queues);
    read_envelope(from);
    read_start(from);
    auto& policy = webhook.policy;
    if (const auto* retry = from.member("retry")) {
      member_reader members{*retry, "/retry", problems};
      members.count("max_attempts", policy.attempts_max);
      if (webhook.tasks)
        exclude(members, "max_attempts", "what takes nothing now is waited for");
      members.seconds("least_seconds", policy.least);
      policy.most = std::max(policy.most, policy.least);
      members.seconds("most_seconds", policy.most);
      members.refuse_unknown();
    }
    from.seconds("timeout_seconds", policy.timeout);
    from.count("failing_after", policy.failing_after);
    from.count("dead_letters_max", policy.dead_letters_max);
    if (const auto* batch = from.member("batch")) {
      member_reader members{*batch, "/batch", problems};
      members.count("events", policy.batch_events);
      members.count("bytes", policy.batch_bytes);
      members.refuse_unknown();
    }
    from.refuse_unknown();
  }

private:
  void read_receiver(member_reader& from) {
    from.required("url", "it says where events are posted to; or name a queue");
    from.text("url", webhook.url);
    from.required("secret", "it names what they are signed with");
    from.text("secret", webhook.secret);
    if (from.member("task_type") != nullptr)
      from.problem("task_type", "is for events that become tasks of a queue");
  }

  void read_tasks(member_reader& from, const json& queue) {
    auto& tasks = webhook.tasks.emplace();
    from.text(queue, "queue", tasks.queue);
    from.text("task_type", tasks.type);
    if (const auto why = check_text(tasks.type, "task_type", core::task_word_bytes_max);
        why.code != core::errc::none)
      from.problem("task_type", why.detail);
    for (const auto* name : {"url", "secret", "timeout_seconds", "envelope"})
      exclude(from, name, "events are either posted or become tasks");
  }

  static void exclude(member_reader& from, const char* name, const char* why) {
    if (from.member(name) != nullptr)
      from.problem(name, std::string{"excludes queue: "} + why);
  }

  void read_types(member_reader& from, const json& types) {
    if (!types.is_array())
      return from.problem("types", "must be a list of types of events");
    for (std::size_t i = 0; i < types.size(); ++i) {
      const auto type =
          types[i].is_string() ? core::event_type_named(types[i].get<std::string>()) : std::nullopt;
      if (!type)
        problems.push_back({"/types/" + std::to_string(i), "is no type of events"});
      else if (std::count(webhook.types.begin(), webhook.types.end(), *type) == 0)
        webhook.types.push_back(*type);
    }
    if (types.empty())
      from.problem("types", "must name at least one; leave it out to have all");
  }

  void read_workflow(member_reader& from) {
    std::string text;
    from.text("workflow", text);
    if (text.empty())
      return;
    const auto id = core::parse_uuid(text);
    if (id)
      webhook.workflow = {*id};
    else
      from.problem("workflow", "must be the id of a workflow");
  }

  void read_queues(member_reader& from, const json& queues) {
    if (!queues.is_array())
      return from.problem("queues", "must be a list of names of queues");
    for (std::size_t i = 0; i < queues.size(); ++i)
      if (queues[i].is_string())
        webhook.queues.push_back(queues[i].get<std::string>());
      else
        problems.push_back({"/queues/" + std::to_string(i), "must be the name of a queue"});
    if (queues.empty())
      from.problem("queues", "must name at least one; leave it out to have the events of all");
    if (from.member("workflow") != nullptr)
      from.problem("queues", "excludes workflow: an event is of a queue or of a workflow");
  }

  void read_envelope(member_reader& from) {
    if (from.member("envelope") == nullptr)
      return;
    std::string envelope;
    from.text("envelope", envelope);
    if (envelope == "cloudevents") {
      webhook.envelope = core::event_envelope::cloudevents;
      webhook.policy.batch_events = 1; // or receivers of single events would get lists
    } else if (envelope != "plain") {
      from.problem("envelope", "must be plain or cloudevents");
    }
  }

  void read_start(member_reader& from) {
    std::string start = "newest";
    from.text("start", start);
    if (start == "oldest")
      webhook.start = core::event_start::oldest;
    else if (start != "newest")
      from.problem("start", "must be newest or oldest");
  }
};

} // namespace

core::outcome<core::webhook_definition> parse_webhook(std::string_view text,
                                                      const json_limits& limits) {
  const auto document = parse_json(text, limits);
  if (!document)
    return document.error();
  webhook_reader reader;
  reader.read(*document);
  // The core's rules speak of values; they are applied when everything could be read.
  if (reader.problems.empty())
    reader.problems = core::problems_of(reader.webhook);
  if (!reader.problems.empty())
    return refusal_of(reader.problems);
  return std::move(reader.webhook);
}

} // namespace holdfast::documents
