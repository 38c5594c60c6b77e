#include "config/load.hpp"
#include "config/option_table.hpp"
#include "config/settings.hpp"
#include "config/value_text.hpp"
#include "tests/config/files.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

using namespace holdfast;
using namespace holdfast::config;
using namespace holdfast::test;
using namespace std::chrono_literals;

namespace {

/// The four values around the two bounds of one option.
struct boundary {
  std::string key;
  std::string below, least, greatest, above;
};

std::string milliseconds(core::duration span) {
  return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(span).count()) + "ms";
}

struct boundary_collector {
  std::vector<boundary>& found;

  void operator()(const char* key, std::string&, const text_default&, std::size_t shortest,
                  std::size_t longest, const char*) const {
    const std::string too_long(longest + 1, 'x');
    // Nothing is shorter than a text that may be empty.
    found.push_back({key, shortest == 0 ? too_long : std::string(shortest - 1, 'x'),
                     std::string(shortest, 'x'), std::string(longest, 'x'), too_long});
  }
  void operator()(const char* key, std::uint32_t&, std::uint32_t, std::int64_t least,
                  std::int64_t greatest, const char*) const {
    found.push_back({key, std::to_string(least - 1), std::to_string(least),
                     std::to_string(greatest), std::to_string(greatest + 1)});
  }
  void operator()(const char* key, core::duration&, core::duration, core::duration least,
                  core::duration greatest, const char*) const {
    found.push_back({key, milliseconds(least - 1ms), milliseconds(least), milliseconds(greatest),
                     milliseconds(greatest + 1ms)});
  }
  template <class Word>
  void operator()(const char*, Word&, Word, const char*) const {}
  void operator()(const char*, secret&, const char*) const {}
};

std::vector<boundary> boundaries() {
  std::vector<boundary> found;
  settings any;
  describe(boundary_collector{found}, any);
  return found;
}

/// Whether the bounds of `key` refuse `value`; conflicts with other options do not count.
bool out_of_bounds(const std::string& key, const std::string& value) {
  const auto result = load_flag(key, value);
  for (const auto& found : result.problems)
    if (found.key == key && found.text.find(" between ") != std::string::npos)
      return true;
  return false;
}

/// The first keys of the conflicts that `change` brings into the defaults.
template <class Change>
std::vector<std::string> conflicts_after(Change change) {
  settings s;
  change(s);
  std::vector<std::string> keys;
  for (const auto& found : conflicts(s))
    for (const auto& key : found.keys)
      keys.push_back(key);
  return keys;
}

using keys = std::vector<std::string>;

} // namespace

BOOST_AUTO_TEST_SUITE(settings_of_a_node)

BOOST_AUTO_TEST_CASE(the_defaults_are_in_bounds_and_free_of_conflicts) {
  const auto defaults = load({});
  BOOST_TEST(defaults.usable(), said(defaults));
  for (const auto& row : option_table(settings{})) {
    if (!row.standard_in_toml)
      continue;
    const auto& standard = row.standard;
    const auto bare = standard.front() == '"' ? standard.substr(1, standard.size() - 2) : standard;
    const auto result = load_flag(row.key, bare);
    BOOST_TEST(result.usable(), said(result));
  }
}

BOOST_AUTO_TEST_CASE(both_bounds_are_accepted_and_the_values_next_to_them_refused) {
  BOOST_TEST_REQUIRE(!boundaries().empty());
  for (const auto& at : boundaries()) {
    BOOST_TEST(out_of_bounds(at.key, at.below), at.key);
    BOOST_TEST(!out_of_bounds(at.key, at.least), at.key);
    BOOST_TEST(!out_of_bounds(at.key, at.greatest), at.key);
    BOOST_TEST(out_of_bounds(at.key, at.above), at.key);
  }
}

