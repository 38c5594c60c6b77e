#include "tests/examples/memory_college.hpp"

#include <algorithm>
#include <stdexcept>
#include <variant>

namespace holdfast::test {

namespace {

using bulk::person;
using bulk::person_id;

bool matches(const bulk::target& who, const std::string& campus, const person& is) {
  if (!campus.empty() && is.campus != campus)
    return false;
  if (const auto* list = std::get_if<bulk::by_ids>(&who))
    return std::binary_search(list->ids.begin(), list->ids.end(), is.id);
  const auto& query = std::get<bulk::by_query>(who);
  return (query.program.empty() || is.program == query.program)
         && (!query.status || is.status == *query.status);
}

const char* name_of(core::unit_state state) {
  return state == core::unit_state::judgable ? "Judgable" : "Paused";
}

bool matches(const bulk::unit_target& who, const core::unit_id& unit, core::unit_state state) {
  if (const auto* query = std::get_if<bulk::units_in_state>(&who))
    return state != core::unit_state::finalized && name_of(state) == query->state;
  const auto& ids = std::get<bulk::units_by_ids>(who).ids;
  return std::find(ids.begin(), ids.end(), unit) != ids.end();
}

} // namespace

class memory_college::open_transaction : public bulk::transaction {
public:
  open_transaction(const memory_college& of, const bulk::job& whose, college_tables tables)
      : of_(of), job_(whose), tables_(std::move(tables)) {}

  bulk::bookmark at() override { return tables_.bookmarks[job_.task].second; }

  void move_to(const bulk::bookmark& next) override {
    of_.step();
    tables_.bookmarks[job_.task].second = next;
  }

  std::optional<bulk::staff_member> find_staff(bulk::staff_id who) override {
    of_.step();
    const auto found = tables_.staff.find(who);
    return found == tables_.staff.end() ? std::nullopt : std::optional{found->second};
  }

  std::vector<person> next(const bulk::target& who, const std::string& campus, person_id after,
                           std::size_t most) override {
    of_.step();
    std::vector<person> found;
    for (auto at = tables_.people.upper_bound(after);
         at != tables_.people.end() && found.size() < most; ++at)
      if (matches(who, campus, at->second))
        found.push_back(at->second);
    return found;
  }

  std::int64_t count(const bulk::target& who, const std::string& campus,
                     std::int64_t most) override {
    of_.step();
    const auto all =
        std::count_if(tables_.people.begin(), tables_.people.end(),
                      [&](const auto& row) { return matches(who, campus, row.second); });
    return std::min<std::int64_t>(all, most);
  }

  std::vector<bulk::unit_row> next_units(const core::step_id&, const bulk::unit_target& who,
                                         std::int64_t after, std::size_t most) override {
    of_.step();
    std::vector<bulk::unit_row> found;
    for (auto at = of_.tables.units.upper_bound(after);
         at != of_.tables.units.end() && found.size() < most; ++at)
      if (matches(who, at->second.first, at->second.second))
        found.push_back({at->first, at->second.first});
    return found;
  }

  std::vector<bulk::unit_row> planned_units() override {
    of_.step();
    return tables_.planned[job_.task];
  }

  void plan_units(const std::vector<bulk::unit_row>& units) override {
    of_.step();
    tables_.planned[job_.task] = units;
  }

  std::int64_t count_units(const core::step_id& step, const bulk::unit_target& who,
                           std::int64_t most) override {
    return static_cast<std::int64_t>(
        next_units(step, who, 0, static_cast<std::size_t>(most)).size());
  }

  void set_status(const std::vector<person>& people, bulk::program_status to,
                  const std::string& reason) override {
    of_.step();
    for (const auto& who : people) {
      auto& status = tables_.people.at(who.id).status;
      if (status != to)
        tables_.changes.emplace_back(who.id, to_string(status), to_string(to), reason, job_.run_as);
      status = to;
    }
  }

