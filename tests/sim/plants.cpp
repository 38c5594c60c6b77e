#include "tests/sim/plants.hpp"

#include "core/object_ref.hpp"
#include "core/quality/trust.hpp"
#include "tests/sim/cluster_plants.hpp"
#include "tests/sim/history_plants.hpp"
#include "tests/sim/task_plants.hpp"
#include "tests/support/forwarding_store.hpp"

#include <caf/event_based_actor.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

namespace holdfast::sim {

namespace {

using persistence::commit_result;
using persistence::commit_status;
using persistence::write_batch;
using database_ptr = std::shared_ptr<persistence::memory_database>;

/// Whether the database would take this part as its next one; then only its events may need a new
/// place, because a bug has made events more or fewer than the writer knows.
bool is_next(const persistence::memory::tables& t, const persistence::shard_batch& part) {
  const auto& shard = t.shards.at(part.shard);
  return shard.epoch == part.epoch && shard.batch_seq + 1 == part.batch_seq;
}

template <class Write>
bool erase_writes(core::change& change) {
  const auto before = change.writes.size();
  change.writes.erase(
      std::remove_if(change.writes.begin(), change.writes.end(),
                     [](const auto& w) { return std::holds_alternative<Write>(w); }),
      change.writes.end());
  return change.writes.size() != before;
}

/// A connection that changes batches on their way.
class batch_mutator : public test::forwarding_store {
public:
  using mutation = std::function<void(core::change&)>;

  batch_mutator(std::unique_ptr<persistence::store> inner, database_ptr database, mutation mutate)
      : test::forwarding_store(std::move(inner)),
        database_(std::move(database)),
        mutate_(std::move(mutate)) {}

  commit_result commit(const write_batch& batch) override {
    auto changed = batch;
    for (auto& part : changed.shards) {
      if (!is_next(database_->tables(), part))
        continue;
      for (auto& change : part.changes)
        mutate_(change);
      rebase(database_->tables(), part);
    }
    return inner().commit(changed);
  }

private:
  database_ptr database_;
  mutation mutate_;
};

/// Batches of an old host are applied as if it still were the host.
class without_fence : public test::forwarding_store {
public:
  without_fence(std::unique_ptr<persistence::store> inner, database_ptr database)
      : test::forwarding_store(std::move(inner)), database_(std::move(database)) {}

  commit_result commit(const write_batch& batch) override {
    auto forged = batch;
    for (auto& part : forged.shards)
      if (database_->tables().shards.at(part.shard).epoch > part.epoch)
        rebase(database_->tables(), part);
    return inner().commit(forged);
  }

private:
  database_ptr database_;
};

/// A batch that is in already is not recognised: what repeats without a conflict is applied again.
class without_batch_sequence : public test::forwarding_store {
public:
  without_batch_sequence(std::unique_ptr<persistence::store> inner, database_ptr database)
      : test::forwarding_store(std::move(inner)), database_(std::move(database)) {}

  commit_result commit(const write_batch& batch) override {
    auto again = batch;
    bool repeated = false;
    for (auto& part : again.shards) {
      const auto& shard = database_->tables().shards.at(part.shard);
      if (shard.epoch == part.epoch && shard.batch_seq >= part.batch_seq) {
        repeated = true;
        for (auto& change : part.changes)
          change.writes.clear(); // keys refuse the rows; the events come twice
      }
      rebase_if_mine(part);
    }
    const auto result = inner().commit(again);
    return repeated && result.status == commit_status::refused
               ? commit_result{commit_status::committed, {}, {}}
               : result;
  }

private:
  void rebase_if_mine(persistence::shard_batch& part) {
    if (database_->tables().shards.at(part.shard).epoch == part.epoch)
      rebase(database_->tables(), part);
  }

  database_ptr database_;
};

/// Says `committed` at once and writes some commits later, as a database does that does not wait
/// for its disk: what was not written yet when the connection ends is lost.
class lazy_disk : public test::forwarding_store {
public:
  lazy_disk(std::unique_ptr<persistence::store> inner, dice& random)
      : test::forwarding_store(std::move(inner)), random_(random) {}

  commit_result commit(const write_batch& batch) override {
    waiting_.push_back(batch);
    if (random_.below(3) != 0)
      return {commit_status::committed, {}, {}};
    commit_result last;
    for (const auto& b : waiting_)
      last = inner().commit(b);
    waiting_.clear();
    return last;
  }

private:
  dice& random_;
  std::vector<write_batch> waiting_;
};

/// What loading leaves out or makes up.
class false_memory : public test::forwarding_store {
public:
  using unit_mutation = std::function<void(core::unit&)>;
  using step_mutation = std::function<void(persistence::open_unit&)>;

  false_memory(std::unique_ptr<persistence::store> inner, unit_mutation unit, step_mutation step)
      : test::forwarding_store(std::move(inner)), unit_(std::move(unit)), step_(std::move(step)) {}

  core::outcome<persistence::stored_step>
  load_step(core::step_id step, const persistence::lease_policies_of& policies_of) override {
    auto loaded = test::forwarding_store::load_step(step, policies_of);
    if (loaded)
      for (auto& unit : loaded->open_units)
        step_(unit);
    return loaded;
  }
  core::outcome<std::vector<core::unit_record>>
  load_units(const std::vector<core::unit_id>& units,
             const core::lease_policies& policies) override {
    auto loaded = test::forwarding_store::load_units(units, policies);
    if (loaded)
      for (auto& unit : *loaded)
        unit_(unit);
    return loaded;
  }

private:
  unit_mutation unit_;
  step_mutation step_;
};

/// What a step believes to wait for a batch when it is loaded.
class false_waiting : public test::forwarding_store {
public:
  using mutation = std::function<void(core::step_id, std::vector<core::waiting_unit>&)>;

