// Rows that the server does not give back, because a page of its disk is damaged: the rows beside
// them are read all the same.

#include "tests/persistence/conformance.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <pqxx/pqxx>

namespace holdfast::test {

namespace {

constexpr const char* copy_name = "damaged_rows";

pqxx::result run_in(const std::string& where, const std::string& text) {
  pqxx::connection database{where};
  pqxx::nontransaction tx{database};
  return tx.exec(text);
}

bool is_unreadable(const core::sequenced_event& e) {
  return e.event.type == core::event_type::event_unreadable;
}

/// Five rows of two events in shard 0, which consumer "a" has passed.
template <class World>
void write_ten_events(store_fixture<World>& f) {
  const auto event = event_about({}, core::event_type::job_step_updated);
  for (int row = 0; row < 5; ++row)
    BOOST_TEST(is(f.write({core::advance_cursor{"a", 0, 10}}, {event, event}), committed));
}

/// Where the row of events 5 and 6 can be neither read nor deleted.
void prune_around_the_third_row(persistence::store& store, core::incarnation_id host) {
  const auto later = value_of(store.now()) + 1h;
  const auto prune = [&](std::uint32_t rows) {
    return store.prune_events(0, host, {{"a"}, later, rows});
  };
  BOOST_TEST(value_of(prune(1)) == 1U);
  BOOST_TEST(value_of(prune(2)) == 2U); // one before it and one behind it
  const auto rest = prune(3);
  BOOST_TEST(fails_with(rest, core::errc::damaged));
  BOOST_TEST(rest.error().detail.find("1 rows of events") == 0U, rest.error().detail);
  BOOST_TEST(rest.error().detail.find("number 5 on of shard 0") != std::string::npos);
  BOOST_TEST(value_of(store.event_bounds(0)).pruned == 10U);
  BOOST_TEST(value_of(store.events_after(0, 6, 100)).empty());
  const auto left = value_of(store.events_after(0, 0, 100));
  BOOST_REQUIRE_EQUAL(left.size(), 2U);
  BOOST_TEST(left[0].id.seq == 5U);
  BOOST_TEST(fails_with(prune(3), core::errc::damaged));
}

/// A webhook with dead letters of the events 3, 4 and 5 of shard 0, all to be delivered once more.
template <class World>
core::webhook_id write_three_letters(store_fixture<World>& f) {
  core::put_webhook hook;
  hook.id = {f.ids.next(at(1))};
  hook.name = "billing";
  hook.definition = "{}";
  BOOST_TEST(is(f.write({hook}), committed));
  for (const core::event_seq seq : {3, 4, 5})
    BOOST_TEST(
        is(f.write({core::put_dead_letter{hook.id, {0, seq}, "{}", 422, "no", at(5)}}), committed));
  for (const core::event_seq seq : {3, 4, 5})
    BOOST_TEST(is(f.write({core::replay_dead_letter{hook.id, {0, seq}}}), committed));
  return hook.id;
}

/// Where the row of the letter 4 cannot be read.
void list_letters_around_the_second(persistence::store& store, core::webhook_id webhook) {
  const auto all = value_of(store.list_dead_letters({webhook, 0, 0, 100, false}));
  BOOST_REQUIRE_EQUAL(all.size(), 3U);
  BOOST_TEST(all[0].made.json == "{}");
  BOOST_TEST(all[2].made.json == "{}");
  const auto& lost = all[1].made;
  BOOST_TEST(lost.event.seq == 4U);
  BOOST_TEST(lost.status == 422U);
  BOOST_TEST(lost.json.find(R"({"type":"EventUnreadable")") == 0U);
  BOOST_TEST(lost.json.find(R"("shard":0,"seq":4,)") != std::string::npos);
  BOOST_TEST(lost.reason.find("its row cannot be read: ") == 0U);
  // It is not delivered, and keeps none behind it from that.
  const auto replayed = value_of(store.list_dead_letters({webhook, 0, 0, 100, true}));
  BOOST_REQUIRE_EQUAL(replayed.size(), 2U);
  const auto next = value_of(store.list_dead_letters({webhook, 0, 3, 1, true}));
  BOOST_REQUIRE_EQUAL(next.size(), 1U);
  BOOST_TEST(next[0].made.event.seq == 5U);
  BOOST_TEST(value_of(store.list_dead_letters({webhook, 0, 5, 1, true})).empty());
}

/// A step of three finished units.
template <class World>
std::pair<core::step_id, std::vector<core::unit_id>> write_three_results(store_fixture<World>& f) {
  const auto step = f.given_step().id;
  std::vector<core::unit_id> units;
  for (const std::uint64_t ordinal : {1, 2, 3}) {
    units.push_back(f.given_unit(step, ordinal));
    BOOST_TEST(is(f.write({core::finalize_unit{units.back(), "{}", 1, at(9)}}), committed));
  }
  return {step, units};
}

/// Where the row of the second unit cannot be read.
void list_results_around_the_second(persistence::store& store, core::step_id step,
                                    const std::vector<core::unit_id>& units) {
  const auto [page, last] = value_of(store.list_results(step, 0, 3));
  BOOST_REQUIRE_EQUAL(page.size(), 3U);
  BOOST_TEST(last == 3U);
  for (std::size_t i = 0; i < page.size(); ++i) {
    BOOST_TEST((page[i].unit == units[i]));
    BOOST_TEST((page[i].state == core::unit_state::finalized));
    BOOST_TEST(page[i].result == (i == 1 ? "" : "{}"));
  }
  BOOST_TEST(value_of(store.list_results(step, 1, 1)).second == 2U);
}

/// A step of so many units, each with the judgment of "judge-1", "judge-2" and so on.
template <class World>
std::pair<core::step_id, std::vector<core::unit_id>> write_judgments(store_fixture<World>& f,
                                                                     std::size_t number) {
  const auto step = f.given_step().id;
  std::vector<core::write_op> units;
  std::vector<core::write_op> leases;
  std::vector<core::write_op> judgments;
  std::vector<core::unit_id> ids;
  for (std::size_t n = 1; n <= number; ++n) {
    const auto unit = f.new_unit(step, n);
    const auto who = "judge-" + std::to_string(n);
    ids.push_back(unit.id);
    units.emplace_back(unit);
    leases.emplace_back(core::insert_lease{unit.id, f.new_lease(who, 1)});
    auto judgment = f.judgment(unit.id, who, 1);
    judgment.submitted_at = at(20 + static_cast<std::int64_t>(n));
    judgments.emplace_back(std::move(judgment));
  }
  for (const auto& writes : {units, leases, judgments})
    BOOST_TEST(is(f.write(writes), committed));
  return {step, ids};
}

/// Where the second of three judgments cannot be read.
void survey_around_the_second(persistence::store& store, core::step_id step,
                              const std::vector<core::unit_id>& units) {
  const auto all = value_of(store.load_survey(step, 0.9, 10));
  BOOST_REQUIRE_EQUAL(all.judgments.size(), 2U);
  BOOST_TEST(all.judgments[0].contributor == "judge-1");
  BOOST_TEST(all.judgments[1].contributor == "judge-3");
  BOOST_TEST((all.judgments[1].unit == units[2]));
  BOOST_TEST(all.judgments[1].answer == "x");
  BOOST_TEST((all.judgments[1].taken == 13s));
  BOOST_TEST(all.judgments[0].payload == all.judgments[1].payload);
  BOOST_REQUIRE_EQUAL(all.unreadable.size(), 1U);
  BOOST_TEST((all.unreadable[0].what == core::step_history::unreadable::row::vote));
  BOOST_TEST(all.unreadable[0].contributor == "judge-2");
  BOOST_TEST((all.unreadable[0].unit == units[1]));
  BOOST_TEST(!all.unreadable[0].why.empty());
  // It is one of the last two, and none of the last one.
  const auto two = value_of(store.load_survey(step, 0.9, 2));
  BOOST_TEST(two.judgments.size() == 1U);
  BOOST_TEST(two.unreadable.size() == 1U);
  const auto one = value_of(store.load_survey(step, 0.9, 1));
  BOOST_TEST(one.judgments.size() == 1U);
  BOOST_TEST(one.unreadable.empty());
}

/// Where one judgment more than a survey leaves out cannot be read.
void survey_too_many(persistence::store& store, core::step_id step) {
  const auto most = persistence::unreadable_judgments_max;
  const auto survey = value_of(store.load_survey(step, 0.9, most));
  BOOST_TEST(survey.unreadable.size() == most);
  const auto refused = store.load_survey(step, 0.9, most + 1);
  BOOST_TEST(fails_with(refused, core::errc::damaged));
  BOOST_TEST(refused.error().detail.find("more than 100 judgments cannot be read") == 0U,
             refused.error().detail);
}

/// A unit that ana, bob and cid have judged; dan's judgment of it is surplus.
template <class World>
core::unit_id write_judged_unit(store_fixture<World>& f) {
  const auto unit = f.given_unit(f.given_step().id, 1, 4);
  core::token token = 0;
  for (const auto* who : {"ana", "bob", "cid", "dan"})
    f.given_lease(unit, who, ++token);
  token = 0;
  for (const auto* who : {"ana", "bob", "cid"})
    BOOST_TEST(is(f.write({f.judgment(unit, who, ++token)}), committed));
  BOOST_TEST(is(f.write({core::end_lease_row{unit, "dan", 4, core::lease_end::expired, at(70)}}),
                committed));
  auto late = f.judgment(unit, "dan", 4);
  late.submitted_at = at(80);
  BOOST_TEST(is(f.write({core::insert_surplus_judgment{late}}), committed));
  return unit;
}

/// The judgments of the unit: all are there, and all but that at `lost` with what they say.
void tell_judgments_around(persistence::store& store, core::unit_id unit, std::size_t lost) {
  const auto item = value_of(store.load_lineage(unit, {}, 10));
  BOOST_REQUIRE_EQUAL(item.units.size(), 1U);
  BOOST_TEST(item.units[0].leases.size() == 4U);
  const auto& judgments = item.units[0].judgments;
  BOOST_REQUIRE_EQUAL(judgments.size(), 4U);
  const std::vector<std::string> names{"ana", "bob", "cid", "dan"};
  for (std::size_t i = 0; i < judgments.size(); ++i) {
    BOOST_TEST(judgments[i].contributor == names[i]);
    BOOST_TEST(judgments[i].surplus == (i == 3));
    BOOST_TEST((judgments[i].submitted_at == at(i == 3 ? 80 : 20)));
    BOOST_TEST(judgments[i].payload == (i == lost ? "" : R"({"label":"x"})"));
    BOOST_TEST(judgments[i].answer == (i == lost ? "" : "x"));
    BOOST_TEST(judgments[i].unreadable.empty() == (i != lost));
  }
}

/// A unit that was judged, with two units that were made from it.
template <class World>
std::vector<core::unit_id> write_chain(store_fixture<World>& f) {
  const auto first = write_judged_unit(f);
  const auto step = f.given_step().id;
  std::vector<core::unit_id> chain{first};
  for (const std::uint64_t ordinal : {1, 2}) {
    auto child = f.new_unit(step, ordinal);
    child.root = first;
    child.parent = chain.back();
    child.created_at = at(100 + static_cast<std::int64_t>(ordinal));
    BOOST_TEST(is(f.write({child}), committed));
    chain.push_back(child.id);
  }
  return chain;
}

/// The units of the chain, asked for by each of them: all are there, and all but that at `lost`
/// with what they say.
void tell_units_around(persistence::store& store, const std::vector<core::unit_id>& chain,
                       std::size_t lost) {
  for (const auto& asked : chain) {
    const auto item = value_of(store.load_lineage(asked, {}, 10));
    BOOST_TEST((item.root == chain[0]));
    BOOST_REQUIRE_EQUAL(item.units.size(), chain.size());
    for (std::size_t i = 0; i < chain.size(); ++i) {
      const auto& unit = item.units[i];
      BOOST_TEST((unit.id == chain[i]));
      BOOST_TEST((unit.parent == (i == 0 ? core::unit_id{} : chain[i - 1])));
      BOOST_TEST(unit.input.empty() == (i == lost));
      BOOST_TEST(unit.source_key.empty() == (i == lost));
      BOOST_TEST(unit.unreadable.empty() == (i != lost));
      BOOST_TEST(unit.judgments.size() == (i == 0 ? 4U : 0U));
      for (const auto& judgment : unit.judgments)
        BOOST_TEST(judgment.unreadable.empty());
    }
  }
  // Pages of any size.
  const auto page = value_of(store.load_lineage(chain[0], chain[0], 1));
  BOOST_REQUIRE_EQUAL(page.units.size(), 1U);
  BOOST_TEST((page.units[0].id == chain[1]));
}

/// A step of four units: each but the last has a judgment of ana, a lease of bob and an exclusion
/// of cid.
struct step_at_work {
  core::step_id step;
  std::vector<core::unit_id> units;
};

template <class World>
step_at_work write_work(store_fixture<World>& f) {
  step_at_work made{f.given_step().id, {}};
  for (const std::uint64_t ordinal : {1, 2, 3, 4}) {
    auto unit = f.new_unit(made.step, ordinal, 5);
    if (ordinal < 4)
      unit.excluded = {"cid"};
    BOOST_TEST(is(f.write({unit}), committed));
    made.units.push_back(unit.id);
    if (ordinal == 4)
      continue;
    f.given_lease(unit.id, "ana", 1);
    BOOST_TEST(is(f.write({f.judgment(unit.id, "ana", 1)}), committed));
    f.given_lease(unit.id, "bob", 2);
  }
  return made;
}

/// Where rows of these of its units cannot be read.
void load_step_around(persistence::store& store, const step_at_work& made,
                      const std::vector<std::size_t>& lost) {
  const auto policies_of = [](const auto&, const auto&) { return core::lease_policies{}; };
  const auto loaded = value_of(store.load_step(made.step, policies_of));
  BOOST_TEST(loaded.next_ordinal == 5U);
  BOOST_REQUIRE_EQUAL(loaded.unreadable.size(), lost.size());
  BOOST_REQUIRE_EQUAL(loaded.open_units.size(), made.units.size() - lost.size());
  std::size_t read = 0;
  std::size_t missing = 0;
  for (std::size_t i = 0; i < made.units.size(); ++i) {
    if (missing < lost.size() && lost[missing] == i) {
      BOOST_TEST((loaded.unreadable[missing].id == made.units[i]));
      BOOST_TEST(!loaded.unreadable[missing++].why.empty());
      continue;
    }
    const auto& unit = loaded.open_units[read++];
    BOOST_TEST((unit.id == made.units[i]));
    BOOST_TEST(unit.ordinal == i + 1);
    BOOST_TEST(unit.holders.size() == (i < 3 ? 1U : 0U));
    BOOST_TEST(unit.judged == (i < 3 ? 1U : 0U));
    BOOST_TEST(unit.touched.size() == (i < 3 ? 3U : 0U));
  }
}

/// Where rows of its second unit cannot be read.
void count_work_around_the_second(persistence::store& store, const step_at_work& made) {
  using row = core::step_history::unreadable::row;
  const auto grants = value_of(store.load_grants(made.step, "", 10));
  BOOST_REQUIRE_EQUAL(grants.size(), 2U);
  BOOST_TEST(grants[0].contributor == "ana");
  BOOST_TEST(grants[0].assignments == 2U);
  BOOST_TEST(grants[1].assignments == 2U);
  const core::history_scope all{true, true, true};
  BOOST_TEST(fails_with(store.load_step_history(made.step, all), core::errc::damaged));
  const auto history = value_of(store.load_readable_step_history(made.step, all));
  BOOST_TEST(history.contributors.size() == 2U);
  BOOST_TEST(history.votes.size() == 2U);
  BOOST_REQUIRE(history.judged.has_value());
  BOOST_REQUIRE_EQUAL(history.judged->size(), 1U);
  BOOST_TEST(history.judged->front().units == 2U);
  BOOST_REQUIRE_EQUAL(history.damage.size(), 1U);
  BOOST_TEST((history.damage[0].what == row::work));
  BOOST_TEST((history.damage[0].unit == made.units[1]));
  BOOST_TEST(core::text_of(history.damage[0]).find(to_string(made.units[1])) != std::string::npos);
}

/// Three repairs of one step that are not done, and one of another step.
template <class World>
std::vector<core::repair_row> write_repairs(store_fixture<World>& f) {
  const auto step = f.given_step().id;
  const auto other = f.given_step().id;
  std::vector<core::repair_row> repairs;
  for (const auto& of : {step, step, step, other}) {
    core::repair_row row;
    row.id = {f.ids.next(at(0))};
    row.step = of;
    row.contributor = "eve";
    row.through = 9;
    row.asked_at = row.changed_at = at(50 - static_cast<std::int64_t>(repairs.size()));
    BOOST_TEST(is(f.write({core::put_repair{row}}), committed));
    repairs.push_back(row);
  }
  return repairs;
}

/// Where the second of them cannot be read.
void list_repairs_around_the_second(persistence::store& store,
                                    const std::vector<core::repair_row>& repairs) {
  for (const auto& step : {repairs[0].step, core::step_id{}}) {
    const auto found = value_of(store.open_repairs(step));
    BOOST_REQUIRE_EQUAL(found.open.size(), step ? 2U : 3U);
    BOOST_TEST((found.open[step ? 0 : 1].id == repairs[2].id)); // the oldest first
    BOOST_TEST((found.open[step ? 1 : 2].id == repairs[0].id));
    BOOST_TEST(found.open[0].contributor == "eve");
    BOOST_REQUIRE_EQUAL(found.unreadable.size(), 1U);
    BOOST_TEST((found.unreadable[0].id == repairs[1].id));
    BOOST_TEST((found.unreadable[0].step == repairs[1].step));
    BOOST_TEST(!found.unreadable[0].why.empty());
  }
  const auto elsewhere = value_of(store.open_repairs(repairs[3].step));
  BOOST_TEST(elsewhere.open.size() == 1U);
  BOOST_TEST(elsewhere.unreadable.empty());
  BOOST_TEST(fails_with(store.find_repair(repairs[1].id), core::errc::damaged));
  BOOST_TEST((value_of(store.find_repair(repairs[0].id)).id == repairs[0].id));
}

/// Numbers of three entries of the audit log, the newest first.
template <class World>
std::vector<std::uint64_t> write_audit(store_fixture<World>& f) {
  for (const auto* item : {"queue a", "queue b", "queue c"})
    BOOST_TEST(is(f.write({core::put_profile{"ana", {}, at(10)},
                           core::insert_audit{at(10), "admin", "put_queue", item, "saved"}}),
                  committed));
  std::vector<std::uint64_t> numbers;
  for (const auto& entry : value_of(f.db->list_audit({})).entries)
    numbers.push_back(entry.number);
  BOOST_REQUIRE_EQUAL(numbers.size(), 3U);
  return numbers;
}

/// Where the second of them cannot be read.
void list_audit_around_the_second(persistence::store& store,
                                  const std::vector<std::uint64_t>& numbers) {
  persistence::audit_filter filter;
  for (const auto* who : {"", "admin"}) {
    filter.who = who;
    const auto listed = value_of(store.list_audit(filter));
    BOOST_TEST(!listed.more);
    BOOST_REQUIRE_EQUAL(listed.entries.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
      const auto& [number, made] = listed.entries[i];
      BOOST_TEST(number == numbers[i]);
      BOOST_TEST(made.who == (i == 1 ? "" : "admin"));
      BOOST_TEST((made.outcome == "saved") == (i != 1));
    }
    BOOST_TEST(listed.entries[1].made.outcome.find("its row cannot be read: ") == 0U);
  }
  filter.limit = 2; // pages of any size
  const auto page = value_of(store.list_audit(filter));
  BOOST_TEST(page.entries.size() == 2U);
  BOOST_TEST(page.more);
}

/// Three tokens in order of id.
template <class World>
std::vector<core::api_token_id> write_tokens(store_fixture<World>& f) {
  std::vector<core::api_token_id> tokens;
  for (int i = 0; i < 3; ++i) {
    core::put_api_token w;
    w.row.id = {f.ids.next(at(1 + i))};
    w.row.secret_hash = std::string(64, '7');
    w.row.as = core::role::producer;
    w.row.scope.queues = {"mail"};
    w.row.created_by = "ana";
    w.row.created_at = at(5);
    BOOST_TEST(is(f.write({w}), committed));
    tokens.push_back(w.row.id);
  }
  return tokens;
}

/// Where the second of them cannot be read.
void list_tokens_around_the_second(persistence::store& store,
                                   const std::vector<core::api_token_id>& tokens) {
  const auto listed = value_of(store.list_api_tokens({}, 10));
  BOOST_REQUIRE_EQUAL(listed.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    BOOST_TEST((listed[i].id == tokens[i]));
    BOOST_TEST(listed[i].unreadable.empty() == (i != 1));
    BOOST_TEST(listed[i].created_by == (i == 1 ? "" : "ana"));
    BOOST_TEST(listed[i].scope.queues.size() == (i == 1 ? 0U : 1U));
  }
  BOOST_TEST(fails_with(store.load_api_token(tokens[1]), core::errc::damaged));
  BOOST_TEST(value_of(store.load_api_token(tokens[2])).has_value());
  const auto page = value_of(store.list_api_tokens(tokens[0], 1)); // pages of any size
  BOOST_REQUIRE_EQUAL(page.size(), 1U);
  BOOST_TEST((page[0].id == tokens[1]));
}

/// Text that the server keeps outside of its row: it cannot be compressed, and is long.
std::string long_text(int seed) {
  return "(SELECT string_agg(md5((i + " + std::to_string(seed)
         + " * 1000)::text), '') FROM generate_series(1, 300) i)";
}

/// A copy of the database of which one file is damaged before the server has read it.
class damaged_copy {
public:
  damaged_copy() { drop(); }
  damaged_copy(const damaged_copy&) = delete;
  damaged_copy& operator=(const damaged_copy&) = delete;
  ~damaged_copy() { drop(); }

