#include "bench/soak/isolation.hpp"

#include "bench/shell.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace holdfast::soak {

namespace {

/// A line of 256 kbit/s with room for three packets: less than the load needs, more than the nodes
/// need to hear of each other.
constexpr auto crawl = " root tbf rate 256kbit burst 3kb limit 5kb";
constexpr auto lost_packets_table = "77";
constexpr auto late_packets_table = "78";
constexpr auto detour_device = "detour";

std::string text_of(std::uint32_t number) { return std::to_string(number); }
std::string router_of(std::uint32_t node) { return "10.77." + text_of(node) + ".1"; }
/// The router's end of the line to a node, and the node's own.
std::string near_end(std::uint32_t node) { return "near" + text_of(node); }
std::string far_end(std::uint32_t node) { return "far" + text_of(node); }

int own_space() {
  const int space = ::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
  if (space < 0)
    throw std::runtime_error{std::string{"no network namespace: "} + std::strerror(errno)};
  return space;
}

void enter(int space) {
  if (::setns(space, CLONE_NEWNET) != 0)
    throw std::runtime_error{std::string{"cannot enter a network namespace: "}
                             + std::strerror(errno)};
}

std::string rule_of_cut(std::uint32_t from, std::uint32_t to) {
  return " iif " + near_end(from) + " to " + network::address_of(to) + " lookup "
         + lost_packets_table;
}

/// What a queue of the kernel says that it has lost, or has had to hold back.
std::uint64_t disturbed_at(const std::string& device) {
  const auto said = bench::run_shell("tc -s qdisc show dev " + device).output;
  std::uint64_t packets = 0;
  for (const std::string word : {"dropped ", "overlimits "})
    if (const auto at = said.find(word); at != std::string::npos)
      packets += std::stoull(said.substr(at + word.size()));
  return packets;
}

} // namespace