  false_waiting(std::unique_ptr<persistence::store> inner, mutation mutate)
      : test::forwarding_store(std::move(inner)), mutate_(std::move(mutate)) {}

  core::outcome<persistence::stored_step>
  load_step(core::step_id step, const persistence::lease_policies_of& policies_of) override {
    auto loaded = test::forwarding_store::load_step(step, policies_of);
    if (loaded)
      mutate_(step, loaded->waiting);
    return loaded;
  }

private:
  mutation mutate_;
};

/// What units and judgments refer to is not found by whoever sweeps the object store.
class careless_sweep : public test::forwarding_store {
public:
  careless_sweep(std::unique_ptr<persistence::store> inner, database_ptr database)
      : test::forwarding_store(std::move(inner)), database_(std::move(database)) {}

  core::outcome<std::set<core::digest>>
  find_object_refs(const std::vector<core::digest>& objects) override {
    auto found = test::forwarding_store::find_object_refs(objects);
    if (!found)
      return found;
    const auto overlook = [&](const std::string& text) {
      if (const auto ref = core::parse_object_ref(text))
        found->erase(ref->content);
    };
    for (const auto& [id, row] : database_->tables().units)
      overlook(row.made.input);
    for (const auto& [key, row] : database_->tables().judgments)
      overlook(row.made.payload);
    return found;
  }

private:
  database_ptr database_;
};

/// What somebody has read of a finalized unit it takes for all that there will ever be.
class stale_parents : public test::forwarding_store {
public:
  using test::forwarding_store::forwarding_store;

  core::outcome<std::vector<core::unit_record>>
  load_units(const std::vector<core::unit_id>& units,
             const core::lease_policies& policies) override {
    auto loaded = test::forwarding_store::load_units(units, policies);
    if (loaded)
      for (auto& unit : *loaded)
        if (unit.state == core::unit_state::finalized)
          unit = read_.try_emplace(unit.id, unit).first->second;
    return loaded;
  }

private:
  std::map<core::unit_id, core::unit_record> read_;
};

/// Finds nothing of what was made from results that were taken back.
class without_children : public test::forwarding_store {
public:
  using test::forwarding_store::forwarding_store;

  core::outcome<std::vector<core::unit_id>>
  made_from(core::step_id step, const std::vector<core::taken_back>& results) override {
    auto found = test::forwarding_store::made_from(step, results);
    if (found)
      found->clear();
    return found;
  }
};

/// Finds nothing of what is gathered.
class without_batches : public test::forwarding_store {
public:
  using test::forwarding_store::forwarding_store;

  core::outcome<std::vector<persistence::gathered_unit>>
  gathered_with(const std::vector<core::unit_id>& units) override {
    auto found = test::forwarding_store::gathered_with(units);
    if (found)
      found->clear();
    return found;
  }
};

/// Takes out of a batch nobody but who is asked for.
class without_the_others : public test::forwarding_store {
public:
  using test::forwarding_store::forwarding_store;

  core::outcome<std::vector<persistence::gathered_unit>>
  gathered_with(const std::vector<core::unit_id>& units) override {
    auto found = test::forwarding_store::gathered_with(units);
    if (found)
      found->erase(std::remove_if(found->begin(), found->end(),
                                  [&](const auto& one) {
                                    return std::find(units.begin(), units.end(), one.unit.unit)
                                           == units.end();
                                  }),
                   found->end());
    return found;
  }
};

/// A step that starts again does not know of the newest of its open units.
class without_newest_unit : public test::forwarding_store {
public:
  using test::forwarding_store::forwarding_store;

  core::outcome<persistence::stored_step>
  load_step(core::step_id step, const persistence::lease_policies_of& policies_of) override {
    auto loaded = test::forwarding_store::load_step(step, policies_of);
    if (loaded && !loaded->open_units.empty() && !loaded->open_units.back().test_question)
      loaded->open_units.pop_back();
    return loaded;
  }
};

/// What a step leaves out of its own past.
class false_history : public test::forwarding_store {
public:
  using mutation = std::function<void(core::step_history&)>;

  false_history(std::unique_ptr<persistence::store> inner, mutation mutate)
      : test::forwarding_store(std::move(inner)), mutate_(std::move(mutate)) {}

  core::outcome<core::step_history> load_step_history(core::step_id step,
                                                      core::history_scope scope) override {
    auto loaded = test::forwarding_store::load_step_history(step, scope);
    if (loaded)
      mutate_(*loaded);
    return loaded;
  }

private:
  mutation mutate_;
};

/// Consumers do not remember what they have applied.
class without_inbox : public test::forwarding_store {
public:
  explicit without_inbox(std::unique_ptr<persistence::store> inner)
      : test::forwarding_store(std::move(inner)) {}

  commit_result commit(const write_batch& batch) override {
    auto changed = batch;
    for (auto& part : changed.shards)
      for (auto& change : part.changes)
        erase_writes<core::insert_inbox>(change);
    return inner().commit(changed);
  }
  core::outcome<std::vector<core::event_seq>> inbox_after(const std::string&, core::shard_id,
                                                          core::event_seq) override {
    return std::vector<core::event_seq>{};
  }
};

/// A relay that starts again begins behind events that nobody has seen.
class hasty_cursor : public test::forwarding_store {
public:
  hasty_cursor(std::unique_ptr<persistence::store> inner, database_ptr database)
      : test::forwarding_store(std::move(inner)), database_(std::move(database)) {}