  /// Damages the pages that hold the long texts of `table`, or its own.
  void make(const std::string& table, bool its_own = false) {
    const auto& whole = test_cluster::instance().conninfo();
    const auto file =
        run_in(whole, "SELECT relfilenode FROM pg_class WHERE oid = (SELECT "
                          + std::string{its_own ? "oid" : "reltoastrelid"}
                          + " FROM pg_class WHERE oid = '" + table + "'::regclass)")[0][0]
            .as<std::string>();
    const auto from = run_in(whole, "SELECT current_database()")[0][0].as<std::string>();
    // By files, not through the server's memory.
    run_in(whole + " dbname=template1", "CREATE DATABASE " + std::string{copy_name} + " TEMPLATE \""
                                            + from + "\" STRATEGY file_copy");
    const auto place = run_in(whole, "SELECT current_setting('data_directory') || '/base/' || oid"
                                     " FROM pg_database WHERE datname = '"
                                         + std::string{copy_name} + "'")[0][0]
                           .as<std::string>();
    // Each page: tests before this one may have left the first ones to rows that are gone.
    constexpr std::uintmax_t page_bytes = 8192;
    const auto bytes = std::filesystem::file_size(place + '/' + file);
    std::fstream pages{place + '/' + file, std::ios::in | std::ios::out | std::ios::binary};
    BOOST_REQUIRE(pages);
    for (std::uintmax_t page = 0; page < bytes / page_bytes; ++page) {
      pages.seekp(static_cast<std::streamoff>(page * page_bytes));
      for (int at = 0; at < 8; ++at)
        pages.put('\x7f');
    }
    BOOST_REQUIRE(pages.flush());
  }

