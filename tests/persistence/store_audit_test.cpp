// The audit log: entries are written with their change or not at all, read by what they are about,
// and forgotten by their age.

#include "tests/persistence/task_fixture.hpp"

#include <string>

namespace holdfast::test {

namespace {

template <class World>
struct audit_fixture : task_fixture<World> {
  static core::insert_audit entry(const std::string& who, const std::string& operation,
                                  const std::string& item, core::instant when) {
    return {when, who, operation, item, "saved"};
  }
  void given(const core::insert_audit& made) {
    BOOST_TEST(is(this->write({core::put_profile{"ana", {}, made.at}, made}), committed));
  }
  /// Three entries, in this order.
  void given_three() {
    given(entry("admin", "put_queue", "queue mail", at(10)));
    given(entry("token:1", "pause_queue", "queue mail", at(20)));
    given(entry("token:1", "put_queue", "queue print", at(30)));
  }
  /// `who/operation/item` of each, separated by blanks.
  static std::string text_of(const persistence::listed_audit& listed) {
    std::string text;
    for (const auto& [number, made] : listed.entries)
      text += (text.empty() ? "" : ", ") + made.who + '/' + made.operation + '/' + made.item;
    return text;
  }
  std::string listed(const persistence::audit_filter& filter = {}) {
    return text_of(value_of(this->db->list_audit(filter)));
  }
};

BOOST_AUTO_TEST_SUITE(store_audit)

BOOST_AUTO_TEST_CASE_TEMPLATE(entry_is_written_with_its_change, World, worlds) {
  audit_fixture<World> f;
  BOOST_TEST(f.listed().empty());
  f.given(f.entry("admin", "put_queue", "queue mail", at(10)));
  const auto all = value_of(f.db->list_audit({}));
  BOOST_REQUIRE_EQUAL(all.entries.size(), 1U);
  BOOST_TEST(!all.more);
  const auto& made = all.entries[0].made;
  BOOST_TEST((made.at == at(10)));
  BOOST_TEST(made.who == "admin");
  BOOST_TEST(made.operation == "put_queue");
  BOOST_TEST(made.item == "queue mail");
  BOOST_TEST(made.outcome == "saved");
}

BOOST_AUTO_TEST_CASE_TEMPLATE(refused_change_leaves_no_entry, World, worlds) {
  audit_fixture<World> f;
  BOOST_TEST(is(f.write({core::delete_queue{"none", at(5)},
                         f.entry("admin", "remove_queue", "queue none", at(5))}),
                refused));
  BOOST_TEST(f.listed().empty());
}

BOOST_AUTO_TEST_CASE_TEMPLATE(entries_are_listed_from_the_newest_on_page_by_page, World, worlds) {
  audit_fixture<World> f;
  f.given_three();
  BOOST_TEST(f.listed()
             == "token:1/put_queue/queue print, token:1/pause_queue/queue mail, "
                "admin/put_queue/queue mail");
  persistence::audit_filter page;
  page.limit = 2;
  const auto first = value_of(f.db->list_audit(page));
  BOOST_TEST(first.more);
  BOOST_TEST(f.text_of(first) == "token:1/put_queue/queue print, token:1/pause_queue/queue mail");
  page.before = first.entries.back().number;
  const auto second = value_of(f.db->list_audit(page));
  BOOST_TEST(!second.more);
  BOOST_TEST(f.text_of(second) == "admin/put_queue/queue mail");
}

BOOST_AUTO_TEST_CASE_TEMPLATE(entries_are_found_by_time_principal_operation_and_item, World,
                              worlds) {
  audit_fixture<World> f;
  f.given_three();
  persistence::audit_filter filter;
  filter.since = at(20);
  BOOST_TEST(f.listed(filter) == "token:1/put_queue/queue print, token:1/pause_queue/queue mail");
  filter = {};
  filter.who = "token:1";
  filter.operation = "pause_queue";
  BOOST_TEST(f.listed(filter) == "token:1/pause_queue/queue mail");
  filter = {};
  filter.item = "queue mail";
  BOOST_TEST(f.listed(filter) == "token:1/pause_queue/queue mail, admin/put_queue/queue mail");
  filter.who = "nobody";
  BOOST_TEST(f.listed(filter).empty());
}

BOOST_AUTO_TEST_CASE_TEMPLATE(old_entries_are_forgotten_in_chunks, World, worlds) {
  audit_fixture<World> f;
  f.given_three();
  BOOST_TEST(value_of(f.db->prune_audit(0, f.node, at(30), 1)) == 1U);
  BOOST_TEST(f.listed() == "token:1/put_queue/queue print, token:1/pause_queue/queue mail");
  BOOST_TEST(value_of(f.db->prune_audit(0, f.node, at(30), 10)) == 1U);
  BOOST_TEST(value_of(f.db->prune_audit(0, f.node, at(30), 10)) == 0U);
  BOOST_TEST(f.listed() == "token:1/put_queue/queue print");
  const core::incarnation_id other{f.ids.next(at(1))};
  BOOST_TEST(fails_with(f.db->prune_audit(0, other, at(100), 10), core::errc::fenced));
  BOOST_TEST(f.listed() == "token:1/put_queue/queue print");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