BOOST_AUTO_TEST_CASE(every_option_has_its_own_key_variable_and_sentence) {
  std::set<std::string> variables;
  std::set<std::string> docs;
  std::size_t count = 0;
  for (const auto& row : option_table(settings{})) {
    ++count;
    variables.insert(environment_name(row.key));
    docs.insert(row.doc);
    BOOST_TEST(row.doc.size() > 20U, row.key);
    BOOST_TEST(row.doc.back() == '.', row.key);
    if (row.is_secret) {
      ++count;
      variables.insert(environment_name(row.key + secret_file_suffix));
      docs.insert(row.doc + secret_file_suffix);
    }
  }
  BOOST_TEST(variables.size() == count);
  BOOST_TEST(docs.size() == count);
}

BOOST_AUTO_TEST_CASE(a_variable_is_the_key_in_capitals) {
  BOOST_TEST(environment_name("node.data_dir") == "HOLDFAST_NODE_DATA_DIR");
}

BOOST_AUTO_TEST_CASE(only_loopback_addresses_are_free_of_conflict) {
  const auto refused = [](const std::string& address) {
    return conflicts_after([&](settings& s) { s.node.listen_address = address; })
           == keys{"node.listen_address"};
  };
  for (const auto* address : {"127.0.0.1", "127.255.255.254", "::1", "0:0:0:0:0:0:0:1"})
    BOOST_TEST(!refused(address), address);
  for (const auto* address : {"0.0.0.0", "::", "10.0.0.1", "128.0.0.1", "126.255.255.255", "::2",
                              "localhost", "127.0.0.1.example.org", "127.1", "", "*"})
    BOOST_TEST(refused(address), address);
}

BOOST_AUTO_TEST_CASE(tls_is_complete_or_absent_and_opens_every_address) {
  const auto with = [](const char* certificate, const char* key, const char* ca, const char* crl) {
    return conflicts_after([&](settings& s) {
      s.node.listen_address = "0.0.0.0";
      s.link.certificate = certificate;
      s.link.key = key;
      s.link.ca = ca;
      s.link.crl = crl;
    });
  };
  const keys all_three{"link.certificate", "link.key", "link.ca"};
  BOOST_TEST(with("c", "k", "a", "").empty());
  BOOST_TEST(with("c", "k", "a", "l").empty());
  BOOST_TEST(with("c", "k", "", "") == all_three);
  BOOST_TEST(with("c", "", "a", "") == all_three);
  BOOST_TEST(with("", "", "", "") == keys{"node.listen_address"});
  BOOST_TEST(conflicts_after([](settings& s) { s.link.key = "k"; }) == all_three);
  BOOST_TEST(conflicts_after([](settings& s) { s.link.crl = "l"; })
             == (keys{"link.crl", "link.certificate"}));
}

BOOST_AUTO_TEST_CASE(a_heartbeat_fits_twice_into_the_lease_time) {
  const auto at = [](core::duration interval) {
    return conflicts_after([&](settings& s) { s.node.heartbeat_interval = interval; });
  };
  BOOST_TEST(at(2500ms - 1us).empty());
  BOOST_TEST(at(2500ms) == (keys{"node.heartbeat_interval", "node.lease_time"}));
}

BOOST_AUTO_TEST_CASE(a_password_needs_a_url) {
  BOOST_TEST(conflicts_after([](settings& s) { s.database.password.value = "x"; })
             == (keys{"database.password", "database.url"}));
  BOOST_TEST(conflicts_after([](settings& s) {
               s.database.password.value = "x";
               s.database.url.value = "postgresql:///x";
             }).empty());
}

BOOST_AUTO_TEST_CASE(a_step_loads_no_more_units_ahead_than_may_live) {
  const auto at = [](std::uint32_t prefetch) {
    return conflicts_after([&](settings& s) { s.unit.live_max = 100, s.unit.prefetch = prefetch; });
  };
  BOOST_TEST(at(100).empty());
  BOOST_TEST(at(101) == (keys{"unit.prefetch", "unit.live_max"}));
}

