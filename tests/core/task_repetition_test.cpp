// Requests under the id of a task that is known: the same task once more, or another one.

#include "core/object_ref.hpp"
#include "core/queue.hpp"
#include "core/task_repetition.hpp"
#include "tests/core/describe.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

using namespace holdfast::core;
using holdfast::test::beginning;

namespace {

new_task a_mail() {
  static uuid_source ids{11};
  new_task made;
  made.spec.id.value = ids.next(beginning);
  made.spec.type = "send";
  made.spec.version = "1.0";
  made.spec.body = R"({"to":"ana"})";
  return made;
}

std::string detail_of(const task_spec& known, const new_task& asked) {
  const auto why = check_repetition(known, asked);
  return why.code == errc::none ? "same" : std::string{to_string(why.code)} + ": " + why.detail;
}

} // namespace

BOOST_AUTO_TEST_SUITE(task_repetition)

BOOST_AUTO_TEST_CASE(the_same_request_is_a_repetition) {
  const auto mail = a_mail();
  BOOST_TEST(detail_of(mail.spec, mail) == "same");
  // The life of the task changes these, and each time that a request is sent has another trace.
  auto again = mail;
  again.state = "SENT";
  again.data = "[1]";
  again.run_at = beginning + std::chrono::hours{1};
  again.conflict = on_conflict::reject;
  again.spec.trace_id = "0af7651916cd43dd8448eb211c80319c";
  again.spec.span_id = "b7ad6b7169203331";
  again.spec.created_at = beginning;
  BOOST_TEST(detail_of(mail.spec, again) == "same");
}

BOOST_AUTO_TEST_CASE(each_member_that_never_changes_is_compared) {
  const std::vector<std::pair<std::string, std::function<void(task_spec&)>>> changes{
      {"type", [](task_spec& s) { s.type = "post"; }},
      {"version", [](task_spec& s) { s.version = "1.1"; }},
      {"body", [](task_spec& s) { s.body = R"({"to": "ana"})"; }},
      {"priority", [](task_spec& s) { s.priority = 1; }},
      {"key", [](task_spec& s) { s.key = "k"; }},
      {"credential", [](task_spec& s) { s.credential = "c"; }},
      {"unique_key", [](task_spec& s) { s.unique_key = "u"; }},
      {"max_attempts", [](task_spec& s) { s.max_attempts = 3; }},
      {"owner_id", [](task_spec& s) { s.owner_id = "o"; }},
      {"run_as_id", [](task_spec& s) { s.run_as_id = "r"; }},
  };
  const auto mail = a_mail();
  for (const auto& [member, change] : changes) {
    auto other = mail;
    change(other.spec);
    BOOST_TEST(detail_of(mail.spec, other)
               == "already_exists: the id belongs to a task with another " + member);
  }
}

BOOST_AUTO_TEST_CASE(a_body_in_the_object_store_is_compared_by_its_reference) {
  auto mail = a_mail();
  const auto text = mail.spec.body;
  object_ref ref;
  ref.bytes = text.size();
  mail.body_ref = to_json(ref);
  auto stored = mail.spec;
  stored.body = mail.body_ref;
  BOOST_TEST(detail_of(stored, mail) == "same");
  auto other = mail;
  ref.content.bytes[0] = 1;
  other.body_ref = to_json(ref);
  BOOST_TEST(detail_of(stored, other) != "same");
  // The bound between rows and objects has moved: only the lengths can be compared.
  auto in_row = mail;
  in_row.body_ref.clear();
  BOOST_TEST(detail_of(stored, in_row) == "same");
  BOOST_TEST(detail_of(in_row.spec, mail) == "same");
  in_row.spec.body += ' ';
  BOOST_TEST(detail_of(stored, in_row) != "same");
}

BOOST_AUTO_TEST_CASE(a_queue_refuses_another_task_under_a_live_id_where_it_compares) {
  queue q;
  q.name = "mail";
  q.revision = 1;
  const auto mail = a_mail();
  decide(q, enqueue{{mail}, true}, beginning);
  auto other = mail;
  other.spec.body = "{}";
  const auto both = decide(q, enqueue{{mail, other}, true}, beginning);
  BOOST_TEST(both.changes.empty());
  BOOST_TEST(both.answer[0].repeated);
  BOOST_TEST((both.answer[1].refusal == errc::already_exists));
  BOOST_TEST(!both.answer[1].repeated);
  // An occurrence of a schedule that was changed stands as it was made.
  const auto kept = decide(q, enqueue{{other}}, beginning);
  BOOST_TEST(kept.answer[0].repeated);
}

BOOST_AUTO_TEST_SUITE_END()
