// API tokens in the store.

#include "tests/core/describe.hpp"
#include "tests/persistence/conformance.hpp"

#include <string>

namespace holdfast::test {

namespace {

core::put_api_token stored_token(std::uint8_t number) {
  core::put_api_token w;
  w.row.id.value.bytes.fill(number);
  w.row.secret_hash = std::string(64, '7');
  w.row.as = core::role::worker;
  w.row.name = "\xc3\xa4 worker";
  w.row.scope.queues = {"mail", "a.b"};
  w.row.scope.workflows.push_back({w.row.id.value});
  w.row.created_by = "ana";
  w.row.created_at = at(5, 7);
  return w;
}

template <class World>
class token_fixture : public store_fixture<World> {
public:
  std::string known_of(core::api_token_id id) {
    const auto stored = value_of(this->db->load_api_token(id));
    return stored ? write_text{}(core::put_api_token{*stored}) : "nothing";
  }
};

BOOST_AUTO_TEST_SUITE(store_tokens)

BOOST_AUTO_TEST_CASE_TEMPLATE(a_token_is_read_as_it_was_written, World, worlds) {
  token_fixture<World> f;
  const auto plain = stored_token(1);
  auto bare = stored_token(2);
  bare.row.as = core::role::admin;
  bare.row.name.clear();
  bare.row.scope = {};
  bare.row.created_by.clear();
  bare.row.expires_at = at(100, 1);
  BOOST_TEST(is(f.write({plain, bare}), committed));
  BOOST_TEST(f.known_of(plain.row.id) == write_text{}(plain));
  BOOST_TEST(f.known_of(bare.row.id) == write_text{}(bare));
  BOOST_TEST(f.known_of(stored_token(3).row.id) == "nothing");
}

BOOST_AUTO_TEST_CASE_TEMPLATE(revocation_stays_whatever_is_written_later, World, worlds) {
  token_fixture<World> f;
  auto token = stored_token(1);
  BOOST_TEST(is(f.write({token}), committed));
  auto revoked = token;
  revoked.row.revoked_at = at(9);
  BOOST_TEST(is(f.write({revoked}), committed));
  auto used = token; // decided before the revocation
  used.row.last_used_at = at(10);
  BOOST_TEST(is(f.write({used}), committed));
  auto both = revoked;
  both.row.last_used_at = at(10);
  BOOST_TEST(f.known_of(token.row.id) == write_text{}(both));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_token_never_gets_another_secret_or_role, World, worlds) {
  token_fixture<World> f;
  const auto token = stored_token(1);
  BOOST_TEST(is(f.write({token}), committed));
  auto other = token;
  other.row.secret_hash = std::string(64, '8');
  other.row.as = core::role::contributor;
  other.row.scope = {};
  BOOST_TEST(is(f.write({other}), committed));
  BOOST_TEST(f.known_of(token.row.id) == write_text{}(token));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(tokens_that_break_a_rule_are_refused, World, worlds) {
  token_fixture<World> f;
  auto no_hash = stored_token(1);
  no_hash.row.secret_hash = "secret";
  BOOST_TEST(is(f.write({no_hash}), refused));
  auto named_admin = stored_token(1);
  named_admin.row.as = core::role::admin;
  BOOST_TEST(is(f.write({named_admin}), refused));
  BOOST_TEST(f.known_of(no_hash.row.id) == "nothing");
}

BOOST_AUTO_TEST_CASE_TEMPLATE(tokens_are_listed_by_id_in_pages, World, worlds) {
  token_fixture<World> f;
  for (const std::uint8_t number : {3, 1, 2})
    BOOST_TEST(is(f.write({stored_token(number)}), committed));
  const auto first = value_of(f.db->list_api_tokens({}, 2));
  BOOST_REQUIRE_EQUAL(first.size(), 2U);
  BOOST_TEST((first[0].id == stored_token(1).row.id));
  BOOST_TEST((first[1].id == stored_token(2).row.id));
  BOOST_TEST(first[1].scope.queues.size() == 2U);
  const auto rest = value_of(f.db->list_api_tokens(first[1].id, 2));
  BOOST_REQUIRE_EQUAL(rest.size(), 1U);
  BOOST_TEST((rest[0].id == stored_token(3).row.id));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
