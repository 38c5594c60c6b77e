#pragma once

#include "core/ids.hpp"
#include "examples/bulk_actions/people.hpp"
#include "examples/bulk_actions/rules.hpp"
#include "examples/bulk_actions/units.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

/// The application's tables, as the work of bulk actions needs them.
namespace bulk {

/// On whose behalf a task is done, and under which lease.
struct job {
  core::task_id task;
  core::token token = 0;
  staff_id owner = 0;
  staff_id run_as = 0;
};

/// One transaction, under the lease of a job.
class transaction {
public:
  virtual ~transaction() = default;

  /// Where the job is. Nobody else moves it until this transaction has ended.
  virtual bookmark at() = 0;
  virtual void move_to(const bookmark& next) = 0;

  virtual std::optional<staff_member> find_staff(staff_id who) = 0;

  /// Of the targets whom `campus` lets see (empty: all), up to `most` behind `after`, in order of
  /// id.
  virtual std::vector<person> next(const target& who, const std::string& campus, person_id after,
                                   std::size_t most) = 0;
  /// How many there are, up to `most`.
  virtual std::int64_t count(const target& who, const std::string& campus, std::int64_t most) = 0;

  /// The same of units of a step, whose places are behind `after`; in order of these. They belong
  /// to Holdfast, and nobody keeps them from changing until the transaction has ended.
  virtual std::vector<unit_row> next_units(const core::step_id& step, const unit_target& who,
                                           std::int64_t after, std::size_t most) = 0;
  /// What was written down to be changed and is not struck out; see `plan_units`.
  virtual std::vector<unit_row> planned_units() = 0;
  /// Writes down what is to be changed next, in place of what was: who comes after us changes the
  /// same ones, also those that do not match any more because we have changed them.
  virtual void plan_units(const std::vector<unit_row>& units) = 0;
  virtual std::int64_t count_units(const core::step_id& step, const unit_target& who,
                                   std::int64_t most) = 0;

  /// In the name of whoever the job runs as. Who has the status already is left alone; of each of
  /// the others the history says what it was.
  virtual void set_status(const std::vector<person>& people, program_status to,
                          const std::string& reason) = 0;
  virtual void set_watched(const std::vector<person>& people, bool watched) = 0;
  virtual void add(const std::string& program, const std::vector<newcomer>& people) = 0;
  /// That a mail to them was sent, or why it never will be.
  virtual void note_mail(const person& who, const std::string& refusal) = 0;
  /// That a mail to them has to wait, until it is noted.
  virtual void put_off_mail(const person& who) = 0;
  /// Up to `most` whose mails wait, behind `after`, in order of id. Only those at `campus`, unless
  /// it is empty: who cannot be seen any more gets none.
  virtual std::vector<person> mails_put_off(const std::string& campus, person_id after,
                                            std::size_t most) = 0;
};

/// Thread-safe; may block. What the tables cannot do throws.
class store {
public:
  virtual ~store() = default;

  /// Does `work` in one transaction: all of it is there afterwards, the bookmark included, or none.
  /// False, and `work` is not asked for, when somebody with a later lease on the task was here:
  /// this one is over, whether its worker knows it or not.
  virtual bool transact(const job& whose, const std::function<void(transaction&)>& work) = 0;
};

} // namespace bulk