  persistence::postgres_store open() const {
    return persistence::postgres_store{persistence::postgres_options{conninfo, "holdfast test"}};
  }

  std::string conninfo = test_cluster::instance().conninfo() + " dbname=" + copy_name;

private:
  static void drop() {
    run_in(test_cluster::instance().conninfo(),
           "DROP DATABASE IF EXISTS " + std::string{copy_name} + " WITH (FORCE)");
  }
};

struct database_with_long_rows : store_fixture<postgres_world> {
  database_with_long_rows() {
    for (const auto* name : {"first", "mail", "zero"})
      BOOST_TEST(is(this->write({core::put_queue{name, "{}", false, {}, 1, at(0)}}), committed));
  }

  core::task_id stage(const std::string& body, const std::string& more = "") {
    const auto rows = test_cluster::instance().sql("SELECT holdfast.enqueue('mail', 'send', " + body
                                                   + more + ")");
    return {core::parse_uuid(rows[0][0].as<std::string>()).value()};
  }
  core::task_id live(const std::string& key = "") {
    core::insert_task made;
    made.queue = "mail";
    made.spec.id = {ids.next(at(1))};
    made.spec.type = "send";
    made.spec.version = "1.0";
    made.spec.body = "{}";
    made.spec.unique_key = key;
    made.spec.created_at = at(1);
    BOOST_TEST(is(this->write({made}), committed));
    return made.spec.id;
  }

  void put_webhook(const std::string& name) {
    core::put_webhook hook;
    hook.id = {ids.next(at(1))};
    hook.name = name;
    hook.definition = "{}";
    BOOST_TEST(is(this->write({hook}), committed));
  }
  /// Damages the long texts of the table, in the copy. Nobody may use a database that is copied.
  void damage(const std::string& table) {
    db.reset();
    copy.make(table);
  }

  /// Damages the pages of the table itself. Those of its indexes are whole, and say which rows are
  /// visible to all, so that the table is not asked.
  void damage_rows(const std::string& table) {
    run_in(test_cluster::instance().conninfo(), "VACUUM " + table);
    db.reset();
    copy.make(table, true);
  }

