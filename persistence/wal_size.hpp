#pragma once

#include <cstdint>

namespace holdfast::persistence {

/// The sizes that the write-ahead log of a private server may have, in MiB.
struct wal_size {
  std::uint32_t max_mb = 0; ///< `max_wal_size`: a checkpoint begins when the log gets there.
  std::uint32_t min_mb = 0; ///< `min_wal_size`: so much of it is kept to be written over.
};

/// For a volume of `total_bytes` with `available_bytes` free. A tenth of the volume, because under
/// load the log grows to twice `max_wal_size` before a checkpoint is done, and the tables must fit
/// beside it; less where other files leave less than that. 4 GiB where there is room: larger ones
/// only make recovery longer. PostgreSQL wants two segments of 16 MiB at least.
wal_size wal_size_for(std::uint64_t total_bytes, std::uint64_t available_bytes);

} // namespace holdfast::persistence
