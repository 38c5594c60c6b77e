// The wire: every message type there and back, its bytes as they were first published, errors with
// all they say, and bytes that are no message.

#include "messages/errors.hpp"
#include "messages/interfaces.hpp"
#include "messages/registry.hpp"
#include "tests/core/random_source.hpp"
#include "tests/support/printing.hpp"

#include <boost/test/unit_test.hpp>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/atom.hpp>
#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>
#include <caf/deep_to_string.hpp>
#include <caf/make_message.hpp>
#include <caf/sec.hpp>
#include <caf/uniform_type_info_map.hpp>

#include <functional>
#include <set>
#include <string>
#include <vector>

using namespace holdfast;

namespace {

using bytes = std::vector<char>;

struct registered_config : caf::actor_system_config {
  registered_config() {
    set("scheduler.policy", caf::atom("testing")); // no threads: nothing runs here
    msg::register_messages(*this);
  }
};

struct wire_fixture {
  registered_config config;
  caf::actor_system system{config};

  template <class T>
  bytes written(T value) {
    bytes buffer;
    caf::binary_serializer sink{system, buffer};
    BOOST_REQUIRE(!sink(value));
    return buffer;
  }

  template <class T>
  caf::error read(const bytes& buffer, T& value) {
    caf::binary_deserializer source{system, buffer};
    return source(value);
  }
};

std::string hex(const bytes& buffer) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const char c : buffer) {
    text += digits[static_cast<unsigned char>(c) >> 4];
    text += digits[static_cast<unsigned char>(c) & 0x0f];
  }
  return text;
}

/// The id whose sixteen bytes are all `n`, and those bytes on the wire.
template <class Id>
Id id_of(std::uint8_t n) {
  Id id;
  id.value.bytes.fill(n);
  return id;
}
std::string id(std::uint8_t n) { return hex(bytes(16, static_cast<char>(n))); }

/// Numbers are sent highest byte first, in their full width.
template <class Integer>
std::string fixed(Integer value, int width) {
  bytes buffer;
  for (int i = width - 1; i >= 0; --i)
    buffer.push_back(static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i)));
  return hex(buffer);
}
std::string u8(std::uint8_t n) { return fixed(n, 1); }
std::string u32(std::uint32_t n) { return fixed(n, 4); }
std::string u64(std::uint64_t n) { return fixed(n, 8); }

/// Texts and lists of less than 128 elements are sent behind one byte that counts them.
std::string text(const std::string& s) {
  return u8(static_cast<std::uint8_t>(s.size())) + hex({s.begin(), s.end()});
}
std::string list(std::initializer_list<std::string> elements) {
  auto all = u8(static_cast<std::uint8_t>(elements.size()));
  for (const auto& element : elements)
    all += element;
  return all;
}

/// One message of one type, with values that differ from field to field.
struct sample {
  std::string name;      ///< As registered.
  caf::message message;  ///< The message alone.
  bytes wire;            ///< As written.
  std::string published; ///< As first published, in hex. Never changes.
  std::string printed;   ///< With all fields.
  /// Reads bytes as this type: whether they are one, and what it says.
  std::function<bool(const bytes&)> readable;
  std::function<std::string(const bytes&)> reread;
};

class samples {
public:
  explicit samples(wire_fixture& wire) : wire_(wire) { fill(); }

  std::vector<sample> all;

private:
  template <class T>
  void add(const char* name, const T& value, const std::string& published) {
    auto* wire = &wire_;
    const auto readable = [wire](const bytes& buffer) {
      T copy{};
      return !wire->read(buffer, copy);
    };
    const auto reread = [wire](const bytes& buffer) {
      T copy{};
      return wire->read(buffer, copy) ? "error" : caf::deep_to_string(copy);
    };
    all.push_back({name, caf::make_message(value), wire->written(value), published,
                   caf::deep_to_string(value), readable, reread});
  }

