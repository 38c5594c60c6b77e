#include "actors/step_state.hpp"

#include "core/exclusion.hpp"
#include "core/invariant.hpp"
#include "core/object_ref.hpp"
#include "core/workflow.hpp"
#include "documents/canonical_json.hpp"
#include "documents/json.hpp"

#include <algorithm>

namespace holdfast::actors {

namespace {

/// Units, and bytes of their inputs, that one change brings in; those of one parent are not
/// divided.
constexpr std::size_t group_units_max = 1000;
constexpr std::size_t group_bytes_max = 8 * 1024 * 1024;

/// What a finished unit of another step becomes here: the way it came, and what it brings.
struct arrival {
  const core::step_definition* from = nullptr;
  bool from_first = false; ///< From the first step, whose units are asked about the source data.
  const core::route* rule = nullptr;
  bool back = false;
};

arrival arrival_of(step_ptr self, const core::unit_record& parent) {
  const auto& st = self->state;
  const auto at = std::find(st.siblings.begin(), st.siblings.end(), parent.step);
  HOLDFAST_INVARIANT(at != st.siblings.end(), "units go on within their workflow");
  const auto from = static_cast<std::uint32_t>(at - st.siblings.begin());
  // Those from before there were routes went on along the only one.
  const auto rule = parent.route == core::no_route ? 0 : static_cast<std::size_t>(parent.route);
  const auto& way = st.workflow.ways(parent.version, from)[rule];
  arrival came{st.workflow.find(parent.version, from), from == 0, &way.rule, false};
  for (const auto& target : way.targets)
    if (target.position == st.step.row.position)
      came.back = target.back;
  return came;
}

core::exclusion exclusion_of(step_ptr self, const arrival& came, std::uint32_t version) {
  using core::aggregation_method;
  const auto& st = self->state;
  const auto& mine = *st.workflow.find(version, st.step.row.position);
  return core::exclusion_by(*came.rule, came.from->aggregation.method == aggregation_method::review,
                            came.back, mine.aggregation.method == aggregation_method::review);
}

bool needs_chain(step_ptr self, const core::unit_record& parent) {
  const auto came = arrival_of(self, parent);
  return came.back || exclusion_of(self, came, parent.version) != core::exclusion::nobody;
}

std::vector<core::judged_part> judged_parts(step_ptr self, const persistence::unit_chain& chain,
                                            std::uint32_t version) {
  const auto& st = self->state;
  std::vector<core::judged_part> parts;
  for (const auto& link : chain.links) {
    const auto at = std::find(st.siblings.begin(), st.siblings.end(), link.step);
    const auto* definition =
        st.workflow.find(version, static_cast<std::uint32_t>(at - st.siblings.begin()));
    const bool reviews =
        definition != nullptr && definition->aggregation.method == core::aggregation_method::review;
    parts.push_back({link.step == st.identity.step(), reviews, link.judges});
  }
  return parts;
}

/// What was asked here when the chain came by before; nothing if it never did.
const std::string* asked_before(const persistence::unit_chain& chain, const core::step_id& here) {
  for (const auto& link : chain.links)
    if (link.step == here)
      return &link.input;
  return nullptr;
}

/// Whether what it becomes here is made from its input, and not what was asked before.
bool needs_input(step_ptr self, const core::unit_record& parent,
                 const persistence::unit_chain* chain) {
  return !arrival_of(self, parent).back
         || asked_before(*chain, self->state.identity.step()) == nullptr;
}

/// `input` as the route shows it to `step`. What it passes on or puts together needs the result.
std::string shown(const core::route& rule, const core::step_definition& step, std::string input) {
  if (rule.input.empty())
    return input;
  const bool with_result =
      step.aggregation.method == core::aggregation_method::review || step.gather.has_value();
  return documents::mapped_input(input, rule.input, with_result);
}

/// The units that `parent` becomes here.
void append_children(step_ptr self, const core::unit_record& parent,
                     const persistence::unit_chain* chain, std::vector<core::source_item>& items) {
  const auto& st = self->state;
  const auto here = st.step.row.position;
  const auto& mine = *st.workflow.find(parent.version, here);
  const auto came = arrival_of(self, parent);
  documents::finished_link link{parent.input, !came.from_first, parent.result};
  std::string reviewed;
  if (came.from->aggregation.method == core::aggregation_method::review) {
    reviewed = documents::reviewed_result(link);
    link.result = reviewed;
  }
  core::source_item child;
  child.slots = core::first_slots(mine);
  child.version = parent.version;
  child.parent = parent.id;
  child.root = parent.root;
  child.parent_reopened = parent.reopened;
  child.loops = parent.loops + (came.back ? 1 : 0);
  child.list = parent.list;
  child.gathered = mine.gather.has_value() && !came.back;
  if (const auto who = exclusion_of(self, came, parent.version); who != core::exclusion::nobody)
    child.excluded = core::excluded(who, judged_parts(self, *chain, parent.version));
  const auto add = [&](std::optional<std::uint32_t> part, const std::string& input) {
    auto one = child;
    // No name that somebody has chosen may be that of a batch.
    const bool as_parent = st.workflow.one_way_in(parent.version, here) && !mine.gather;
    one.key = core::child_key(parent.source_key, parent.id, as_parent, part, parent.reopened);
    one.part = part.value_or(0);
    // As it is spelled where it comes from outside: the test questions of this step are.
    one.input = documents::canonical_json(input);
    items.push_back(std::move(one));
  };
  const auto* before = came.back ? asked_before(*chain, st.identity.step()) : nullptr;
  if (before != nullptr)
    return add(std::nullopt, *before);
  if (!came.rule->for_each || came.back)
    return add(std::nullopt, shown(*came.rule, mine, documents::chained_input(link)));
  // Each with its own item as the result: the whole list in every one would be a square of it.
  std::uint32_t part = 0;
  const auto parts = documents::items_of(link.result);
  for (const auto& item : parts) {
    child.list = {parent.id, static_cast<std::uint32_t>(parts.size()), part};
    link.result = item.result;
    add(part++, shown(*came.rule, mine, documents::chained_input(link, item.json)));
  }
}

/// One event may go on to several steps, and each applies it once: the inbox of this step.
std::string inbox_of(step_ptr self, const std::string& consumer) {
  return consumer + "/" + to_string(self->state.identity.step());
}

/// Finished units that are to become something here, in groups that are made durable one after the
/// other.
struct arriving {
  std::string consumer;
  std::vector<core::unit_record> parents;
  std::unordered_map<core::unit_id, core::message_id> messages; ///< That told of them.
  std::uint64_t read_at; ///< `step_state::results_taken_back` when they were read.
  held_promise promise;
  std::vector<persistence::unit_chain> chains{}; ///< Of those that need one.
  std::size_t next = 0;                          ///< The first parent that is not taken in yet.

