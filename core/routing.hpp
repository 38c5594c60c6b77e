#pragma once

#include "core/ids.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// Where a finished unit goes on to. The routes of a step are an ordered list: the first that is
/// for the unit takes it.
namespace holdfast::core {

/// What a route asks of one value in the input of a unit.
struct input_condition {
  std::string pointer; ///< JSON pointer into the input.
  /// The value is one of these: scalars as canonical JSON. `null` is also what is not there.
  std::vector<std::string> values;
  // In place of values: it is a number within these bounds, of which there is one at least.
  std::optional<double> at_least;
  std::optional<double> below;
};

/// Which finished units a route is for: those of which all that is set here holds.
struct route_condition {
  std::vector<std::string> answers;       ///< The result is one of these; empty: any.
  std::vector<std::string> other_answers; ///< The result is none of these.
  std::optional<double> confidence_below;
  std::optional<double> agreement_below; ///< Of the judgments, the share that gave the result.
  std::optional<double> trust_below;     ///< Of at least one contributor who judged it.
  std::optional<bool> tied;
  std::optional<std::uint32_t> sent_back; ///< Its chain was sent back so many times at least.
  /// At least one contributor who judged it had judged fewer units of the step before.
  std::optional<std::uint32_t> judged_fewer;
  std::vector<input_condition> input{}; ///< Of what its contributors were given.
  std::optional<double> sample;         ///< This share of all units, drawn by their ids and `seed`.
  std::uint32_t seed = 0;
};

/// A member of what a route shows of a unit to the next step.
struct input_member {
  std::string name;
  std::string pointer; ///< JSON pointer into what the input is where a route says nothing.
};

struct route {
  route_condition when;
  std::vector<std::string> to; ///< Keys of steps, each of which gets a unit; none ends the chain.
  /// The result is a list, and each of its items becomes a unit. A result that is none is one item.
  bool for_each = false;
  /// True: nobody who judged a unit of the chain so far is offered the new one; false: everybody
  /// is. None: as `exclusion_by` says for where the route leads.
  std::optional<bool> exclude_judges{};
  /// Of a way back: taken only by chains that were sent back fewer times than this.
  std::uint32_t loops_max = 3;
  std::vector<input_member>
      input{}; ///< The source data of the new unit; empty: those of its parent.
};

/// A step that a way leads to.
struct way_target {
  std::uint32_t position = 0; ///< Of the step, in the definition.
  /// The way leads back to where the chain was before. Such a unit is asked again what it was asked
  /// then.
  bool back = false;
};

/// A route in its place in the workflow.
struct way {
  route rule;
  std::vector<way_target> targets; ///< By `rule.to`.
};

/// Where a chain stands among those that the items of one result became. Of nested lists, in the
/// innermost; a step that gathers ends it.
struct list_place {
  unit_id of;             ///< The unit whose result was the list; nil: the chain is of none.
  std::uint32_t size = 0; ///< How many items it had.
  std::uint32_t part = 0; ///< Which of them, from 0.
};

/// A value in the input of a unit, as routes compare it.
struct input_value {
  std::string json = "null"; ///< A scalar as canonical JSON; empty: it is an object or a list.
  std::optional<double> number{};
};
using input_values = std::map<std::string, input_value>; ///< By the pointers to them.

/// What routes look at.
struct finding {
  unit_id unit;
  std::uint32_t loops = 0; ///< How often its chain was sent back.
  std::string answer;
  double confidence = 0;
  double agreement = 0;
  double trust_least = 1; ///< Of the contributors whose judgments count.
  bool tied = false;
  /// Likewise: the fewest units of the step that one of them had judged before. None: not counted.
  std::optional<std::uint32_t> judged_least{};
  input_values input{}; ///< Those that `pointers_asked` names; others are not there.
};

/// No route was for the unit: its chain ends.
inline constexpr std::int16_t no_route = -1;

struct route_choice {
  std::int16_t rule = no_route; ///< Index of the route.
  std::string because;          ///< For people.
};

/// The way that a finalized unit took; null when its chain ended there. `route` as it is stored,
/// which says nothing of those from before there were routes: they went on along the only way.
const way* way_taken(std::int16_t route, const std::vector<way>& ways);

/// Its steps as a JSON list of their keys.
std::string keys_listed(const way& taken);

/// The first of `ways` that is for the unit. Depends on nothing else, so that it may be asked
/// again.
route_choice choose_route(const std::vector<way>& ways, const finding& found);

/// The pointers into the inputs of units that some of `ways` ask about, each once.
std::vector<std::string> pointers_asked(const std::vector<way>& ways);

/// Whether no unit is passed over.
bool takes_every_unit(const route& rule);

/// Where `unit` is drawn, from 0 to 1: evenly, for each `rule` and `seed` anew, and the same at
/// every call.
double drawn_at(const unit_id& unit, std::uint32_t rule, std::uint32_t seed = 0);

/// Items of one list that may become units.
inline constexpr std::size_t fan_out_max = 1000;

/// The judges who are not offered the unit that a route makes.
enum class exclusion : std::uint8_t {
  nobody,
  authors,       ///< People who judged the result that is to be reviewed.
  who_was_asked, ///< People who judged the chain in that step before.
  chain,         ///< Everybody who judged a unit of the chain so far, tasks of a queue as well.
};

/// Where the route says nothing, nobody reviews what is their own, and what a review sends back is
/// made anew by somebody else.
exclusion exclusion_by(const route& rule, bool from_review, bool back, bool to_review);

/// Names a child, unique in its step. Where nothing but finished units of one step come in, once
/// each, the child has the name of its parent; else the parent's id tells it from others, which
/// nobody who names source data can know beforehand. `part`: its place in the list it comes from.
/// `parent_reopened`: of how many earlier results of the parent there may be children.
std::string child_key(const std::string& parent_key, const unit_id& parent, bool only_way_in,
                      std::optional<std::uint32_t> part, std::uint32_t parent_reopened = 0);

} // namespace holdfast::core
