#include "examples/bulk_actions/tables.hpp"

#include "examples/bulk_actions/schema.hpp"
#include "examples/shared/exec_params.hpp"

#include <nlohmann/json.hpp>
#include <pqxx/pqxx>

#include <variant>

namespace bulk {

namespace {

using examples::exec_params;

// Takes the row of the task, for this lease and those after it. A worker that has frozen in here
// would hold it for ever: the server ends such a session, and others do not wait that long.
constexpr const char* patience = R"sql(
  SET LOCAL idle_in_transaction_session_timeout = '30s'; SET LOCAL lock_timeout = '10s')sql";
constexpr const char* take_bookmark = R"sql(
  INSERT INTO bulk.bookmarks AS b (task_id, token) VALUES ($1, $2)
  ON CONFLICT (task_id) DO UPDATE SET token = excluded.token WHERE b.token <= excluded.token
  RETURNING position, done, refused, total, bytes, file_token, finished)sql";
constexpr const char* set_bookmark = R"sql(
  UPDATE bulk.bookmarks SET position = $2, done = $3, refused = $4, total = $5, bytes = $6,
                            file_token = $7, finished = $8
  WHERE task_id = $1)sql";

// One statement for each kind of target, so that each has a plan of its own.
constexpr const char* next_by_ids = R"sql(
  SELECT id, name, email, program, campus, status FROM bulk.people
  WHERE id > $1 AND ($2 = '' OR campus = $2) AND id = ANY ($3::bigint[])
  ORDER BY id LIMIT $4)sql";
constexpr const char* next_by_query = R"sql(
  SELECT id, name, email, program, campus, status FROM bulk.people
  WHERE id > $1 AND ($2 = '' OR campus = $2) AND ($3 = '' OR program = $3)
        AND ($4 = '' OR status = $4)
  ORDER BY id LIMIT $5)sql";

constexpr const char* next_units_by_ids = R"sql(
  SELECT ordinal, unit_id FROM report.units
  WHERE workflow_step_id = $1::uuid AND ordinal > $2 AND unit_id = ANY ($3::uuid[])
  ORDER BY ordinal LIMIT $4)sql";
constexpr const char* next_units_in_state = R"sql(
  SELECT ordinal, unit_id FROM report.units
  WHERE workflow_step_id = $1::uuid AND ordinal > $2 AND state = $3
  ORDER BY ordinal LIMIT $4)sql";

constexpr const char* select_plan = R"sql(
  SELECT ordinal, unit_id FROM bulk.planned_units WHERE task_id = $1 ORDER BY ordinal)sql";
constexpr const char* remove_plan = "DELETE FROM bulk.planned_units WHERE task_id = $1";
constexpr const char* add_to_plan = "INSERT INTO bulk.planned_units VALUES ($1, $2, $3::uuid)";

constexpr const char* set_statuses = R"sql(
  WITH others AS (
    SELECT id, status FROM bulk.people WHERE id = ANY ($1::bigint[]) AND status <> $2 FOR UPDATE),
  changed AS (
    UPDATE bulk.people p SET status = $2 FROM others WHERE p.id = others.id)
  INSERT INTO bulk.status_changes (task_id, person, from_status, to_status, reason, changed_by)
  SELECT $3::uuid, id, status, $2, $4, $5::bigint FROM others)sql";
constexpr const char* add_watches = R"sql(
  INSERT INTO bulk.watches SELECT $1::bigint, unnest($2::bigint[]) ON CONFLICT DO NOTHING)sql";
constexpr const char* remove_watches = R"sql(
  DELETE FROM bulk.watches WHERE watcher = $1 AND person = ANY ($2::bigint[]))sql";
constexpr const char* add_newcomer = R"sql(
  INSERT INTO bulk.people (name, email, program, campus, enrolled_by)
  VALUES ($1, $2, $3, $4, $5))sql";
constexpr const char* insert_people = R"sql(
  INSERT INTO bulk.people (name, email, program, campus, status)
  SELECT * FROM json_to_recordset($1::json)
      AS p (name text, email text, program text, campus text, status text))sql";
constexpr const char* add_mail = R"sql(
  INSERT INTO bulk.mails (task_id, person, refusal) VALUES ($1, $2, $3))sql";

constexpr const char* remove_put_off = R"sql(
  DELETE FROM bulk.mails_put_off WHERE task_id = $1 AND person = $2)sql";
constexpr const char* add_put_off = R"sql(
  INSERT INTO bulk.mails_put_off VALUES ($1, $2) ON CONFLICT DO NOTHING)sql";
constexpr const char* select_put_off = R"sql(
  SELECT p.id, p.name, p.email, p.program, p.campus, p.status
  FROM bulk.mails_put_off m JOIN bulk.people p ON p.id = m.person
  WHERE m.task_id = $1 AND p.id > $2 AND ($3 = '' OR p.campus = $3) ORDER BY p.id LIMIT $4)sql";