obstacles leave_the_machine() {
  if (::geteuid() != 0)
    return {"that needs root", "that needs root", "that needs root"};
  obstacles found;
  found.delays = obstacle_to_detours();
  if (::unshare(CLONE_NEWNS) != 0
      || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
    found.disk = std::string{"no mounts of our own: "} + std::strerror(errno);
  if (bench::run_shell("command -v ip && command -v tc").status != 0)
    found.network = "there is no ip or no tc; both are in the package iproute2";
  else if (::unshare(CLONE_NEWNET) != 0)
    found.network = std::string{"no network namespace: "} + std::strerror(errno);
  return found;
}

std::string obstacle_to_disks(std::uint64_t bytes) {
  std::ifstream memory{"/proc/meminfo"};
  std::uint64_t available_kib = 0;
  for (std::string line; std::getline(memory, line);)
    if (line.rfind("MemAvailable:", 0) == 0)
      available_kib = std::stoull(line.substr(13));
  const auto mib = [](std::uint64_t of) { return std::to_string(of >> 20) + " MiB"; };
  // The other half is for nodes, server and harness.
  if (bytes <= available_kib * 1024 / 2)
    return {};
  return "so long a run takes " + mib(bytes) + " of disks in memory, and of "
         + mib(available_kib * 1024) + " half are for all else";
}

// ── clocks ───────────────────────────────────────────────────────────────────────────────────────

namespace {

/// A sanitizer wants to be loaded before all else, and does not need to be.
constexpr auto sanitizer_options = "verify_asan_link_order=0";

/// The state that a process on the clock shares with the harness.
clock_page map_clock(int file, const std::string& name) {
  void* page = MAP_FAILED;
  if (file >= 0 && ::ftruncate(file, sizeof(wrong_clock)) == 0)
    page = ::mmap(nullptr, sizeof(wrong_clock), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  const auto why = errno;
  if (file >= 0)
    ::close(file);
  if (page == MAP_FAILED)
    throw std::runtime_error{name + ": " + std::strerror(why)};
  return clock_page{static_cast<wrong_clock*>(page)};
}

} // namespace

void unmap_clock::operator()(wrong_clock* page) const { ::munmap(page, sizeof(wrong_clock)); }

wall_clock::wall_clock(std::string path, const std::string& program) : path_(std::move(path)) {
  namespace fs = std::filesystem;
  page_ = map_clock(::open(page_file().c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600),
                    page_file());
  fs::permissions(page_file(), fs::perms{0666});
  fs::copy_file(HOLDFAST_WRONG_CLOCK_LIBRARY, library(), fs::copy_options::overwrite_existing);
  fs::permissions(library(), fs::perms{0755});
  use(program);
}

void wall_clock::use(const std::string& program) const {
  std::ofstream{this->program()} << "#!/bin/sh\nexport LD_PRELOAD=" << bench::quoted(library())
                                 << ' ' << wrong_clock_variable << '=' << bench::quoted(page_file())
                                 << " ASAN_OPTIONS=\"${ASAN_OPTIONS:+$ASAN_OPTIONS:}"
                                 << sanitizer_options << "\"\nexec " << bench::quoted(program)
                                 << " \"$@\"\n";
  std::filesystem::permissions(this->program(), std::filesystem::perms{0755});
}

void wall_clock::set(std::chrono::seconds ahead) { page_->seconds_ahead = ahead.count(); }

own_clock own_clock::begin(char* const* arguments) {
  if (const char* running = std::getenv(wrong_clock_variable)) {
    const std::string name = running;
    auto page = map_clock(::open(name.c_str(), O_RDWR | O_CLOEXEC), name);
    ::unlink(name.c_str());
    // The library is loaded; programs that are started from here are on the true time.
    ::unsetenv("LD_PRELOAD");
    ::unsetenv(wrong_clock_variable);
    return own_clock{std::move(page)};
  }
  std::string name = "/tmp/holdfast-soak-clock-XXXXXX";
  map_clock(::mkstemp(name.data()), name);
  const char* given = std::getenv("ASAN_OPTIONS");
  const auto options =
      (given == nullptr ? std::string{} : given + std::string{":"}) + sanitizer_options;
  ::setenv("LD_PRELOAD", HOLDFAST_WRONG_CLOCK_LIBRARY, 1);
  ::setenv(wrong_clock_variable, name.c_str(), 1);
  ::setenv("ASAN_OPTIONS", options.c_str(), 1);
  ::execv("/proc/self/exe", arguments);
  const auto why = errno;
  ::unlink(name.c_str());
  throw std::runtime_error{std::string{"cannot begin anew on another clock: "}
                           + std::strerror(why)};
}

// ── lines ────────────────────────────────────────────────────────────────────────────────────────

network::network(std::uint32_t nodes) : home_(own_space()) {
  // What is to be lost is sent into a pipe that nobody reads; its counter says how much it was.
  bench::must_run("ip link set lo up && echo 1 > /proc/sys/net/ipv4/ip_forward"
                  " && ip link add hole type veth peer name pit"
                  " && ip link set hole addrgenmode none && ip link set hole arp off up"
                  " && ip link set pit up && ip route add default dev hole table "
                  + std::string{lost_packets_table});
  for (std::uint32_t node = 0; node < nodes; ++node) {
    if (::unshare(CLONE_NEWNET) != 0)
      throw std::runtime_error{std::string{"no namespace for a node: "} + std::strerror(errno)};
    spaces_.push_back(own_space());
    enter(home_);
    bench::must_run("ip link add " + near_end(node) + " type veth peer name " + far_end(node)
                    + " && ip link set " + far_end(node) + " netns /proc/"
                    + std::to_string(::getpid()) + "/fd/" + std::to_string(spaces_.back())
                    + " && ip addr add " + router_of(node) + "/24 dev " + near_end(node)
                    + " && ip link set " + near_end(node) + " up");
    inside(node, [&] {
      bench::must_run("ip link set lo up && ip addr add " + address_of(node) + "/24 dev "
                      + far_end(node) + " && ip link set " + far_end(node)
                      + " up && ip route add default via " + router_of(node));
    });
  }
  swallowed_before_ = swallowed();
}

network::~network() {
  for (const int space : spaces_)
    ::close(space);
  ::close(home_);
}

std::string network::address_of(std::uint32_t node) { return "10.77." + text_of(node) + ".2"; }

void network::inside(std::uint32_t node, const std::function<void()>& start) const {
  struct way_home {
    int space;
    ~way_home() { ::setns(space, CLONE_NEWNET); }
  };
  enter(spaces_.at(node));
  const way_home back{home_};
  start();
}

void network::cut(std::uint32_t from, std::uint32_t to) {
  const auto rule = rule_of_cut(from, to);
  if (++cuts_[rule] == 1)
    bench::must_run("ip rule add" + rule);
}

void network::mend(std::uint32_t from, std::uint32_t to) {
  const auto cut = cuts_.find(rule_of_cut(from, to));
  if (cut == cuts_.end() || --cut->second > 0)
    return;
  bench::must_run("ip rule del" + cut->first);
  cuts_.erase(cut);
}

void network::put_far(std::uint32_t node, std::uint64_t seed) {
  detour_.emplace(detour_device, seed);
  // The kernel would wonder that they come back from elsewhere.
  bench::must_run("for one in all " + std::string{detour_device}
                  + "; do echo 0 > /proc/sys/net/ipv4/conf/$one/rp_filter; done; ip link set "
                  + detour_device + " up && ip route add default dev " + detour_device + " table "
                  + late_packets_table);
  const auto turn = [&](std::string rule) {
    rule += std::string{" lookup "} + late_packets_table;
    bench::must_run("ip rule add" + rule);
    turns_.push_back(std::move(rule));
  };
  turn(" iif " + near_end(node));
  for (std::uint32_t other = 0; other < spaces_.size(); ++other)
    if (other != node)
      turn(" iif " + near_end(other) + " to " + address_of(node));
}

void network::clog(std::uint32_t node) {
  bench::must_run("tc qdisc add dev " + near_end(node) + crawl);
  inside(node, [&] { bench::must_run("tc qdisc add dev " + far_end(node) + crawl); });
  clogged_.push_back(node);
}

void network::heal() {
  for (const auto& [rule, asked] : cuts_)
    bench::must_run("ip rule del" + rule);
  for (const auto& rule : turns_)
    bench::must_run("ip rule del" + rule);
  turns_.clear();
  detour_.reset(); // its route goes with the device
  for (const auto node : clogged_) {
    bench::must_run("tc qdisc del dev " + near_end(node) + " root");
    inside(node, [&] { bench::must_run("tc qdisc del dev " + far_end(node) + " root"); });
  }
  cuts_.clear();
  clogged_.clear();
  swallowed_before_ = swallowed();
}

std::uint64_t network::disturbed() const {
  auto packets = swallowed() - swallowed_before_ + (detour_ ? detour_->packets() : 0);
  for (const auto node : clogged_) {
    packets += disturbed_at(near_end(node));
    inside(node, [&] { packets += disturbed_at(far_end(node)); });
  }
  return packets;
}

/// Packets that went into the pipe.
std::uint64_t network::swallowed() const {
  std::ifstream devices{"/proc/thread-self/net/dev"};
  for (std::string line; std::getline(devices, line);) {
    std::istringstream words{line};
    std::string word;
    if (!(words >> word) || word != "hole:")
      continue;
    constexpr int received_columns = 9; // of bytes and seven others, then the bytes that were sent
    for (int column = 0; column < received_columns; ++column)
      words >> word;
    std::uint64_t packets = 0;
    words >> packets;
    return packets;
  }
  return 0;
}

// ── disk ─────────────────────────────────────────────────────────────────────────────────────────

small_disk::small_disk(std::string directory, std::uint64_t bytes)
    : directory_(std::move(directory)) {
  const auto how = "mode=0755,size=" + std::to_string(bytes);
  std::filesystem::create_directories(directory_);
  if (::mount("soak", directory_.c_str(), "tmpfs", 0, how.c_str()) != 0)
    throw std::runtime_error{"cannot mount " + directory_ + ": " + std::strerror(errno)};
}

small_disk::~small_disk() { ::umount2(directory_.c_str(), MNT_DETACH); }

void small_disk::fill() {
  const int file = ::open(filler().c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0)
    throw std::runtime_error{"cannot make " + filler() + ": " + std::strerror(errno)};
  off_t size = 0;
  // In ever smaller pieces, so that not a page is left.
  for (off_t piece = off_t{1} << 28; piece >= 4096; piece /= 2)
    while (::fallocate(file, 0, size, piece) == 0)
      size += piece;
  ::close(file);
}

void small_disk::free_up() { ::unlink(filler().c_str()); }

} // namespace holdfast::soak
