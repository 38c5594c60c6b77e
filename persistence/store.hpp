#pragma once

#include "core/change.hpp"
#include "core/event_feed.hpp"
#include "core/intake.hpp"
#include "core/item_chain.hpp"
#include "core/object_ref.hpp"
#include "core/outcome.hpp"
#include "core/placement.hpp"
#include "core/step_survey.hpp"
#include "core/sweep.hpp"
#include "core/task.hpp"
#include "core/unit.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

/// The port to durable storage. Two implementations, one conformance suite
/// (tests/persistence/conformance.hpp): `postgres_store` and `memory_store`. Calls block; actors
/// that make them are detached (in the simulator the memory store answers at once). An instance is
/// one connection and belongs to one thread at a time.
namespace holdfast::persistence {

/// The part of a batch that one shard contributes.
struct shard_batch {
  core::shard_id shard = 0;
  core::epoch epoch = 0;           ///< The epoch under which the decisions were made.
  std::uint64_t batch_seq = 0;     ///< One more than that of the shard's previous batch.
  core::event_seq first_event = 0; ///< Sequence number of the first event of this part.
  std::vector<core::change> changes;

  std::uint64_t event_count() const {
    std::uint64_t count = 0;
    for (const auto& c : changes)
      count += c.events.size();
    return count;
  }
};

/// A batch in the form in which its store sends it.
class batch_encoding {
public:
  virtual ~batch_encoding() = default;
};

/// One transaction.
///
/// The caller guarantees that no two changes of a batch touch the same lease (unit and contributor)
/// or the same unit row; so the store may apply the writes kind by kind, in any order, all inserts
/// before updates before deletions. `update_step`, `put_standing`, `put_profile`, `put_api_token`
/// and `advance_cursor` may repeat: the last one counts.
struct write_batch {
  std::vector<shard_batch> shards; ///< Ascending by shard; each shard once.
  /// Made by `store::encode`; of use only to the store that made it, for the batch as it was then.
  std::shared_ptr<const batch_encoding> encoding{};
};

enum class commit_status {
  committed,    ///< Durable, now or by an earlier try with the same sequence numbers.
  fenced,       ///< Nothing was written: `fenced` names the shards whose epoch has moved on.
  history_lost, ///< Nothing was written, and no try will be: the batch follows from commits of the
                ///< shards in `fenced` that the database does not know (any more).
  refused, ///< Nothing was written: the database refused at least one change (constraint, token,
           ///< type).
  unavailable, ///< This try wrote nothing: no connection, lost before COMMIT, or a trouble of the
               ///< server that passes. What an earlier try left in doubt stays in doubt.
  in_doubt,    ///< The connection was lost around COMMIT. Commit the same batch again to find out.
};

/// A change of a refused batch that asks for an id which is in use. Ids that callers choose may
/// collide with any other, also of shards that other nodes host, so that only the database knows.
struct taken_id {
  core::shard_id shard = 0;
  std::size_t change = 0; ///< Its place among the changes of the shard in the batch.
  std::string detail;     ///< Which id, for whoever chose it; nothing of what is stored under it.
};

struct commit_result {
  commit_status status = commit_status::committed;
  std::vector<core::shard_id> fenced;
  std::string reason; ///< For the log; with the SQLSTATE where there is one.
  /// Committed, and by an earlier try: this one found it so, and has committed a write of its own
  /// since, so that a standby that the server waits for has both.
  bool before{false};
  /// Of a refused batch: the changes whose ids are taken, each once, in order of shard and place.
  /// Without them the batch may be committed. Empty: it was refused for another reason.
  std::vector<taken_id> taken{};
};

/// The host's right to write a shard, and where its sequences stand.
struct shard_fence {
  core::shard_id shard = 0;
  core::epoch epoch = 0;
  std::uint64_t batch_seq = 0;    ///< Of the last committed batch; 0 for none.
  core::event_seq last_event = 0; ///< Of the last committed event; 0 for none.
  core::token tokens_above{0};    ///< Leases are granted under higher tokens only.
};

/// The history that somebody has seen committed.
struct known_history {
  std::uint64_t generation = 0;
  std::vector<shard_fence> shards; ///< Their tokens are of no use here.
};

/// An active lease, as far as a step must know it to recognise a repeated request.
struct holder {
  core::contributor_id contributor;
  core::assignment_id assignment;
};

/// What a step needs to know of an open (judgable or paused) unit to offer it, without its payload.
struct open_unit {
  core::unit_id id;
  std::uint64_t ordinal = 0;
  core::unit_state state = core::unit_state::judgable;
  std::uint32_t slots = 1;
  bool test_question = false;
  std::vector<holder> holders;                      ///< Of its active leases.
  std::uint32_t judged = 0;                         ///< Judgments that count.
  core::instant next_expiry = core::instant::max(); ///< Earliest end of its active leases.
  /// Who has or had it or is excluded: holders, judges and these with `core::instant::max()`, ended
  /// leases by `core::barred_until` of the unit's policy, released ones too: whoever gave it back
  /// is offered it again before any other.
  std::vector<core::bar> touched;
};

/// The lease policies of a step, by its key and the definitions of its workflow (JSON, by version).
using lease_policies_of = std::function<core::lease_policies(
    const std::vector<std::string>& definitions, const std::string& key)>;

struct stored_step {
  core::step_row row;
  std::uint64_t next_ordinal = 0;          ///< One more than the highest ordinal of its units.
  std::vector<open_unit> open_units;       ///< Ascending by ordinal.
  std::vector<core::waiting_unit> waiting; ///< For a batch; ascending by ordinal.
  /// An open or waiting unit of which the database does not give back a row, be it of a lease or a
  /// judgment. It is in none of the other lists.
  struct unreadable_unit {
    core::unit_id id;
    std::string why;
  };
  std::vector<unreadable_unit> unreadable{}; ///< Ascending by ordinal.
};

/// A unit under the key of its requester.
struct source_unit {
  std::string key;
  core::unit_id unit;
  core::digest input; ///< SHA-256 of the text that is stored: of the input, or its reference.
};

/// A unit that is gathered.
struct gathered_unit {
  core::waiting_unit unit; ///< As it waits, or will again.
  core::unit_id batch;     ///< Which it is part of; nil while it waits.
};

/// A queue with its live tasks and its schedules.
struct stored_queue {
  core::put_queue row;
  std::vector<core::task> tasks; ///< Ascending by id; with their leases and last tokens.
  std::vector<core::put_schedule_row> schedules; ///< By name.
  /// Those of the tasks whose last lease ended with a rate limit of the world outside and that
  /// nothing has happened to since: it holds until their `next_action`.
  std::vector<core::task_id> rate_limited{};
  /// A live task whose row the database does not give back. It is not among `tasks`.
  struct unreadable_task {
    core::task_id id;
    std::string unique_key; ///< Empty also where that cannot be read either.
    std::string why;
  };
  std::vector<unreadable_task> unreadable{};
};

/// A queue that was removed, of which finished or refused tasks may be left.
struct removed_queue {
  core::queue_name name;
  std::string definition; ///< Its policy: how long these are kept.
  core::instant removed_at;
};

/// A task that is over, as it ended.
struct finished_task {
  core::queue_name queue;
  core::task_spec spec;
  core::task_progress progress;
  core::task_ending ending = core::task_ending::completed;
  core::token last_token = 0; ///< Highest ever granted.
  std::string result;         ///< JSON; empty for none.
  core::task_error error;
  core::instant finished_at;
};

/// Where a task is.
struct known_task {
  core::task_id task;
  core::queue_name queue;
  bool live = false; ///< Else finished.
};

/// One look at live tasks, in order of their ids.
struct due_page {
  struct entry {
    core::task_id task;
    core::queue_name queue;
  };
  std::vector<entry> due;
  core::task_id last; ///< Of those that were looked at; nil when none comes after it.
};

/// One try of a task, as far as it is over.
struct task_attempt {
  core::lease lease;
  std::string ending; ///< Of the attempt, or of the task when that ended with it.
  core::task_error error;
  core::instant ended_at;
};

/// Everything that is known of one task.
struct task_history {
  core::queue_name queue;
  std::optional<core::task> live;
  std::optional<finished_task> finished; ///< Exactly one of the two is there.
  std::vector<task_attempt> attempts;    ///< Ascending by token.
};

/// A report of a worker that came after the end of its lease.
struct late_result {
  core::worker_id worker;
  std::string outcome; ///< As in `core::insert_late_result`, like the next one.
  std::string detail;
  core::instant at;
};

/// An attempt of a task with the late results under its token.
struct recorded_attempt {
  task_attempt attempt;                ///< Without an ending while the lease is live.
  std::uint64_t late = 0;              ///< How many late results there are.
  std::vector<late_result> first_late; ///< In order of arrival, at most `late_results_most`.
};

/// How many late results a recorded attempt has, and how many characters of the detail of each.
constexpr std::uint32_t late_results_most = 3;
constexpr std::uint32_t late_characters_most = 1000;

struct recorded_attempts {
  core::queue_name queue;
  std::vector<recorded_attempt> attempts; ///< Ascending by token.
};

/// What producers have staged for a queue, in order of arrival.
struct staged_page {
  /// One whose row the database does not give back has only its number, and a `damaged` problem.
  std::vector<core::staged_task> tasks;
  bool more = false; ///< There may be others behind them.
};

/// How much is on the stage of a queue.
struct staged_counts {
  std::uint64_t staged = 0;
  core::instant staged_since; ///< Of the oldest of them; the epoch when there is none.
  std::uint64_t refused = 0;
  std::uint64_t unreadable = 0; ///< Of the refused: those that the database does not give back.
  std::string last_refusal;     ///< Error code and detail; empty when there is none.
};

/// What the nodes accept of a document, for whoever checks it without asking them.
struct document_limits {
  std::uint32_t bytes_max = 0;
  std::uint32_t depth_max = 0;
};

/// Which finished tasks of a queue to list, in order of id after `after`.
struct finished_filter {
  core::queue_name queue;
  std::vector<core::task_ending> endings; ///< Empty: all.
  std::string type;                       ///< Empty: all.
  std::string error_code;                 ///< Empty: all.
  core::task_id after;
  std::uint32_t limit = 100;
  std::vector<core::task_id> only{}; ///< None but these; empty: all.
};

/// Which tasks to list, in order of id behind `after`. What is left empty holds for all.
struct task_filter {
  core::queue_name queue;
  std::string type;
  std::string owner_id;
  bool waiting = true; ///< Those that are live and not leased.
  bool leased = true;
  std::vector<core::task_ending> endings; ///< Of finished ones; empty: none of them.
  core::instant created_from;
  std::optional<core::instant> created_before{};
  core::task_id after;
  std::uint32_t limit = 100;
  /// So many are looked at, of those that an index finds; a page of what is rare must not read all
  /// tasks there ever were.
  std::uint32_t looks = 20'000;
  std::string key{};
  std::string error_code{}; ///< Of finished tasks; live ones have none.
  /// The highest id first: `after` is then the lowest of the page before, and nil stands for none.
  bool newest_first = false;
};

/// A task without its documents.
struct listed_task {
  core::queue_name queue;
  core::task_spec spec;                    ///< Without body and traces.
  core::task_progress progress;            ///< Without data and bookmark.
  core::worker_id worker;                  ///< Who holds it; empty for nobody.
  std::optional<core::task_ending> ending; ///< None: it is live.
  std::string error_code;
  core::instant finished_at;
};

struct listed_tasks {
  std::vector<listed_task> tasks;
  core::task_id last; ///< Up to here all have been looked at, in the order of the list.
  bool more = false;  ///< There may be others behind it.
};

struct queue_counts {
  std::uint64_t live = 0;
  std::uint64_t leased = 0;
  std::uint64_t completed = 0;
  std::uint64_t failed = 0;
  std::uint64_t canceled = 0;
  std::uint64_t dead = 0;
};

/// One start of a node, as its row tells.
struct node_start {
  core::incarnation_id incarnation;
  std::string name;
  std::string address; ///< Where other nodes reach it: `host:port`.
  core::instant started_at;
  core::instant expires_at; ///< Of its lease.
  core::instant left_at;    ///< Its planned stop; the epoch for none.
  bool alive = false;       ///< By the database's clock its lease runs, and it has not left.
  std::uint32_t shards = 0; ///< Of which it is the last host.
};

/// A unit with all that it comes from: of a batch, that is all of its members.
struct unit_chain {
  struct link {
    core::unit_id unit;
    core::step_id step;
    std::string input;                        ///< JSON.
    std::vector<core::contributor_id> judges; ///< In order of bytes.
  };
  core::unit_id last;
  /// From the unit itself to the first of its chain. Members of a batch come after it, in the order
  /// of their ids, then what they come from, each unit once.
  std::vector<link> links;
};

/// A lease of a unit, in whatever way it is over.
struct lease_history {
  core::lease lease;
  std::optional<core::lease_end> ending; ///< None: it is held, or ended with a judgment.
  std::optional<core::instant> ended_at; ///< None: it is held.
};

struct judgment_history {
  core::judgment_id id;
  core::contributor_id contributor;
  std::string payload; ///< JSON.
  std::string answer;
  double trust = 1; ///< Of the contributor, when it came in.
  core::instant submitted_at;
  std::optional<core::instant> tainted_at; ///< From when on it counts no more.
  std::optional<bool> test_correct;        ///< On a test question: whether the answer is right.
  bool late = false;                       ///< It came when its lease had expired.
  bool surplus = false;                    ///< And was kept apart: it never counted.
  std::optional<std::uint32_t> trust_questions{}; ///< As in `core::trust_mark`.
  /// Why the database does not give back payload and answer, which are empty then; empty: it does.
  std::string unreadable{};
};

/// Everything that is known of one unit.
struct unit_history {
  core::unit_id id;
  core::unit_id parent; ///< Nil: the first of its item.
  core::step_id step;
  std::string source_key;
  std::string input; ///< JSON.
  core::unit_state state = core::unit_state::judgable;
  std::uint32_t slots = 1;
  std::uint32_t loops = 0;
  std::uint32_t part = 0;
  std::uint32_t reopened = 0;
  bool test_question = false;
  core::instant created_at;
  std::optional<core::instant> changed_at; ///< Of the last change of state; none: there was none.
  std::string result;                      ///< JSON; empty until finalized, like the following.
  double confidence = 0;
  std::int16_t route = core::no_route;
  std::string route_reason;
  std::vector<lease_history> leases;          ///< Ascending by token.
  std::vector<judgment_history> judgments;    ///< With surplus, in order of submission.
  std::vector<core::contributor_id> excluded; ///< In order of bytes.
  std::uint32_t version = 1;
  core::unit_id batch; ///< What a gathered unit is part of; nil while it waits for that.
  /// Why the database does not give back source key, input, result and route reason, which are
  /// empty then; empty: it does.
  std::string unreadable{};
};

/// The units of one item.
struct item_history {
  core::unit_id root;
  std::vector<unit_history> units; ///< In order of creation, those of one instant by id.
};

/// Units of a step that a contributor has judged.
struct judged_units {
  std::vector<core::unit_id> finalized; ///< In order of arrival; also where it counts no more.
  /// There are judgable ones where it counts, too: their results, or the marks on the judgments,
  /// may be on their way.
  bool unsettled = false;
};

/// A payload that was handed in for a judgment that was corrected.
struct kept_payload {
  core::judgment_id judgment;
  core::unit_id unit;
  std::uint32_t number = 0; ///< 0: the one that came first.
  bool applied = true;      ///< False: it is only kept, and the judgment does not say it.
  std::string answer;
  std::string payload; ///< JSON; perhaps a reference.
  core::instant at;
};

/// Repairs that are not done.
struct stored_repairs {
  std::vector<core::repair_row> open; ///< The oldest first.
  /// One whose row the database does not give back. It may be done: nobody can tell.
  struct unreadable_repair {
    core::repair_id id;
    core::step_id step;
    std::string why;
  };
  std::vector<unreadable_repair> unreadable{}; ///< In order of id.
};

/// Judgments of one read that it goes on without: each costs many statements, for which others
/// wait. With more of them the table is to be restored before anything is said of the step.
inline constexpr std::size_t unreadable_judgments_max = 100;

/// What a step is surveyed by.
struct survey_material {
  std::vector<core::surveyed_judgment> judgments; ///< In order of submission, then of id.
  core::finished_by_version finished;
  /// Those of the judgments that the database does not give back, in the same order.
  std::vector<core::step_history::unreadable> unreadable{};
};

struct stored_workflow {
  core::workflow_id id;
  std::string name;
  std::vector<std::string> definitions; ///< JSON, by version.
  std::vector<core::step_row> steps;    ///< In order of position.
};

/// A workflow as a list of them shows it.
struct workflow_summary {
  core::workflow_id id;
  std::string name{};
  core::instant created_at{};
  std::uint32_t latest = 0; ///< Version; 0: the database does not give the workflow back.
  std::uint32_t open = 0;   ///< Steps of all versions, like the following.
  std::uint32_t paused = 0;
  std::uint32_t completed = 0;
  std::uint32_t canceled = 0;
  std::uint64_t job_revision = 0; ///< As of its first step, which decides; so is `job`.
  core::job_status job = core::job_status::launched;
};

struct listed_workflows {
  std::vector<workflow_summary> workflows;
  bool more = false; ///< There are others behind the last.
};

/// As much as a list shows of an input.
inline constexpr std::size_t listed_input_bytes_max = 200;

/// A test question as a list of them shows it.
struct question_summary {
  core::unit_id unit;
  std::uint64_t ordinal = 0;
  std::string source_key{};
  std::string input{}; ///< Its beginning, as `mended_text` cuts it.
  std::string truth{}; ///< Empty: the database does not give the question back.
  core::unit_state state = core::unit_state::judgable;
  bool forgiven = false;
  std::uint64_t answered = 0; ///< Whether it is forgiven or not.
  std::uint64_t right = 0;    ///< Of these.
};

struct listed_questions {
  std::vector<question_summary> questions;
  bool more = false; ///< There are others behind the last.
};

/// What is known of a contributor, whatever the step.
struct stored_profile {
  core::contributor_profile profile;       ///< Empty when nothing was put.
  std::optional<core::instant> changed_at; ///< None: nothing was put.
  core::tested tests;
};

struct changed_removals {
  std::vector<core::removal> removals;
  std::uint64_t next = 0; ///< `since` of the next look.
};

struct unit_result {
  core::unit_id unit;
  std::string source_key;
  core::unit_state state = core::unit_state::judgable;
  std::uint32_t judgments = 0;
  /// JSON; empty until finalized, and of a finalized unit that the database does not give back.
  std::string result;
  double confidence = 0;
};

/// Units of some items, which come from one step in its order of arrival.
struct chain_page {
  std::vector<core::chain_unit> units; ///< By their `result_place`.
  /// Behind everything that was looked at: of the last unit where others of its item may follow,
  /// else of the item behind which it goes on.
  core::result_place last;
  bool more = false; ///< There is something behind `last`.
};

/// What is long in a unit.
struct chain_texts {
  std::string source_key;
  std::string input;      ///< JSON; perhaps a reference (`object_ref`). Empty: not asked for.
  std::string result;     ///< JSON; empty: it has none.
  std::string unreadable; ///< Why the database does not give it back; empty: it does.
};

/// Whose judgments count in a unit.
struct chain_judges {
  std::vector<core::contributor_id> contributors; ///< In order of bytes.
  std::string unreadable;                         ///< As of `chain_texts`.
};

/// Units and judgments are counted without test questions, leases with them. What is gathered is
/// none of the four.
struct step_statistics {
  core::step_row step;
  std::uint64_t judgable = 0;
  std::uint64_t paused = 0;
  std::uint64_t finalized = 0;
  std::uint64_t canceled = 0;
  std::uint64_t judgments = 0;
  std::uint64_t active_leases = 0;
  std::uint64_t expired_leases = 0; ///< From the history.
  std::uint64_t test_questions = 0; ///< In any state.
  std::uint64_t test_judgments = 0; ///< Of test questions.
};

struct stored_webhook {
  core::webhook_id id;
  std::string name;
  std::string definition; ///< JSON, as validated.
  bool paused = false;
  std::uint64_t revision = 1;
  core::instant created_at;
};

/// How far the delivery of a webhook is on one shard.
struct webhook_place {
  core::shard_id shard = 0;
  core::event_seq seq = 0;    ///< As in `put_webhook_position`, like the following two.
  core::event_seq newest = 0; ///< Of the shard: how far there is to go.
  std::uint64_t stopped_revision = 0;
  std::string reason;
  std::uint64_t dead_letters = 0;
};

struct dead_letter {
  core::put_dead_letter made;
  bool replayed = false; ///< It waits to be delivered once more.
};

/// Which dead letters of a webhook and shard, in order of their events after `after`.
struct dead_letter_filter {
  core::webhook_id webhook;
  core::shard_id shard = 0;
  core::event_seq after = 0;
  std::uint32_t limit = 100;
  bool replayed_only = false;
};

/// One entry of the audit log.
struct audit_entry {
  std::uint64_t number = 0; ///< Grows from entry to entry, with gaps.
  core::insert_audit made;
};

/// An entry of which the database gives back its number alone.
inline audit_entry unreadable_entry(std::uint64_t number, const std::string& problem) {
  return {number, {{}, {}, {}, {}, "its row cannot be read: " + problem}};
}

/// Entries of the audit log: those that fit all of these. Empty: any.
struct audit_filter {
  core::instant since; ///< The epoch: from the oldest on.
  std::string who;
  std::string operation;
  std::string item;
  std::uint64_t before = 0; ///< Only those with lower numbers; 0: from the newest on.
  std::uint32_t limit = 100;
};

struct listed_audit {
  std::vector<audit_entry> entries;
  bool more = false; ///< There are others behind the last.
};

/// Which events may be forgotten.
struct prunable {
  /// Only what each of these needs no more: what its cursor has passed. One without a cursor still
  /// needs everything.
  std::vector<std::string> consumers;
  core::instant committed_before;
  std::uint32_t rows = 1000; ///< Outbox rows at once, each the events of one batch.
};

/// Everything that a node asks of its database. Reads give `errc::unavailable` when the database
/// cannot be reached (the next call tries a fresh connection) and see every committed batch.
class store {
public:
  virtual ~store() = default;

