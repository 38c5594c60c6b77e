// `holdfast queues act`, `actions` and `stop-action`: mistakes on the command line that are told
// before any node is asked.

#include "app/program.hpp"
#include "tests/support/text.hpp"

#include <boost/test/unit_test.hpp>

#include <iostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using holdfast::test::contains;

namespace app = holdfast::app;

namespace {

/// Has a stream write to another one for as long as it lives, whatever happens.
class written_to {
public:
  written_to(std::ostream& stream, std::ostream& to)
      : stream_(stream), before_(stream.rdbuf(to.rdbuf())) {}
  written_to(const written_to&) = delete;
  written_to& operator=(const written_to&) = delete;
  ~written_to() { stream_.rdbuf(before_); }

private:
  std::ostream& stream_;
  std::streambuf* before_;
};

/// The exit code, and what was written to the stream of errors.
std::pair<int, std::string> run_queues(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"holdfast", "queues"});
  std::vector<char*> argv;
  for (auto& argument : arguments)
    argv.push_back(argument.data());
  argv.push_back(nullptr);
  app::program program{"holdfast", "test"};
  std::ostringstream told;
  const written_to errors{std::cerr, told};
  const auto code = program.run(static_cast<int>(arguments.size()), argv.data());
  return {static_cast<int>(code), told.str()};
}

void refuses_use(const std::vector<std::string>& arguments, const std::string& text) {
  const auto [code, told] = run_queues(arguments);
  BOOST_TEST(code == static_cast<int>(app::exit_code::usage), told);
  BOOST_TEST(contains(told, text), told);
}

} // namespace

BOOST_AUTO_TEST_SUITE(queue_action_commands)

BOOST_AUTO_TEST_CASE(actions_that_there_are_not_are_refused) {
  refuses_use({"act", "mail", "kill"}, "redrive");
  refuses_use({"act", "mail"}, "action");
}

BOOST_AUTO_TEST_CASE(ids_and_times_that_are_none_are_refused) {
  refuses_use({"act", "mail", "cancel", "--since", "yesterday"}, "--since");
  refuses_use({"act", "mail", "cancel", "--until", "soon"}, "--until");
  refuses_use({"act", "mail", "cancel", "--id", "first"}, "--id");
  refuses_use({"stop-action", "mail", "first"}, "ACTION");
}

BOOST_AUTO_TEST_SUITE_END()