  void set_watched(const std::vector<person>& people, bool watched) override {
    of_.step();
    for (const auto& who : people) {
      const auto watch = std::pair{job_.run_as, who.id};
      if (watched)
        tables_.watches.insert(watch);
      else
        tables_.watches.erase(watch);
    }
  }

  void add(const std::string& program, const std::vector<bulk::newcomer>& people) override {
    of_.step();
    for (const auto& who : people) {
      const auto id = tables_.people.empty() ? 1 : tables_.people.rbegin()->first + 1;
      tables_.people[id] = {id,      who.name,   who.email,
                            program, who.campus, bulk::program_status::active};
    }
  }

  void note_mail(const person& who, const std::string& refusal) override {
    of_.step();
    tables_.mails.emplace_back(who.id, refusal);
    tables_.put_off[job_.task].erase(who.id);
  }

  void put_off_mail(const person& who) override {
    of_.step();
    tables_.put_off[job_.task].insert(who.id);
  }

  std::vector<person> mails_put_off(const std::string& campus, person_id after,
                                    std::size_t most) override {
    of_.step();
    std::vector<person> found;
    const auto& waiting = tables_.put_off[job_.task];
    for (auto at = waiting.upper_bound(after); at != waiting.end() && found.size() < most; ++at)
      if (const auto& who = tables_.people.at(*at); campus.empty() || who.campus == campus)
        found.push_back(who);
    return found;
  }

  college_tables& tables() { return tables_; }

private:
  const memory_college& of_;
  const bulk::job job_;
  college_tables tables_;
};

bool memory_college::transact(const bulk::job& whose,
                              const std::function<void(bulk::transaction&)>& work) {
  step();
  auto changed = tables;
  auto& token = changed.bookmarks[whose.task].first;
  if (token > whose.token)
    return false;
  token = whose.token;
  open_transaction ours{*this, whose, std::move(changed)};
  work(ours);
  step();
  if (tables.bookmarks[whose.task].first > whose.token)
    throw std::runtime_error{"the server has ended the session"};
  auto units = std::move(tables.units);
  tables = std::move(ours.tables());
  tables.units = std::move(units);
  step();
  return true;
}

class memory_college::units_at_node : public bulk::unit_port {
public:
  explicit units_at_node(memory_college& of) : of_(of) {}

  core::failure change(const core::step_id&, const core::unit_id& unit,
                       core::unit_verb verb) override {
    of_.step();
    if (of_.node_away)
      return {core::errc::unavailable, "no node"};
    auto& units = of_.tables.units;
    const auto at = std::find_if(units.begin(), units.end(),
                                 [&](const auto& entry) { return entry.second.first == unit; });
    if (at == units.end())
      return {core::errc::not_found, "no such unit"};
    auto& state = at->second.second;
    if (state == core::unit_state::finalized)
      return {core::errc::wrong_state, "it is finished"};
    state = verb == core::unit_verb::pause ? core::unit_state::paused : core::unit_state::judgable;
    of_.step();
    return {};
  }

private:
  memory_college& of_;
};

std::unique_ptr<bulk::unit_port> memory_college::open_units() {
  return std::make_unique<units_at_node>(*this);
}

bulk::delivery memory_post::deliver(const bulk::mail& what) {
  if (at_step)
    at_step();
  if (delivered.size() >= until_down)
    return {bulk::delivery::result::unavailable, "it is down"};
  if (gone.count(what.to) != 0)
    return {bulk::delivery::result::refused, "550"};
  if (const auto busy = later.find(what.to); busy != later.end() && busy->second > 0) {
    --busy->second;
    return {bulk::delivery::result::later, "450"};
  }
  delivered.push_back(what);
  if (at_step)
    at_step();
  return {};
}

std::unique_ptr<bulk::mailer> memory_post::open() {
  class line : public bulk::mailer {
  public:
    explicit line(memory_post& to) : to_(to) {}
    bulk::delivery send(const bulk::mail& what) override { return to_.deliver(what); }

  private:
    memory_post& to_;
  };
  return std::make_unique<line>(*this);
}

} // namespace holdfast::test