  /// The database's clock.
  virtual core::outcome<core::instant> now() = 0;

  // --- writing ---

  /// Applies the batch in one transaction, fenced by every shard's epoch and sequence number.
  /// Idempotent: a batch that is already in gives `committed`. The changes reach other readers only
  /// with the commit.
  virtual commit_result commit(const write_batch& batch) = 0;

  /// The same; runs `meanwhile`, which must not throw, once in any case, and while the database
  /// works on the batch if it gets that far.
  virtual commit_result commit_while(const write_batch& batch,
                                     const std::function<void()>& meanwhile) {
    meanwhile();
    return commit(batch);
  }

  /// Does now what committing the batch would begin with. Only saves time: when it runs while
  /// another batch is under way, the database need not wait for it afterwards.
  virtual void encode(write_batch& batch) { static_cast<void>(batch); }

  // --- membership ---

  /// Makes sure that the cluster has exactly `count` shards. The first call fixes the number for
  /// ever; a later one with another number is refused with `invalid_argument` naming both.
  virtual core::outcome<bool> ensure_shards(std::uint32_t count) = 0;

  /// Tells producers that stage tasks by SQL what the nodes accept. The last call counts; refused
  /// with `not_found` before `ensure_shards`.
  virtual core::outcome<bool> publish_limits(const document_limits& limits) = 0;

