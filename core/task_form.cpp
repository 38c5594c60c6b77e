#include "core/task_form.hpp"

#include <charconv>

namespace holdfast::core {

namespace {

std::string names_of(const task_forms& forms) {
  std::string names;
  for (const auto& [major, form] : forms)
    names += (names.empty() ? "" : ", ") + std::to_string(major);
  return names;
}

failure check_part(const text_check& check, const std::string& json, const char* part) {
  auto why = check ? check(json) : failure{};
  if (why.code != errc::none)
    why.detail = std::string{part} + ": " + why.detail;
  return why;
}

} // namespace

std::optional<std::uint32_t> major_of(std::string_view version) {
  const auto dot = version.find('.');
  std::uint32_t major = 0;
  if (dot == std::string_view::npos)
    return std::nullopt;
  const auto [end, error] = std::from_chars(version.data(), version.data() + dot, major);
  if (error != std::errc{} || end != version.data() + dot)
    return std::nullopt;
  return major;
}

failure check_form(const task_forms& forms, const new_task& task) {
  if (forms.empty())
    return {};
  const auto& spec = task.spec;
  const auto major = major_of(spec.version);
  const auto form = major ? forms.find(*major) : forms.end();
  if (form == forms.end())
    return {errc::invalid_argument, "version " + spec.version + ": tasks of type " + spec.type
                                        + " are known here in major versions " + names_of(forms)};
  auto why = check_part(form->second.body, spec.body, "body");
  return why.code != errc::none ? why : check_part(form->second.data, task.data, "data");
}

} // namespace holdfast::core