  void fill() {
    using namespace msg;
    const auto step = id_of<core::step_id>(0x51);
    const auto unit = id_of<core::unit_id>(0x52);
    const auto root = id_of<core::unit_id>(0x53);
    const auto parent = id_of<core::unit_id>(0x54);
    const auto work = id_of<core::assignment_id>(0x55);
    const auto judgment = id_of<core::judgment_id>(0x56);
    const auto workflow = id_of<core::workflow_id>(0x57);
    const auto at = core::from_micros(0x00060a2418203040);
    const std::string at_bytes = "00060a2418203040";

    // What contributors send.
    add("hf1.ask_assignment", ask_assignment{step, "ana", work}, id(0x51) + text("ana") + id(0x55));
    add("hf1.assignment", assignment{work, step, unit, 7, at, "{}"},
        id(0x55) + id(0x51) + id(0x52) + u64(7) + at_bytes + text("{}"));
    add("hf1.release_assignment", release_assignment{step, unit, "ana", 7, true},
        id(0x51) + id(0x52) + text("ana") + u64(7) + u8(1));
    add("hf1.assignment_released", assignment_released{unit}, id(0x52));
    add("hf1.extend_assignment", extend_assignment{step, unit, "ana", 7},
        id(0x51) + id(0x52) + text("ana") + u64(7));
    add("hf1.assignment_extended", assignment_extended{unit, at}, id(0x52) + at_bytes);
    add("hf1.submit_judgment", submit_judgment{step, unit, "ana", 7, judgment, "{\"answer\":1}"},
        id(0x51) + id(0x52) + text("ana") + u64(7) + id(0x56) + text("{\"answer\":1}"));
    add("hf1.judgment_accepted", judgment_accepted{judgment, true}, id(0x56) + u8(1));
    add("hf1.end_session", end_session{"ana"}, text("ana"));
    add("hf1.session_ended", session_ended{3}, u32(3));

    // What requesters send.
    const step_view view{step, workflow, "label", 2, core::step_status::completed, true, 10, 9, 8};
    const auto view_bytes =
        id(0x51) + id(0x57) + text("label") + u32(2) + u8(3) + u8(1) + u64(10) + u64(9) + u64(8);
    add("hf1.step_view", view, view_bytes);
    add("hf1.create_workflow", create_workflow{workflow, "{}"}, id(0x57) + text("{}"));
    add("hf1.workflow_created", workflow_created{workflow, {view, view}},
        id(0x57) + list({view_bytes, view_bytes}));
    add("hf1.add_source_data", add_source_data{step, {{"k1", "[1]", 5}, {"k2", "[2]", 0}}},
        id(0x51) + list({text("k1") + text("[1]") + u32(5), text("k2") + text("[2]") + u32(0)}));
    add("hf1.source_data_added", source_data_added{1, 2, {{3, 4, "bad"}}},
        u32(1) + u32(2) + list({u32(3) + u8(4) + text("bad")}));
    add("hf1.seal_step", seal_step{step}, id(0x51));
    add("hf1.change_step", change_step{step, 2}, id(0x51) + u8(2));
    add("hf1.change_unit", change_unit{step, unit, 3}, id(0x51) + id(0x52) + u8(3));
    add("hf1.unit_changed", unit_changed{unit, core::unit_state::canceled}, id(0x52) + u8(4));
    add("hf1.list_steps", list_steps{step, 100}, id(0x51) + u32(100));
    add("hf1.step_list", step_list{{view}}, list({view_bytes}));
    add("hf1.get_unit", get_unit{step, unit}, id(0x51) + id(0x52));
    add("hf1.unit_view",
        unit_view{unit, step, root, parent, "k", "[1]", core::unit_state::finalized, 3, 2, 1, "{}",
                  0.75},
        id(0x52) + id(0x51) + id(0x53) + id(0x54) + text("k") + text("[1]") + u8(3) + u32(3)
            + u32(2) + u32(1) + text("{}") + "3fe8000000000000");
    add("hf1.list_results", list_results{step, 6, 50}, id(0x51) + u64(6) + u32(50));
    add("hf1.result_page",
        result_page{{{unit, "k", core::unit_state::finalized, 3, "{}", 0.5}}, 77},
        list({id(0x52) + text("k") + u8(3) + u32(3) + text("{}") + "3fe0000000000000"}) + u64(77));
    add("hf1.get_step_statistics", get_step_statistics{step}, id(0x51));
    add("hf1.step_statistics", step_statistics{view, 1, 2, 3, 4, 5, 6, 7},
        view_bytes + u64(1) + u64(2) + u64(3) + u64(4) + u64(5) + u64(6) + u64(7));

    // What operators send.
    add("hf1.get_node_status", get_node_status{1}, u32(1));
    add("hf1.node_status",
        node_status{"n1", id_of<core::incarnation_id>(0x58), "0.1.0", at, at, 1, 2, 3, 4, 5, 6, 7,
                    8, 9, true},
        text("n1") + id(0x58) + text("0.1.0") + at_bytes + at_bytes + u32(1) + u32(2) + u64(3)
            + u64(4) + u64(5) + u64(6) + u64(7) + u64(8) + u64(9) + u8(1));
  }

