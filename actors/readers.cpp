#include "actors/readers.hpp"

#include "actors/actor_guard.hpp"
#include "actors/reader.hpp"
#include "actors/reads.hpp"
#include "actors/spawn_blocking.hpp"

#include <utility>

namespace holdfast::actors {

caf::behavior readers(caf::stateful_actor<readers_state>* self, const context_ptr& context) {
  guard(self, context);
  auto& each = self->state.each;
  for (std::uint32_t lane = 0; lane < context->settings.reader_lanes; ++lane) {
    each.push_back(spawn_blocking(self, context, reader));
    self->link_to(each.back());
  }
  return {
      [=](read_request& asked) {
        auto& st = self->state;
        st.next = (st.next + 1) % st.each.size();
        self->make_response_promise().delegate(st.each[st.next], std::move(asked));
      },
  };
}

} // namespace holdfast::actors