  /// Writes the node's row.
  virtual core::outcome<bool> register_node(const std::string& name,
                                            core::incarnation_id incarnation,
                                            const std::string& address) = 0;

  /// Becomes host of `shards`, raising their epochs; waits for batches in flight. Taken are those
  /// whose host's lease has run out, that nobody hosts, that this or an earlier incarnation of the
  /// same node name hosts, or one of `believed_dead`; the rest is left out of the answer. Renews
  /// the node's row, by which all its leases live, with `lease_time`. May be repeated.
  virtual core::outcome<std::vector<shard_fence>>
  take_over(const std::string& node, core::incarnation_id incarnation,
            const std::vector<core::shard_id>& shards, core::duration lease_time,
            const std::set<core::incarnation_id>& believed_dead) = 0;

  /// Extends the node's row, by which the leases of all its shards live, and looks at the cluster:
  /// all that an idle node asks. A node that was never registered, or has resigned, is not in it.
  virtual core::outcome<core::cluster_view> renew(core::incarnation_id incarnation,
                                                  core::duration lease_time) = 0;

  /// Gives those of `shards` free that the incarnation hosts. Nothing of them may be under way.
  virtual core::outcome<bool> hand_over(core::incarnation_id incarnation,
                                        const std::vector<core::shard_id>& shards) = 0;