BOOST_AUTO_TEST_CASE(a_batch_stays_below_its_high_water_mark) {
  const auto writer = [](std::uint32_t batch_max) {
    return conflicts_after(
        [&](settings& s) { s.writer.high_water = 100, s.writer.batch_max = batch_max; });
  };
  BOOST_TEST(writer(100).empty());
  BOOST_TEST(writer(101) == (keys{"writer.batch_max", "writer.high_water"}));
  const auto events = [](std::uint32_t batch_max) {
    return conflicts_after(
        [&](settings& s) { s.events.high_water = 100, s.events.batch_max = batch_max; });
  };
  BOOST_TEST(events(100).empty());
  BOOST_TEST(events(101) == (keys{"events.batch_max", "events.high_water"}));
}

BOOST_AUTO_TEST_CASE(the_first_pause_is_not_longer_than_the_longest) {
  const auto at = [](core::duration least) {
    return conflicts_after([&](settings& s) { s.writer.retry_min = least; });
  };
  BOOST_TEST(at(2s).empty());
  BOOST_TEST(at(2s + 1us) == (keys{"writer.retry_min", "writer.retry_max"}));
}

// finding B6
BOOST_AUTO_TEST_CASE(room_of_one_peer_is_a_part_of_the_room_of_all) {
  const auto payloads = [](std::uint32_t of_peer) {
    return conflicts_after(
        [&](settings& s) { s.link.payloads_mb = 100, s.link.payloads_per_peer_mb = of_peer; });
  };
  BOOST_TEST(payloads(100).empty());
  BOOST_TEST(payloads(101) == (keys{"link.payloads_per_peer_mb", "link.payloads_mb"}));
  const auto waiting = [](std::uint32_t of_peer) {
    return conflicts_after(
        [&](settings& s) { s.peers.waiting_mb = 100, s.peers.waiting_per_peer_mb = of_peer; });
  };
  BOOST_TEST(waiting(100).empty());
  BOOST_TEST(waiting(101) == (keys{"peers.waiting_per_peer_mb", "peers.waiting_mb"}));
}

BOOST_AUTO_TEST_CASE(a_connection_outlives_one_late_heartbeat) {
  const auto at = [](core::duration heartbeat) {
    return conflicts_after([&](settings& s) { s.peers.heartbeat = heartbeat; });
  };
  BOOST_TEST(at(2s).empty());
  BOOST_TEST(at(2s + 1us) == (keys{"peers.heartbeat", "peers.connection_timeout"}));
}

