#pragma once

#include "connectors/webhook_sender.hpp"
#include "tests/sim/clients.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

namespace holdfast::sim {

/// The other end of all webhooks: takes posts as badly as the plan says, and holds what it is
/// brought to what was committed. It blames an event that nobody committed, one that comes before
/// those in front of it are taken or dead letters, and a position that is stored before that.
class receivers : public connectors::webhook_sender {
public:
  using timer = std::function<void(core::duration, std::function<void()>)>;

  receivers(field& shared, timer after);

  void send(connectors::webhook_post what, std::function<void(core::post_answer)> done) override;

  /// After every commit.
  void check();
  /// All that has not been answered is, now. From now on everything is taken, but for some of the
  /// first posts.
  void calm_down();
  /// What has not been taken although it was committed, or is a dead letter; empty: nothing.
  std::string missing() const;

private:
  using place = std::pair<core::webhook_id, core::shard_id>;
  struct progress {
    std::set<core::event_seq> taken;
    core::event_seq behind = 0; ///< Up to here all is taken, has been a dead letter or is unwanted.
  };

  bool is_troubled();
  void take(const connectors::webhook_post& what);
  void answer_later(core::post_answer answer, std::function<void(core::post_answer)> done);
  bool is_wanted(const core::webhook_id& webhook, core::shard_id shard, core::event_seq seq) const;
  void go_on(const place& where, progress& at);

  field& world_;
  timer after_;
  dice random_;
  std::map<place, progress> progress_;
  std::map<std::uint64_t, std::function<void()>> open_; ///< What is still to be answered.
  std::uint64_t last_ = 0;
  std::uint32_t posts_in_calm_ = 0;
};

/// Starts the operator of webhooks: makes two, pauses and resumes them, replays dead letters, goes
/// back to earlier positions. In the calm it has everything go on until all is delivered.
void start_webhook_operator(caf::actor_system& system, field& f,
                            const std::shared_ptr<receivers>& delivered);

} // namespace holdfast::sim