  /// In the copy: the server fails on `column` of the row whose `key` is `value`, as on a row with
  /// a length in it that makes no sense.
  void break_column(const std::string& table, const std::string& column, const std::string& key,
                    const std::string& value, const std::string& type = "text") {
    run_in(copy.conninfo, R"(
      CREATE OR REPLACE FUNCTION holdfast.broken() RETURNS text LANGUAGE plpgsql STABLE AS $$
      BEGIN
        RAISE EXCEPTION 'invalid memory alloc request size 18446744073709551613'
          USING ERRCODE = 'XX000';
      END $$)");
    show_broken(table, column, key, value, type);
  }

  /// The same with `holdfast.broken()` as it is.
  void show_broken(const std::string& table, const std::string& column, const std::string& key,
                   const std::string& value, const std::string& type) {
    const auto broken = "CASE WHEN " + key + " = ''" + value + "'' THEN holdfast.broken()::" + type
                        + " ELSE " + column + " END AS " + column;
    const auto columns_query = "SELECT string_agg(CASE attname WHEN '" + column + "' THEN '"
                               + broken
                               + "' ELSE attname::text END, ', ' ORDER BY attnum)"
                                 " FROM pg_attribute WHERE attrelid = 'holdfast."
                               + table + "'::regclass AND attnum > 0 AND NOT attisdropped";
    const auto columns = run_in(copy.conninfo, columns_query)[0][0].as<std::string>();
    run_in(copy.conninfo, "ALTER TABLE holdfast." + table + " RENAME TO kept_" + table);
    run_in(copy.conninfo, "CREATE VIEW holdfast." + table + " AS SELECT " + columns
                              + " FROM holdfast.kept_" + table);
  }

