#include "core/receiver.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace holdfast::core {

namespace {

constexpr std::size_t url_bytes_max = 2048;
constexpr std::size_t secret_name_bytes_max = 64;

bool is_secret_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
}

/// The part of a URL that says where to connect.
std::string_view authority_of(std::string_view url) {
  const auto begin = url.find("://") + 3;
  return url.substr(begin, url.find_first_of("/?#", begin) - begin);
}

} // namespace

bool is_secret_name(std::string_view name) {
  return !name.empty() && name.size() <= secret_name_bytes_max && name.front() != '.'
         && name.front() != '-' && name.front() != '_'
         && std::all_of(name.begin(), name.end(), is_secret_character);
}

std::vector<definition_problem>
problems_of_receiver(const std::string& url, const std::string& secret, const std::string& place) {
  std::vector<definition_problem> problems;
  const auto expect = [&](bool holds, const char* member, std::string what) {
    if (!holds)
      problems.push_back({place + member, std::move(what)});
  };
  const bool is_http = begins_with(url, "https://") || begins_with(url, "http://");
  expect(is_http, "/url", "must begin with https:// or http://");
  expect(url.size() <= url_bytes_max, "/url",
         "must have at most " + std::to_string(url_bytes_max) + " bytes");
  expect(std::all_of(url.begin(), url.end(), [](char c) { return c > ' ' && c < '\x7f'; }), "/url",
         "must have no blanks and no characters outside ASCII; write them as %XX");
  expect(!is_http || !authority_of(url).empty(), "/url", "must name a host");
  expect(!is_http || authority_of(url).find('@') == std::string_view::npos, "/url",
         "must have no user and password, which would be shown with it");
  expect(is_secret_name(secret), "/secret",
         "must be the name of a secret, 1 to 64 of a-z 0-9 _ . -, and never the secret itself");
  return problems;
}

} // namespace holdfast::core
