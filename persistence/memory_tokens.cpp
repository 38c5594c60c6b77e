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
  if (found != all.end() && database_->damaged_tokens_ && database_->damaged_tokens_(token))
    return core::failure{core::errc::damaged, memory::row_is_damaged};
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
    if (database_->damaged_tokens_ && database_->damaged_tokens_(at->first)) {
      found.emplace_back();
      found.back().id = at->first;
      found.back().unreadable = memory::row_is_damaged;
    } else
      found.push_back(at->second);
  return found;
}

} // namespace holdfast::persistence