  core::outcome<core::event_seq> cursor(const std::string& consumer,
                                        core::shard_id shard) override {
    auto stored = test::forwarding_store::cursor(consumer, shard);
    if (stored)
      *stored = database_->tables().shards.at(shard).event_seq;
    return stored;
  }

private:
  database_ptr database_;
};

/// Does not see the newest event when it is asked how far the table reaches.
class bounds_behind : public test::forwarding_store {
public:
  using test::forwarding_store::forwarding_store;

  core::outcome<core::event_bounds> event_bounds(core::shard_id shard) override {
    auto bounds = test::forwarding_store::event_bounds(shard);
    if (bounds && bounds->newest > bounds->pruned)
      --bounds->newest;
    return bounds;
  }
};

/// Of whom nothing is known it reads what is known of somebody else.
class false_profiles : public test::forwarding_store {
public:
  false_profiles(std::unique_ptr<persistence::store> inner, database_ptr database)
      : test::forwarding_store(std::move(inner)), database_(std::move(database)) {}

  core::outcome<persistence::stored_profile>
  load_profile(const core::contributor_id& contributor) override {
    auto stored = test::forwarding_store::load_profile(contributor);
    const auto& profiles = database_->tables().profiles;
    if (stored && !stored->changed_at && !profiles.empty())
      stored->profile = profiles.begin()->second.profile;
    return stored;
  }

private:
  database_ptr database_;
};

/// Nobody remembers assignments that are over.
class without_past_assignments : public test::forwarding_store {
public:
  using forwarding_store::forwarding_store;

  core::outcome<std::vector<core::assignment_id>>
  find_over(const std::vector<core::assignment_id>& assignments, core::instant since) override {
    auto over = test::forwarding_store::find_over(assignments, since);
    if (over)
      over->clear();
    return over;
  }
};

/// Leaves the newest step out when it is asked for those that are open.
class without_newest_step : public test::forwarding_store {
public:
  using test::forwarding_store::forwarding_store;