/// As PostgreSQL reads an array.
std::string array_of(const std::vector<person_id>& ids) {
  std::string text{'{'};
  for (const auto id : ids)
    text += (text.size() > 1 ? "," : "") + std::to_string(id);
  return text + '}';
}

std::string ids_of(const std::vector<person>& people) {
  std::vector<person_id> ids;
  for (const auto& who : people)
    ids.push_back(who.id);
  return array_of(ids);
}

person person_of(const pqxx::row& row) {
  person read;
  read.id = row["id"].as<person_id>();
  read.name = row["name"].as<std::string>();
  read.email = row["email"].as<std::string>();
  read.program = row["program"].as<std::string>();
  read.campus = row["campus"].as<std::string>();
  read.status = status_named(row["status"].as<std::string>()).value_or(program_status::active);
  return read;
}

std::vector<person> people_of_rows(const pqxx::result& rows) {
  std::vector<person> read;
  for (const auto& row : rows)
    read.push_back(person_of(row));
  return read;
}

/// People, or what a statement around their selection makes of them.
pqxx::result select_people(pqxx::transaction_base& tx, const std::string& before,
                           const std::string& behind, const target& who, const std::string& campus,
                           person_id after, std::int64_t most) {
  if (const auto* list = std::get_if<by_ids>(&who))
    return exec_params(tx, before + next_by_ids + behind, after, campus, array_of(list->ids), most);
  const auto& query = std::get<by_query>(who);
  const auto status = query.status ? std::string{to_string(*query.status)} : "";
  return exec_params(tx, before + next_by_query + behind, after, campus, query.program, status,
                     most);
}

pqxx::result select_units(pqxx::transaction_base& tx, const std::string& before,
                          const std::string& behind, const core::step_id& step,
                          const unit_target& who, std::int64_t after, std::int64_t most) {
  const auto in = core::to_string(step);
  if (const auto* query = std::get_if<units_in_state>(&who))
    return exec_params(tx, before + next_units_in_state + behind, in, after, query->state, most);
  std::string ids{'{'};
  for (const auto& id : std::get<units_by_ids>(who).ids)
    ids += (ids.size() > 1 ? "," : "") + core::to_string(id);
  return exec_params(tx, before + next_units_by_ids + behind, in, after, ids + '}', most);
}

std::vector<unit_row> units_of_rows(const pqxx::result& rows) {
  std::vector<unit_row> read;
  for (const auto& row : rows)
    read.push_back(
        {row[0].as<std::int64_t>(), {core::parse_uuid(row[1].as<std::string>()).value()}});
  return read;
}

bookmark bookmark_of(const pqxx::row& row) {
  bookmark read;
  read.position = row["position"].as<std::int64_t>();
  read.done = row["done"].as<std::int64_t>();
  read.refused = row["refused"].as<std::int64_t>();
  read.total = row["total"].as<std::int64_t>();
  read.bytes = row["bytes"].as<std::int64_t>();
  read.file_token = row["file_token"].as<core::token>();
  read.finished = row["finished"].as<bool>();
  return read;
}

class pg_transaction : public transaction {
public:
  pg_transaction(pqxx::transaction_base& tx, const job& whose, const bookmark& at)
      : tx_(tx), job_(whose), task_(core::to_string(whose.task)), at_(at) {}

  bookmark at() override { return at_; }

  void move_to(const bookmark& next) override {
    at_ = next;
    exec_params(tx_, set_bookmark, task_, next.position, next.done, next.refused, next.total,
                next.bytes, next.file_token, next.finished);
  }

  std::optional<staff_member> find_staff(staff_id who) override {
    return bulk::find_staff(tx_, who);
  }

  std::vector<person> next(const target& who, const std::string& campus, person_id after,
                           std::size_t most) override {
    return next_people(tx_, who, campus, after, most);
  }

  std::int64_t count(const target& who, const std::string& campus, std::int64_t most) override {
    return count_people(tx_, who, campus, most);
  }

  std::vector<unit_row> next_units(const core::step_id& step, const unit_target& who,
                                   std::int64_t after, std::size_t most) override {
    return bulk::next_units(tx_, step, who, after, static_cast<std::int64_t>(most));
  }

  std::vector<unit_row> planned_units() override {
    return units_of_rows(exec_params(tx_, select_plan, task_));
  }

  void plan_units(const std::vector<unit_row>& units) override {
    exec_params(tx_, remove_plan, task_);
    for (const auto& unit : units)
      exec_params(tx_, add_to_plan, task_, unit.ordinal, core::to_string(unit.id));
  }

  std::int64_t count_units(const core::step_id& step, const unit_target& who,
                           std::int64_t most) override {
    return bulk::count_units(tx_, step, who, most);
  }

