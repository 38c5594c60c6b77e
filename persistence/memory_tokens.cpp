// The part of `memory_store` that is about API tokens.

#include "persistence/memory_store.hpp"

namespace holdfast::persistence {

core::outcome<std::optional<core::api_token>>
memory_store::load_api_token(core::api_token_id token) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  const auto& all = database_->tables_.api_tokens;
  const auto found = all.find(token);
  return found == all.end() ? std::optional<core::api_token>{} : std::optional{found->second};
}

core::outcome<std::vector<core::api_token>> memory_store::list_api_tokens(core::api_token_id after,
                                                                          std::uint32_t limit) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  const auto& all = database_->tables_.api_tokens;
  std::vector<core::api_token> found;
  for (auto at = all.upper_bound(after); at != all.end() && found.size() < limit; ++at)
    found.push_back(at->second);
  return found;
}

} // namespace holdfast::persistence
