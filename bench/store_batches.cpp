#include "bench/store_batches.hpp"

#include "bench/must.hpp"
#include "core/uuid.hpp"
#include "persistence/postgres_store.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace holdfast::bench {

namespace {

using clock = std::chrono::steady_clock;

/// A store that writes to one shard, as the writer of a node does.
class writing {
public:
  explicit writing(const std::string& conninfo)
      : store_({conninfo, "holdfast bench", std::chrono::seconds{30}}) {
    must(store_.ensure_shards(16));
    at_ = *store_.now();
    const core::incarnation_id me{ids_.next(at_)};
    must(store_.register_node("bench-writer", me, "none"));
    const auto fences = store_.take_over("bench-writer", me, {0}, std::chrono::seconds{60}, {});
    if (!fences || fences->empty())
      throw std::runtime_error{"cannot take the shard over"};
    fence_ = fences->front();
  }

  core::instant at() const { return at_; }
  core::uuid new_id() { return ids_.next(at_); }

  void commit(std::vector<core::change> changes) {
    persistence::shard_batch part{fence_.shard, fence_.epoch, ++fence_.batch_seq,
                                  fence_.last_event + 1, std::move(changes)};
    fence_.last_event += part.event_count();
    const auto result = store_.commit({{std::move(part)}});
    if (result.status != persistence::commit_status::committed)
      throw std::runtime_error{"commit: " + result.reason};
  }

private:
  persistence::postgres_store store_;
  core::uuid_source ids_{77};
  core::instant at_;
  persistence::shard_fence fence_;
};

/// Commits what `next` makes, which is nothing when there is no more, for `duration`, and adds how
/// many of `size` each go in a second and how long a commit takes.
void measure(writing& to, const std::string& name, std::size_t size, clock::duration duration,
             const std::function<std::vector<core::change>()>& next, results& out) {
  std::vector<double> millis;
  const auto start = clock::now();
  while (clock::now() < start + duration) {
    auto changes = next();
    if (changes.empty())
      break;
    const auto before = clock::now();
    to.commit(std::move(changes));
    millis.push_back(std::chrono::duration<double, std::milli>(clock::now() - before).count());
  }
  const double seconds = std::chrono::duration<double>(clock::now() - start).count();
  out.add(name, static_cast<double>(millis.size() * size) / seconds, "1/s");
  out.add(name + ".p50", quantile(millis, 0.5), "ms");
  out.add(name + ".p99", quantile(millis, 0.99), "ms");
}

core::step_id make_step(writing& to) {
  core::change setup;
  const core::workflow_id workflow{to.new_id()};
  core::step_row row;
  row.id = {to.new_id()};
  row.workflow = workflow;
  row.key = "label";
  row.total_units = 1;
  setup.writes.push_back(core::insert_workflow{workflow, "batches", "{}", to.at()});
  setup.writes.push_back(core::insert_step{row, to.at()});
  to.commit({setup});
  return row.id;
}

void grants(writing& to, clock::duration duration, results& out) {
  const auto step = make_step(to);
  std::uint64_t ordinal = 0;
  for (const std::size_t size : {1U, 5U, 20U, 100U, 500U}) {
    // Units to lease must be there: 500 a batch, not measured.
    std::vector<core::unit_id> units;
    const std::size_t wanted = std::max<std::size_t>(size * 400, 2000);
    while (units.size() < wanted) {
      std::vector<core::change> made(500);
      for (auto& change : made) {
        const core::unit_id unit{to.new_id()};
        units.push_back(unit);
        change.writes.push_back(core::insert_unit{unit,
                                                  step,
                                                  unit,
                                                  {},
                                                  ++ordinal,
                                                  "u" + std::to_string(ordinal),
                                                  R"({"n":1})",
                                                  3,
                                                  to.at()});
      }
      to.commit(std::move(made));
    }
    std::size_t used = 0;
    const auto next = [&] {
      std::vector<core::change> granted;
      if (used + size > units.size())
        return granted;
      for (std::size_t i = 0; i < size; ++i)
        granted.emplace_back().writes.push_back(core::insert_lease{
            units[used++],
            {{to.new_id()}, "contributor", 1, to.at(), to.at() + std::chrono::minutes{15}}});
      return granted;
    };
    measure(to, "writer.grants.batch_" + std::to_string(size), size, duration, next, out);
  }
}

/// The shape of a queue whose workers wait: each task is made and leased in one commit, and ends in
/// the next one.
void lives(writing& to, clock::duration duration, results& out) {
  const core::queue_name queue = "bench";
  core::change setup;
  setup.writes.push_back(core::put_queue{queue, "{}", false, {}, 1, to.at()});
  to.commit({setup});
  std::vector<core::task_id> live;
  const auto next = [&](std::size_t size) {
    std::vector<core::change> changes;
    for (const auto& task : std::exchange(live, {})) {
      core::finish_task end;
      end.task = task;
      end.token = 1;
      end.result = "{}";
      end.at = to.at();
      changes.emplace_back().writes.push_back(std::move(end));
    }
    for (std::size_t i = 0; i < size; ++i) {
      core::insert_task made;
      made.queue = queue;
      made.spec.id = {to.new_id()};
      made.spec.type = "bench";
      made.spec.body = R"({"text":"the quick brown fox jumps over the lazy dog","number":1})";
      made.spec.created_at = to.at();
      live.push_back(made.spec.id);
      changes.emplace_back().writes.push_back(std::move(made));
      changes.emplace_back().writes.push_back(core::insert_task_lease{
          live.back(), {{to.new_id()}, "worker", 1, to.at(), to.at() + std::chrono::minutes{1}}});
    }
    return changes;
  };
  for (const std::size_t size : {1U, 8U, 64U, 512U}) {
    to.commit(next(size)); // or the first would end as many as the size before had made
    measure(
        to, "writer.lives.batch_" + std::to_string(size), size, duration,
        [&, size] { return next(size); }, out);
  }
}

} // namespace

void store_batches(const std::string& conninfo, int seconds, results& out) {
  writing to{conninfo};
  const auto duration = std::chrono::milliseconds{seconds * 300};
  grants(to, duration, out);
  lives(to, duration, out);
}

} // namespace holdfast::bench
