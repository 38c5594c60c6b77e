// What the store keeps of what is known of contributors.

#include "tests/core/describe.hpp"
#include "tests/persistence/conformance.hpp"

#include <limits>

namespace holdfast::test {

namespace {

core::put_profile profile_of(const std::string& who) {
  core::put_profile w;
  w.contributor = who;
  w.profile.channels = {"app", "web"};
  w.profile.skills = {"Ner", "label:x", "ner", "\xc3\xa4"};
  w.profile.certifications = {"gdpr"};
  w.profile.location = "DE-BY";
  w.profile.trust = 0.25;
  w.at = at(5, 7);
  return w;
}

template <class World>
class profile_fixture : public store_fixture<World> {
public:
  /// As what would have to be put for it; `nothing` when nothing was.
  std::string known_of(const std::string& who) {
    const auto stored = value_of(this->db->load_profile(who));
    const core::put_profile put{who, stored.profile, stored.changed_at.value_or(core::instant{})};
    auto text = write_text{}(put);
    if (!stored.changed_at && text == write_text{}(core::put_profile{who, {}, {}}))
      return "nothing";
    return text;
  }

  void check_kept(const core::put_profile& put) {
    BOOST_TEST(is(this->write({put}), committed));
    BOOST_TEST(known_of(put.contributor) == write_text{}(put));
  }
};

BOOST_AUTO_TEST_SUITE(store_profiles)

BOOST_AUTO_TEST_CASE_TEMPLATE(of_a_stranger_nothing_is_known, World, worlds) {
  profile_fixture<World> f;
  BOOST_TEST(is(f.write({profile_of("ana")}), committed));
  const auto stranger = value_of(f.db->load_profile("bob"));
  BOOST_TEST(f.known_of("bob") == "nothing");
  BOOST_TEST(!stranger.profile.trust.has_value());
  BOOST_TEST(stranger.tests.answered == 0U);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(profile_is_read_as_last_written, World, worlds) {
  profile_fixture<World> f;
  auto put = profile_of("ana");
  f.check_kept(put);
  BOOST_TEST(is(f.write({profile_of("bob")}), committed));
  // All that was known goes, also what is not said any more, and lists of other lengths come.
  put.profile = {};
  put.at = at(6);
  f.check_kept(put);
  BOOST_TEST(!value_of(f.db->load_profile("ana")).profile.trust.has_value());
  put.profile.certifications = {"a", "b", "c"};
  put.profile.trust = 0;
  f.check_kept(put);
  BOOST_TEST((value_of(f.db->load_profile("ana")).profile.trust == 0.0));
  put.profile.trust = 1;
  f.check_kept(put);
  BOOST_TEST(f.known_of("bob") == write_text{}(profile_of("bob")));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(of_several_profiles_in_a_batch_the_last_counts, World, worlds) {
  profile_fixture<World> f;
  auto later = profile_of("ana");
  later.profile.skills = {"pos"};
  later.profile.trust.reset();
  BOOST_TEST(is(f.write({profile_of("ana"), profile_of("bob"), later}), committed));
  BOOST_TEST(f.known_of("ana") == write_text{}(later));
  BOOST_TEST(f.known_of("bob") == write_text{}(profile_of("bob")));
  // Also of several shards.
  auto last = profile_of("ana");
  last.at = at(9);
  BOOST_TEST(is(f.commit({{f.part(1, {{{later}, {}}, {{profile_of("bob")}, {}}}),
                           f.part(2, {{{last}, {}}})}}),
                committed));
  BOOST_TEST(f.known_of("ana") == write_text{}(last));
}

// Whoever puts profiles checks what the terms are; the store keeps any text.
BOOST_AUTO_TEST_CASE_TEMPLATE(terms_are_kept_whatever_is_in_them, World, worlds) {
  profile_fixture<World> f;
  auto put = profile_of("an\"a'\\");
  put.profile.channels = {"",    " ",   "\"",   "NULL", "\\",     "\\\"",
                          "a b", "a,b", "null", "{}",   "{\"x\"}"};
  put.profile.location = "{a}";
  f.check_kept(put);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(impossible_profiles_are_refused, World, worlds) {
  profile_fixture<World> f;
  const auto refuses = [&](void (*change)(core::put_profile&)) {
    auto put = profile_of("ana");
    change(put);
    BOOST_TEST(is(f.write({put}), refused));
  };
  refuses([](auto& w) { w.contributor.clear(); });
  refuses([](auto& w) { w.contributor = std::string(129, 'a'); });
  refuses([](auto& w) { w.contributor = "\xff"; });
  refuses([](auto& w) { w.profile.channels.push_back("\xff"); });
  refuses([](auto& w) { w.profile.skills = {std::string(1, '\0')}; });
  refuses([](auto& w) { w.profile.certifications = {"\xc3"}; });
  refuses([](auto& w) { w.profile.location = "\xff"; });
  refuses([](auto& w) { w.profile.trust = -0.1; });
  refuses([](auto& w) { w.profile.trust = 1.1; });
  refuses([](auto& w) { w.profile.trust = std::numeric_limits<double>::quiet_NaN(); });
  BOOST_TEST(f.known_of("ana") == "nothing");
  f.check_kept(profile_of(std::string(128, 'a')));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(refused_batch_leaves_profiles_as_they_were, World, worlds) {
  profile_fixture<World> f;
  f.check_kept(profile_of("ana"));
  auto other = profile_of("ana");
  other.profile.location = "FR";
  const core::set_unit_slots of_no_unit{{f.ids.next(at(0))}, 2};
  BOOST_TEST(is(f.write({other, profile_of("bob"), of_no_unit}), refused));
  auto impossible = other;
  impossible.profile.trust = 2;
  impossible.contributor = "cid";
  BOOST_TEST(is(f.write({other, profile_of("bob"), impossible}), refused));
  BOOST_TEST(f.known_of("ana") == write_text{}(profile_of("ana")));
  BOOST_TEST(f.known_of("bob") == "nothing");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
