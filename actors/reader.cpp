#include "actors/reader.hpp"

#include "actors/actor_guard.hpp"
#include "actors/reads.hpp"

#include <utility>

namespace holdfast::actors {

caf::behavior reader(caf::stateful_actor<reader_state>* self, context_ptr context) {
  guard(self, context);
  self->state.context = std::move(context);
  return {
      [=](const read_request& asked) -> caf::result<caf::message> {
        auto& st = self->state;
        if (!st.store)
          st.store = st.context->settings.open_store();
        return asked.run(*st.store);
      },
  };
}

} // namespace holdfast::actors
