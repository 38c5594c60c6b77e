#include "metrics/page.hpp"

#include "metrics/scrape.hpp"

#include <mutex>
#include <utility>
#include <vector>

namespace holdfast::metrics {

using std::chrono::steady_clock;

struct page::state {
  std::mutex mutex;
  std::shared_ptr<const std::string> last; ///< Null before the first reading.
  steady_clock::time_point read_at;        ///< When that began.
  bool reads = false;
  steady_clock::time_point began;
  std::vector<std::function<void(const std::string&)>> readers;
};

page::page(std::shared_ptr<registry> of, clock now)
    : registry_(std::move(of)), now_(std::move(now)), state_(std::make_shared<state>()) {}

void page::give(std::function<void(const std::string&)> reader) {
  const auto now = now_();
  std::shared_ptr<const std::string> text;
  {
    const std::lock_guard lock{state_->mutex};
    if (state_->last && now - state_->read_at < fresh_for)
      text = state_->last;
    else
      state_->readers.push_back(std::move(reader));
    if (!text) {
      if (state_->reads && now - state_->began < patience)
        return;
      state_->reads = true;
      state_->began = now;
    }
  }
  if (text)
    return reader(*text);
  read_metrics(registry_, [to = state_, now](std::string made) {
    const auto found = std::make_shared<const std::string>(std::move(made));
    std::vector<std::function<void(const std::string&)>> readers;
    {
      const std::lock_guard lock{to->mutex};
      if (to->began == now)
        to->reads = false;
      to->last = found;
      to->read_at = now;
      readers.swap(to->readers);
    }
    for (const auto& one : readers)
      one(*found);
  });
}

} // namespace holdfast::metrics