BOOST_AUTO_TEST_CASE(a_host_always_has_a_name_that_the_option_takes) {
  BOOST_TEST(!host_name().empty());
  BOOST_TEST(host_name().size() <= 128U);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(text_of_values)

BOOST_AUTO_TEST_CASE(durations_are_read_with_each_unit) {
  BOOST_TEST((parse_duration("250ms") == core::duration{250ms}));
  BOOST_TEST((parse_duration("5s") == core::duration{5s}));
  BOOST_TEST((parse_duration("15min") == core::duration{15min}));
  BOOST_TEST((parse_duration("2h") == core::duration{2h}));
  BOOST_TEST((parse_duration("-1s") == core::duration{-1s}));
}

BOOST_AUTO_TEST_CASE(anything_else_is_no_duration) {
  for (const auto* text :
       {"", "5", "s", "5 s", " 5s", "5s ", "5S", "5us", "1h30min", "+5s", "0x5s"})
    BOOST_TEST(!parse_duration(text), text);
}

BOOST_AUTO_TEST_CASE(a_duration_that_does_not_fit_is_none) {
  // 2^63 - 1 microseconds are 2,562,047,788 hours and some minutes.
  BOOST_TEST(parse_duration("2562047788h").has_value());
  BOOST_TEST(!parse_duration("2562047789h").has_value());
  BOOST_TEST(!parse_duration("-2562047789h").has_value());
  BOOST_TEST(!parse_duration("9223372036854775808ms").has_value());
}

BOOST_AUTO_TEST_CASE(durations_are_written_in_the_largest_unit_that_divides_them) {
  BOOST_TEST(to_text(0s) == "0s");
  BOOST_TEST(to_text(1500ms) == "1500ms");
  BOOST_TEST(to_text(90s) == "90s");
  BOOST_TEST(to_text(60s) == "1min");
  BOOST_TEST(to_text(48h) == "48h");
  BOOST_TEST(to_text(core::duration{1999}) == "1ms");
}

BOOST_AUTO_TEST_CASE(written_durations_are_read_back) {
  for (const auto span : {core::duration{1ms}, core::duration{999ms}, core::duration{61s},
                          core::duration{61min}, core::duration{25h}})
    BOOST_TEST((parse_duration(to_text(span)) == span), to_text(span));
}

BOOST_AUTO_TEST_CASE(quotes_backslashes_and_control_characters_are_escaped) {
  BOOST_TEST(quote("a\"b\\c") == "\"a\\\"b\\\\c\"");
  BOOST_TEST(quote(std::string_view{"\0\x1b\x7f", 3}) == "\"\\u0000\\u001b\\u007f\"");
}

BOOST_AUTO_TEST_CASE(distance_counts_each_kind_of_slip_once) {
  BOOST_TEST(edit_distance("", "") == 0U);
  BOOST_TEST(edit_distance("port", "port") == 0U);
  BOOST_TEST(edit_distance("", "port") == 4U);
  BOOST_TEST(edit_distance("port", "") == 4U);
  BOOST_TEST(edit_distance("port", "ports") == 1U);
  BOOST_TEST(edit_distance("port", "prt") == 1U);
  BOOST_TEST(edit_distance("port", "pore") == 1U);
  BOOST_TEST(edit_distance("port", "prot") == 1U);
  BOOST_TEST(edit_distance("kitten", "sitting") == 3U);
}

BOOST_AUTO_TEST_CASE(json_web_tokens_need_issuer_audience_and_safe_keys) {
  const auto with = [](const char* issuer, const char* audience, const char* source) {
    return conflicts_after([&](settings& s) {
      s.jwt.issuer = issuer;
      s.jwt.audience = audience;
      s.jwt.keys = source;
    });
  };
  const keys all_three{"jwt.issuer", "jwt.audience", "jwt.keys"};
  BOOST_TEST(with("i", "", "keys.json") == all_three);
  BOOST_TEST(with("i", "a", "") == all_three);
  BOOST_TEST(with("", "a", "keys.json") == all_three);
  for (const auto* safe : {"keys.json", "/etc/keys.json", "https://id.example.org/keys",
                           "http://127.0.0.1:8080/keys", "http://[::1]/keys"})
    BOOST_TEST(with("i", "a", safe) == keys{}, safe);
  for (const auto* other : {"http://id.example.org/keys", "http://127.0.0.1.example.org/keys",
                            "file:///etc/keys.json", "ftp://127.0.0.1/keys"})
    BOOST_TEST(with("i", "a", other) == keys{"jwt.keys"}, other);
}

BOOST_AUTO_TEST_CASE(origins_of_media_are_origins_and_nothing_else_of_a_policy) {
  const auto with = [](const std::string& origins) {
    return conflicts_after([&](settings& s) { s.http.media_origins = origins; });
  };
  for (const auto* good :
       {"", "https:", "https://media.example.org http://127.0.0.1:9000", "https://*.example.org"})
    BOOST_TEST(with(good) == keys{}, good);
  for (const auto* bad : {"*", "'unsafe-inline'", "media.example.org", "https://a;script-src",
                          "https://a, https://b", "https://a/path", "https://", "data:"})
    BOOST_TEST(with(bad) == keys{"http.media_origins"}, bad);
}

BOOST_AUTO_TEST_SUITE_END()
