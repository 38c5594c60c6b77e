#include "bench/soak/detour.hpp"

#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <map>
#include <random>
#include <stdexcept>
#include <utility>

namespace holdfast::soak {

namespace {

using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

constexpr auto tunnel_device = "/dev/net/tun";
constexpr std::size_t packet_bytes_max = 65536;
/// There and back: 200 ms, a quarter more or less, and one packet in ten is lost on the one way or
/// the other.
constexpr std::chrono::microseconds late_least = 75ms;
constexpr std::chrono::microseconds late_most = 125ms;
constexpr unsigned lost_one_in = 20;
/// On their way at the same time; what comes beyond them is lost, as in any queue.
constexpr std::size_t on_the_way_max = 20000;

std::string tunnel_problem() { return std::string{tunnel_device} + ": " + std::strerror(errno); }

} // namespace

std::string obstacle_to_detours() {
  const int device = ::open(tunnel_device, O_RDWR | O_CLOEXEC);
  if (device < 0)
    return tunnel_problem();
  ::close(device);
  return {};
}

detour::detour(const std::string& device, std::uint64_t seed)
    : device_(::open(tunnel_device, O_RDWR | O_CLOEXEC | O_NONBLOCK)),
      wake_(::eventfd(0, EFD_CLOEXEC)) {
  ifreq wanted{};
  wanted.ifr_flags = IFF_TUN | IFF_NO_PI;
  std::strncpy(wanted.ifr_name, device.c_str(), IFNAMSIZ - 1);
  if (device_ < 0 || ::ioctl(device_, TUNSETIFF, &wanted) != 0) {
    const auto reason = tunnel_problem();
    ::close(device_);
    ::close(wake_);
    throw std::runtime_error{reason};
  }
  thread_ = std::thread{[this, seed] { run(seed); }};
}

detour::~detour() {
  const std::uint64_t one = 1;
  if (::write(wake_, &one, sizeof one) == sizeof one)
    thread_.join();
  ::close(device_);
  ::close(wake_);
}

void detour::run(std::uint64_t seed) {
  std::mt19937_64 random{seed};
  std::multimap<steady::time_point, std::string> on_the_way;
  std::string packet;
  for (;;) {
    int patience = -1;
    if (!on_the_way.empty()) {
      const auto left =
          std::chrono::ceil<std::chrono::milliseconds>(on_the_way.begin()->first - steady::now());
      patience = static_cast<int>(std::max<std::int64_t>(0, left.count()));
    }
    pollfd waits[] = {{wake_, POLLIN, 0}, {device_, POLLIN, 0}};
    if (::poll(waits, 2, patience) < 0)
      continue;
    if (waits[0].revents != 0)
      return;
    packet.resize(packet_bytes_max);
    for (auto count = ::read(device_, packet.data(), packet.size()); count > 0;
         count = ::read(device_, packet.data(), packet.size())) {
      ++packets_;
      const auto late =
          late_least + (late_most - late_least) * static_cast<int>(random() % 1000) / 1000;
      if (random() % lost_one_in != 0 && on_the_way.size() < on_the_way_max)
        on_the_way.emplace(steady::now() + late, packet.substr(0, static_cast<std::size_t>(count)));
    }
    for (const auto now = steady::now(); !on_the_way.empty() && on_the_way.begin()->first <= now;) {
      const auto& due = on_the_way.begin()->second;
      // What the kernel does not take is lost, as in any queue.
      [[maybe_unused]] const auto written = ::write(device_, due.data(), due.size());
      on_the_way.erase(on_the_way.begin());
    }
  }
}

} // namespace holdfast::soak
