#include "actors/readers.hpp"

#include "actors/actor_guard.hpp"
#include "actors/reader.hpp"
#include "actors/spawn_blocking.hpp"

namespace holdfast::actors {

caf::behavior readers(caf::stateful_actor<readers_state>* self, const context_ptr& context,
                      const caf::actor& objects) {
  guard(self, context);
  auto& each = self->state.each;
  for (std::uint32_t lane = 0; lane < context->settings.reader_lanes; ++lane) {
    each.push_back(spawn_blocking(self, context, reader, objects));
    self->link_to(each.back());
  }
  // Whatever it is: who answers finds out whether it is a question.
  self->set_default_handler(
      [self](caf::scheduled_actor*, caf::message_view& question) -> caf::result<caf::message> {
        auto& st = self->state;
        st.next = (st.next + 1) % st.each.size();
        auto promise = self->make_response_promise();
        promise.delegate(st.each[st.next], question.move_content_to_message());
        return caf::delegated<caf::message>{};
      });
  return {[](caf::unit_t) {}}; // an actor without a behavior would end at once
}

} // namespace holdfast::actors
