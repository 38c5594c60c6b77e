// The wire: every message type there and back, its bytes as they were first published, and bytes
// that are no message.

#include "core/access.hpp"
#include "messages/interfaces.hpp"
#include "messages/operations.hpp"
#include "tests/core/random_source.hpp"
#include "tests/messages/all_samples.hpp"
#include "tests/messages/interface_names.hpp"
#include "tests/support/printing.hpp"

#include <boost/test/unit_test.hpp>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/atom.hpp>
#include <caf/deep_to_string.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace holdfast;
using test::all_samples;
using test::bytes;
using test::hex;
using test::id_of;
using test::name_of;
using test::signature_names;
using test::wire_fixture;

namespace {

/// What an actor would get: CAF hands on an empty message where it cannot read one.
caf::message received(wire_fixture& wire, const bytes& buffer) {
  caf::message copy;
  BOOST_CHECK_NO_THROW(wire.read(buffer, copy));
  return copy;
}

/// The request of one line of an interface, if it writes nothing.
template <class In, class Out>
void note_read(const caf::actor_system& system, std::set<std::string>& reads,
               caf::typed_mpi<caf::detail::type_list<In>, Out>) {
  if (msg::only_reads<In>)
    reads.insert(name_of<In>(system).substr(4));
}

/// The requests of a table that write, without `hf1.`.
template <class... Rows>
std::set<std::string> names_of_writes(const caf::actor_system& system,
                                      caf::detail::type_list<Rows...>) {
  std::set<std::string> writes;
  const auto note = [&](auto row) {
    using request = typename decltype(row)::request;
    if (!msg::only_reads<request>)
      writes.insert(name_of<request>(system).substr(4));
  };
  (note(Rows{}), ...);
  return writes;
}

/// Of all lines, without `hf1.`.
template <class... Signatures>
std::set<std::string> names_of_reads(const caf::actor_system& system,
                                     caf::detail::type_list<Signatures...>) {
  std::set<std::string> reads;
  (note_read(system, reads, Signatures{}), ...);
  return reads;
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(wire, wire_fixture)

BOOST_AUTO_TEST_CASE(every_message_comes_back_as_it_was_sent) {
  for (const auto& s : all_samples(*this)) {
    BOOST_TEST(s.reread(s.wire) == s.printed, s.name);
    // The same inside a message, which is how actors send it: with its name in front.
    const auto whole = written(s.message);
    BOOST_TEST(caf::deep_to_string(received(*this, whole)) == caf::deep_to_string(s.message),
               s.name);
    BOOST_TEST((std::string{whole.begin(), whole.end()}.find(s.name) != std::string::npos), s.name);
  }
}

// A node of yesterday must understand a peer of tomorrow. A changed layout needs a new name.
BOOST_AUTO_TEST_CASE(the_bytes_of_every_message_are_as_published) {
  for (const auto& s : all_samples(*this))
    BOOST_TEST(hex(s.wire) == s.published, s.name << ": " << hex(s.wire) << " != " << s.published);
}

BOOST_AUTO_TEST_CASE(every_registered_type_has_a_sample_and_the_other_way_round) {
  std::set<std::string> registered;
  for (const auto& [name, factory] : config.value_factories_by_name)
    if (name.rfind("hf1.", 0) == 0)
      registered.insert(name);
  std::set<std::string> sampled;
  for (const auto& s : all_samples(*this))
    BOOST_TEST(sampled.insert(s.name).second, s.name);
  BOOST_TEST(registered == sampled, boost::test_tools::per_element());
}

// finding D3: who may send a message is in one table, and none is missing there.
BOOST_AUTO_TEST_CASE(every_message_has_a_row_that_says_who_sends_it) {
  std::map<std::string, core::said_by> rows;
  for (const auto& row : core::message_table())
    BOOST_TEST(rows.emplace("hf1." + std::string{row.message}, row.who).second, row.message);
  for (const auto& s : all_samples(*this))
    BOOST_TEST(rows.count(s.name) == 1U, s.name);
  BOOST_TEST(rows.size() == all_samples(*this).size());

  const auto gateway = signature_names(system, msg::gateway_actor::signatures{});
  for (const auto& names : gateway) {
    BOOST_TEST((rows.at(names.front()) == core::said_by::clients), names.front());
    BOOST_TEST((rows.at(names.back()) == core::said_by::answers), names.back());
  }
  std::size_t requests = 0;
  for (const auto& row : core::message_table()) {
    const bool is_request = row.who == core::said_by::clients;
    requests += is_request ? 1U : 0U;
    BOOST_TEST(row.roles.has(core::role::admin) == is_request, row.message);
    BOOST_TEST(row.roles.empty() != is_request, row.message);
  }
  BOOST_TEST(requests == gateway.size() + 1U); // with `get_protocols`
}

// finding D3
BOOST_AUTO_TEST_CASE(auditors_read_and_change_nothing) {
  auto reads = names_of_reads(system, msg::gateway_actor::signatures{});
  for (const auto& row : core::message_table()) {
    const std::string name{row.message};
    if (row.roles.has(core::role::auditor) && name != "get_protocols")
      BOOST_TEST(reads.count(name) == 1U, name);
  }
  // Contributors' own questions, one that writes nothing but has all nodes work, and one that tells
  // the hash of a secret.
  for (const auto* of_others : {"find_steps", "get_feedback", "rebuild_step_index", "check_token"})
    reads.erase(of_others);
  for (const auto& name : reads)
    BOOST_TEST(core::find_access(name)->roles.has(core::role::auditor), name);
}

// A further operation that writes must be judged by a person before it stands here: the audit log
// does not name those who send these.
BOOST_AUTO_TEST_CASE(operations_that_write_without_an_entry_in_the_audit_log_are_these) {
  auto writes = names_of_writes(system, msg::operations{});
  for (const auto& audited : names_of_writes(system, msg::audited_operations{}))
    writes.erase(audited);
  const std::set<std::string> traffic{
      "claim_tasks",       "correct_judgment",   "complete_tasks",    "enqueue_tasks",
      "enqueue_envelopes", "extend_tasks",       "follow_task",       "fail_task",
      "save_task",         "save_task_in_order", "release_task",      "ask_assignment",
      "submit_judgment",   "release_assignment", "extend_assignment", "end_session",
      "note_token_use"};
  BOOST_TEST(writes == traffic, boost::test_tools::per_element());
}

// finding D3: none of these has a member that tells of test questions, trust or other people's
// judgments; `judgment_feedback` says what the step's definition has it say of the asker's own. A
// further answer must be judged by a person before it stands here.
BOOST_AUTO_TEST_CASE(answers_to_contributors_are_these_and_no_others) {
  std::map<std::string, std::string> answers;
  for (const auto& names : signature_names(system, msg::member_gateway_actor::signatures{}))
    answers[names.front().substr(4)] = names.back().substr(4);
  std::set<std::string> heard;
  for (const auto& row : core::message_table())
    if (row.roles.has(core::role::contributor))
      heard.insert(answers.at(std::string{row.message}));
  const std::set<std::string> known{
      "assignment",          "judgment_corrected", "assignment_released",
      "assignment_extended", "judgment_accepted",  "session_ended",
      "judgment_feedback",   "step_offers",        "node_status",
      "placement",           "protocols"};
  BOOST_TEST(heard == known, boost::test_tools::per_element());
}

// The link refuses from peers what only nodes say; ADR 0054.
BOOST_AUTO_TEST_CASE(the_link_knows_what_only_nodes_say) {
  const auto of = [&](const auto& signatures) {
    std::set<std::string> all;
    for (const auto& names : signature_names(system, signatures))
      all.insert(names.begin(), names.end());
    return all;
  };
  auto between_nodes = of(msg::door_actor::signatures{});
  between_nodes.merge(of(msg::member_gateway_actor::signatures{}));
  for (const auto& name : of(msg::gateway_actor::signatures{}))
    between_nodes.erase(name);
  // Peers ask for these as well.
  between_nodes.erase(name_of<msg::get_protocols>(system));
  between_nodes.erase(name_of<msg::protocols>(system));
  between_nodes.erase(name_of<void>(system)); // a hint is answered by nobody
  std::set<std::string> known;
  for (const auto& row : core::message_table())
    if (row.who == core::said_by::nodes && row.message != "tasks_lost" // answers no request
        && row.message != "author")                                    // stands before one
      known.insert("hf1." + std::string{row.message});
  BOOST_TEST(known == between_nodes, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_gateway_speaks_registered_types_only) {
  BOOST_TEST(signature_names(system, msg::gateway_actor::signatures{}).size() == 101U);
  auto signatures = signature_names(system, msg::door_actor::signatures{});
  // A hint is answered by nobody.
  signatures.erase(
      std::remove_if(signatures.begin(), signatures.end(),
                     [](const auto& names) { return names.front() == "hf1.look_at_cluster"; }),
      signatures.end());
  BOOST_TEST(signatures.size() == 104U);
  std::set<std::string> requests;
  for (const auto& names : signatures) {
    BOOST_TEST(names.size() == 2U); // one request, one answer
    for (const auto& name : names)
      BOOST_TEST(config.value_factories_by_name.count(name) == 1U, name);
    BOOST_TEST(requests.insert(names.front()).second, names.front());
  }
}

BOOST_AUTO_TEST_CASE(without_registration_a_type_has_no_name_to_travel_under) {
  caf::actor_system_config bare;
  bare.set("scheduler.policy", caf::atom("testing"));
  caf::actor_system other{bare};
  BOOST_TEST(name_of<msg::ask_assignment>(system) == "hf1.ask_assignment");
  BOOST_TEST(name_of<msg::ask_assignment>(other) != "hf1.ask_assignment");
}

BOOST_AUTO_TEST_CASE(default_values_travel_as_well) {
  for (const auto& s : all_samples(*this)) {
    if (s.name == "hf1.node_met")
      continue; // no handle is written as zeroes
    const auto zeroes = s.reread(bytes(512, 0));
    BOOST_TEST(zeroes != "error", s.name);
    BOOST_TEST(zeroes != s.printed, s.name);
  }
}

BOOST_AUTO_TEST_CASE(long_texts_and_lists_keep_their_length) {
  // Beyond one byte of length, and beyond two.
  for (const std::size_t length : {127U, 128U, 16'383U, 16'384U, 300'000U}) {
    msg::create_workflow sent{id_of<core::workflow_id>(1), std::string(length, 'x')};
    msg::create_workflow received;
    BOOST_TEST(!read(written(sent), received));
    BOOST_TEST(received.definition.size() == length);
    BOOST_TEST((received.definition == sent.definition));
  }
  msg::add_source_data sent{id_of<core::step_id>(1), {}};
  for (std::uint32_t i = 0; i < 1000; ++i)
    sent.rows.push_back({"key " + std::to_string(i), "{}", i});
  msg::add_source_data received;
  BOOST_TEST(!read(written(sent), received));
  BOOST_TEST(caf::deep_to_string(received) == caf::deep_to_string(sent));
}

BOOST_AUTO_TEST_SUITE_END()

// An exception in CAF's deserializer would end the process.
BOOST_FIXTURE_TEST_SUITE(bytes_that_are_no_message, wire_fixture)

BOOST_AUTO_TEST_CASE(a_message_cut_anywhere_is_none) {
  for (const auto& s : all_samples(*this)) {
    for (std::size_t length = 0; length < s.wire.size(); ++length)
      BOOST_TEST(
          !s.readable({s.wire.begin(), s.wire.begin() + static_cast<std::ptrdiff_t>(length)}),
          s.name << " cut to " << length);
    const auto whole = written(s.message);
    for (std::size_t length = 0; length < whole.size(); ++length) {
      const bytes part{whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)};
      BOOST_TEST(received(*this, part).empty(), s.name << " cut to " << length);
    }
  }
}

BOOST_AUTO_TEST_CASE(lengths_that_lie_are_errors_and_cost_no_memory) {
  // 2^64 - 1 as a length, then nothing.
  const bytes huge{'\xff', '\xff', '\xff', '\xff', '\xff', '\xff', '\xff', '\xff', '\xff', '\x01'};
  msg::end_session text_only;
  BOOST_TEST(static_cast<bool>(read(huge, text_only)));
  msg::step_list list_only;
  BOOST_TEST(static_cast<bool>(read(huge, list_only)));
  // 4 GiB of text announced, three bytes sent.
  const bytes four_gib{'\xff', '\xff', '\xff', '\xff', '\x0f', 'a', 'b', 'c'};
  BOOST_TEST(static_cast<bool>(read(four_gib, text_only)));
  BOOST_TEST(static_cast<bool>(read(four_gib, list_only)));
}

BOOST_AUTO_TEST_CASE(random_bytes_never_throw) {
  test::random_source random{11};
  std::size_t read_errors = 0;
  for (const auto& s : all_samples(*this))
    for (int round = 0; round < 200; ++round) {
      bytes garbage(random.below(200));
      for (auto& c : garbage)
        c = static_cast<char>(random.below(256));
      BOOST_CHECK_NO_THROW(read_errors += s.readable(garbage) ? 0 : 1);
    }
  BOOST_TEST(read_errors > 1000U);
}

BOOST_AUTO_TEST_CASE(flipped_bits_never_throw) {
  test::random_source random{12};
  for (const auto& s : all_samples(*this))
    for (int round = 0; round < 200; ++round) {
      auto damaged = s.wire;
      damaged[random.below(damaged.size())] ^= static_cast<char>(1 << random.below(8));
      BOOST_CHECK_NO_THROW(s.readable(damaged));
    }
}

BOOST_AUTO_TEST_CASE(a_message_of_an_unknown_type_is_none) {
  for (const auto& s : all_samples(*this)) {
    auto whole = written(s.message);
    const auto at = std::string{whole.begin(), whole.end()}.find("hf1.");
    BOOST_REQUIRE(at != std::string::npos);
    whole[at + 2] = '9'; // hf9.…
    BOOST_TEST(received(*this, whole).empty(), s.name);
  }
}

BOOST_AUTO_TEST_SUITE_END()
