#pragma once

#include <string>

namespace holdfast::http {

/// The API as OpenAPI 3.1, for programs. Made once, from `routes()`.
const std::string& openapi_document();

/// The same for people: a page that needs nothing from elsewhere, with an anchor
/// `error-<code>` for each error. Made once.
const std::string& reference_page();

} // namespace holdfast::http