  /// Gives all shards of the incarnation free at once, for a planned stop, and marks the node as
  /// gone.
  virtual core::outcome<bool> resign(core::incarnation_id incarnation) = 0;

  /// Begins a new generation of the database's history when the database knows less than `known`,
  /// when it is not where its generation began, or when it was `restored`: epochs, numbers of
  /// batches and events, and tokens go on above all that can have been given out before, so that
  /// whoever hosts a shard must take it anew. Answers whether it did; `not_found` before
  /// `ensure_shards`.
  virtual core::outcome<bool> begin_generation(const known_history& known, bool restored) = 0;

  /// The latest starts of nodes, at most `limit`: the newest first, also of those that are gone.
  virtual core::outcome<std::vector<node_start>> list_nodes(std::uint32_t limit) = 0;

  // --- reading ---

  /// A step with its open units. `policies_of` says for how long ended leases bar a contributor.
  /// `not_found` if there is none, `damaged` where the database does not give back its own row. A
  /// unit of which that is so, or one of its leases and judgments, harms no other.
  virtual core::outcome<stored_step> load_step(core::step_id step,
                                               const lease_policies_of& policies_of) = 0;

  /// Units with all that their decisions need; ids that do not exist are left out. `bars` hold the
  /// ended leases, by `core::barred_until` of the unit's policy, and who is excluded.
  virtual core::outcome<std::vector<core::unit_record>>
  load_units(const std::vector<core::unit_id>& units, const core::lease_policies& policies) = 0;

