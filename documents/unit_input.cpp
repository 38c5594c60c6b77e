#include "documents/unit_input.hpp"

#include "core/object_ref.hpp"
#include "documents/canonical_json.hpp"
#include "documents/json.hpp"

namespace holdfast::documents {

core::outcome<std::string> unit_input(std::string_view text, const json_limits& limits) {
  if (auto why = check_json(text, limits); why.code != core::errc::none)
    return why;
  auto canonical = canonical_json(text);
  if (core::begins_like_object_ref(canonical))
    return refused_as_reference();
  if (canonical.size() > limits.bytes_max)
    return core::failure{core::errc::too_large, "with its numbers written out the JSON text has "
                                                    + std::to_string(canonical.size())
                                                    + " bytes; send at most "
                                                    + std::to_string(limits.bytes_max)};
  return canonical;
}

} // namespace holdfast::documents
