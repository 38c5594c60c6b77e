#pragma once

#include "core/ids.hpp"
#include "core/time.hpp"
#include "examples/identity_verification/flow.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace identity {

/// The service outside, as processors see it. Thread-safe; may block.
class verification_service {
public:
  virtual ~verification_service() = default;

  /// Has it do a check on somebody. `accepted`, or `outage`.
  virtual reply ask(check what, const core::task_id& who, core::instant now) = 0;

  /// `pending`, a verdict, or `outage`.
  virtual reply look(const std::string& tracking, core::instant now) = 0;
};

/// A service that keeps no books: what it finds, how long it takes, how it calls back and when it
/// is out of order follow from the seed and what it was asked. So any number of processes see the
/// same one, also after a crash.
///
/// Machines answer within minutes. Half of the documents, and all that is reviewed, are looked at
/// by a person, within a day. Of the callbacks some are lost, some come twice and some hours late.
class simulated_service {
public:
  /// `speed`: how much faster than in the world everything happens.
  simulated_service(std::uint64_t seed, double speed);

  reply ask(check what, const core::task_id& who, core::instant now) const;
  reply look(const std::string& tracking, core::instant now) const;

  /// When it calls back about a job: never, once or twice.
  std::vector<core::instant> callbacks(const std::string& tracking) const;
  /// What it then says.
  verdict finding(const std::string& tracking) const;

  /// How a verification of `who` has to end, whatever happens on the way.
  state truth(const core::task_id& who) const;

private:
  verdict finding(check what, const core::task_id& who) const;
  core::instant ready_at(check what, const core::task_id& who, core::instant asked) const;
  bool out_of_order(core::instant now) const;
  core::duration scaled(core::duration span) const;

  const std::uint64_t seed_;
  const double speed_;
};

} // namespace identity