  void set_status(const std::vector<person>& people, program_status to,
                  const std::string& reason) override {
    exec_params(tx_, set_statuses, ids_of(people), std::string{to_string(to)}, task_, reason,
                job_.run_as);
  }

  void set_watched(const std::vector<person>& people, bool watched) override {
    bulk::set_watched(tx_, job_.run_as, people, watched);
  }

  void add(const std::string& program, const std::vector<newcomer>& people) override {
    for (const auto& who : people)
      exec_params(tx_, add_newcomer, who.name, who.email, program, who.campus, task_);
  }

  void note_mail(const person& who, const std::string& refusal) override {
    exec_params(tx_, add_mail, task_, who.id, refusal);
    exec_params(tx_, remove_put_off, task_, who.id);
  }

  void put_off_mail(const person& who) override { exec_params(tx_, add_put_off, task_, who.id); }

  std::vector<person> mails_put_off(const std::string& campus, person_id after,
                                    std::size_t most) override {
    return people_of_rows(
        exec_params(tx_, select_put_off, task_, after, campus, static_cast<std::int64_t>(most)));
  }

private:
  pqxx::transaction_base& tx_;
  const job job_;
  const std::string task_;
  bookmark at_;
};

} // namespace

bool pg_store::transact(const job& whose, const std::function<void(transaction&)>& work) {
  return pool_->run<pqxx::work>([&](auto& tx) {
    tx.exec(patience);
    const auto taken = exec_params(tx, take_bookmark, core::to_string(whose.task), whose.token);
    if (taken.empty())
      return false;
    pg_transaction ours{tx, whose, bookmark_of(taken.front())};
    work(ours);
    return true;
  });
}

void make_schema(connection_pool& pool) {
  pool.run<pqxx::work>([](auto& tx) { return tx.exec(schema); });
}

std::optional<staff_member> find_staff(pqxx::transaction_base& tx, staff_id who) {
  const auto rows = exec_params(
      tx, "SELECT name, campus, unnest(rights || ARRAY['']) AS r FROM bulk.staff WHERE id = $1",
      who);
  if (rows.empty())
    return std::nullopt;
  staff_member read{
      who, rows.front()["name"].as<std::string>(), {}, rows.front()["campus"].as<std::string>()};
  for (const auto& row : rows)
    if (const auto has = right_named(row["r"].as<std::string>()))
      read.rights.insert(*has);
  return read;
}

std::int64_t count_people(pqxx::transaction_base& tx, const target& who, const std::string& campus,
                          std::int64_t most) {
  return select_people(tx, "SELECT count(*) FROM (", ") AS found", who, campus, 0, most)
      .front()[0]
      .as<std::int64_t>();
}

std::vector<person> next_people(pqxx::transaction_base& tx, const target& who,
                                const std::string& campus, person_id after, std::size_t most) {
  return people_of_rows(
      select_people(tx, "", "", who, campus, after, static_cast<std::int64_t>(most)));
}

std::vector<unit_row> next_units(pqxx::transaction_base& tx, const core::step_id& step,
                                 const unit_target& who, std::int64_t after, std::int64_t most) {
  return units_of_rows(select_units(tx, "", "", step, who, after, most));
}

std::int64_t count_units(pqxx::transaction_base& tx, const core::step_id& step,
                         const unit_target& who, std::int64_t most) {
  return select_units(tx, "SELECT count(*) FROM (", ") AS found", step, who, 0, most)
      .front()[0]
      .as<std::int64_t>();
}

void set_watched(pqxx::transaction_base& tx, staff_id watcher, const std::vector<person>& people,
                 bool watched) {
  exec_params(tx, watched ? add_watches : remove_watches, watcher, ids_of(people));
}

void put_staff(connection_pool& pool, const staff_member& who) {
  std::string rights{'{'};
  for (const auto has : who.rights)
    rights += (rights.size() > 1 ? "," : "") + std::string{to_string(has)};
  pool.run<pqxx::work>([&](auto& tx) {
    return exec_params(tx,
                       "INSERT INTO bulk.staff VALUES ($1, $2, $3::text[], $4) ON CONFLICT (id) "
                       "DO UPDATE SET name = $2, rights = $3::text[], campus = $4",
                       who.id, who.name, rights + '}', who.campus);
  });
}

void add_people(connection_pool& pool, const std::vector<person>& people) {
  auto rows = nlohmann::json::array();
  for (const auto& who : people)
    rows.push_back({{"name", who.name},
                    {"email", who.email},
                    {"program", who.program},
                    {"campus", who.campus},
                    {"status", std::string{to_string(who.status)}}});
  pool.run<pqxx::work>([&](auto& tx) { return exec_params(tx, insert_people, rows.dump()); });
}

} // namespace bulk