  /// The chains that end with `units`, by unit; ids that do not exist are left out.
  virtual core::outcome<std::vector<unit_chain>>
  load_chains(const std::vector<core::unit_id>& units) = 0;

  /// What quality control of a step goes on from: standings and what is unsettled, and what else is
  /// in `scope`, which costs a look at everything that ever happened in the step. Nothing of a step
  /// that does not exist.
  virtual core::outcome<core::step_history> load_step_history(core::step_id step,
                                                              core::history_scope scope) = 0;

  /// The same, without standings, flags, right answers and votes that the database does not give
  /// back, and without the work in units of which leases or judgments cannot be read: `damage`
  /// names them. Reads row by row, so it is for a history that could not be read. A contributor
  /// whose standing is missing is in no unsettled unit, and in none to be reinstated in.
  virtual core::outcome<core::step_history>
  load_readable_step_history(core::step_id step, core::history_scope scope) = 0;

  /// The contributors who were ever granted a unit of the step, of those after the name `after` the
  /// first `limit`, by name. Tasks that judge are among them. What cannot be read counts for
  /// nobody.
  virtual core::outcome<std::vector<core::step_history::worked>>
  load_grants(core::step_id step, const core::contributor_id& after, std::uint32_t limit) = 0;

  /// The judgments that count in the step, those on test questions left out: the last `limit`, in
  /// order of submission. A finished unit is unsure when its confidence is below `sure`. Nothing of
  /// a step that does not exist. Judgments that the database does not give back are named in
  /// `unreadable`; `damaged` if there are more than `unreadable_judgments_max`.
  virtual core::outcome<survey_material> load_survey(core::step_id step, double sure,
                                                     std::uint32_t limit) = 0;

