#include "http/page_sessions.hpp"

#include "core/api_token.hpp"
#include "core/sign_in_link.hpp"
#include "documents/json.hpp"
#include "http/browser_request.hpp"
#include "http/header_names.hpp"
#include "http/problem.hpp"
#include "http/request_reader.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::http {

namespace {

/// Of the body that signs in: a token of 8 KiB, and a name for it.
constexpr std::size_t sign_in_bytes_max = 16UL * 1024;
constexpr std::size_t sign_in_depth_max = 2;

/// The body that signs in.
struct sign_in_wanted {
  std::string token;
  std::string link;
};

template <class Fields>
void describe(Fields& f, sign_in_wanted& x) {
  f.optional("token", x.token, "An API token, or a JSON Web Token of the issuer.");
  f.optional("link", x.link, "The secret of a sign-in link, which works once.");
}

/// The person behind a session, for its page.
struct page_session {
  std::string role;
  std::vector<std::string> roles;
  std::string contributor;
  std::string worker;
  std::vector<std::string> queues;
  std::vector<core::workflow_id> workflows;
  core::instant expires_at{}; ///< The epoch: not known.
};

template <class Fields>
void describe(Fields& f, page_session& x) {
  f.required("role", x.role, "The role of the person; the first of several.");
  f.required("roles", x.roles, "All of them.");
  f.optional("contributor", x.contributor, "The only contributor that the person may act for.");
  f.optional("worker", x.worker, "The only worker that the person may act for.");
  f.required("queues", x.queues, "The beginnings of the names of the queues that it reaches.");
  f.required("workflows", x.workflows,
             "The workflows that it reaches. Without any and without queues: all of both.");
  f.optional("expires_at", x.expires_at, "The time from which its token is no longer good.");
}

page_session session_of(const core::principal& who, core::instant expires_at) {
  page_session made;
  if (!who.grants.empty())
    made.role = core::to_string(who.grants.front().as);
  for (const auto& one : who.grants) {
    made.roles.emplace_back(core::to_string(one.as));
    if (one.as == core::role::contributor)
      made.contributor = one.name;
    if (one.as == core::role::worker)
      made.worker = one.name;
  }
  made.queues = who.scope.queues;
  made.workflows = who.scope.workflows;
  made.expires_at = expires_at;
  return made;
}

response session_answer(page_session session, core::instant now) {
  response made;
  made.body = to_json(session, now);
  return made;
}

response no_content(std::optional<parameter> cookie) {
  response made;
  made.status = 204;
  made.content_type.clear();
  if (cookie)
    made.headers.push_back(std::move(*cookie));
  return made;
}

/// Has `then` run with the identity behind a credential; answers the call where there is none.
/// `shown.text` must live as long as the call.
void identify_for(const door& through, const call_ptr& call, shown_token shown,
                  std::function<void(identity)> then) {
  through.settings().identify(std::move(shown), [call, then = std::move(then)](identity found) {
    if (!found.who)
      return call->answer(std::move(found.refused));
    then(std::move(found));
  });
}

// --- GET ---

void tell_session(const door& through, const call_ptr& call) {
  const auto& asked = call->asked();
  const auto from = credential_of(asked);
  if (from.token.empty())
    return call->answer(no_content(std::nullopt));
  through.settings().identify(
      {from.token, asked.peer}, [&through, call, is_cookie = from.is_cookie](identity found) {
        if (found.who)
          return call->answer(session_answer(session_of(*found.who, found.expires_at),
                                             through.settings().now().value_or(core::instant{})));
        // A session that is over: nobody is signed in, and the browser forgets the cookie.
        constexpr unsigned unauthenticated = 401;
        if (is_cookie && found.refused.status == unauthenticated)
          return call->answer(no_content(no_session_cookie(call->asked())));
        call->answer(std::move(found.refused));
      });
}

// --- POST ---

/// Keeps a token in the browser, and tells whose it is.
void begin_session(const call_ptr& call, std::string_view token, bool is_of_link,
                   page_session session, core::instant now) {
  auto lifetime = core::session_lifetime;
  if (session.expires_at != core::instant{})
    lifetime = std::clamp(session.expires_at - now, core::duration::zero(), lifetime);
  auto cookie = session_cookie(call->asked(), token, is_of_link, lifetime);
  auto made = session_answer(std::move(session), now);
  made.headers.push_back(std::move(cookie));
  call->answer(std::move(made));
}

void sign_in_by_token(const door& through, const call_ptr& call, std::string token,
                      core::instant now) {
  const auto kept = std::make_shared<const std::string>(std::move(token));
  identify_for(through, call, {*kept, call->asked().peer}, [call, kept, now](identity found) {
    if (!fits_cookie(*kept))
      return call->answer(
          problem_of({{"/token", "is longer than a browser keeps: 3,800 bytes at most"}}));
    begin_session(call, *kept, false, session_of(*found.who, found.expires_at), now);
  });
}

/// Makes the token of the session that a link opens. Of two exchanges of one link, which may both
/// have found it good, one makes the token: its id follows from the link.
void open_link(const door& through, const visit& from, core::api_token_id link, core::instant now) {
  const auto secret = through.settings().make_secret();
  if (!secret)
    return from.call->answer(problem_of(secret.error()));
  const auto& granted = from.who->grants.front();
  msg::create_token wanted;
  wanted.token = core::session_of_link(link);
  wanted.secret_hash = through.settings().hash(*secret);
  wanted.role = core::to_string(granted.as);
  wanted.name = granted.name;
  wanted.queues = from.who->scope.queues;
  wanted.workflows = from.who->scope.workflows;
  wanted.lifetime = core::session_lifetime;
  wanted.created_by = "sign-in link " + core::to_string(link);
  auto text = core::to_string(core::api_token_text{wanted.token, *secret});
  through.send_for(
      from, std::move(wanted),
      [from, now, text = std::move(text)](const msg::token_view& view) {
        begin_session(from.call, text, true, session_of(*from.who, view.expires_at), now);
      },
      [from](const core::failure& why) {
        if (why.code == core::errc::already_exists)
          return from.call->answer(
              problem_of(refusal::unauthenticated, "the sign-in link was used already"));
        from.call->answer(problem_of(why));
      });
}

void sign_in_by_link(const door& through, const call_ptr& call, std::string link,
                     core::instant now) {
  const auto kept = std::make_shared<const std::string>(std::move(link));
  shown_token shown{*kept, call->asked().peer};
  shown.is_link = true;
  identify_for(through, call, std::move(shown), [&through, call, kept, now](identity found) {
    const auto id = core::parse_sign_in_link(*kept)->id;
    visit from;
    from.call = call;
    from.who = std::move(found.who);
    // First: a link whose session could not be made is used up, too.
    through.send_for(
        from, msg::revoke_token{id},
        [&through, from, id, now](const msg::token_view&) { open_link(through, from, id, now); },
        [from](const core::failure& why) { from.call->answer(problem_of(why)); });
  });
}

/// Reads the body; none when the call was answered with what is wrong with it.
std::optional<sign_in_wanted> read_sign_in(const call_ptr& call) {
  const auto& asked = call->asked();
  const auto type = header_of(asked, "content-type");
  if (!is_same_name(type.substr(0, type.find(';')), "application/json")) {
    call->answer(problem_of(refusal::unsupported_media_type, "the body must be application/json"));
    return std::nullopt;
  }
  if (const auto coding = header_of(asked, "content-encoding"); !coding.empty()) {
    call->answer(problem_of(refusal::unsupported_media_type, "the body must not be packed"));
    return std::nullopt;
  }
  if (const auto why = documents::check_json(asked.body, {sign_in_bytes_max, sign_in_depth_max});
      why.code != core::errc::none) {
    call->answer(problem_of(why));
    return std::nullopt;
  }
  request_parts parts;
  parts.body = asked.body;
  parts.body.remove_prefix(std::min(parts.body.find_first_not_of(" \t\r\n"), parts.body.size()));
  std::vector<request_problem> problems;
  auto wanted = read_request<sign_in_wanted>(parts, problems);
  if (problems.empty() && wanted.token.empty() == wanted.link.empty())
    problems.push_back({"", "must have either `token` or `link`"});
  if (problems.empty())
    return wanted;
  call->answer(problem_of(problems));
  return std::nullopt;
}

void sign_in(const door& through, const call_ptr& call) {
  const auto now = through.settings().now();
  if (!now)
    return call->answer(problem_of({core::errc::unavailable, "the node is starting"}));
  auto wanted = read_sign_in(call);
  if (!wanted)
    return;
  if (wanted->link.empty())
    sign_in_by_token(through, call, std::move(wanted->token), *now);
  else
    sign_in_by_link(through, call, std::move(wanted->link), *now);
}

// --- DELETE ---

void sign_out(const door& through, const call_ptr& call) {
  const auto& asked = call->asked();
  const auto from = credential_of(asked);
  const auto token = from.is_of_link ? core::parse_api_token(from.token) : std::nullopt;
  if (!token)
    return call->answer(no_content(no_session_cookie(asked)));
  through.settings().identify(
      {from.token, asked.peer}, [&through, call, id = token->id](identity found) {
        const auto over = [call] { call->answer(no_content(no_session_cookie(call->asked()))); };
        constexpr unsigned unauthenticated = 401;
        if (!found.who)
          return found.refused.status == unauthenticated ? over()
                                                         : call->answer(std::move(found.refused));
        visit as;
        as.call = call;
        as.who = std::move(found.who);
        through.send_for(
            as, msg::revoke_token{id}, [over](const msg::token_view&) { over(); },
            [call](const core::failure& why) { call->answer(problem_of(why)); });
      });
}

} // namespace

void serve_session(const door& through, const call_ptr& call) {
  const auto& asked = call->asked();
  const bool is_read = asked.method == "GET";
  if (!is_read && asked.method != "POST" && asked.method != "DELETE") {
    auto refused = problem_of(refusal::method_not_allowed, "this path takes GET, POST, DELETE");
    refused.headers.push_back({"Allow", "GET, POST, DELETE"});
    return call->answer(std::move(refused));
  }
  // Also to sign in: a foreign page must not sign a person in as somebody else.
  if (!is_read || credential_of(asked).is_cookie)
    if (auto why = objection_by_origin(asked); !why.empty())
      return call->answer(problem_of(refusal::cross_site, std::move(why)));
  if (is_read)
    tell_session(through, call);
  else if (asked.method == "POST")
    sign_in(through, call);
  else
    sign_out(through, call);
}

} // namespace holdfast::http
