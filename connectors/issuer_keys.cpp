#include "connectors/issuer_keys.hpp"

#include "connectors/document_fetch.hpp"

#include <sys/stat.h>

#include <array>
#include <fstream>
#include <utility>

namespace holdfast::connectors {

namespace {

core::failure bad_key_file(const std::string& path, const std::string& what) {
  return {core::errc::invalid_argument, "the keys in " + path + " cannot be used: " + what};
}

core::outcome<std::string> read_key_file(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode))
    return bad_key_file(path, "there is no such file");
  std::ifstream in{path, std::ios::binary};
  std::string text(jwk_set_bytes_max + 1, '\0'); // one more tells that it is too large
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad() || (!in.eof() && in.fail()) || in.gcount() == 0)
    return bad_key_file(path, "it is empty or cannot be read");
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

/// The state of a file that changes with its content.
std::string trace_of(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0)
    return {};
  std::string trace;
  for (const auto number : std::array<long long, 4>{static_cast<long long>(found.st_ino),
                                                    static_cast<long long>(found.st_size),
                                                    static_cast<long long>(found.st_mtim.tv_sec),
                                                    static_cast<long long>(found.st_mtim.tv_nsec)})
    trace += std::to_string(number) + ' ';
  return trace;
}

} // namespace

core::outcome<std::unique_ptr<issuer_keys>> issuer_keys::open(issuer_keys_options options) {
  std::unique_ptr<issuer_keys> made{new issuer_keys{std::move(options)}};
  if (!made->is_url_) {
    made->seen_of_file_ = trace_of(made->options_.source);
    const auto text = made->read_source();
    if (!text)
      return text.error();
    if (const auto parsed = jwk_set::parse(*text); !parsed)
      return bad_key_file(made->options_.source, parsed.error().detail);
    made->take(text);
  } else {
    made->wanted_ = true;
  }
  made->thread_ = std::thread{[keys = made.get()] { keys->run(); }};
  return made;
}

issuer_keys::issuer_keys(issuer_keys_options options)
    : options_(std::move(options)), is_url_(options_.source.find("://") != std::string::npos) {}

issuer_keys::~issuer_keys() {
  {
    const std::lock_guard lock{mutex_};
    stopped_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable())
    thread_.join();
}

std::shared_ptr<const jwk_set> issuer_keys::keys() const {
  const std::lock_guard lock{mutex_};
  return keys_;
}

void issuer_keys::reload() {
  {
    const std::lock_guard lock{mutex_};
    wanted_ = true;
  }
  wake_.notify_all();
}

bool issuer_keys::ask_for_newer() {
  {
    const std::lock_guard lock{mutex_};
    if (wanted_ || is_reading_)
      return true;
    if (!is_url_ || std::chrono::steady_clock::now() - read_at_ < options_.fetch_interval)
      return false;
    wanted_ = true;
  }
  wake_.notify_all();
  return true;
}

void issuer_keys::run() {
  std::unique_lock lock{mutex_};
  while (!stopped_) {
    const auto now = std::chrono::steady_clock::now();
    const bool is_due =
        is_url_ && read_at_ != time_point{}
        && now - read_at_ >= (keys_ ? options_.refresh_interval : options_.fetch_interval);
    const bool asked = std::exchange(wanted_, false);
    is_reading_ = asked || is_due;
    lock.unlock();
    if (asked || is_due || (!is_url_ && file_has_changed()))
      take(read_source());
    lock.lock();
    wake_.wait_for(lock, options_.look_interval, [this] { return stopped_ || wanted_; });
  }
}

core::outcome<std::string> issuer_keys::read_source() {
  if (!is_url_)
    return read_key_file(options_.source);
  return fetch_document(
      {options_.source, options_.user_agent, jwk_set_bytes_max, options_.fetch_timeout}, stopped_);
}

void issuer_keys::take(const core::outcome<std::string>& text) {
  std::shared_ptr<const jwk_set> made;
  keys_report told;
  if (!text) {
    told.detail = text.error().detail;
  } else if (auto parsed = jwk_set::parse(*text); !parsed) {
    told.detail = parsed.error().detail;
  } else {
    made = std::make_shared<const jwk_set>(std::move(*parsed));
    told.good = true;
    told.detail = made->left_out().empty() ? std::string{} : made->left_out().front();
  }
  {
    const std::lock_guard lock{mutex_};
    if (made)
      keys_ = std::move(made);
    read_at_ = std::chrono::steady_clock::now();
    is_reading_ = false;
    told.keys = keys_ ? keys_->size() : 0;
  }
  if (!stopped_)
    tell(told, text ? *text : std::string{});
}

bool issuer_keys::file_has_changed() {
  auto trace = trace_of(options_.source);
  // A file that is away for a moment, while it is being replaced, is no change.
  if (trace.empty() || trace == seen_of_file_)
    return false;
  seen_of_file_ = std::move(trace);
  return true;
}

void issuer_keys::tell(const keys_report& report, const std::string& text) {
  auto state = report.good ? "good " + text : "bad " + report.detail;
  if (state == told_)
    return;
  told_ = std::move(state);
  options_.report(report);
}

} // namespace holdfast::connectors
