// Commits that are interrupted between a node and its server: which, and what becomes of them.

#include "bench/soak/commit_interruptions.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <string>

namespace holdfast::soak {

namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;

std::string sized(const std::string& rest) {
  const auto size = rest.size() + 4;
  return ""s + '\0' + '\0' + static_cast<char>(size >> 8) + static_cast<char>(size & 0xff) + rest;
}
std::string typed_message(char type, const std::string& rest) { return type + sized(rest); }

/// Of a client whose commits are interrupted: `n1`.
struct interrupted_client {
  void begin(commit_interruptions::manner how) { commits.begin("n1", how); }
  commit_fate sends(std::uint64_t session, const std::string& client = "n1") {
    return commits.on_commit(session, client, now);
  }
  commit_fate answered(std::uint64_t session, const std::string& client = "n1") {
    return commits.on_committed(session, client, now);
  }
  void refused(std::uint64_t session, const std::string& state = "22012") {
    commits.on_refused(session, "n1", state, now);
  }

  commit_interruptions commits;
  clock::time_point now = clock::now();
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(soak_commit_interruptions, interrupted_client)

BOOST_AUTO_TEST_CASE(messages_come_whole_however_they_are_cut) {
  const auto text = typed_message('B', "\0commit\0"s) + typed_message('S', "");
  for (std::size_t first = 0; first <= text.size(); ++first) {
    postgres_messages all;
    std::string together;
    int count = 0;
    for (const auto& piece : {text.substr(0, first), text.substr(first)}) {
      all.add(piece);
      for (auto one = all.next(true); !one.empty(); one = all.next(true)) {
        together += one;
        ++count;
      }
    }
    BOOST_TEST(together == text);
    BOOST_TEST(count == 2);
  }
}

BOOST_AUTO_TEST_CASE(messages_are_known_for_what_they_are) {
  BOOST_TEST(binds_commit(typed_message('B', "\0commit\0\0\0"s)));
  BOOST_TEST(!binds_commit(typed_message('B', "\0commits\0\0\0"s)));
  BOOST_TEST(!binds_commit(typed_message('B', "commit\0fence\0"s)));
  BOOST_TEST(!binds_commit(typed_message('P', "\0commit\0"s)));
  BOOST_TEST(says_committed(typed_message('C', "COMMIT\0"s)));
  BOOST_TEST(!says_committed(typed_message('C', "ROLLBACK\0"s)));
  BOOST_TEST(sqlstate_of(typed_message('E', "SERROR\0C22012\0Mno\0\0"s)) == "22012");
  BOOST_TEST(sqlstate_of(typed_message('C', "COMMIT\0"s)).empty());
  BOOST_TEST(asks_for_encryption(sized("\x04\xd2\x16\x2f"s)));
  const auto start = sized("\0\3\0\0user\0holdfast\0application_name\0holdfast node n1\0\0"s);
  BOOST_TEST(!asks_for_encryption(start));
  BOOST_TEST(start_parameter(start, "application_name") == "holdfast node n1");
  BOOST_TEST(start_parameter(start, "database").empty());
}

BOOST_AUTO_TEST_CASE(nothing_is_interrupted_before_or_of_others_or_afterwards) {
  BOOST_TEST((sends(1) == commit_fate::passes));
  begin(commit_interruptions::manner::cuts);
  BOOST_TEST((sends(1, "n2") == commit_fate::passes));
  commits.end();
  BOOST_TEST((sends(1) == commit_fate::passes));
  BOOST_TEST(commits.seen().all() == 0U);
  BOOST_TEST(commits.resolved());
}

BOOST_AUTO_TEST_CASE(
    cuts_come_before_and_after_in_turn_and_each_is_resolved_first) { // scorecard 15
  begin(commit_interruptions::manner::cuts);
  BOOST_TEST((sends(1) == commit_fate::cut_before));
  BOOST_TEST(!commits.resolved());
  BOOST_TEST((sends(7) == commit_fate::passes)); // the next try
  now += 200ms;
  BOOST_TEST((answered(7) == commit_fate::passes));
  BOOST_TEST(commits.resolved());
  BOOST_TEST((sends(7) == commit_fate::passes)); // the server is to have this one
  BOOST_TEST((answered(7) == commit_fate::cut_after));
  BOOST_TEST((sends(8) == commit_fate::passes));
  now += 100ms;
  refused(8);
  BOOST_TEST(commits.resolved());
  const auto seen = commits.seen();
  BOOST_TEST(seen.cut_before == 1U);
  BOOST_TEST(seen.cut_after == 1U);
  BOOST_TEST(seen.found_absent == 1U);
  BOOST_TEST(seen.found_there == 1U);
  BOOST_TEST(seen.stall_seconds == (std::vector<double>{0.2, 0.1}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(committed_batch_meets_its_fence_when_it_is_repeated) {
  begin(commit_interruptions::manner::hangs);
  BOOST_TEST((sends(3) == commit_fate::passes));
  BOOST_TEST((answered(3) == commit_fate::silenced));
  answered(4);         // doubled, or of somebody else: it does not resolve it
  refused(4, "40P01"); // nor does an error for another reason
  answered(5, "n2");
  refused(2); // an older session is not the next try
  BOOST_TEST(!commits.resolved());
  commits.end();
  BOOST_TEST(!commits.resolved()); // it is waited for
  now += 4200ms;
  refused(6);
  BOOST_TEST(commits.resolved());
  BOOST_TEST(commits.seen().silenced == 1U);
  BOOST_TEST(commits.seen().found_there == 1U);
  BOOST_TEST(commits.seen().stall_seconds.front() == 4.2, boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(a_commit_that_the_server_never_answered_was_not_interrupted) {
  begin(commit_interruptions::manner::hangs);
  sends(1);
  refused(1, "40001");
  BOOST_TEST(commits.resolved());
  sends(1);
  commits.on_closed(1);
  BOOST_TEST(commits.resolved());
  sends(2);
  commits.end();
  BOOST_TEST(commits.resolved());
  BOOST_TEST((answered(2) == commit_fate::passes));
  BOOST_TEST(commits.seen().all() == 0U);
}

BOOST_AUTO_TEST_CASE(a_new_beginning_counts_anew) {
  begin(commit_interruptions::manner::cuts);
  sends(1);
  begin(commit_interruptions::manner::hangs);
  BOOST_TEST(commits.resolved());
  BOOST_TEST(commits.seen().all() == 0U);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::soak
