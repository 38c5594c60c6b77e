#include "persistence/wal_size.hpp"

#include <algorithm>

namespace holdfast::persistence {

wal_size wal_size_for(std::uint64_t total_bytes, std::uint64_t available_bytes) {
  constexpr std::uint64_t mb = 1024 * 1024;
  constexpr std::uint64_t least = 64;
  constexpr std::uint64_t most = 4096;
  constexpr std::uint64_t min_least = 32;
  const auto wanted = std::min(total_bytes / 10, available_bytes / 4) / mb;
  const auto max_mb = std::clamp(wanted, least, most);
  return {static_cast<std::uint32_t>(max_mb),
          static_cast<std::uint32_t>(std::max(max_mb / 4, min_least))};
}

} // namespace holdfast::persistence