  wire_fixture& wire_;
};

/// What an actor would get: CAF hands on an empty message where it cannot read one.
caf::message received(wire_fixture& wire, const bytes& buffer) {
  caf::message copy;
  BOOST_CHECK_NO_THROW(wire.read(buffer, copy));
  return copy;
}

template <class Type>
std::string name_of(const caf::actor_system& system) {
  return system.types().portable_name(caf::type_nr<Type>::value, &typeid(Type));
}

/// The names of request and answer of every line of an interface.
template <class... In, class... Out>
std::vector<std::string>
names_in(const caf::actor_system& system,
         caf::typed_mpi<caf::detail::type_list<In...>, caf::output_tuple<Out...>>) {
  return {name_of<In>(system)..., name_of<Out>(system)...};
}
template <class... Signatures>
std::vector<std::vector<std::string>> signature_names(const caf::actor_system& system,
                                                      caf::detail::type_list<Signatures...>) {
  return {names_in(system, Signatures{})...};
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(wire, wire_fixture)

BOOST_AUTO_TEST_CASE(every_message_comes_back_as_it_was_sent) {
  for (const auto& s : samples{*this}.all) {
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
  for (const auto& s : samples{*this}.all)
    BOOST_TEST(hex(s.wire) == s.published, s.name << ": " << hex(s.wire) << " != " << s.published);
}

BOOST_AUTO_TEST_CASE(every_registered_type_has_a_sample_and_the_other_way_round) {
  std::set<std::string> registered;
  for (const auto& [name, factory] : config.value_factories_by_name)
    if (name.rfind("hf1.", 0) == 0)
      registered.insert(name);
  std::set<std::string> sampled;
  for (const auto& s : samples{*this}.all)
    BOOST_TEST(sampled.insert(s.name).second, s.name);
  BOOST_TEST(registered == sampled, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_gateway_speaks_registered_types_only) {
  const auto signatures = signature_names(system, msg::gateway_actor::signatures{});
  BOOST_TEST(signatures.size() == 15U);
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
  for (const auto& s : samples{*this}.all) {
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

BOOST_FIXTURE_TEST_SUITE(errors_on_the_wire, wire_fixture)

BOOST_AUTO_TEST_CASE(code_category_and_detail_arrive) {
  for (int number = 1; number <= 18; ++number) {
    const core::failure sent{static_cast<core::errc>(number), "place " + std::to_string(number)};
    const auto as_error = msg::to_error(sent);
    caf::error received;
    BOOST_TEST(!read(written(as_error), received));
    BOOST_TEST(static_cast<int>(received.code()) == number);
    BOOST_TEST((received.category() == caf::atom("holdfast")));
    const auto understood = msg::failure_of(received);
    BOOST_TEST(understood.code == sent.code);
    BOOST_TEST(understood.detail == sent.detail);
  }
}

BOOST_AUTO_TEST_CASE(the_bytes_of_an_error_are_as_published) {
  // Code, category as an atom, then the context: a message of one text.
  BOOST_TEST(hex(written(msg::to_error(core::errc::stale_token, "x")))
             == "07" + hex(written(caf::atom("holdfast"))) + hex(written(caf::make_message("x"))));
}

BOOST_AUTO_TEST_CASE(an_error_without_detail_has_none) {
  const auto understood = msg::failure_of(msg::to_error(core::errc::fenced, {}));
  BOOST_TEST(understood.code == core::errc::fenced);
  BOOST_TEST(understood.detail == "");
}

BOOST_AUTO_TEST_CASE(no_error_is_no_failure) {
  BOOST_TEST(msg::failure_of(caf::error{}).code == core::errc::none);
}

BOOST_AUTO_TEST_CASE(errors_of_caf_and_of_strangers_leave_the_outcome_open) {
  const auto timeout = msg::failure_of(caf::make_error(caf::sec::request_timeout));
  BOOST_TEST(timeout.code == core::errc::unavailable);
  BOOST_TEST(timeout.detail.find("request_timeout") != std::string::npos, timeout.detail);
  const caf::error stranger{7, caf::atom("stranger")};
  BOOST_TEST(msg::failure_of(stranger).code == core::errc::unavailable);
}

BOOST_AUTO_TEST_CASE(a_code_from_a_newer_peer_leaves_the_outcome_open) {
  const caf::error newer{200, caf::atom("holdfast"), caf::make_message(std::string{"news"})};
  const auto understood = msg::failure_of(newer);
  BOOST_TEST(understood.code == core::errc::unavailable);
  BOOST_TEST(understood.detail == "news");
}

BOOST_AUTO_TEST_CASE(a_context_of_another_shape_is_left_out) {
  const caf::error odd{7, caf::atom("holdfast"), caf::make_message(1, 2)};
  const auto understood = msg::failure_of(odd);
  BOOST_TEST(understood.code == core::errc::stale_token);
  BOOST_TEST(understood.detail == "");
}

BOOST_AUTO_TEST_CASE(an_error_prints_its_name_its_detail_and_what_to_do) {
  const std::string advice{core::describe(core::errc::stale_token).advice};
  BOOST_TEST(system.render(msg::to_error(core::errc::stale_token, "unit 5"))
             == "stale_token: unit 5. " + advice);
  BOOST_TEST(system.render(msg::to_error(core::errc::stale_token, {})) == "stale_token. " + advice);
}

BOOST_AUTO_TEST_SUITE_END()

// An exception in CAF's deserializer would end the process.
BOOST_FIXTURE_TEST_SUITE(bytes_that_are_no_message, wire_fixture)

BOOST_AUTO_TEST_CASE(a_message_cut_anywhere_is_none) {
  for (const auto& s : samples{*this}.all) {
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
  for (const auto& s : samples{*this}.all)
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
  for (const auto& s : samples{*this}.all)
    for (int round = 0; round < 200; ++round) {
      auto damaged = s.wire;
      damaged[random.below(damaged.size())] ^= static_cast<char>(1 << random.below(8));
      BOOST_CHECK_NO_THROW(s.readable(damaged));
    }
}

BOOST_AUTO_TEST_CASE(a_message_of_an_unknown_type_is_none) {
  for (const auto& s : samples{*this}.all) {
    auto whole = written(s.message);
    const auto at = std::string{whole.begin(), whole.end()}.find("hf1.");
    BOOST_REQUIRE(at != std::string::npos);
    whole[at + 2] = '9'; // hf9.…
    BOOST_TEST(received(*this, whole).empty(), s.name);
  }
}

BOOST_AUTO_TEST_SUITE_END()
