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

void get_payloads(caf::event_based_actor* self, const caf::actor& objects,
                  const std::vector<std::string*>& texts, core::duration patience,
                  payloads_done then, when_busy busy) {
  get_objects wanted;
  wanted.busy = busy;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (const auto ref = core::parse_object_ref(*texts[i])) {
      wanted.refs.push_back(*ref);
      places.push_back(i);
    }
  if (places.empty())
    return then(std::vector<core::failure>(texts.size()));
  self->request(objects, patience, std::move(wanted))
      .then(
          [=](objects_got& got) {
            std::vector<core::failure> outcomes(texts.size());
            for (std::size_t i = 0; i < places.size(); ++i)
              if (got.items[i])
                *texts[places[i]] = std::move(*got.items[i]);
              else
                outcomes[places[i]] = got.items[i].error();
            then(outcomes);
          },
          [=](const caf::error& error) {
            std::vector<core::failure> outcomes(texts.size());
            for (const auto place : places)
              outcomes[place] = msg::failure_of(error);
            then(outcomes);
          });
}

} // namespace holdfast::actors
