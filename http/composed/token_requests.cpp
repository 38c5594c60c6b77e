#include "http/composed/token_requests.hpp"

#include "core/access.hpp"
#include "core/api_token.hpp"
#include "core/sign_in_link.hpp"
#include "http/problem.hpp"

#include <utility>
#include <vector>

namespace holdfast::http {

namespace {

/// Of a request for a token or for a sign-in link.
template <class Asked>
std::vector<request_problem> problems_of_holder(const Asked& asked) {
  std::vector<request_problem> problems;
  const auto role = core::role_named(asked.role);
  if (!role)
    problems.push_back({"/role", "must be admin, operator, requester, producer, worker, "
                                 "contributor or auditor"});
  if (!asked.contributor.empty() && role != core::role::contributor)
    problems.push_back({"/contributor", "is for the role contributor alone"});
  if (!asked.worker.empty() && role != core::role::worker)
    problems.push_back({"/worker", "is for the role worker alone"});
  return problems;
}

template <class Asked>
msg::create_token row_for(Asked asked, const visit& from) {
  msg::create_token message;
  message.token = asked.id;
  message.role = std::move(asked.role);
  message.name = asked.worker.empty() ? std::move(asked.contributor) : std::move(asked.worker);
  message.queues = std::move(asked.queues);
  message.workflows = std::move(asked.workflows);
  message.created_by = from.who->label;
  return message;
}

} // namespace

void create_token::run(const door& through, const visit& from, create_token asked) {
  if (const auto problems = problems_of_holder(asked); !problems.empty())
    return from.call->answer(problem_of(problems));
  const auto secret = through.settings().make_secret();
  if (!secret)
    return from.call->answer(problem_of(secret.error()));
  auto text = core::to_string(core::api_token_text{asked.id, *secret});
  const auto lifetime = asked.expires_in;
  auto message = row_for(std::move(asked), from);
  message.secret_hash = through.settings().hash(*secret);
  message.lifetime = lifetime;
  through.ask(from, std::move(message),
              [&through, from, text = std::move(text)](msg::token_view& view) {
                token_made made{text, std::move(view)};
                through.answer(from, made);
              });
}

void create_sign_in_link::run(const door& through, const visit& from, create_sign_in_link asked) {
  if (const auto problems = problems_of_holder(asked); !problems.empty())
    return from.call->answer(problem_of(problems));
  const auto secret = through.settings().make_secret();
  if (!secret)
    return from.call->answer(problem_of(secret.error()));
  auto text = core::text_of_link({asked.id, *secret});
  auto message = row_for(std::move(asked), from);
  message.secret_hash = through.settings().hash(core::hashed_text_of_link(*secret));
  message.lifetime = core::sign_in_link_lifetime;
  through.ask(from, std::move(message),
              [&through, from, text = std::move(text)](msg::token_view& view) {
                auto path = core::page_of_link(view.role, text);
                sign_in_link_made made{text, std::move(path), std::move(view)};
                through.answer(from, made);
              });
}

} // namespace holdfast::http
