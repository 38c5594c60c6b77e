#include "core/trace.hpp"

#include <boost/test/unit_test.hpp>

#include <optional>
#include <string>

using namespace holdfast::core;

namespace {

const std::string some_trace = "0af7651916cd43dd8448eb211c80319c";
const std::string some_span = "b7ad6b7169203331";

std::string header_with(const std::string& version, const std::string& flags) {
  return version + '-' + some_trace + '-' + some_span + '-' + flags;
}

} // namespace

BOOST_AUTO_TEST_SUITE(traces)

BOOST_AUTO_TEST_CASE(a_traceparent_is_read_and_written_again) {
  const auto read = parse_traceparent(header_with("00", "01"));
  BOOST_REQUIRE(read.has_value());
  BOOST_TEST(read->trace_id == some_trace);
  BOOST_TEST(read->span_id == some_span);
  BOOST_TEST(read->is_sampled);
  BOOST_TEST(to_traceparent(*read) == header_with("00", "01"));
  const auto unsampled = parse_traceparent(header_with("00", "00"));
  BOOST_REQUIRE(unsampled.has_value());
  BOOST_TEST(!unsampled->is_sampled);
  BOOST_TEST(to_traceparent(*unsampled) == header_with("00", "00"));
}

BOOST_AUTO_TEST_CASE(only_the_last_bit_of_the_flags_says_sampled) {
  for (const auto* flags : {"01", "03", "ff", "0b"})
    BOOST_TEST(parse_traceparent(header_with("00", flags)).value().is_sampled, flags);
  for (const auto* flags : {"00", "02", "fe", "0a", "10"})
    BOOST_TEST(!parse_traceparent(header_with("00", flags)).value().is_sampled, flags);
}

BOOST_AUTO_TEST_CASE(a_later_version_is_read_as_far_as_the_first_goes) {
  BOOST_TEST(parse_traceparent(header_with("01", "01")).has_value());
  BOOST_TEST(parse_traceparent(header_with("fe", "01-what-else")).has_value());
  BOOST_TEST(!parse_traceparent(header_with("01", "01x")).has_value());
  BOOST_TEST(!parse_traceparent(header_with("ff", "01")).has_value());
  BOOST_TEST(!parse_traceparent(header_with("00", "01-")).has_value());
}

BOOST_AUTO_TEST_CASE(each_kind_of_malformed_traceparent_is_left_out) {
  const auto with_ids = [](const std::string& trace, const std::string& span) {
    return "00-" + trace + '-' + span + "-01";
  };
  const std::string upper = "0AF7651916CD43DD8448EB211C80319C";
  for (const auto& header : {std::string{},
                             std::string{"00"},
                             header_with("00", "0"),
                             header_with("00", "011"),
                             header_with("0", "01"),
                             header_with("0G", "01"),
                             header_with("FE", "01"),
                             header_with("00", "0g"),
                             header_with("00", "0A"),
                             ' ' + header_with("00", "01"),
                             header_with("00", "01") + ' ',
                             with_ids(std::string(32, '0'), some_span),
                             with_ids(some_trace, std::string(16, '0')),
                             with_ids(upper, some_span),
                             with_ids(some_trace, "B7AD6B7169203331"),
                             with_ids(some_trace + '0', some_span),
                             with_ids(some_trace.substr(1), some_span),
                             with_ids(some_trace, some_span + '0'),
                             with_ids(some_trace, some_span.substr(1)),
                             with_ids("g" + some_trace.substr(1), some_span),
                             "00_" + some_trace + '-' + some_span + "-01",
                             "00-" + some_trace + '_' + some_span + "-01",
                             "00-" + some_trace + '-' + some_span + "_01"})
    BOOST_TEST(!parse_traceparent(header).has_value(), header);
}

BOOST_AUTO_TEST_CASE(ids_that_are_none_make_no_header) {
  BOOST_TEST(to_traceparent({"mine", some_span, true}) == "");
  BOOST_TEST(to_traceparent({some_trace, "", true}) == "");
  BOOST_TEST(!trace_of_task("mine", some_span).has_value());
  BOOST_TEST(!trace_of_task(some_trace, "").has_value());
  BOOST_TEST(trace_of_task(some_trace, some_span).value().is_sampled);
}

BOOST_AUTO_TEST_CASE(ids_have_all_digits_and_are_never_all_zero) {
  BOOST_TEST(trace_id_of(1, 0xabc) == "00000000000000010000000000000abc");
  BOOST_TEST(trace_id_of(1, 0) == "00000000000000010000000000000000");
  BOOST_TEST(trace_id_of(0, 0) == "00000000000000000000000000000001");
  BOOST_TEST(span_id_of(0xfedcba9876543210) == "fedcba9876543210");
  BOOST_TEST(span_id_of(0) == "0000000000000001");
}

BOOST_AUTO_TEST_CASE(the_flag_of_a_caller_decides_and_else_a_share) {
  const trace_context recorded{some_trace, some_span, true};
  const trace_context not_recorded{some_trace, some_span, false};
  BOOST_TEST(decide_sampling(recorded, 0, 99));
  BOOST_TEST(!decide_sampling(not_recorded, 100, 0));
  BOOST_TEST(!decide_sampling(std::nullopt, 0, 0));
  BOOST_TEST(decide_sampling(std::nullopt, 100, 99));
  BOOST_TEST(decide_sampling(std::nullopt, 30, 129));
  BOOST_TEST(!decide_sampling(std::nullopt, 30, 130));
}

BOOST_AUTO_TEST_SUITE_END()