  /// The corrections of the unit, which is of the step, in order.
  virtual core::outcome<std::vector<core::correction_row>> load_corrections(core::step_id step,
                                                                            core::unit_id unit) = 0;

  /// What was handed in for judgments of the unit that were corrected, by judgment and number.
  virtual core::outcome<std::vector<kept_payload>>
  load_judgment_corrections(core::unit_id unit) = 0;

  /// `not_found` if there is no such repair, `damaged` where the database does not give it back.
  virtual core::outcome<core::repair_row> find_repair(core::repair_id repair) = 0;

  /// The repairs that are not done, of the step, or of all when that is nil. One that the database
  /// does not give back is named, and keeps none beside it.
  virtual core::outcome<stored_repairs> open_repairs(core::step_id step) = 0;

  /// What any of `contributors` has judged among the units of the step with ordinals above `after`
  /// up to `through`, test questions left out.
  virtual core::outcome<judged_units>
  find_judged(core::step_id step, const std::vector<core::contributor_id>& contributors,
              std::uint64_t after, std::uint64_t through) = 0;

  /// What is in the step and was made from one of these results, canceled units left out, in order
  /// of arrival.
  virtual core::outcome<std::vector<core::unit_id>>
  made_from(core::step_id step, const std::vector<core::taken_back>& results) = 0;

  /// Those of `units` that are gathered, and all that are in one batch with one of them; each once,
  /// in order of arrival.
  virtual core::outcome<std::vector<gathered_unit>>
  gathered_with(const std::vector<core::unit_id>& units) = 0;

  /// All units of the item that `unit` belongs to, after `after` in their order (nil: from the
  /// first), at most `limit`. A unit or a judgment whose texts the database does not give back says
  /// so in its place. `not_found` if there is no such unit, or `after` is not of its item.
  virtual core::outcome<item_history> load_lineage(core::unit_id unit, core::unit_id after,
                                                   std::uint32_t limit) = 0;

  virtual core::outcome<stored_workflow> load_workflow(core::workflow_id workflow) = 0;

  /// Workflows in order of id, after `after` (nil: from the first), at most `limit`. One that the
  /// database does not give back has its id and no version, and keeps none beside it.
  virtual core::outcome<listed_workflows> list_workflows(core::workflow_id after,
                                                         std::uint32_t limit) = 0;

  /// Which of `keys` the step already has, with the unit each belongs to.
  virtual core::outcome<std::vector<std::pair<std::string, core::unit_id>>>
  find_source_keys(core::step_id step, const std::vector<std::string>& keys) = 0;

  /// The same with the digests of their inputs, as they are stored: whether another input is the
  /// same, without reading it. Of one that the database does not give back the digest is another.
  virtual core::outcome<std::vector<source_unit>>
  find_source_units(core::step_id step, const std::vector<std::string>& keys) = 0;

  /// Steps in order of creation, after `after` (nil: from the start), at most `limit`. One that the
  /// database does not give back has its id alone, and keeps none beside it. `not_found` if there
  /// is no such step as `after`.
  virtual core::outcome<std::vector<core::step_row>> list_steps(core::step_id after,
                                                                std::uint32_t limit) = 0;

  /// The steps that are open or paused, in order of id, after `after` (nil: from the start), at
  /// most `limit`. One that the database does not give back has its id alone.
  virtual core::outcome<std::vector<core::step_row>> open_steps(core::step_id after,
                                                                std::uint32_t limit) = 0;

  /// All empty of somebody of whom nothing is known.
  virtual core::outcome<stored_profile> load_profile(const core::contributor_id& contributor) = 0;

  /// The contributor's answers to test questions that are not forgiven, in the step and in the
  /// other steps of its workflow.
  virtual core::outcome<core::tests_seen> load_tests_in(const core::contributor_id& contributor,
                                                        core::step_id step) = 0;

  /// The removals that have changed since a look before, which answered `next` as `since`; 0: those
  /// that are not over, and those of steps. What changed shortly before that look may come again.
  virtual core::outcome<changed_removals> load_removals(std::uint64_t since) = 0;

  /// Those of the contributor, over or not, in order of scope and place, at most `limit`.
  virtual core::outcome<std::vector<core::removal>>
  list_removals(const core::contributor_id& contributor, std::uint32_t limit) = 0;

  // --- API tokens ---

  /// None: there is no such token. `damaged` where the database does not give it back.
  virtual core::outcome<std::optional<core::api_token>>
  load_api_token(core::api_token_id token) = 0;

  /// In order of id after `after`, at most `limit`. One that the database does not give back, or
  /// whose role is of a newer program, is `unreadable`, and keeps none beside it.
  virtual core::outcome<std::vector<core::api_token>> list_api_tokens(core::api_token_id after,
                                                                      std::uint32_t limit) = 0;

