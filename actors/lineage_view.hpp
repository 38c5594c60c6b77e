#pragma once

#include "messages/lineage_messages.hpp"
#include "persistence/store.hpp"

namespace holdfast::actors {

/// The public form of what is stored of an item, of whose units the first `limit` are shown.
msg::unit_lineage to_view(persistence::item_history item, std::size_t limit);

} // namespace holdfast::actors
