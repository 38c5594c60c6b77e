#include "http/scopes.hpp"

#include "http/problem.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace holdfast::http {

namespace {

response out_of_scope(std::string why) { return problem_of(refusal::not_allowed, std::move(why)); }

bool is_bound(const core::principal& who) {
  return std::none_of(who.grants.begin(), who.grants.end(),
                      [](const core::grant& one) { return one.name.empty(); });
}

template <class Item, class Reached>
void keep(std::vector<Item>& items, Reached is_reached) {
  items.erase(
      std::remove_if(items.begin(), items.end(), [&](const Item& one) { return !is_reached(one); }),
      items.end());
}

} // namespace

std::optional<response> objection_by_scope(const core::principal& who, reach how,
                                           std::string_view operation, const scoped_names& named) {
  const auto& scope = who.scope;
  if (!scope.limits())
    return std::nullopt;
  switch (how) {
  case reach::refused:
    return out_of_scope("a token with scopes may not send " + std::string{operation});
  case reach::by_queue:
    if (named.queue != nullptr && !named.queue->empty() && !scope.reaches(*named.queue))
      return out_of_scope("the token reaches no queue of this name");
    [[fallthrough]];
  case reach::by_task:
    if (scope.queues.empty())
      return out_of_scope("the token reaches no queue");
    return std::nullopt;
  case reach::by_workflow:
    if (named.workflow != nullptr && !scope.reaches(*named.workflow))
      return absent("workflow");
    return std::nullopt;
  case reach::by_step:
  case reach::by_unit:
    if (scope.workflows.empty())
      return out_of_scope("the token reaches no workflow");
    return std::nullopt;
  case reach::own_caller:
    if (!is_bound(who))
      return out_of_scope("a token with scopes that is bound to nobody may not send "
                          + std::string{operation});
    return std::nullopt;
  case reach::anything:
  case reach::filtered:
    break;
  }
  return std::nullopt;
}

response absent(std::string_view kind) {
  return problem_of(
      core::failure{core::errc::not_found, "the token reaches no such " + std::string{kind}});
}

void keep_in_scope(const core::access_scope& scope, msg::queue_list& list) {
  keep(list.queues, [&](const auto& one) { return scope.reaches(one.queue); });
}
void keep_in_scope(const core::access_scope& scope, msg::task_page& page) {
  keep(page.tasks, [&](const auto& one) { return scope.reaches(one.queue); });
}
void keep_in_scope(const core::access_scope& scope, msg::workflow_page& page) {
  keep(page.workflows, [&](const auto& one) { return scope.reaches(one.workflow); });
}
void keep_in_scope(const core::access_scope& scope, msg::step_list& list) {
  keep(list.steps, [&](const auto& one) { return scope.reaches(one.workflow); });
}
void keep_in_scope(const core::access_scope& scope, msg::step_offers& offers) {
  keep(offers.steps, [&](const auto& one) { return scope.reaches(one.workflow); });
}

} // namespace holdfast::http