  damaged_copy copy;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(store_damaged_rows, database_with_long_rows)

// finding Q4
BOOST_AUTO_TEST_CASE(staged_row_that_cannot_be_read_is_told_beside_the_others) {
  const auto first = stage("'1'");
  stage("to_jsonb(" + long_text(1) + ")");
  const auto last = stage("'3'");
  damage("holdfast.task_intake");
  auto store = copy.open();
  const auto page = value_of(store.load_staged("mail", 100, 1'000'000));
  BOOST_REQUIRE_EQUAL(page.tasks.size(), 3U);
  BOOST_TEST(!page.more);
  BOOST_TEST((page.tasks[0].task.spec.id == first));
  BOOST_TEST((page.tasks[2].task.spec.id == last));
  BOOST_TEST((page.tasks[0].problem.code == core::errc::none));
  BOOST_TEST((page.tasks[1].problem.code == core::errc::damaged));
  BOOST_TEST(page.tasks[1].problem.detail.find("invalid page") != std::string::npos);
  // Pages of any size.
  for (const std::uint32_t limit : {1, 2}) {
    const auto some = value_of(store.load_staged("mail", limit, 1'000'000));
    BOOST_TEST(some.tasks.size() == limit);
    BOOST_TEST(some.more);
  }
  BOOST_TEST(value_of(store.load_staged("mail", 100, 1)).tasks.size() == 1U);

  // It is set aside without being read, and everybody sees why.
  write_batch batch{{part(0, {{{core::refuse_staged{page.tasks[1].id, core::errc::damaged,
                                                    page.tasks[1].problem.detail, at(9)}},
                               {}}})}};
  BOOST_TEST(is(store.commit(batch), committed));
  BOOST_TEST(value_of(store.load_staged("mail", 100, 1'000'000)).tasks.size() == 2U);
  const auto shown = run_in(copy.conninfo, "SELECT status, execution_spec, refusal FROM"
                                           " report.task_intake ORDER BY intake_id");
  BOOST_REQUIRE_EQUAL(shown.size(), 3U);
  BOOST_TEST(shown[0][1].as<std::string>() == "1");
  BOOST_TEST(shown[1][0].as<std::string>() == "REFUSED");
  BOOST_TEST(shown[1][1].is_null());
  BOOST_TEST(shown[1][2].as<std::string>() == "damaged");
  BOOST_TEST(run_in(copy.conninfo, "SELECT * FROM report.queued_tasks").size() == 3U);
  const auto counts = value_of(store.count_staged("mail"));
  BOOST_TEST(counts.staged == 2U);
  BOOST_TEST(counts.unreadable == 1U);
  BOOST_TEST(value_of(store.prune_refused(0, node, "mail", at(100), 100)) == 0U);
}

// finding B3
BOOST_AUTO_TEST_CASE(live_task_that_cannot_be_read_is_told_beside_the_others) {
  const auto first = live();
  const auto damaged = live("welcome-ana");
  const auto last = live();
  test_cluster::instance().sql("UPDATE holdfast.tasks SET body = " + long_text(2)
                               + " WHERE task_id = '" + to_string(damaged) + "'");
  damage("holdfast.tasks");
  auto store = copy.open();
  // Reads of all tasks and leases look at no document, and see it as well.
  BOOST_TEST(value_of(store.find_due({}, at(1000), 100)).due.size() == 3U);
  BOOST_TEST(value_of(store.find_tasks({damaged})).size() == 1U);
  BOOST_TEST(value_of(store.find_overdue(at(1000), 100)).empty());
  BOOST_TEST(value_of(store.find_object_refs({core::digest{}})).empty());
  const auto loaded = value_of(store.load_queue("mail"));
  BOOST_REQUIRE_EQUAL(loaded.tasks.size(), 2U);
  BOOST_TEST((loaded.tasks[0].spec.id == first));
  BOOST_TEST((loaded.tasks[1].spec.id == last));
  BOOST_REQUIRE_EQUAL(loaded.unreadable.size(), 1U);
  BOOST_TEST((loaded.unreadable[0].id == damaged));
  BOOST_TEST(loaded.unreadable[0].unique_key == "welcome-ana");
  BOOST_TEST(loaded.unreadable[0].why.find("invalid page") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(workflow_that_cannot_be_read_is_listed_by_its_id_beside_the_others) {
  std::vector<core::workflow_id> workflows;
  for (const auto* name : {"first", "long", "last"}) {
    workflows.push_back({ids.next(at(1))});
    BOOST_TEST(
        is(this->write({core::insert_workflow{workflows.back(), name, "{}", at(1)}}), committed));
  }
  test_cluster::instance().sql("UPDATE holdfast.workflows SET name = " + long_text(6)
                               + " WHERE workflow_id = '" + to_string(workflows[1]) + "'");
  damage("holdfast.workflows");
  auto store = copy.open();
  const auto listed = value_of(store.list_workflows({}, 10)).workflows;
  BOOST_REQUIRE_EQUAL(listed.size(), 3U);
  for (std::size_t i = 0; i < listed.size(); ++i) {
    BOOST_TEST((listed[i].id == workflows[i]));
    BOOST_TEST(listed[i].latest == (i == 1 ? 0U : 1U));
  }
  BOOST_TEST(listed[0].name == "first");
  BOOST_TEST(listed[1].name == "");
  BOOST_TEST(listed[2].name == "last");
  // A page goes on behind it.
  const auto page = value_of(store.list_workflows(workflows[0], 1));
  BOOST_REQUIRE_EQUAL(page.workflows.size(), 1U);
  BOOST_TEST((page.workflows[0].id == workflows[1]));
  BOOST_TEST(page.more);
}

BOOST_AUTO_TEST_CASE(step_that_cannot_be_read_is_listed_by_its_id_beside_the_others) {
  std::vector<core::step_row> steps;
  for (int i = 0; i < 3; ++i)
    steps.push_back(given_step());
  damage("holdfast.webhooks"); // for the copy: no text is long
  break_column("steps", "key", "step_id", to_string(steps[1].id));
  auto store = copy.open();
  for (const auto& listed :
       {value_of(store.list_steps({}, 10)), value_of(store.open_steps({}, 10))}) {
    BOOST_REQUIRE_EQUAL(listed.size(), 3U);
    for (const auto& row : listed) {
      const bool readable = row.id != steps[1].id;
      BOOST_TEST(row.key == (readable ? steps[0].key : ""));
      BOOST_TEST((row.workflow != core::workflow_id{}) == readable);
    }
  }
  // A page goes on behind it.
  const auto order = value_of(store.list_steps({}, 10));
  const auto rest = value_of(store.list_steps(order[0].id, 2));
  BOOST_REQUIRE_EQUAL(rest.size(), 2U);
  BOOST_TEST((rest[1].id == order[2].id));
}

BOOST_AUTO_TEST_CASE(test_question_that_cannot_be_read_is_listed_by_its_place) {
  const auto step = given_step();
  std::vector<core::unit_id> questions;
  for (std::uint64_t ordinal = 1; ordinal <= 3; ++ordinal) {
    auto question = new_unit(step.id, ordinal);
    question.truth = "1";
    BOOST_TEST(is(this->write({question}), committed));
    questions.push_back(question.id);
  }
  test_cluster::instance().sql("UPDATE holdfast.units SET input = " + long_text(7)
                               + " WHERE unit_id = '" + to_string(questions[1]) + "'");
  damage("holdfast.units");
  auto store = copy.open();
  const auto listed = value_of(store.list_questions(step.id, 0, 10)).questions;
  BOOST_REQUIRE_EQUAL(listed.size(), 3U);
  for (std::size_t i = 0; i < listed.size(); ++i) {
    BOOST_TEST((listed[i].unit == questions[i]));
    BOOST_TEST(listed[i].ordinal == i + 1);
    BOOST_TEST(listed[i].truth == (i == 1 ? "" : "1"));
  }
}

// finding Q4
BOOST_AUTO_TEST_CASE(finished_task_that_cannot_be_read_keeps_none_beside_it) {
  std::vector<core::task_id> tasks;
  for (int i = 0; i < 5; ++i) {
    tasks.push_back(live());
    core::finish_task over;
    over.task = tasks.back();
    over.ending = core::task_ending::canceled;
    over.at = at(30);
    BOOST_TEST(is(this->write({over}), committed));
  }
  const auto damaged = tasks[3];
  test_cluster::instance().sql("UPDATE holdfast.finished_tasks SET body = " + long_text(5)
                               + " WHERE task_id = '" + to_string(damaged) + "'");
  damage("holdfast.finished_tasks");
  auto store = copy.open();
  persistence::finished_filter filter;
  filter.queue = "mail";
  const auto found = value_of(store.list_finished(filter));
  BOOST_REQUIRE_EQUAL(found.size(), 5U);
  for (std::size_t i = 0; i < found.size(); ++i) {
    BOOST_TEST((found[i].spec.id == tasks[i]));
    BOOST_TEST(found[i].queue == (i == 3 ? "" : "mail"));
  }
  BOOST_TEST(found[3].error.detail.find("invalid page") != std::string::npos);
  filter.after = tasks[2]; // pages of any size
  filter.limit = 1;
  BOOST_TEST((value_of(store.list_finished(filter)).at(0).spec.id == damaged));
  persistence::task_filter listed;
  listed.queue = "mail";
  listed.endings = {core::task_ending::canceled};
  BOOST_TEST(value_of(store.list_tasks(listed)).tasks.size() == 5U);
  BOOST_TEST(fails_with(store.load_task(damaged), core::errc::damaged));

  // All others are forgotten, in pages of any size, and what stays is told with its reason.
  BOOST_TEST(value_of(store.prune_tasks(0, node, "mail", at(100), 2)) == 2U);
  const auto rest = store.prune_tasks(0, node, "mail", at(100), 3);
  BOOST_TEST(fails_with(rest, core::errc::damaged));
  BOOST_TEST(rest.error().detail.find(to_string(damaged)) != std::string::npos);
  const auto left = run_in(copy.conninfo, "SELECT task_id FROM holdfast.finished_tasks");
  BOOST_REQUIRE_EQUAL(left.size(), 1U);
  BOOST_TEST(left[0][0].as<std::string>() == to_string(damaged));
}

// finding B3
BOOST_AUTO_TEST_CASE(queue_whose_row_cannot_be_read_keeps_no_other_from_being_listed) {
  test_cluster::instance().sql("UPDATE holdfast.queues SET definition = " + long_text(3)
                               + " WHERE queue = 'mail'");
  damage("holdfast.queues");
  auto store = copy.open();
  const auto queues = value_of(store.list_queues());
  BOOST_REQUIRE_EQUAL(queues.size(), 3U);
  BOOST_TEST(queues[0].definition == "{}");
  BOOST_TEST(queues[1].name == "mail");
  BOOST_TEST(queues[1].definition == "");
  BOOST_TEST(queues[2].definition == "{}");
  value_of(store.load_queue("zero"));
  BOOST_TEST(fails_with(store.load_queue("mail"), core::errc::damaged));
}

// finding B3
BOOST_AUTO_TEST_CASE(webhook_whose_row_cannot_be_read_keeps_no_other_from_being_listed) {
  for (const auto* name : {"a", "b"})
    put_webhook(name);
  test_cluster::instance().sql("UPDATE holdfast.webhooks SET definition = " + long_text(4)
                               + " WHERE name = 'a'");
  damage("holdfast.webhooks");
  const auto found = value_of(copy.open().list_webhooks());
  BOOST_REQUIRE_EQUAL(found.size(), 2U);
  BOOST_TEST(found[0].name == "a");
  BOOST_TEST(found[0].definition == "");
  BOOST_TEST(found[1].definition == "{}");
}

// finding B3, Q4: the server tells of some damaged rows by XX000, as of its own mistakes
BOOST_AUTO_TEST_CASE(rows_that_the_server_fails_on_keep_none_beside_them_from_being_read) {
  for (const auto* name : {"a", "b"}) {
    put_webhook(name);
    core::put_schedule_row schedule;
    schedule.queue = "zero";
    schedule.name = name;
    schedule.definition = "{}";
    schedule.created_at = schedule.handled_until = at(1);
    schedule.revision = 1;
    BOOST_TEST(is(this->write({schedule}), committed));
  }
  damage("holdfast.webhooks"); // for the copy: no text is long
  break_column("queues", "definition", "queue", "mail");
  break_column("webhooks", "definition", "name", "a");
  break_column("schedules", "definition", "name", "a");
  auto store = copy.open();
  const auto queues = value_of(store.list_queues());
  BOOST_REQUIRE_EQUAL(queues.size(), 3U);
  BOOST_TEST(queues[0].definition == "{}");
  BOOST_TEST(queues[1].definition == "");
  BOOST_TEST(fails_with(store.load_queue("mail"), core::errc::damaged));
  const auto hooks = value_of(store.list_webhooks());
  BOOST_REQUIRE_EQUAL(hooks.size(), 2U);
  BOOST_TEST(hooks[0].definition == "");
  BOOST_TEST(hooks[1].definition == "{}");
  const auto loaded = value_of(store.load_queue("zero"));
  BOOST_REQUIRE_EQUAL(loaded.schedules.size(), 2U);
  BOOST_TEST(loaded.schedules[0].definition == "");
  BOOST_TEST(loaded.schedules[1].definition == "{}");
}

// finding Q4: the statement looks for tasks of the same id, too
BOOST_AUTO_TEST_CASE(staged_rows_are_not_given_up_when_tasks_beside_them_cannot_be_read) {
  const auto first = stage("'1'");
  stage("'2'");
  damage("holdfast.webhooks"); // for the copy: no text is long
  run_in(copy.conninfo,
         "CREATE FUNCTION holdfast.broken(text) RETURNS text LANGUAGE plpgsql STABLE AS"
         " $$ BEGIN RAISE EXCEPTION 'invalid page' USING ERRCODE = 'XX001'; END $$");
  run_in(copy.conninfo, "ALTER TABLE holdfast.finished_tasks RENAME TO kept_finished_tasks");
  run_in(copy.conninfo, "CREATE VIEW holdfast.finished_tasks AS SELECT '" + to_string(first)
                            + "'::uuid AS task_id, holdfast.broken('') AS queue");
  BOOST_TEST(fails_with(copy.open().load_staged("mail", 100, 1'000'000), core::errc::unavailable));
  run_in(copy.conninfo, "DROP VIEW holdfast.finished_tasks");
  run_in(copy.conninfo, "ALTER TABLE holdfast.kept_finished_tasks RENAME TO finished_tasks");
  const auto page = value_of(copy.open().load_staged("mail", 100, 1'000'000));
  BOOST_REQUIRE_EQUAL(page.tasks.size(), 2U);
  for (const auto& task : page.tasks)
    BOOST_TEST((task.problem.code == core::errc::none));
}

// finding Q4
BOOST_AUTO_TEST_CASE(events_that_the_server_does_not_give_back_keep_none_beside_them) {
  write_ten_events(*this);
  test_cluster::instance().sql("UPDATE holdfast.outbox SET events = " + long_text(6)
                               + " WHERE shard = 0 AND first_seq = 5");
  damage("holdfast.outbox");
  auto store = copy.open();
  const auto events = value_of(store.events_after(0, 0, 100));
  BOOST_REQUIRE_EQUAL(events.size(), 10U);
  for (const auto& e : events)
    BOOST_TEST(is_unreadable(e) == (e.id.seq == 5U || e.id.seq == 6U));
  BOOST_TEST(events[4].event.details.find("invalid page") != std::string::npos);
  prune_around_the_third_row(store, node);
  const auto left = run_in(copy.conninfo, "SELECT first_seq FROM holdfast.outbox WHERE shard = 0");
  BOOST_REQUIRE_EQUAL(left.size(), 1U);
  BOOST_TEST(left[0][0].as<int>() == 5);
}

// finding Q4
BOOST_AUTO_TEST_CASE(dead_letter_that_cannot_be_read_keeps_none_beside_it) {
  const auto webhook = write_three_letters(*this);
  test_cluster::instance().sql("UPDATE holdfast.dead_letters SET event = " + long_text(7)
                               + " WHERE seq = 4");
  damage("holdfast.dead_letters");
  auto store = copy.open();
  list_letters_around_the_second(store, webhook);
}

// finding Q4
BOOST_AUTO_TEST_CASE(result_that_cannot_be_read_keeps_none_beside_it) {
  const auto [step, units] = write_three_results(*this);
  test_cluster::instance().sql("UPDATE holdfast.units SET result = " + long_text(8)
                               + " WHERE unit_id = '" + to_string(units[1]) + "'");
  damage("holdfast.units");
  auto store = copy.open();
  list_results_around_the_second(store, step, units);
}

// finding Q4
BOOST_AUTO_TEST_CASE(right_answer_that_cannot_be_read_keeps_no_other_question_from_being_read) {
  const auto step = this->given_step();
  std::vector<core::unit_id> questions;
  for (std::uint64_t ordinal = 1; ordinal <= 5; ++ordinal) {
    auto question = this->new_unit(step.id, ordinal, 1'000'000'000);
    question.truth = R"("x")";
    questions.push_back(question.id);
    BOOST_TEST(is(this->write({question}), committed));
  }
  test_cluster::instance().sql("UPDATE holdfast.units SET truth = " + long_text(6)
                               + " WHERE unit_id = '" + to_string(questions[3]) + "'");
  damage("holdfast.units");
  auto store = copy.open();
  BOOST_TEST(fails_with(store.load_step_history(step.id, {true}), core::errc::damaged));
  const auto history = value_of(store.load_readable_step_history(step.id, {true}));
  BOOST_REQUIRE_EQUAL(history.questions.size(), 5U);
  for (std::size_t i = 0; i < history.questions.size(); ++i) {
    BOOST_TEST((history.questions[i].unit == questions[i]));
    BOOST_TEST(history.questions[i].ordinal == i + 1);
    BOOST_TEST(history.questions[i].truth == (i == 3 ? "" : R"("x")"));
  }
  BOOST_REQUIRE_EQUAL(history.damage.size(), 1U);
  BOOST_TEST((history.damage[0].what == core::step_history::unreadable::row::question));
  BOOST_TEST((history.damage[0].unit == questions[3]));
  BOOST_TEST(history.damage[0].why.find("invalid page") != std::string::npos);
}

// finding Q4
BOOST_AUTO_TEST_CASE(answer_that_cannot_be_read_keeps_no_other_vote_from_being_read) {
  const auto step = this->given_step();
  const auto unit = this->given_unit(step.id, 1);
  core::token token = 0;
  for (const auto* who : {"ana", "bob", "cid"}) {
    this->given_lease(unit, who, ++token);
    BOOST_TEST(is(this->write({this->judgment(unit, who, token)}), committed));
  }
  test_cluster::instance().sql("UPDATE holdfast.judgments SET answer = " + long_text(7)
                               + " WHERE contributor_id = 'bob'");
  damage("holdfast.judgments");
  const auto history =
      value_of(copy.open().load_readable_step_history(step.id, {false, true, true}));
  BOOST_REQUIRE_EQUAL(history.votes.size(), 2U);
  BOOST_TEST(history.votes[0].contributor == "ana");
  BOOST_TEST(history.votes[1].contributor == "cid");
  BOOST_REQUIRE(history.judged.has_value());
  BOOST_TEST(history.judged->size() == 3U);
  BOOST_REQUIRE_EQUAL(history.damage.size(), 1U);
  BOOST_TEST((history.damage[0].what == core::step_history::unreadable::row::vote));
  BOOST_TEST(history.damage[0].contributor == "bob");
  BOOST_TEST((history.damage[0].unit == unit));
}

// finding Q4
BOOST_AUTO_TEST_CASE(judgment_that_cannot_be_read_is_left_out_of_a_survey) {
  const auto [step, units] = write_judgments(*this, 3);
  test_cluster::instance().sql("UPDATE holdfast.judgments SET payload = " + long_text(9)
                               + " WHERE contributor_id = 'judge-2'");
  damage("holdfast.judgments");
  auto store = copy.open();
  survey_around_the_second(store, step, units);
}

// finding Q4
BOOST_AUTO_TEST_CASE(survey_of_too_many_judgments_that_cannot_be_read_is_refused) {
  const auto step = write_judgments(*this, persistence::unreadable_judgments_max + 1).first;
  test_cluster::instance().sql("UPDATE holdfast.judgments SET payload = " + long_text(9));
  damage("holdfast.judgments");
  auto store = copy.open();
  survey_too_many(store, step);
}

// finding Q4
BOOST_AUTO_TEST_CASE(judgment_that_cannot_be_read_is_told_in_its_place_of_the_lineage) {
  const auto unit = write_judged_unit(*this);
  test_cluster::instance().sql("UPDATE holdfast.judgments SET payload = " + long_text(10)
                               + " WHERE contributor_id = 'bob'");
  damage("holdfast.judgments");
  auto store = copy.open();
  tell_judgments_around(store, unit, 1);
  const auto item = value_of(store.load_lineage(unit, {}, 10));
  BOOST_TEST(item.units.at(0).judgments.at(1).unreadable.find("invalid page") != std::string::npos);
  const core::unit_id nobody{ids.next(at(0))};
  BOOST_TEST(fails_with(store.load_lineage(nobody, {}, 10), core::errc::not_found));
}

// finding Q4
BOOST_AUTO_TEST_CASE(surplus_judgment_that_cannot_be_read_is_told_in_its_place_of_the_lineage) {
  const auto unit = write_judged_unit(*this);
  test_cluster::instance().sql("UPDATE holdfast.surplus_judgments SET answer = " + long_text(11));
  damage("holdfast.surplus_judgments");
  auto store = copy.open();
  tell_judgments_around(store, unit, 3);
}

// finding Q4
BOOST_AUTO_TEST_CASE(unit_that_cannot_be_read_is_told_in_its_place_of_the_lineage) {
  const auto chain = write_chain(*this);
  test_cluster::instance().sql("UPDATE holdfast.units SET input = " + long_text(12)
                               + " WHERE unit_id = '" + to_string(chain[1]) + "'");
  damage("holdfast.units");
  auto store = copy.open();
  tell_units_around(store, chain, 1);
  BOOST_TEST(value_of(store.find_object_refs({core::digest{}})).empty());
  const auto item = value_of(store.load_lineage(chain[2], {}, 10));
  BOOST_TEST(item.units.at(1).unreadable.find("invalid page") != std::string::npos);
}

// finding Q4: by XX000, and with a damaged judgment in the same item
BOOST_AUTO_TEST_CASE(unit_that_the_server_fails_on_is_told_beside_a_damaged_judgment) {
  const auto chain = write_chain(*this);
  test_cluster::instance().sql("UPDATE holdfast.judgments SET payload = " + long_text(13)
                               + " WHERE contributor_id = 'bob'");
  damage("holdfast.judgments");
  break_column("units", "input", "unit_id", to_string(chain[2]));
  auto store = copy.open();
  const auto item = value_of(store.load_lineage(chain[0], {}, 10));
  BOOST_REQUIRE_EQUAL(item.units.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i)
    BOOST_TEST(item.units[i].unreadable.empty() == (i != 2));
  BOOST_REQUIRE_EQUAL(item.units[0].judgments.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i)
    BOOST_TEST(item.units[0].judgments[i].unreadable.empty() == (i != 1));
}

// finding B3
BOOST_AUTO_TEST_CASE(repair_that_cannot_be_read_is_told_beside_the_others) {
  const auto repairs = write_repairs(*this);
  damage("holdfast.webhooks"); // for the copy: no text is long
  break_column("repairs", "contributor_id", "repair_id", to_string(repairs[1].id));
  auto store = copy.open();
  list_repairs_around_the_second(store, repairs);
}

// finding B3: whether it is done is what cannot be read
BOOST_AUTO_TEST_CASE(repair_of_which_nobody_knows_how_far_it_is_is_told_beside_the_others) {
  const auto repairs = write_repairs(*this);
  damage("holdfast.webhooks"); // for the copy: no text is long
  break_column("repairs", "bookmark", "repair_id", to_string(repairs[1].id), "bigint");
  auto store = copy.open();
  list_repairs_around_the_second(store, repairs);
}

// finding B3
BOOST_AUTO_TEST_CASE(token_that_cannot_be_read_is_listed_by_its_id_beside_the_others) {
  const auto tokens = write_tokens(*this);
  damage("holdfast.webhooks"); // for the copy: no text is long
  break_column("api_tokens", "created_by", "token_id", to_string(tokens[1]));
  {
    auto store = copy.open();
    list_tokens_around_the_second(store, tokens);
  }
}

// finding B3: what an older program meets
BOOST_AUTO_TEST_CASE(token_of_a_role_that_is_not_known_keeps_no_other_from_being_listed) {
  const auto tokens = write_tokens(*this);
  damage("holdfast.webhooks"); // for the copy: no text is long
  run_in(copy.conninfo, "ALTER TABLE holdfast.api_tokens DROP CONSTRAINT api_tokens_role_check");
  run_in(copy.conninfo, "UPDATE holdfast.api_tokens SET role = 'gardener' WHERE token_id = '"
                            + to_string(tokens[1]) + "'");
  auto store = copy.open();
  list_tokens_around_the_second(store, tokens);
  BOOST_TEST(value_of(store.list_api_tokens({}, 10))[1].unreadable.find("a role that is not known")
             != std::string::npos);
}

// finding B3: a scope that cannot be read must not become none, which reaches everything
BOOST_AUTO_TEST_CASE(token_of_which_a_scope_is_null_lets_nobody_in) {
  const auto tokens = write_tokens(*this);
  test_cluster::instance().sql("UPDATE holdfast.api_tokens SET queues = ARRAY[NULL]::text[]"
                               " WHERE token_id = '"
                               + to_string(tokens[1]) + "'");
  list_tokens_around_the_second(*db, tokens);
}

// finding B3
BOOST_AUTO_TEST_CASE(audit_entry_that_cannot_be_read_keeps_none_beside_it) {
  const auto numbers = write_audit(*this);
  test_cluster::instance().sql("UPDATE holdfast.audit_log SET outcome = " + long_text(16)
                               + " WHERE audit_id = " + std::to_string(numbers[1]));
  damage("holdfast.audit_log");
  auto store = copy.open();
  list_audit_around_the_second(store, numbers);
}

// finding B3
BOOST_AUTO_TEST_CASE(removed_queue_whose_policy_cannot_be_read_keeps_no_other_from_being_pruned) {
  for (const auto* name : {"first", "mail", "zero"})
    BOOST_TEST(is(this->write({core::delete_queue{name, at(50)}}), committed));
  test_cluster::instance().sql("UPDATE holdfast.removed_queues SET definition = " + long_text(15)
                               + " WHERE queue = 'mail'");
  damage("holdfast.removed_queues");
  auto store = copy.open();
  const auto removed = value_of(store.list_removed_queues());
  BOOST_REQUIRE_EQUAL(removed.size(), 3U);
  BOOST_TEST(removed[1].name == "mail");
  for (std::size_t i = 0; i < 3; ++i) {
    BOOST_TEST(removed[i].definition == (i == 1 ? "" : "{}"));
    BOOST_TEST((removed[i].removed_at == at(50)));
  }
}

// finding B3: XX000 is no trouble that passes when it stays, and nobody is to try again for ever
BOOST_AUTO_TEST_CASE(item_that_the_server_fails_on_is_damaged_and_not_unavailable) {
  const auto step = given_step().id;
  const auto unit = given_unit(step, 1);
  const auto other = given_unit(step, 2);
  const auto lost = given_step().id;
  const auto task = live();
  core::finish_task over;
  over.task = task;
  over.ending = core::task_ending::canceled;
  over.at = at(30);
  BOOST_TEST(is(this->write({over}), committed));
  damage("holdfast.webhooks"); // for the copy: no text is long
  break_column("steps", "key", "step_id", to_string(lost));
  break_column("units", "slots", "unit_id", to_string(unit), "integer");
  break_column("finished_tasks", "body", "task_id", to_string(task));
  auto store = copy.open();
  const auto policies_of = [](const auto&, const auto&) { return core::lease_policies{}; };
  const auto refused_step = store.load_step(lost, policies_of);
  BOOST_TEST(fails_with(refused_step, core::errc::damaged));
  BOOST_TEST(refused_step.error().detail.find("[XX000]") != std::string::npos,
             refused_step.error().detail);
  value_of(store.load_step(step, policies_of));
  BOOST_TEST(fails_with(store.load_units({unit}, {}), core::errc::damaged));
  BOOST_TEST(value_of(store.load_units({other}, {})).size() == 1U);
  BOOST_TEST(fails_with(store.load_task(task), core::errc::damaged));
}

// finding B3
BOOST_AUTO_TEST_CASE(unit_of_which_a_row_cannot_be_read_keeps_no_other_of_its_step_from_work) {
  const auto made = write_work(*this);
  damage("holdfast.webhooks"); // for the copy: no text is long
  break_column("active_leases", "contributor_id", "unit_id", to_string(made.units[1]));
  {
    auto store = copy.open();
    load_step_around(store, made, {1});
  }
  break_column("judgments", "is_tainted", "unit_id", to_string(made.units[0]), "boolean");
  break_column("unit_exclusions", "contributor_id", "unit_id", to_string(made.units[2]));
  auto store = copy.open();
  load_step_around(store, made, {0, 1, 2});
  BOOST_TEST(fails_with(store.load_units({made.units[0]}, {}), core::errc::damaged));
}

// finding Q4: of rows of which nobody can say whose they are
BOOST_AUTO_TEST_CASE(work_whose_contributor_cannot_be_read_keeps_no_other_from_being_counted) {
  const auto made = write_work(*this);
  damage("holdfast.webhooks"); // for the copy: no text is long
  break_column("judgments", "contributor_id", "unit_id", to_string(made.units[1]));
  auto store = copy.open();
  count_work_around_the_second(store, made);
}

// finding B3: a trouble of the server may pass
BOOST_AUTO_TEST_CASE(read_that_the_server_fails_on_once_is_made_again) {
  const auto unit = given_unit(given_step().id, 1);
  damage("holdfast.webhooks"); // for the copy: no text is long
  // A lock of the session outlives the transaction that fails, and a read may take it.
  run_in(copy.conninfo, R"(
    CREATE FUNCTION holdfast.broken() RETURNS text LANGUAGE plpgsql VOLATILE AS $$
    BEGIN
      IF NOT EXISTS (SELECT FROM pg_locks
                      WHERE locktype = 'advisory' AND pid = pg_backend_pid()) THEN
        PERFORM pg_advisory_lock(7);
        RAISE EXCEPTION 'cache lookup failed for type 7' USING ERRCODE = 'XX000';
      END IF;
      RETURN '3';
    END $$)");
  show_broken("units", "slots", "unit_id", to_string(unit), "integer");
  auto store = copy.open();
  const auto units = value_of(store.load_units({unit}, {}));
  BOOST_REQUIRE_EQUAL(units.size(), 1U);
  BOOST_TEST(units[0].slots == 3U);
}

// finding Q4: the names of those whom it concerns are in the indexes as well
BOOST_AUTO_TEST_CASE(damaged_page_of_standings_says_whose_it_has_and_lets_the_step_be_loaded) {
  const auto step = this->given_step();
  for (const auto* who : {"ana", "bob", "eve"})
    BOOST_TEST(is(this->write({core::put_standing{step.id, who, core::contributor_standing::removed,
                                                  core::standing_reason::requester, at(5)}}),
                  committed));
  BOOST_TEST(
      is(this->write({core::insert_flag{step.id, "cid", core::monitor::speed, "fast", at(6)}}),
         committed));
  damage_rows("holdfast.contributor_standings");
  auto store = copy.open();
  BOOST_TEST(fails_with(store.load_step_history(step.id, {}), core::errc::damaged));
  const auto history = value_of(store.load_readable_step_history(step.id, {}));
  BOOST_TEST(history.standings.empty());
  BOOST_REQUIRE_EQUAL(history.damage.size(), 3U);
  const std::vector<std::string> names{"ana", "bob", "eve"};
  for (std::size_t i = 0; i < 3; ++i) {
    BOOST_TEST((history.damage[i].what == core::step_history::unreadable::row::standing));
    BOOST_TEST(history.damage[i].contributor == names[i]);
    BOOST_TEST(history.damage[i].why.find("invalid page") != std::string::npos);
  }
  BOOST_REQUIRE_EQUAL(history.flags.size(), 1U);
  BOOST_TEST(history.flags[0].contributor == "cid");
}

// finding Q4
BOOST_AUTO_TEST_CASE(standing_and_flag_that_cannot_be_read_are_named_beside_the_others) {
  using core::contributor_standing;
  const auto step = this->given_step();
  const auto unit = this->given_unit(step.id, 1);
  core::token token = 0;
  for (const auto* who : {"ana", "bob", "cid"}) {
    BOOST_TEST(
        is(this->write({core::put_standing{step.id, who, contributor_standing::removed,
                                           core::standing_reason::requester, at(5)},
                        core::insert_flag{step.id, who, core::monitor::speed, "fast", at(6)}}),
           committed));
    this->given_lease(unit, who, ++token);
  }
  damage("holdfast.webhooks"); // for the copy: no text is long
  break_column("contributor_standings", "standing", "contributor_id", "bob", "smallint");
  break_column("contributor_flags", "monitor", "contributor_id", "cid", "smallint");
  auto store = copy.open();
  BOOST_TEST(!store.load_step_history(step.id, {}));
  const auto history = value_of(store.load_readable_step_history(step.id, {}));
  BOOST_REQUIRE_EQUAL(history.standings.size(), 2U);
  BOOST_TEST(history.standings[0].contributor == "ana");
  BOOST_TEST(history.standings[1].contributor == "cid");
  BOOST_REQUIRE_EQUAL(history.flags.size(), 2U);
  BOOST_TEST(history.flags[0].contributor == "ana");
  BOOST_TEST(history.flags[1].contributor == "bob");
  // Nobody knows whether the lease of the one between them is to end.
  BOOST_REQUIRE_EQUAL(history.unsettled_units.size(), 2U);
  BOOST_TEST(history.unsettled_units[0].contributor == "ana");
  BOOST_TEST(history.unsettled_units[1].contributor == "cid");
  BOOST_REQUIRE_EQUAL(history.damage.size(), 2U);
  BOOST_TEST((history.damage[0].what == core::step_history::unreadable::row::standing));
  BOOST_TEST(history.damage[0].contributor == "bob");
  BOOST_TEST((history.damage[1].what == core::step_history::unreadable::row::flag));
  BOOST_TEST(history.damage[1].contributor == "cid");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(store_damaged_events)

// finding Q4
BOOST_AUTO_TEST_CASE_TEMPLATE(event_that_cannot_be_read_is_told_in_its_place, World, worlds) {
  store_fixture<World> f;
  write_ten_events(f);
  f.world.damage_events({0, 5});
  const auto events = value_of(f.db->events_after(0, 0, 100));
  BOOST_REQUIRE_EQUAL(events.size(), 10U);
  for (std::size_t i = 0; i < events.size(); ++i) {
    BOOST_TEST(events[i].id.seq == i + 1);
    BOOST_TEST(is_unreadable(events[i]) == (i == 4 || i == 5));
  }
  const auto& lost = events[5].event;
  BOOST_TEST(!lost.step);
  BOOST_TEST(lost.details.find(R"({"shard":0,"seq":6,"problem":")") == 0U);
  const auto now = value_of(f.db->now());
  BOOST_TEST((lost.at <= now && lost.at > now - 1h));
  // Pages of any size, and from the middle of the row.
  const auto some = value_of(f.db->events_after(0, 5, 1));
  BOOST_REQUIRE_EQUAL(some.size(), 1U);
  BOOST_TEST(is_unreadable(some[0]));
  BOOST_TEST(some[0].id.seq == 6U);
}

// finding Q4: as the tests of damaged files show it of PostgreSQL
BOOST_AUTO_TEST_CASE(memory_store_reads_and_prunes_around_damaged_rows_as_well) {
  store_fixture<memory_world> f;
  write_ten_events(f);
  f.world.damage_events({0, 5});
  prune_around_the_third_row(*f.db, f.node);
  const auto webhook = write_three_letters(f);
  f.world.database().set_damaged_letters([](const core::message_id& id) { return id.seq == 4; });
  list_letters_around_the_second(*f.db, webhook);
  const auto [step, units] = write_three_results(f);
  const auto lost = units[1];
  f.world.database().set_damaged_units([=](const core::unit_id& unit) { return unit == lost; });
  list_results_around_the_second(*f.db, step, units);
}

// finding Q4
BOOST_AUTO_TEST_CASE(memory_store_surveys_around_damaged_judgments_as_well) {
  store_fixture<memory_world> f;
  const auto [step, units] = write_judgments(f, 3);
  f.world.database().set_damaged_history([](const auto& row) {
    return row.what == core::step_history::unreadable::row::vote && row.contributor == "judge-2";
  });
  survey_around_the_second(*f.db, step, units);
  f.world.database().set_damaged_history(
      [](const auto& row) { return row.what == core::step_history::unreadable::row::vote; });
  survey_too_many(*f.db, write_judgments(f, persistence::unreadable_judgments_max + 1).first);
}

// finding Q4
BOOST_AUTO_TEST_CASE(memory_store_tells_the_lineage_of_damaged_judgments_as_well) {
  store_fixture<memory_world> f;
  const auto unit = write_judged_unit(f);
  f.world.database().set_damaged_history([](const auto& row) {
    return row.what == core::step_history::unreadable::row::vote && row.contributor == "bob";
  });
  tell_judgments_around(*f.db, unit, 1);
}

// findings B3, Q4
BOOST_AUTO_TEST_CASE(memory_store_reads_around_damaged_units_and_repairs_as_well) {
  store_fixture<memory_world> f;
  const auto chain = write_chain(f);
  f.world.database().set_damaged_units([&](const core::unit_id& id) { return id == chain[1]; });
  tell_units_around(*f.db, chain, 1);
  const auto made = write_work(f);
  f.world.database().set_damaged_parts(
      [&](const core::unit_id& id) { return id == made.units[1]; });
  load_step_around(*f.db, made, {1});
  count_work_around_the_second(*f.db, made);
  const auto repairs = write_repairs(f);
  f.world.database().set_damaged_repairs(
      [&](const core::repair_id& id) { return id == repairs[1].id; });
  list_repairs_around_the_second(*f.db, repairs);
  const auto tokens = write_tokens(f);
  f.world.database().set_damaged_tokens(
      [&](const core::api_token_id& id) { return id == tokens[1]; });
  list_tokens_around_the_second(*f.db, tokens);
  const auto numbers = write_audit(f);
  f.world.database().set_damaged_audit([&](std::uint64_t number) { return number == numbers[1]; });
  list_audit_around_the_second(*f.db, numbers);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(store_stage_counts)

// finding Q4
BOOST_AUTO_TEST_CASE_TEMPLATE(stage_tells_how_much_waits_and_how_much_was_refused, World, worlds) {
  store_fixture<World> f;
  BOOST_TEST(fails_with(f.db->count_staged("mail"), core::errc::not_found));
  BOOST_TEST(is(f.write({core::put_queue{"mail", "{}", false, {}, 1, at(0)}}), committed));
  const auto none = value_of(f.db->count_staged("mail"));
  BOOST_TEST(none.staged + none.refused + none.unreadable == 0U);
  BOOST_TEST((none.staged_since == core::instant{}));
  BOOST_TEST(none.last_refusal == "");
  for (int i = 0; i < 4; ++i) {
    core::new_task task;
    task.spec.id = {f.ids.next(at(1))};
    task.spec.type = "send";
    task.spec.version = "1.0";
    task.spec.body = "{}";
    value_of(f.world.stage("mail", task));
  }
  const auto staged = value_of(f.db->load_staged("mail", 100, 1'000'000)).tasks;
  BOOST_TEST(
      is(f.write({core::refuse_staged{staged[0].id, core::errc::damaged, "gone", at(5)},
                  core::refuse_staged{staged[1].id, core::errc::wrong_state, "no state X", at(6)}}),
         committed));
  const auto counts = value_of(f.db->count_staged("mail"));
  BOOST_TEST(counts.staged == 2U);
  BOOST_TEST((counts.staged_since > at(0)));
  BOOST_TEST(counts.refused == 2U);
  BOOST_TEST(counts.unreadable == 1U);
  BOOST_TEST(counts.last_refusal == "wrong_state: no state X");
  // A damaged row is for somebody to look after.
  BOOST_TEST(value_of(f.db->prune_refused(0, f.node, "mail", at(100), 100)) == 1U);
  BOOST_TEST(value_of(f.db->count_staged("mail")).unreadable == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