  core::outcome<std::vector<core::step_row>> open_steps(core::step_id after,
                                                        std::uint32_t limit) override {
    auto rows = test::forwarding_store::open_steps(after, limit);
    if (rows && !rows->empty())
      rows->pop_back();
    return rows;
  }
};

// --- between clients and gateway ---

/// Answers a judgment before anybody has written it.
caf::behavior early_answers(caf::event_based_actor* self, caf::actor gateway) {
  self->set_default_handler([=](caf::scheduled_actor*, caf::message_view& m) {
    self->delegate(gateway, m.move_content_to_message());
    return caf::result<caf::message>{caf::delegated<caf::message>{}};
  });
  return {[=](const msg::submit_judgment& m) {
    self->send(gateway, m);
    return msg::judgment_accepted{m.judgment, true};
  }};
}

/// Submits under the token that holds the lease, whatever token was presented.
caf::behavior without_token_check(caf::event_based_actor* self, caf::actor gateway,
                                  database_ptr database) {
  self->set_default_handler([=](caf::scheduled_actor*, caf::message_view& m) {
    self->delegate(gateway, m.move_content_to_message());
    return caf::result<caf::message>{caf::delegated<caf::message>{}};
  });
  return {[=](msg::submit_judgment& m) {
    const auto& leases = database->tables().active_leases;
    if (const auto held = leases.find({m.unit, m.contributor}); held != leases.end())
      m.token = held->second.token;
    return self->delegate(caf::actor_cast<msg::gateway_actor>(gateway), std::move(m));
  }};
}

/// Leaves an event out of what a subscriber gets.
caf::behavior without_an_event(caf::event_based_actor* self, caf::actor gateway) {
  self->set_default_handler([=](caf::scheduled_actor*, caf::message_view& m) {
    self->delegate(gateway, m.move_content_to_message());
    return caf::result<caf::message>{caf::delegated<caf::message>{}};
  });
  return {[=](const msg::read_events& m) -> caf::result<msg::event_page> {
    auto promise = self->make_response_promise<msg::event_page>();
    self->request(gateway, std::chrono::minutes{2}, m)
        .then(
            [=](msg::event_page& page) mutable {
              if (page.events.size() > 1)
                page.events.erase(page.events.begin());
              promise.deliver(std::move(page));
            },
            [=](caf::error& error) mutable { promise.deliver(std::move(error)); });
    return promise;
  }};
}

/// Says of every test question that it is one, whoever has answered it.
caf::behavior with_questions_told(caf::event_based_actor* self, caf::actor gateway,
                                  database_ptr database) {
  self->set_default_handler([=](caf::scheduled_actor*, caf::message_view& m) {
    self->delegate(gateway, m.move_content_to_message());
    return caf::result<caf::message>{caf::delegated<caf::message>{}};
  });
  return {[=](const msg::get_feedback& m) -> caf::result<msg::judgment_feedback> {
    auto promise = self->make_response_promise<msg::judgment_feedback>();
    self->request(gateway, std::chrono::minutes{2}, m)
        .then(
            [=](msg::judgment_feedback& told) mutable {
              const auto& units = database->tables().units;
              const auto unit = units.find(told.unit);
              told.test_question = unit != units.end() && !unit->second.made.truth.empty();
              promise.deliver(std::move(told));
            },
            [=](caf::error& error) mutable { promise.deliver(std::move(error)); });
    return promise;
  }};
}

/// Whether the change is a chunk of a repair that writes more than how far it is.
bool is_repair_work(const core::change& change) {
  return change.writes.size() > 1
         && std::any_of(change.writes.begin(), change.writes.end(), [](const auto& w) {
              const auto* repair = std::get_if<core::put_repair>(&w);
              return repair != nullptr && !repair->row.dry_run;
            });
}

/// The first new unit of a chain.
auto child_in(core::change& change) {
  return std::find_if(change.writes.begin(), change.writes.end(), [](const auto& w) {
    const auto* unit = std::get_if<core::insert_unit>(&w);
    return unit != nullptr && unit->parent;
  });
}

/// The first event of `type`, or the end.
auto event_of(core::change& change, core::event_type type) {
  return std::find_if(change.events.begin(), change.events.end(),
                      [&](const auto& e) { return e.type == type; });
}

/// Whether a unit is canceled because its parent's result is gone. Nobody else says why.
bool is_withdrawal(core::change& change) {
  const auto canceled = event_of(change, core::event_type::unit_canceled);
  return event_of(change, core::event_type::unit_withdrawn) != change.events.end()
         || (canceled != change.events.end() && !canceled->details.empty());
}

/// Leaves out of what is told of a result where it went.
void forget_route(core::event& event) {
  auto details = nlohmann::ordered_json::parse(event.details);
  details.erase("route");
  event.details = details.dump();
}

batch_mutator::mutation mutation_named(const std::string& name, dice& random) {
  using core::event_type;
  if (name == "event-dropped")
    return [&](core::change& c) {
      const auto event = event_of(c, event_type::judgment_received);
      if (event != c.events.end() && random.below(10) == 0)
        c.events.erase(event);
    };
  if (name == "event-doubled")
    return [&](core::change& c) {
      const auto event = event_of(c, event_type::unit_finalized);
      if (event != c.events.end() && random.below(10) == 0)
        c.events.push_back(*event);
    };
  if (name == "commit-dropped")
    return [&](core::change& c) {
      if (random.below(200) == 0)
        c = {};
    };
  if (name == "webhook-hasty")
    return [&](core::change& c) {
      for (auto& w : c.writes)
        if (auto* position = std::get_if<core::put_webhook_position>(&w);
            position != nullptr && random.below(4) == 0)
          ++position->seq;
    };
  if (name == "dead-letter-dropped")
    return [](core::change& c) { erase_writes<core::put_dead_letter>(c); };
  if (name == "lease-kept")
    return [&](core::change& c) {
      if (random.below(10) == 0)
        erase_writes<core::end_lease_row>(c);
    };
  if (name == "late-crowded")
    return [](core::change& c) {
      for (auto& w : c.writes)
        if (const auto* kept = std::get_if<core::insert_surplus_judgment>(&w)) {
          const auto judgment = kept->judgment;
          c.events.push_back({event_type::judgment_received,
                              {},
                              judgment.unit,
                              judgment.id,
                              judgment.submitted_at,
                              {}});
          w = core::insert_late_judgment{judgment};
        }
    };
  if (name == "count-lost")
    return [&](core::change& c) {
      if (c.events.empty() && random.below(10) == 0)
        erase_writes<core::update_step>(c);
    };
  if (name == "child-dropped")
    return [&](core::change& c) {
      const auto child = child_in(c);
      if (child == c.writes.end() || random.below(4) != 0)
        return;
      // Consistently: neither counted nor announced.
      const auto unit = std::get<core::insert_unit>(*child).id;
      c.writes.erase(child);
      for (auto& w : c.writes)
        if (auto* step = std::get_if<core::update_step>(&w))
          --step->row.total_units;
      c.events.erase(std::remove_if(c.events.begin(), c.events.end(),
                                    [&](const auto& e) { return e.unit == unit; }),
                     c.events.end());
    };
  if (name == "child-doubled")
    return [&](core::change& c) {
      const auto child = child_in(c);
      if (child == c.writes.end() || random.below(4) != 0)
        return;
      // Consistently: under a name of its own, counted and announced.
      auto twin = std::get<core::insert_unit>(*child);
      const auto original = twin.id;
      twin.id.value.bytes[15] ^= 1;
      twin.ordinal += 1'000'000;
      twin.part += 1;
      twin.source_key += "+";
      c.writes.push_back(twin);
      for (auto& w : c.writes)
        if (auto* step = std::get_if<core::update_step>(&w))
          ++step->row.total_units;
      const auto told = std::find_if(c.events.begin(), c.events.end(),
                                     [&](const auto& e) { return e.unit == original; });
      if (told == c.events.end())
        return;
      auto twin_told = *told;
      twin_told.unit = twin.id;
      c.events.push_back(twin_told);
    };
  if (name == "route-turned")
    return [&](core::change& c) {
      for (auto& w : c.writes)
        if (auto* done = std::get_if<core::finalize_unit>(&w); done != nullptr && done->route >= 0)
          done->route = core::no_route;
    };
  if (name == "loops-forgotten")
    return [&](core::change& c) {
      for (auto& w : c.writes)
        if (auto* unit = std::get_if<core::insert_unit>(&w))
          unit->loops = 0;
    };
  if (name == "list-forgotten")
    return [](core::change& c) {
      for (auto& w : c.writes)
        if (auto* unit = std::get_if<core::insert_unit>(&w))
          unit->list = {};
    };
  if (name == "gathering-lost")
    return [](core::change& c) { erase_writes<core::gather_units>(c); };
  if (name == "version-forgotten")
    return [](core::change& c) {
      for (auto& w : c.writes)
        if (auto* unit = std::get_if<core::insert_unit>(&w); unit != nullptr && unit->parent)
          unit->version = 1;
    };
  if (name == "version-behind")
    return [](core::change& c) {
      for (auto& w : c.writes)
        if (auto* unit = std::get_if<core::insert_unit>(&w);
            unit != nullptr && !unit->parent && unit->version > 1)
          --unit->version;
    };
  if (name == "exclusion-forgotten")
    return [&](core::change& c) {
      for (auto& w : c.writes)
        if (auto* unit = std::get_if<core::insert_unit>(&w))
          unit->excluded.clear();
    };
  if (name == "upstreams-forgotten")
    return [&](core::change& c) {
      for (auto& w : c.writes)
        if (auto* step = std::get_if<core::update_step>(&w))
          step->row.upstreams_completed = 0;
    };
  if (name == "taint-dropped")
    return [&](core::change& c) { erase_writes<core::taint_judgment>(c); };
  if (name == "repair-taints-lost")
    return [](core::change& c) {
      if (is_repair_work(c))
        erase_writes<core::taint_judgment>(c);
    };
  if (name == "repair-hasty")
    return [](core::change& c) {
      if (!is_repair_work(c))
        return;
      erase_writes<core::taint_judgment>(c);
      erase_writes<core::reopen_unit>(c);
      c.events.clear();
    };
  if (name == "repair-repeated")
    return [](core::change& c) {
      for (auto& w : c.writes)
        if (auto* repair = std::get_if<core::put_repair>(&w); repair && is_repair_work(c)) {
          repair->row.figures = {};
          repair->row.bookmark = 0;
        }
    };
  if (name == "reopening-untold")
    return [](core::change& c) {
      const auto event = event_of(c, event_type::unit_reopened);
      if (event != c.events.end())
        c.events.erase(event);
    };
  if (name == "reopening-lost")
    return [](core::change& c) { erase_writes<core::reopen_unit>(c); };
  if (name == "children-kept")
    return [](core::change& c) {
      // Consistently: not told, either.
      if (is_withdrawal(c))
        c = {};
    };
  if (name == "withdrawal-untold")
    return [](core::change& c) {
      const auto event = event_of(c, event_type::unit_withdrawn);
      if (event != c.events.end())
        c.events.erase(event);
    };
  if (name == "way-untold")
    return [](core::change& c) {
      for (auto& event : c.events)
        if (event.type == event_type::unit_reopened)
          forget_route(event);
    };
  if (name == "stale-child")
    return [](core::change& c) {
      for (auto& w : c.writes)
        if (auto* unit = std::get_if<core::insert_unit>(&w))
          unit->parent_reopened = 0;
    };
  if (name == "flag-lost")
    return [](core::change& c) { erase_writes<core::insert_flag>(c); };
  if (name == "profile-lost")
    return [](core::change& c) { erase_writes<core::put_profile>(c); };
  if (name == "reinstatement-forgotten")
    return [](core::change& c) {
      const auto back = [](const core::write_op& w) {
        const auto* put = std::get_if<core::put_standing>(&w);
        return put != nullptr && put->standing == core::contributor_standing::working;
      };
      c.writes.erase(std::remove_if(c.writes.begin(), c.writes.end(), back), c.writes.end());
    };
  if (name == "removal-forgotten")
    return [&](core::change& c) { erase_writes<core::put_standing>(c); };
  if (name == "widening-lost")
    return [&](core::change& c) { erase_writes<core::set_unit_slots>(c); };
  if (name == "experience-untold")
    return [](core::change& c) {
      for (auto& w : c.writes) {
        if (auto* judged = std::get_if<core::insert_judgment>(&w))
          judged->judged_before.reset();
        if (auto* late = std::get_if<core::insert_late_judgment>(&w))
          late->judgment.judged_before.reset();
      }
    };
  if (name == "trust-behind")
    return [](core::change& c) {
      for (auto& w : c.writes)
        if (auto* judged = std::get_if<core::insert_judgment>(&w);
            judged && judged->trust_questions.value_or(0) > 0) {
          judged->trust_snapshot = core::quality::trust{}.mean();
          judged->trust_questions = 0;
        }
    };
  if (name == "verdict-turned")
    return [&](core::change& c) {
      for (auto& w : c.writes)
        if (auto* judged = std::get_if<core::insert_judgment>(&w); judged && judged->test_correct)
          judged->test_correct = !*judged->test_correct;
    };
  if (name == "test-event-dropped")
    return [&](core::change& c) {
      const auto event = event_of(c, event_type::test_judgment);
      if (event != c.events.end())
        c.events.erase(event);
    };
  if (name == "flag-doubled")
    return [&](core::change& c) {
      const auto event = event_of(c, event_type::contributor_flagged);
      if (event != c.events.end())
        c.events.push_back(*event);
    };
  if (name == "result-wrong")
    return [&](core::change& c) {
      for (auto& w : c.writes)
        if (auto* done = std::get_if<core::finalize_unit>(&w); done != nullptr)
          done->confidence /= 2;
    };
  return {};
}

// What a bug may need of a plan.

bool has_people(const plan& p) { return p.units > 0; }

bool has_late(const plan& p) {
  return has_people(p) && std::any_of(p.leases.begin(), p.leases.end(), [](const auto& lease) {
           return lease.late_submit != core::late_submit::reject;
         });
}

bool has_tests(const plan& p) {
  return has_people(p)
         && std::any_of(p.quality.begin(), p.quality.end(), [](const auto& q) { return q.tested; });
}

/// Steps are loaded while people are tested.
bool has_tests_and_crashes(const plan& p) {
  return has_tests(p) && p.faults.actor_crash + p.faults.node_kill > 0;
}

/// Somebody's quiz is over while there are questions left that nobody is to be asked any more.
bool has_short_quizzes(const plan& p) {
  return has_tests_and_crashes(p)
         && std::any_of(p.quality.begin(), p.quality.end(), [](const auto& q) {
              return q.tested && q.quiz > 0 && q.every == 0 && q.questions > q.quiz;
            });
}

bool has_feedback(const plan& p) {
  return has_tests(p) && std::any_of(p.quality.begin(), p.quality.end(), [](const auto& q) {
           return q.feedback;
         });
}

bool has_models(const plan& p) {
  return has_people(p) && std::any_of(p.quality.begin(), p.quality.end(), [](const auto& q) {
           return core::asks_model(*core::aggregation_method_named(q.method));
         });
}

bool has_removals(const plan& p) { return has_people(p) && p.remove_contributor > 0; }

/// Results that are taken back may have gone on.
bool has_reissues(const plan& p) { return has_removals(p) && steps_of_chain(p) > 1; }
bool forgives(const plan& p) { return has_tests(p) && p.forgive_question > 0; }

bool has_webhooks(const plan& p) { return p.webhooks; }

bool has_trouble(const plan& p) { return p.webhooks && p.receiver_trouble > 0; }

bool has_routes(const plan& p) {
  return has_people(p)
         && std::any_of(p.routes.begin(), p.routes.end(), [](const auto& r) { return !r.empty(); });
}

bool gathers(const plan& p) {
  for (std::uint32_t version = 1; version <= versions_of(p); ++version)
    for (std::uint32_t position = 0; position < p.quality.size(); ++position)
      if (has_step(p, version, position) && gathered_in(p, version, position))
        return true;
  return false;
}

/// Results that are taken back may be part of a batch.
bool regroups(const plan& p) { return has_reissues(p) && gathers(p); }

/// Steps are loaded while they have something to do.
bool gathers_and_crashes(const plan& p) {
  return gathers(p) && p.faults.actor_crash + p.faults.node_kill > 0;
}

/// A route asks what newcomers judged, from the first version on.
bool has_newcomers(const plan& p) {
  return has_people(p) && std::any_of(p.routes.begin(), p.routes.end(), [](const auto& routes) {
           return routes.find("judged_fewer") != std::string::npos;
         });
}

/// Steps are loaded while people are at work.
bool has_newcomers_and_crashes(const plan& p) {
  return has_newcomers(p) && p.faults.actor_crash + p.faults.node_kill > 0;
}

bool has_lists(const plan& p) { return p.lists; }

bool has_versions(const plan& p) { return !p.later.empty(); }

bool asks_of_people(const plan& p) { return !p.asks.empty(); }

bool has_chains_in_versions(const plan& p) {
  return std::any_of(p.later.begin(), p.later.end(),
                     [](const auto& form) { return form.steps.size() > 1; });
}

} // namespace

const std::vector<plant>& plants() {
  static const auto all = [] {
    std::vector<plant> list{
        {"fence-ignored", "batches decided under an old epoch are applied", has_people},
        {"doubt-applied-twice", "a batch repeated after a doubt is applied again", has_people},
        {"commit-dropped", "a change is acknowledged but not written", has_people},
        {"lazy-disk", "commits are acknowledged before they are on disk", has_people},
        {"event-dropped", "JudgmentReceived is not written with its judgment", has_people},
        {"event-doubled", "UnitFinalized is written twice", has_people},
        {"token-check-dropped", "a judgment is accepted under any token", has_people},
        {"early-answer", "a judgment is acknowledged before its commit", has_people},
        {"lease-kept", "a lease that has ended stays in the table", has_people},
        {"late-crowded", "a late judgment counts although no slot is free", has_late},
        {"webhook-hasty", "a position of a webhook is stored before its events are delivered",
         has_webhooks},
        {"dead-letter-dropped", "what a receiver refuses is not kept", has_trouble},
        {"inbox-off", "consumers do not remember what they have applied", has_people},
        {"holders-hidden", "leases are left out when a unit is loaded", has_people},
        {"judgments-hidden", "judgments are left out when a unit is loaded", has_people},
        {"tokens-reset", "tokens begin anew when a unit is loaded", has_people},
        {"expiry-forgotten", "the ends of leases are not taken over after a restart", has_people},
        {"unit-unseen", "a restarted step does not know of an open unit", has_people},
        {"cursor-hasty", "a restarted relay skips events", has_people},
        {"bounds-behind", "the newest event of a shard is not seen by whoever looks for it",
         has_people},
        {"event-left-out", "a page of events has a gap", has_people},
        {"count-lost", "the count of a step is not written", has_people},
        {"child-dropped", "a finalized unit goes on to no next step", has_people},
        {"child-doubled", "a finalized unit goes on twice to a step", has_people},
        {"route-turned", "the route that a unit takes is not stored", has_routes},
        {"loops-forgotten", "it is not written how often a chain was sent back", has_routes},
        {"experience-untold", "it is not written how much somebody judged before", has_newcomers},
        {"experience-doubled", "a restarted step counts twice what somebody judged before",
         has_newcomers_and_crashes},
        {"list-forgotten", "it is not written of which list a chain is", has_lists},
        {"gathering-lost", "it is not written of which units a batch is", gathers},
        {"gathered-twice", "what is part of a batch waits for one after a restart",
         gathers_and_crashes},
        {"left-waiting", "a restarted step does not know what waits for a batch",
         gathers_and_crashes},
        {"version-forgotten", "a chain goes on under the first version, not its own",
         has_chains_in_versions},
        {"version-behind", "source data begins under the version before the latest", has_versions},
        {"profile-lost", "a profile is acknowledged and not written", asks_of_people},
        {"profile-of-another", "of whom nothing is known another one's profile is read",
         asks_of_people},
        {"step-unread", "a search does not read the newest of the open steps", asks_of_people},
        {"exclusion-forgotten", "it is not written who must not have a unit", has_routes},
        {"exclusions-hidden", "who must not have a unit is not known after a restart", has_people},
        {"upstreams-forgotten", "it is not written which steps before one are complete",
         has_people},
        {"taint-dropped", "a judgment that counts no more is not marked", has_people},
        {"repair-taints-lost", "a repair marks nothing of what it disregards", has_removals},
        {"repair-hasty", "a repair is further than its work", has_removals},
        {"repair-repeated", "a repair forgets how far it is, but not what it did", has_removals},
        {"reopening-untold", "UnitReopened is not written with what it tells of", has_removals},
        {"reopening-lost", "a result is not taken back although it is told", has_removals},
        {"children-kept", "what was made from a result that is taken back goes on", has_reissues},
        {"children-unseen", "what was made from a result that is taken back is not found",
         has_reissues},
        {"batch-kept", "what is gathered stays so when its parent's result is taken back",
         regroups},
        {"batch-mates-kept", "a batch is taken apart for only one of its units", regroups},
        {"withdrawal-untold", "UnitWithdrawn is not written with what it tells of", has_reissues},
        {"way-untold", "UnitReopened does not tell where the result went", has_reissues},
        {"stale-child", "it is not written from which result of its parent a unit was made",
         has_reissues},
        {"stale-parent", "a unit that was read with its first result is never read again",
         has_reissues},
        {"removal-forgotten", "it is not written that a contributor was removed", has_people},
        {"reinstatement-forgotten", "it is not written that a contributor is back at work",
         forgives},
        {"forgiven-still-counts", "a restarted step does not know what was forgiven", forgives},
        {"flag-lost", "a flag is told of and not written",
         [](const plan& p) { return p.monitors; }},
        {"assignments-forgotten", "an assignment that is over is not found", has_people},
        {"widening-lost", "it is not written that a unit wants more judgments", has_people},
        {"verdict-turned", "right answers to test questions are stored as wrong", has_tests},
        {"test-event-dropped", "TestJudgmentEvent is not written with its judgment", has_tests},
        {"flag-doubled", "ContributorFlagged is written twice", has_people},
        {"truth-hidden", "a test question is loaded as an ordinary unit", has_tests},
        {"taints-hidden", "tainted judgments count again when a unit is loaded", has_people},
        {"votes-hidden", "a restarted model does not know what was said before", has_models},
        {"questions-forgotten", "a restarted step does not know what was answered to questions",
         has_short_quizzes},
        {"trust-behind", "a judgment is trusted as if no test question had been answered before it",
         has_tests},
        {"question-told", "feedback tells of a test question that was not answered", has_feedback},
        {"units-swept", "a sweep does not look at what units and judgments refer to",
         [](const plan& p) { return has_people(p) && p.machine.large > 0; }},
        {"result-wrong", "the stored confidence is not that of the judgments", has_people},
    };
    list.insert(list.end(), task_plants().begin(), task_plants().end());
    list.insert(list.end(), cluster_plants().begin(), cluster_plants().end());
    list.insert(list.end(), history_plants().begin(), history_plants().end());
    return list;
  }();
  return all;
}

planted_bug::planted_bug(const std::string& name, database_ptr database, dice& random)
    : name_(name),
      database_(std::move(database)),
      random_(&random),
      between_nodes_(std::make_unique<cluster_bug>(name, database_)),
      seen_numbers_(make_seen_numbers()) {
  if (!name.empty() && std::none_of(plants().begin(), plants().end(), [&](const plant& p) {
        return p.name == name;
      }))
    throw std::invalid_argument("no planted bug is called '" + name + "'");
}

planted_bug::~planted_bug() = default;

void planted_bug::spoil(caf::actor_system& system, test::virtual_network& network) const {
  between_nodes_->spoil(system, network);
}

std::unique_ptr<persistence::store>
planted_bug::wrap(std::unique_ptr<persistence::store> connection,
                  std::function<bool()> thawed) const {
  connection = wrap_history(name_, std::move(connection), database_, seen_numbers_);
  const auto keep_unit = [](core::unit&) {};
  const auto keep_step = [](persistence::open_unit&) {};
  if (name_ == "fence-ignored")
    return std::make_unique<without_fence>(std::move(connection), database_);
  if (name_ == "doubt-applied-twice")
    return std::make_unique<without_batch_sequence>(std::move(connection), database_);
  if (name_ == "lazy-disk")
    return std::make_unique<lazy_disk>(std::move(connection), *random_);
  if (name_ == "inbox-off")
    return std::make_unique<without_inbox>(std::move(connection));
  if (name_ == "cursor-hasty")
    return std::make_unique<hasty_cursor>(std::move(connection), database_);
  if (name_ == "children-unseen")
    return std::make_unique<without_children>(std::move(connection));
  if (name_ == "stale-parent")
    return std::make_unique<stale_parents>(std::move(connection));
  if (name_ == "batch-kept")
    return std::make_unique<without_batches>(std::move(connection));
  if (name_ == "batch-mates-kept")
    return std::make_unique<without_the_others>(std::move(connection));
  if (name_ == "bounds-behind")
    return std::make_unique<bounds_behind>(std::move(connection));
  if (name_ == "profile-of-another")
    return std::make_unique<false_profiles>(std::move(connection), database_);
  if (name_ == "assignments-forgotten")
    return std::make_unique<without_past_assignments>(std::move(connection));
  if (name_ == "step-unread")
    return std::make_unique<without_newest_step>(std::move(connection));
  if (name_ == "holders-hidden")
    return std::make_unique<false_memory>(
        std::move(connection), [](core::unit& u) { u.leases.active.clear(); },
        [](persistence::open_unit& u) { u.holders.clear(); });
  if (name_ == "judgments-hidden")
    return std::make_unique<false_memory>(
        std::move(connection), [](core::unit& u) { u.judgments.clear(); },
        [](persistence::open_unit& u) { u.judged = 0; });
  if (name_ == "tokens-reset")
    return std::make_unique<false_memory>(
        std::move(connection),
        [](core::unit& u) {
          u.leases.last_token = 0;
          for (const auto& lease : u.leases.active)
            u.leases.last_token = std::max(u.leases.last_token, lease.token);
        },
        keep_step);
  if (name_ == "expiry-forgotten")
    return std::make_unique<false_memory>(
        std::move(connection), keep_unit,
        [](persistence::open_unit& u) { u.next_expiry = core::instant::max(); });
  if (name_ == "unit-unseen")
    return std::make_unique<without_newest_unit>(std::move(connection));
  if (name_ == "units-swept")
    return std::make_unique<careless_sweep>(std::move(connection), database_);
  if (name_ == "left-waiting")
    return std::make_unique<false_waiting>(std::move(connection),
                                           [](core::step_id, auto& waiting) { waiting.clear(); });
  if (name_ == "gathered-twice")
    return std::make_unique<false_waiting>(
        std::move(connection), [&t = database_->tables()](core::step_id step, auto& waiting) {
          for (const auto& [entry, id] : t.units_by_ordinal)
            if (const auto& row = t.units.at(id); entry.first == step && row.batch)
              waiting.push_back({id, entry.second, row.made.version, row.made.list,
                                 core::payload_bytes(row.made.input)});
        });
  if (name_ == "exclusions-hidden") {
    const auto forget = [](std::vector<core::bar>& bars) {
      bars.erase(std::remove_if(bars.begin(), bars.end(),
                                [](const auto& b) { return b.until == core::instant::max(); }),
                 bars.end());
    };
    return std::make_unique<false_memory>(
        std::move(connection), [=](core::unit& u) { forget(u.bars); },
        [=](persistence::open_unit& u) { forget(u.touched); });
  }
  if (name_ == "truth-hidden")
    return std::make_unique<false_memory>(
        std::move(connection), [](core::unit& u) { u.truth.clear(); }, keep_step);
  if (name_ == "taints-hidden")
    return std::make_unique<false_memory>(
        std::move(connection),
        [](core::unit& u) {
          for (auto& judged : u.judgments)
            judged.tainted = false;
        },
        keep_step);
  if (name_ == "votes-hidden")
    return std::make_unique<false_history>(std::move(connection),
                                           [](core::step_history& h) { h.votes.clear(); });
  if (name_ == "experience-doubled")
    return std::make_unique<false_history>(std::move(connection), [](core::step_history& h) {
      if (h.judged)
        for (auto& one : *h.judged)
          one.units *= 2;
    });
  if (name_ == "forgiven-still-counts")
    return std::make_unique<false_history>(std::move(connection), [](core::step_history& h) {
      for (auto& question : h.questions)
        question.forgiven = false;
    });
  if (name_ == "questions-forgotten")
    return std::make_unique<false_history>(
        std::move(connection), [](core::step_history& h) { h.asked_questions.clear(); });
  for (const auto& find : {mutation_named, task_mutation_named})
    if (auto mutate = find(name_, *random_))
      return std::make_unique<batch_mutator>(std::move(connection), database_, std::move(mutate));
  return wrap_task_reads(name_, between_nodes_->wrap(std::move(connection), std::move(thawed)),
                         *random_);
}

msg::gateway_actor planted_bug::wrap(caf::actor_system& system,
                                     const msg::gateway_actor& gateway) const {
  const auto plain = caf::actor_cast<caf::actor>(gateway);
  if (name_ == "early-answer")
    return caf::actor_cast<msg::gateway_actor>(system.spawn(early_answers, plain));
  if (name_ == "event-left-out")
    return caf::actor_cast<msg::gateway_actor>(system.spawn(without_an_event, plain));
  if (name_ == "question-told")
    return caf::actor_cast<msg::gateway_actor>(system.spawn(with_questions_told, plain, database_));
  if (name_ == "token-check-dropped")
    return caf::actor_cast<msg::gateway_actor>(system.spawn(without_token_check, plain, database_));
  if (const auto planted = wrap_task_gateway(name_, system, plain, database_))
    return caf::actor_cast<msg::gateway_actor>(planted);
  return gateway;
}

} // namespace holdfast::sim
