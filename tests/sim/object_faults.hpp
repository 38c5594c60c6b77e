#pragma once

#include "objects/memory_object_store.hpp"
#include "tests/sim/plan.hpp"
#include "tests/sim/trace.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace holdfast::sim {

/// The object store's bad luck in one run: calls fail, and objects are lost. It remembers all that
/// was ever stored, so that an auditor can read what a reference stands for.
class object_faults : public objects::object_store {
public:
  object_faults(const fault_rates& rates, dice& random, objects::object_store::clock now,
                trace& log)
      : rates_(rates), random_(random), store_(std::move(now)), log_(log) {}

  core::instant time_now() const override { return store_.time_now(); }
  core::outcome<core::object_ref> put(std::string_view bytes) override;
  core::outcome<std::string> get(const core::object_ref& ref) override;
  core::outcome<bool> remove_if_older(const core::digest& content, core::instant before) override;
  core::outcome<std::vector<objects::stored_object>> list(const core::digest& from,
                                                          std::uint32_t limit) override;

  /// One of the objects vanishes, as files do.
  void lose_one();
  /// A planted bug: from now on now and then another object's text is given.
  void mix_up() { mixes_up_ = true; }
  /// No more faults. What was lost is there again, from a backup.
  void stop();

  /// The text itself, or what it refers to: what a row means.
  std::string whole(const std::string& text) const;
  /// Whether this text was stored and lost, be it that it has been stored again since: whoever
  /// looked in between may tell of it later.
  bool was_lost(const std::string& text) const { return lost_.count(text) != 0; }
  /// Whether a row with this text refers to an object that a sweep has removed.
  bool is_swept(const std::string& text) const;
  /// The actor that asks for objects has crashed: what it was asked goes unanswered.
  void asker_crashed() { struck_ = true; }
  /// The nodes of this run turn askers away when a few are there already.
  void crowded() { struck_ = true; }
  /// Whether any call has failed, or any object is lost.
  bool have_struck() const { return struck_; }
  std::uint64_t stored() const { return archive_.size(); }

private:
  fault_rates rates_;
  dice& random_;
  objects::memory_object_store store_;
  trace& log_;
  std::map<core::digest, std::string> archive_;
  std::set<std::string> lost_;
  std::set<core::digest> swept_;
  bool struck_ = false;
  bool mixes_up_ = false;
};

} // namespace holdfast::sim
