#include "documents/envelope_document.hpp"

#include "core/queue_policy.hpp"
#include "core/time_text.hpp"
#include "documents/json.hpp"
#include "documents/member_reader.hpp"
#include "documents/parse.hpp"
#include "documents/raw_member.hpp"
#include "documents/task_words.hpp"

#include <string>
#include <utility>

namespace holdfast::documents {

using nlohmann::json;

namespace {

/// What stands around the body, generously: seven short texts, each perhaps written in escapes.
constexpr std::size_t frame_bytes_max = 8 * 1024;

class envelope_reader {
public:
  core::job_envelope envelope;
  std::vector<core::definition_problem> problems;

  void read(const json& document) {
    member_reader from{document, "", problems};
    if (const auto* header = from.required("header", "it says what job this is"))
      read_header(*header);
    from.required("body", "send {} for a job without one");
    if (const auto* tracing = from.member("tracing"))
      read_tracing(*tracing);
    from.refuse_unknown();
  }

private:
  void read_header(const json& source) {
    member_reader from{source, "/header", problems};
    if (const auto* id = from.required("job_id", "it tells a repetition from a new job"))
      read_id(from, *id);
    if (const auto* type = from.required("type", "it chooses the handler")) {
      from.text(*type, "type", envelope.type);
      if (type->is_string())
        refuse_if(from, "type", check_text(envelope.type, "type", core::task_word_bytes_max));
    }
    if (const auto* version = from.required("version", "e.g. \"1.0\"")) {
      from.text(*version, "version", envelope.version);
      if (version->is_string())
        refuse_if(from, "version", check_version(envelope.version));
    }
    if (const auto* created_at = from.member("created_at"))
      read_created_at(from, *created_at);
    from.count("attempt", envelope.attempt);
    if (envelope.attempt == 0)
      from.problem("attempt", "must be at least 1: tries are counted from 1");
    if (const auto* most = from.member("max_attempts"))
      read_max_attempts(from, *most);
    from.refuse_unknown();
  }

  void read_id(member_reader& from, const json& source) {
    const auto id = source.is_string() ? core::parse_uuid(source.get<std::string>()) : std::nullopt;
    if (id && *id)
      envelope.job_id.value = *id;
    else
      from.problem("job_id", "must be a UUID that is not nil, e.g. "
                             "\"018f2c5e-7c1a-7000-8000-000000000001\"");
  }

  void read_created_at(member_reader& from, const json& source) {
    const auto at =
        source.is_string() ? core::parse_rfc3339(source.get<std::string>()) : std::nullopt;
    if (at)
      envelope.created_at = *at;
    else
      from.problem("created_at", "must be a time, e.g. \"2024-12-24T12:00:00Z\"");
  }

  void read_max_attempts(member_reader& from, const json& source) {
    if (source.is_number_unsigned() && source.get<std::uint64_t>() >= 1
        && source.get<std::uint64_t>() <= core::max_attempts_most)
      envelope.max_attempts = source.get<std::uint32_t>();
    else
      from.problem("max_attempts", "must be a whole number from 1 to "
                                       + std::to_string(core::max_attempts_most)
                                       + "; leave it out for what the queue says");
  }

  void read_tracing(const json& source) {
    member_reader from{source, "/tracing", problems};
    for (const auto& [name, into] :
         {std::pair<const char*, std::string*>{"trace_id", &envelope.trace_id},
          {"span_id", &envelope.span_id}}) {
      from.text(name, *into);
      refuse_if(from, name, check_word(*into, name));
    }
    from.refuse_unknown();
  }

  static void refuse_if(member_reader& from, std::string_view name, core::failure why) {
    if (why.code != core::errc::none)
      from.problem(name, std::move(why.detail));
  }
};

} // namespace

core::outcome<core::job_envelope> parse_envelope(std::string_view text, const json_limits& limits) {
  const auto document =
      parse_json(text, {limits.bytes_max + frame_bytes_max, limits.depth_max + 1});
  if (!document)
    return document.error();
  envelope_reader reader;
  reader.read(*document);
  if (!reader.problems.empty())
    return refusal_of(reader.problems);
  const auto body = raw_member(text, "body");
  if (body.size() > limits.bytes_max)
    return core::failure{core::errc::too_large, "/body: has " + std::to_string(body.size())
                                                    + " bytes; send at most "
                                                    + std::to_string(limits.bytes_max)};
  reader.envelope.body = body;
  return std::move(reader.envelope);
}

} // namespace holdfast::documents
