#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

namespace holdfast::soak {

/// A device of the kernel that packets are sent through one by one: each is lost, or comes back
/// later, to go where it was going. Does what netem would, on kernels that have none.
class detour {
public:
  /// Makes the device in the network namespace of the calling thread. Throws `std::runtime_error`.
  /// `seed` decides what is lost, and how late the others are.
  detour(const std::string& device, std::uint64_t seed);
  ~detour();
  detour(const detour&) = delete;
  detour& operator=(const detour&) = delete;

  /// Packets that have come so far.
  std::uint64_t packets() const { return packets_; }

private:
  void run(std::uint64_t seed);

  int device_ = -1;
  int wake_ = -1;
  std::atomic<std::uint64_t> packets_{0};
  std::thread thread_;
};

/// Why the machine has no such devices; empty when it has.
std::string obstacle_to_detours();

} // namespace holdfast::soak
