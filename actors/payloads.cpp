#include "actors/payloads.hpp"

#include "core/object_ref.hpp"
#include "messages/errors.hpp"

#include <algorithm>
#include <memory>

namespace holdfast::actors {

bool is_large(const node_settings& settings, const std::string& text) {
  return text.size() > settings.inline_bytes && settings.objects != nullptr;
}

bool is_lost(const core::failure& why) {
  return why.code == core::errc::not_found || why.code == core::errc::damaged;
}

core::failure first_failure(const std::vector<core::failure>& outcomes) {
  const auto failed = std::find_if(outcomes.begin(), outcomes.end(), [](const auto& outcome) {
    return outcome.code != core::errc::none;
  });
  return failed == outcomes.end() ? core::failure{} : *failed;
}

void put_payloads(caf::event_based_actor* self, const caf::actor& objects,
                  const std::vector<large_text>& texts, payloads_done then, when_busy busy) {
  auto bodies = std::make_shared<std::vector<std::string>>();
  for (const auto& text : texts)
    bodies->push_back(text.whole == text.ref ? std::move(*text.whole) : *text.whole);
  self->request(objects, internal_timeout, put_objects{std::move(bodies), 0, texts.size(), busy})
      .then(
          [=](const objects_put& put) {
            std::vector<core::failure> outcomes(texts.size());
            for (std::size_t i = 0; i < texts.size(); ++i)
              if (put.items[i])
                *texts[i].ref = core::to_json(*put.items[i]);
              else
                outcomes[i] = put.items[i].error();
            then(outcomes);
          },
          [=](const caf::error& error) {
            then(std::vector<core::failure>(texts.size(), msg::failure_of(error)));
          });
}

wanted_payloads references_among(const std::vector<std::string*>& texts, when_busy busy) {
  wanted_payloads wanted;
  wanted.request.busy = busy;
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (const auto ref = core::parse_object_ref(*texts[i])) {
      wanted.request.refs.push_back(*ref);
      wanted.places.push_back(i);
    }
  return wanted;
}

std::vector<core::failure> fill_in(const std::vector<std::string*>& texts,
                                   const std::vector<std::size_t>& places, objects_got& got) {
  std::vector<core::failure> outcomes(texts.size());
  for (std::size_t i = 0; i < places.size(); ++i)
    if (got.items[i])
      *texts[places[i]] = std::move(*got.items[i]);
    else
      outcomes[places[i]] = got.items[i].error();
  return outcomes;
}

} // namespace holdfast::actors