  /// Results in order of ordinal, beginning after ordinal `after` (0: from the start; ordinals
  /// begin at 1), at most `limit`, with the ordinal of the last one. Test questions are left out.
  virtual core::outcome<std::pair<std::vector<unit_result>, std::uint64_t>>
  list_results(core::step_id step, std::uint64_t after, std::uint32_t limit) = 0;

  /// All units of the items that come in with the next `ordinals` ordinals of `first`, the first
  /// step of a workflow, behind `after` in their order; at most `units` of them. Test questions are
  /// left out.
  virtual core::outcome<chain_page> list_chains(core::step_id first,
                                                const core::result_place& after,
                                                std::uint32_t ordinals, std::uint32_t units) = 0;

  /// Those of `units` that exist, in any order; each has the `ordinal` 0.
  virtual core::outcome<std::vector<core::chain_unit>>
  load_chain_units(const std::vector<core::unit_id>& units) = 0;

  /// Those of `units` from whose present results others were made.
  virtual core::outcome<std::set<core::unit_id>>
  find_parents_in(const std::vector<core::unit_id>& units) = 0;

  /// The texts of units, with their inputs where `inputs` has them. What does not exist is not
  /// there; what the database does not give back says so, and keeps none beside it.
  virtual core::outcome<std::map<core::unit_id, chain_texts>>
  load_chain_texts(const std::vector<core::unit_id>& units,
                   const std::set<core::unit_id>& inputs) = 0;

  /// Of units in which judgments count. What the database does not give back says so.
  virtual core::outcome<std::map<core::unit_id, chain_judges>>
  load_chain_judges(const std::vector<core::unit_id>& units) = 0;

  /// Test questions of the step in order of ordinal, beginning after ordinal `after` (0: from the
  /// first), at most `limit`. One that the database does not give back has its id and its ordinal
  /// and no truth, and keeps none beside it. `not_found` if there is no such step.
  virtual core::outcome<listed_questions> list_questions(core::step_id step, std::uint64_t after,
                                                         std::uint32_t limit) = 0;

  /// `not_found` if there is no such step.
  virtual core::outcome<step_statistics> statistics(core::step_id step) = 0;

  // --- tasks ---

  /// A queue with its live tasks and its schedules; `not_found` if there is none, `damaged` where
  /// the database does not give back its own row. A task of which that is so harms no other.
  virtual core::outcome<stored_queue> load_queue(const core::queue_name& queue) = 0;

  /// All queues, by name, without their tasks. One whose row the database does not give back has
  /// its name only: revision 0 and an empty definition.
  virtual core::outcome<std::vector<core::put_queue>> list_queues() = 0;

  /// The queues that were removed, by name, until `forget_removed`. One that exists again is not
  /// among them. One whose policy the database does not give back has an empty one.
  virtual core::outcome<std::vector<removed_queue>> list_removed_queues() = 0;

  /// Which of `tasks` exist, in no order.
  virtual core::outcome<std::vector<known_task>>
  find_tasks(const std::vector<core::task_id>& tasks) = 0;

  virtual core::outcome<std::vector<finished_task>>
  list_finished(const finished_filter& filter) = 0;

  /// Live and finished tasks. Tasks that move or are made meanwhile are seen once at most.
  virtual core::outcome<listed_tasks> list_tasks(const task_filter& filter) = 0;

  /// `not_found` if the queue has no such action.
  virtual core::outcome<core::queue_action_row> find_queue_action(const core::queue_name& queue,
                                                                  core::queue_action_id action) = 0;

  /// The actions of the queue that have not ended, the oldest first.
  virtual core::outcome<std::vector<core::queue_action_row>>
  running_queue_actions(const core::queue_name& queue) = 0;

  /// Actions of the queue, that which was asked for last first, behind `after` (nil: from the
  /// latest), at most `limit`. None behind an action that is not there (any more).
  virtual core::outcome<std::vector<core::queue_action_row>>
  list_queue_actions(const core::queue_name& queue, core::queue_action_id after,
                     std::uint32_t limit) = 0;

  /// `not_found` if there is no such task.
  virtual core::outcome<task_history> load_task(core::task_id task) = 0;

  /// Attempts of a task in order of token, beginning after `after` (0: from the first), at most
  /// `limit`: those that are over, and the one that still runs. `not_found` if there is no such
  /// task. Reads all late results, of which there should be few; not for the hot path.
  virtual core::outcome<recorded_attempts> list_attempts(core::task_id task, core::token after,
                                                         std::uint32_t limit) = 0;

  /// The queues for which something is staged that they have not refused. Asked again and again, so
  /// it costs one look into an index for each of them, and one more.
  virtual core::outcome<std::vector<core::queue_name>> queues_with_staged() = 0;

  /// What is staged for the queue and not refused: at most `limit`, and no more once their
  /// documents together have `bytes_most`; at least one if there is any. Of each it says which
  /// queue has a task of its id already. A row that cannot be read keeps no other one from it.
  virtual core::outcome<staged_page> load_staged(const core::queue_name& queue, std::uint32_t limit,
                                                 std::size_t bytes_most) = 0;

  /// How much is staged for the queue, and refused. Counts what is stored; not for the hot path.
  /// `not_found` if there is no such queue.
  virtual core::outcome<staged_counts> count_staged(const core::queue_name& queue) = 0;

  /// Counts what is stored; not for the hot path. `not_found` if there is no such queue.
  virtual core::outcome<queue_counts> count_tasks(const core::queue_name& queue) = 0;

