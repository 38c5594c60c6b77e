#pragma once

#include "core/ids.hpp"
#include "core/time.hpp"
#include "http/door.hpp"
#include "http/routes.hpp"
#include "http/shapes/token_shapes.hpp"

#include <string>
#include <string_view>
#include <vector>

/// The request that makes an API token: its secret is made here, shown once, and sent nowhere.
namespace holdfast::http {

/// The answer of `create_token`.
struct token_made {
  static constexpr std::string_view name = "token_made";

  std::string text; ///< `hf_<id>_<secret>`.
  msg::token_view view;
};

template <class Fields>
void describe(Fields& f, token_made& x) {
  f.required("token", x.text, "The token. It is shown here, and nowhere again.");
  describe(f, x.view);
}

struct create_token {
  static constexpr route_row row{topic::cluster, verb::post, "/v1/tokens", 201,
                                 "Make an API token"};
  static constexpr std::string_view name = "create_token";
  using answer = token_made;
  static void run(const door& through, const visit& from, create_token asked);

  core::api_token_id id;
  std::string role;
  std::string contributor;
  std::string worker;
  std::vector<std::string> queues;
  std::vector<core::workflow_id> workflows;
  core::duration expires_in{0};
};

template <class Fields>
void describe(Fields& f, create_token& x) {
  f.made("id", x.id,
         "The id of the token. A request that is repeated with it is answered `already_exists`, "
         "since no secret can be shown again: revoke the token, and make another one.");
  f.required("role", x.role,
             "`admin`, `operator`, `requester`, `producer`, `worker`, `contributor` or `auditor`.");
  f.optional("contributor", x.contributor,
             "The only contributor that the holder may name, for the role contributor.");
  f.optional("worker", x.worker, "The only worker that the holder may name, for the role worker.");
  f.optional("queues", x.queues,
             "The beginnings of the names of the only queues that the token reaches, at most 100.");
  f.optional("workflows", x.workflows, "The only workflows that the token reaches, at most 100.");
  f.optional("expires_in", x.expires_in,
             "Seconds for which the token is good, at most ten years. Left out: for ever.");
}

/// The answer of `create_sign_in_link`.
struct sign_in_link_made {
  static constexpr std::string_view name = "sign_in_link_made";

  std::string text; ///< `hl_<id>_<secret>`.
  std::string path; ///< Of the page that takes it.
  msg::token_view view;
};

template <class Fields>
void describe(Fields& f, sign_in_link_made& x) {
  f.required("link", x.text, "The secret of the link. It is shown here, and nowhere again.");
  f.required("path", x.path,
             "The page with the link, below the address of a node: `/console#link=…`.");
  describe(f, x.view);
}

/// The request that makes a link which signs a person in at a page, once.
struct create_sign_in_link {
  static constexpr route_row row{topic::cluster, verb::post, "/v1/sign-in-links", 201,
                                 "Make a link that signs a person in"};
  static constexpr std::string_view name = "create_sign_in_link";
  using answer = sign_in_link_made;
  static void run(const door& through, const visit& from, create_sign_in_link asked);

  core::api_token_id id;
  std::string role;
  std::string contributor;
  std::string worker;
  std::vector<std::string> queues;
  std::vector<core::workflow_id> workflows;
};

template <class Fields>
void describe(Fields& f, create_sign_in_link& x) {
  f.made("id", x.id,
         "The id of the link. A request that is repeated with it is answered `already_exists`.");
  f.required("role", x.role, "The role of the session, as of a token.");
  f.optional("contributor", x.contributor,
             "The only contributor that the person may act for, for the role contributor.");
  f.optional("worker", x.worker,
             "The only worker that the person may act for, for the role worker.");
  f.optional("queues", x.queues,
             "The beginnings of the names of the only queues that it reaches, at most 100.");
  f.optional("workflows", x.workflows, "The only workflows that it reaches, at most 100.");
}

} // namespace holdfast::http
