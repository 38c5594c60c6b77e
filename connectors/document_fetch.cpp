#include "connectors/document_fetch.hpp"

#include <curl/curl.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>

namespace holdfast::connectors {

namespace {

struct end_fetch {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};

struct received_document {
  std::size_t bytes_max = 0;
  std::string bytes;
};

std::size_t keep_document(char* bytes, std::size_t size, std::size_t count, void* of) {
  auto& document = *static_cast<received_document*>(of);
  const auto length = size * count;
  if (length > document.bytes_max - document.bytes.size())
    return 0;
  document.bytes.append(bytes, length);
  return length;
}

int is_stopped(void* of, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return static_cast<const std::atomic<bool>*>(of)->load() ? 1 : 0;
}

core::failure not_fetched(const std::string& why) {
  return {core::errc::unavailable, "the document cannot be fetched: " + why};
}

bool begins_with(std::string_view text, std::string_view beginning) {
  return text.substr(0, beginning.size()) == beginning;
}

} // namespace

bool is_safe_source(const std::string& url) {
  if (begins_with(url, "https://"))
    return true;
  // The host has to end here: http://127.0.0.1.example.org is another machine, and what stands
  // before an @ is no host.
  for (const std::string_view host : {"http://127.0.0.1", "http://[::1]"}) {
    if (!begins_with(url, host))
      continue;
    const auto rest = std::string_view{url}.substr(host.size());
    const auto port_end =
        rest.empty() || rest.front() != ':' ? 0 : rest.find_first_not_of("0123456789", 1);
    if (port_end == std::string_view::npos || port_end == rest.size() || rest[port_end] == '/')
      return true;
  }
  return false;
}

core::outcome<std::string> fetch_document(const document_request& wanted,
                                          const std::atomic<bool>& stopped) {
  static std::once_flag begun;
  std::call_once(begun, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
  if (!is_safe_source(wanted.url))
    return not_fetched("the URL is neither of https nor of this machine");
  const std::unique_ptr<CURL, end_fetch> handle{curl_easy_init()};
  if (!handle)
    return not_fetched("libcurl has no handle");
  received_document document{wanted.bytes_max, {}};
  bool is_set_up = true;
  const auto set = [&](CURLoption option, auto value) {
    is_set_up = curl_easy_setopt(handle.get(), option, value) == CURLE_OK && is_set_up;
  };
  using std::chrono::milliseconds;
  set(CURLOPT_URL, wanted.url.c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_PROXY, ""); // also where the environment names one
  set(CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_TIMEOUT_MS,
      static_cast<long>(std::chrono::duration_cast<milliseconds>(wanted.timeout).count()));
  set(CURLOPT_SSL_VERIFYPEER, 1L);
  set(CURLOPT_SSL_VERIFYHOST, 2L);
  set(CURLOPT_USERAGENT, wanted.user_agent.c_str());
  set(CURLOPT_WRITEFUNCTION, &keep_document);
  set(CURLOPT_WRITEDATA, static_cast<void*>(&document));
  set(CURLOPT_NOPROGRESS, 0L);
  set(CURLOPT_XFERINFOFUNCTION, &is_stopped);
  set(CURLOPT_XFERINFODATA, const_cast<std::atomic<bool>*>(&stopped));
  if (!is_set_up)
    return not_fetched("libcurl refuses an option");
  const auto how = curl_easy_perform(handle.get());
  if (how == CURLE_WRITE_ERROR)
    return not_fetched("it is larger than " + std::to_string(wanted.bytes_max) + " bytes");
  if (how != CURLE_OK)
    return not_fetched(curl_easy_strerror(how));
  long status = 0;
  curl_easy_getinfo(handle.get(), CURLINFO_RESPONSE_CODE, &status);
  if (status != 200)
    return not_fetched("the answer is HTTP " + std::to_string(status));
  return std::move(document.bytes);
}

} // namespace holdfast::connectors