  /// Queues and steps that hold a lease which ended before `ended_before`, up to `limit` of each.
  /// Reads all live leases; not for the hot path.
  virtual core::outcome<std::vector<core::hosted_item>> find_overdue(core::instant ended_before,
                                                                     std::uint32_t limit) = 0;

  /// Which of these assignments are over, of those that ended at `since` or later. Reads all that
  /// has ended since then, so it should not be long ago.
  virtual core::outcome<std::vector<core::assignment_id>>
  find_over(const std::vector<core::assignment_id>& assignments, core::instant since) = 0;

  /// Looks at `limit` live tasks that come after `after` in order of id (nil: from the first), and
  /// answers those that are due since before `due_before`, not paused, and leased to nobody. A page
  /// costs its own tasks and nothing else, however many there are.
  virtual core::outcome<due_page> find_due(core::task_id after, core::instant due_before,
                                           std::uint32_t limit) = 0;

  /// Which of these objects a task refers to, live or finished, a late result, a unit or a
  /// judgment. Reads all tasks; not for the hot path. What moves from one table to another
  /// meanwhile is seen.
  virtual core::outcome<std::set<core::digest>>
  find_object_refs(const std::vector<core::digest>& objects) = 0;

  // --- events ---

  /// Which events of the shard are kept. `not_found` if there is no such shard.
  virtual core::outcome<core::event_bounds> event_bounds(core::shard_id shard) = 0;

  /// Events of the shard with sequence numbers above `after`, ascending; at least one if there is
  /// any, and about `limit` (whole outbox rows). One that cannot be read is `event_unreadable`.
  virtual core::outcome<std::vector<core::sequenced_event>>
  events_after(core::shard_id shard, core::event_seq after, std::uint32_t limit) = 0;

  /// The consumer's cursor on the shard; 0 when it has none.
  virtual core::outcome<core::event_seq> cursor(const std::string& consumer,
                                                core::shard_id shard) = 0;

  /// Sequence numbers above `after` of the messages of `shard` that are in the consumer's inbox.
  virtual core::outcome<std::vector<core::event_seq>>
  inbox_after(const std::string& consumer, core::shard_id shard, core::event_seq after) = 0;

  // --- webhooks ---

  /// All webhooks, by name. One whose row the database does not give back has an empty definition.
  virtual core::outcome<std::vector<stored_webhook>> list_webhooks() = 0;

  /// By shard; empty when there is no such webhook.
  virtual core::outcome<std::vector<webhook_place>> webhook_places(core::webhook_id webhook) = 0;

  /// One whose row the database does not give back has an `event_unreadable`; it is left out where
  /// those are wanted that are to be delivered once more.
  virtual core::outcome<std::vector<dead_letter>>
  list_dead_letters(const dead_letter_filter& filter) = 0;

  /// Entries of the audit log by falling number. One that the database does not give back is an
  /// `unreadable_entry`, and keeps none beside it.
  virtual core::outcome<listed_audit> list_audit(const audit_filter& filter) = 0;

  // --- pruning ---

  /// Forgets old events, in one transaction: the oldest outbox rows of the shard, with what is in
  /// any inbox about them. The number of rows that went; as many as `most.rows`: there may be more.
  /// `damaged` when all of these have gone but for rows that the database does not delete, with the
  /// first of them; they stay, below `event_bounds::pruned` once later ones have gone. `fenced`
  /// when the incarnation does not host the shard.
  virtual core::outcome<std::uint32_t>
  prune_events(core::shard_id shard, core::incarnation_id incarnation, const prunable& most) = 0;

  /// Forgets finished tasks of the queue, which belongs to the shard, with their attempts and late
  /// results, in one transaction: those that ended before `ended_before`, at most `rows`. The
  /// number of tasks that went; as many as `rows`: there may be more. `fenced` when the incarnation
  /// does not host the shard.
  virtual core::outcome<std::uint32_t>
  prune_tasks(core::shard_id shard, core::incarnation_id incarnation, const core::queue_name& queue,
              core::instant ended_before, std::uint32_t rows) = 0;

  /// The same of staged tasks that the queue refused before `refused_before`.
  virtual core::outcome<std::uint32_t> prune_refused(core::shard_id shard,
                                                     core::incarnation_id incarnation,
                                                     const core::queue_name& queue,
                                                     core::instant refused_before,
                                                     std::uint32_t rows) = 0;

  /// Forgets a queue of the shard that was removed before `removed_before`, once no finished and no
  /// staged task of it is left. True when it is forgotten. `fenced` when the incarnation does not
  /// host the shard.
  virtual core::outcome<bool> forget_removed(core::shard_id shard, core::incarnation_id incarnation,
                                             const core::queue_name& queue,
                                             core::instant removed_before) = 0;

  /// Forgets entries of the audit log that were made before `made_before`, at most `rows`. The
  /// number that went; as many as `rows`: there may be more. `fenced` when the incarnation does not
  /// host the shard, which stands for the cluster.
  virtual core::outcome<std::uint32_t> prune_audit(core::shard_id shard,
                                                   core::incarnation_id incarnation,
                                                   core::instant made_before,
                                                   std::uint32_t rows) = 0;
};

/// Opens one more connection. Never fails by itself: an unreachable database shows at the first
/// call.
using store_factory = std::function<std::unique_ptr<store>()>;

// The faults that the memory store can inject into `commit` (see memory_store.hpp): fail before
// applying
// (`unavailable`), fail after applying (`in_doubt`), fail without applying (`in_doubt`), refuse
// every batch that contains a change chosen by a predicate (`refused`).

} // namespace holdfast::persistence
