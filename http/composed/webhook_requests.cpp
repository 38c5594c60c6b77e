#include "http/composed/webhook_requests.hpp"

#include "core/webhook.hpp"

#include <cstdint>
#include <utility>

namespace holdfast::http {

namespace {

/// Sends one operation, whose answer is that of the visit.
template <class Request>
void pass_on(const door& through, const visit& from, Request message) {
  through.ask(from, std::move(message),
              [&through, from](auto& answer) { through.answer(from, answer); });
}

void change_to(const door& through, const visit& from, webhook_change asked,
               core::webhook_verb what) {
  asked.change.verb = static_cast<std::uint8_t>(what);
  pass_on(through, from, std::move(asked.change));
}

} // namespace

void pause_webhook::run(const door& through, const visit& from, pause_webhook asked) {
  change_to(through, from, std::move(asked), core::webhook_verb::pause);
}

void resume_webhook::run(const door& through, const visit& from, resume_webhook asked) {
  change_to(through, from, std::move(asked), core::webhook_verb::resume);
}

void remove_webhook::run(const door& through, const visit& from, remove_webhook asked) {
  change_to(through, from, std::move(asked), core::webhook_verb::remove);
}

void replay_webhook::run(const door& through, const visit& from, replay_webhook asked) {
  pass_on(through, from, std::move(asked.replay));
}

} // namespace holdfast::http
