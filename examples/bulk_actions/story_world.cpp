#include "examples/bulk_actions/story_world.hpp"

#include "examples/shared/exec_params.hpp"

#include <pqxx/pqxx>

namespace bulk {

std::vector<staff_member> everybody_on_the_staff() {
  return {{registrar,
           "Rosa Register",
           {right::export_people, right::change_status, right::watch, right::send_mail,
            right::enrol, right::run_as_others, right::change_units},
           ""},
          {coach, "Carl Coach", {right::export_people, right::watch}, north},
          {dean, "Dora Dean", {right::change_status}, ""},
          {intern, "Ian Intern", {}, ""}};
}

std::vector<person> people_numbered(std::size_t from, std::size_t until) {
  std::vector<person> made;
  for (auto i = from; i < until; ++i) {
    const auto number = std::to_string(i);
    person who;
    who.name = i % 5 == 0 ? "Zoë \"" + number + "\" O'Hara, jr." : "Person " + number;
    who.email = (i % 40 == 7 ? "gone" : i % 40 == 9 ? "later" : "p") + number + "@campus.example";
    who.program = i % 2 == 0 ? biology : history;
    who.campus = i % 3 == 0 ? north : "south";
    made.push_back(std::move(who));
  }
  return made;
}

std::vector<person> people_of(connection_pool& pool, const std::string& program) {
  return pool.run<pqxx::nontransaction>([&](auto& tx) {
    std::vector<person> read;
    for (const auto& row :
         examples::exec_params(tx,
                               "SELECT id, name, email, campus, status FROM bulk.people "
                               "WHERE program = $1 ORDER BY id",
                               program)) {
      person who;
      who.id = row["id"].template as<person_id>();
      who.name = row["name"].template as<std::string>();
      who.email = row["email"].template as<std::string>();
      who.program = program;
      who.campus = row["campus"].template as<std::string>();
      who.status = *status_named(row["status"].template as<std::string>());
      read.push_back(std::move(who));
    }
    return read;
  });
}

std::int64_t number(connection_pool& pool, const std::string& query) {
  return pool.run<pqxx::nontransaction>(
      [&](auto& tx) { return tx.exec(query).at(0)[0].template as<std::int64_t>(); });
}

} // namespace bulk