  const persistence::unit_chain* chain_of(const core::unit_record& parent) const {
    const auto chain = std::find_if(chains.begin(), chains.end(),
                                    [&](const auto& c) { return c.last == parent.id; });
    return chain == chains.end() ? nullptr : &*chain;
  }
};
using arriving_ptr = std::shared_ptr<arriving>;

void take_in_next(step_ptr self, const arriving_ptr& these);

void give_up(const arriving_ptr& these, const core::failure& why) {
  these->promise.deliver(msg::to_error(why));
}

void enqueue_group(step_ptr self, const arriving_ptr& these, const std::shared_ptr<intake>& group) {
  group->done = [=](const core::failure& why, std::uint32_t, std::uint32_t) {
    // A canceled step takes no more units in; the chain ends here.
    if (why.code == core::errc::none || why.code == core::errc::wrong_state)
      take_in_next(self, these);
    else
      give_up(these, why);
  };
  if (!enqueue(self, std::move(*group)))
    give_up(these, {core::errc::overloaded, "the step is taking in other units"});
}

/// Takes in what the next parents become here, of those before `end`, whose inputs are whole.
void take_in_group(step_ptr self, const arriving_ptr& these, std::size_t end) {
  const auto group = std::make_shared<intake>();
  group->parents_read_at = these->read_at;
  auto& items = group->items;
  std::size_t bytes = 0;
  while (these->next < end && bytes < group_bytes_max && items.size() < group_units_max) {
    auto& parent = these->parents[these->next++];
    const auto before = items.size();
    append_children(self, parent, these->chain_of(parent), items);
    for (auto i = before; i < items.size(); ++i)
      bytes += items[i].input.size();
    group->inbox.emplace(parent.id, core::insert_inbox{inbox_of(self, these->consumer),
                                                       these->messages.at(parent.id)});
    std::string{}.swap(parent.input);
  }
  const auto large = large_in(self, *group);
  // What a canceled step refuses fills no disk.
  if (large.empty() || self->state.step.row.status == core::step_status::canceled)
    return enqueue_group(self, these, group);
  put_payloads(
      self, self->state.links.objects, large,
      [=](const std::vector<core::failure>& outcomes) {
        if (const auto why = first_failure(outcomes); why.code != core::errc::none)
          give_up(these, why);
        else
          enqueue_group(self, these, group);
      },
      when_busy::wait);
}

/// An input that is lost is asked for again and again, as a row is that cannot be read: no unit may
/// silently become nothing. Whoever brought it lets the others go first.
void on_unreadable(step_ptr self, const arriving_ptr& these, const core::unit_id& parent,
                   const core::failure& why) {
  self->state.context->log(log_level::error, "payload_unreadable",
                           {{"step", to_string(self->state.identity.step())},
                            {"unit", to_string(parent)},
                            {"reason", why.detail}});
  give_up(these, {is_lost(why) ? core::errc::damaged : core::errc::unavailable,
                  "a unit's input cannot be read: " + why.detail});
}

void take_in_next(step_ptr self, const arriving_ptr& these) {
  auto& parents = these->parents;
  if (these->next == parents.size())
    return these->promise.deliver(events_applied{});
  auto end = these->next;
  std::size_t bytes = 0;
  std::vector<std::string*> inputs;
  std::vector<core::unit_id> owners;
  for (; end < parents.size() && bytes < group_bytes_max; ++end) {
    auto& parent = parents[end];
    bytes += core::payload_bytes(parent.input);
    if (needs_input(self, parent, these->chain_of(parent))) {
      inputs.push_back(&parent.input);
      owners.push_back(parent.id);
    }
  }
  get_payloads(
      self, self->state.links.objects, inputs, internal_timeout,
      [=](const std::vector<core::failure>& outcomes) {
        for (std::size_t i = 0; i < outcomes.size(); ++i)
          if (outcomes[i].code != core::errc::none)
            return on_unreadable(self, these, owners[i], outcomes[i]);
        take_in_group(self, these, end);
      },
      when_busy::wait);
}

/// Looks up where they come from, for those of whom it matters.
void with_chains(step_ptr self, const arriving_ptr& these) {
  std::vector<core::unit_id> units;
  for (const auto& parent : these->parents)
    if (needs_chain(self, parent))
      units.push_back(parent.id);
  if (units.empty())
    return take_in_next(self, these);
  read(self, self->state.links.loader,
       [units](persistence::store& db) { return db.load_chains(units); })
      .then(
          [=](std::vector<persistence::unit_chain>& chains) {
            these->chains = std::move(chains);
            take_in_next(self, these);
          },
          [=](const core::failure& why) { give_up(these, unreadable(why)); });
}

/// Learns of the versions that they began under, if that is to be learned.
void with_known_versions(step_ptr self, const arriving_ptr& these) {
  const auto latest = self->state.workflow.latest();
  if (std::all_of(these->parents.begin(), these->parents.end(),
                  [&](const auto& parent) { return parent.version <= latest; }))
    return with_chains(self, these);
  with_versions(self, [=](const core::failure& why) {
    if (why.code == core::errc::none)
      with_chains(self, these);
    else
      these->promise.deliver(msg::to_error(why));
  });
}

/// Keeps those that still have the result that was told of: another one is told of, too.
arriving_ptr those_who_still(const add_children& request, std::vector<core::unit_record> read,
                             std::uint64_t read_at, const held_promise& promise) {
  arriving these{request.consumer, {}, {}, read_at, promise, {}, 0};
  for (auto& unit : read)
    for (const auto& told : request.parents)
      if (told.unit == unit.id && told.revision == unit.reopened + 1
          && unit.state == core::unit_state::finalized) {
        these.messages.emplace(unit.id, told.message);
        these.parents.push_back(std::move(unit));
        break;
      }
  return std::make_shared<arriving>(std::move(these));
}

void make_children(step_ptr self, const add_children& request, const held_promise& promise) {
  if (request.parents.empty())
    return promise.deliver(events_applied{});
  std::vector<core::unit_id> parents;
  for (const auto& parent : request.parents)
    parents.push_back(parent.unit);
  const auto read_at = self->state.results_taken_back;
  // They are of the upstream step: its lease policies matter to nobody here.
  read(self, self->state.links.loader,
       [parents](persistence::store& db) { return db.load_units(parents, {}); })
      .then(
          [=](std::vector<core::unit_record>& units) {
            with_known_versions(self, those_who_still(request, std::move(units), read_at, promise));
          },
          [=](const core::failure& why) { promise.deliver(msg::to_error(unreadable(why))); });
}

} // namespace

void on_add_children(step_ptr self, const add_children& request) {
  const held_promise promise{self->make_response_promise()};
  if (request.taken_back.empty())
    return make_children(self, request, promise);
  withdraw_made_from(self, request.taken_back, [=](const core::failure& why) {
    if (why.code == core::errc::none)
      make_children(self, request, promise);
    else
      promise.deliver(msg::to_error(why));
  });
}

// Not through the inbox: what comes is the state of the upstream step now, not at the event, so
// that the same message may have something new to say when it comes again; and taking it in repeats
// itself without harm.
void on_upstream_progress(step_ptr self, const upstream_progress& change) {
  const held_promise promise{self->make_response_promise()};
  // Who is sealed must know all that may lead here. What began under a later version than is
  // found now makes the first step tell that it is no longer complete, after this.
  with_versions(self, [=](const core::failure& why) {
    if (why.code != core::errc::none)
      return promise.deliver(msg::to_error(why));
    auto& st = self->state;
    auto decided =
        core::note_upstream(st.step, change.from, change.completed,
                            st.workflow.upstreams(st.step.row.position), now(self, st.context));
    auto effect = [=](const core::failure& failed) {
      if (failed.code == core::errc::none)
        promise.deliver(events_applied{});
      else
        promise.deliver(msg::to_error(failed));
    };
    if (decided.refusal != core::errc::none || decided.changes.empty())
      st.pending.after_all(std::move(effect));
    else
      write(self, std::move(decided.changes), std::move(effect));
    gather_when_due(self); // perhaps nothing more can come
  });
}

} // namespace holdfast::actors
