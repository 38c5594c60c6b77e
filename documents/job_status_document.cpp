#include "documents/job_status_document.hpp"

#include "core/uuid.hpp"
#include "documents/member_reader.hpp"
#include "documents/parse.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::documents {

using nlohmann::json;

namespace {

constexpr const char* event_type = "JobStatusChanged";
constexpr std::uint64_t revision_max =
    std::numeric_limits<std::int64_t>::max(); // as the database has it

class event_reader {
public:
  told_job told;
  std::vector<core::definition_problem> problems;

  void read(const json& document) {
    member_reader from{document, "", problems};
    if (const auto* type = from.required("type", "it is \"JobStatusChanged\""))
      if (*type != event_type)
        from.problem("type", "must be \"JobStatusChanged\": no other event is taken");
    if (const auto* id = from.required("workflow_id", "it is the id of the job"))
      read_id(from, *id);
    if (const auto* revision = from.required("revision", "it tells which change is the latest"))
      read_revision(from, *revision);
    if (const auto* status = from.required("status", "it says where the job stands"))
      read_status(from, *status);
  }

private:
  void read_id(member_reader& from, const json& source) {
    const auto id = source.is_string() ? core::parse_uuid(source.get<std::string>()) : std::nullopt;
    if (id && *id)
      told.workflow.value = *id;
    else
      from.problem("workflow_id", "must be a UUID that is not nil, e.g. "
                                  "\"018f2c5e-7c1a-7000-8000-000000000001\"");
  }

  void read_revision(member_reader& from, const json& source) {
    const auto revision = source.is_number_unsigned() ? source.get<std::uint64_t>() : 0;
    if (revision >= 1 && revision <= revision_max)
      told.news.revision = revision;
    else
      from.problem("revision", "must be a whole number from 1 to " + std::to_string(revision_max));
  }

  void read_status(member_reader& from, const json& source) {
    const auto status =
        source.is_string() ? core::job_status_named(source.get<std::string>()) : std::nullopt;
    if (status)
      told.news.status = *status;
    else
      from.problem("status", "must be \"launched\", \"paused\", \"finished\" or \"canceled\"");
  }
};

} // namespace

core::outcome<told_job> parse_job_status_changed(std::string_view text) {
  const auto document = parse_json(text, {});
  if (!document)
    return document.error();
  event_reader reader;
  reader.read(*document);
  if (!reader.problems.empty())
    return refusal_of(reader.problems);
  return reader.told;
}

} // namespace holdfast::documents
