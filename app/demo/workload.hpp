#pragma once

#include "app/demo/dataset.hpp"
#include "app/demo/planned_answer.hpp"
#include "core/lease.hpp"
#include "messages/workflow_messages.hpp"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

/// A data set as work for a node: its workflow, its units, and what each contributor will do.
namespace holdfast::app::demo {

/// How the demo leases units out: so short that a forgotten one comes back while people watch, long
/// enough that nobody who is at work loses one, unless the node is down.
core::lease_policy demo_lease();

/// The same where a person labels beside the recorded contributors: so long that they may read the
/// unit in peace.
core::lease_policy lease_for_people();

/// A workflow of one step. Its schema admits the labels of the set and nothing else.
std::string workflow_of(const dataset& set, const core::lease_policy& lease);

/// The units, with as many judgments wanted as were recorded, in requests of bearable size.
std::vector<std::vector<msg::source_row>> source_data_of(const dataset& set);

/// The task that a unit's input names; empty when it names none.
std::string task_of_input(const std::string& input);

/// The answer of a contributor as the payload of a judgment.
std::string payload_of_label(const std::string& label);

/// The plans of people who never forget a unit that they have taken. Where leases are as long as
/// people need, a forgotten one would come back after minutes.
void remember_all(std::vector<std::unordered_map<std::string, planned_answer>>& plans);

/// What each contributor answers, how fast, and what goes wrong with it on purpose, in the order of
/// the set. The same `seed` gives the same plan. Recorded seconds are divided by `speed`.
std::vector<std::unordered_map<std::string, planned_answer>>
plan_answers(const dataset& set, double speed, std::uint64_t seed);

} // namespace holdfast::app::demo
