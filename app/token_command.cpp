#include "app/admin_token.hpp"
#include "app/cluster_command.hpp"
#include "app/commands.hpp"
#include "app/page_loop.hpp"
#include "app/pretty_json.hpp"
#include "app/printable.hpp"
#include "client/id_source.hpp"
#include "config/value_text.hpp"
#include "core/api_token.hpp"
#include "core/sign_in_link.hpp"
#include "core/time_text.hpp"
#include "messages/token_messages.hpp"
#include "objects/sha256.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::app {

namespace {

using nlohmann::ordered_json;

constexpr std::uint32_t tokens_per_page = 1000; ///< As much as one answer holds.

struct token_flags {
  cluster_flags cluster;
  std::string role;
  std::string contributor;
  std::string worker;
  std::vector<std::string> queues;
  std::vector<std::string> workflows;
  std::string expires;
  std::string url;
  std::string id;
  bool json = false;
};

ordered_json instant_or_null(core::instant at) {
  return at == core::instant{} ? ordered_json{} : ordered_json{core::to_rfc3339(at)};
}

ordered_json token_json(const msg::token_view& token) {
  auto workflows = ordered_json::array();
  for (const auto& one : token.workflows)
    workflows.push_back(core::to_string(one));
  auto made = ordered_json::object();
  made["id"] = core::to_string(token.token);
  made["role"] = token.role;
  made["name"] = token.name;
  made["queues"] = token.queues;
  made["workflows"] = std::move(workflows);
  made["state"] = token.state;
  made["created_by"] = token.created_by;
  made["created_at"] = core::to_rfc3339(token.created_at);
  made["expires_at"] = instant_or_null(token.expires_at);
  made["revoked_at"] = instant_or_null(token.revoked_at);
  made["last_used_at"] = instant_or_null(token.last_used_at);
  return made;
}

/// The queues and workflows that a token reaches, for people.
std::string scope_of_token(const msg::token_view& token) {
  std::string text;
  const auto add = [&](const std::string& word) { text += (text.empty() ? "" : " ") + word; };
  for (const auto& prefix : token.queues)
    add("queues:" + prefix);
  for (const auto& workflow : token.workflows)
    add("workflow:" + core::to_string(workflow));
  return text.empty() ? "everything" : text;
}

std::string time_of_token(core::instant at) {
  return at == core::instant{} ? "never" : core::to_rfc3339(at);
}

void print_token(const msg::token_view& token) {
  print_formatted("%-36s  %-11s  %-7s  %-27s  %-27s  %s%s\n", core::to_string(token.token),
                  token.role, token.state, time_of_token(token.expires_at),
                  time_of_token(token.last_used_at), scope_of_token(token),
                  token.name.empty() ? std::string{} : "  only " + token.name);
}

exit_code refuse_flags(const std::string& why) {
  return refuse({core::errc::invalid_argument, why}, exit_code::usage);
}

// --- create ---

/// As `config::parse_duration`, and days: `30d`.
std::optional<core::duration> lifetime_in(const std::string& text) {
  if (text.empty() || text.back() != 'd')
    return config::parse_duration(text);
  const auto hours = config::parse_duration(text.substr(0, text.size() - 1) + 'h');
  if (!hours || *hours > core::token_lifetime_max / 24)
    return std::nullopt;
  return *hours * 24;
}

/// Fills in the members that the flags name; returns the first mistake in them, or nothing.
std::string read_token_flags(const token_flags& flags, msg::create_token& into) {
  into.role = flags.role;
  into.name = flags.worker.empty() ? flags.contributor : flags.worker;
  into.queues = flags.queues;
  if (!flags.contributor.empty() && flags.role != "contributor")
    return "--contributor is for the role contributor alone";
  if (!flags.worker.empty() && flags.role != "worker")
    return "--worker is for the role worker alone";
  for (const auto& text : flags.workflows) {
    const auto id = core::parse_uuid(text);
    if (!id)
      return "--workflows must be ids, and not " + text;
    into.workflows.push_back({*id});
  }
  if (flags.expires.empty())
    return {};
  const auto span = lifetime_in(flags.expires);
  if (!span || *span <= core::duration::zero())
    return "--expires must be a time such as 12h or 30d, and not " + flags.expires;
  into.lifetime = *span;
  return {};
}

// --- link ---

/// The address of the pages of the configured node, such as `http://127.0.0.1:8470`; empty when it
/// has none.
std::string pages_address(const token_flags& flags) {
  if (!flags.url.empty())
    return flags.url.substr(0, flags.url.find_last_not_of('/') + 1);
  const auto loaded = flags.cluster.configuration.load();
  const auto& http = loaded.values.http;
  if (!loaded.usable() || http.port == 0)
    return {};
  // An IPv6 address stands in brackets.
  const bool is_v6 = http.listen_address.find(':') != std::string::npos;
  const auto host = is_v6 ? '[' + http.listen_address + ']' : http.listen_address;
  return "http://" + host + ':' + std::to_string(http.port);
}

exit_code make_link(const token_flags& flags) {
  msg::create_token wanted;
  if (const auto why = read_token_flags(flags, wanted); !why.empty())
    return refuse_flags(why);
  const auto address = pages_address(flags);
  if (address.empty())
    return refuse_flags("the configuration has no http.port: name the address at which people "
                        "reach the pages with --url");
  const auto secret = new_token_secret();
  if (!secret)
    return refuse(secret.error(), exit_code::crashed);
  client::id_source ids;
  wanted.token = {ids.next()};
  wanted.secret_hash = core::to_string(objects::sha256(core::hashed_text_of_link(*secret)));
  wanted.lifetime = core::sign_in_link_lifetime;
  wanted.created_by = "holdfast token link";
  return with_cluster(flags.cluster, [&](const client::connection& cluster) {
    const auto made = cluster.ask<msg::token_view>(wanted);
    if (!made)
      return refused_by_node(made.error());
    const auto text = core::text_of_link({wanted.token, *secret});
    const auto url = address + core::page_of_link(made->role, text);
    if (flags.json) {
      auto all = token_json(*made);
      all["url"] = url;
      std::cout << pretty(all) << '\n';
    } else {
      std::cout << url << '\n';
      std::cerr << "The link signs one person in, once, within 10 minutes.\n";
    }
    return exit_code::ok;
  });
}

exit_code make_token(const token_flags& flags) {
  msg::create_token wanted;
  if (const auto why = read_token_flags(flags, wanted); !why.empty())
    return refuse_flags(why);
  const auto secret = new_token_secret();
  if (!secret)
    return refuse(secret.error(), exit_code::crashed);
  client::id_source ids;
  wanted.token = {ids.next()};
  wanted.secret_hash = core::to_string(objects::sha256(*secret));
  wanted.created_by = "holdfast token create";
  return with_cluster(flags.cluster, [&](const client::connection& cluster) {
    const auto made = cluster.ask<msg::token_view>(wanted);
    if (!made)
      return refused_by_node(made.error());
    const auto text = core::to_string(core::api_token_text{wanted.token, *secret});
    if (flags.json) {
      auto all = token_json(*made);
      all["token"] = text;
      std::cout << pretty(all) << '\n';
    } else {
      std::cout << text << '\n';
      std::cerr << "This is the only time that the token is shown.\n";
    }
    return exit_code::ok;
  });
}

// --- list and revoke ---

exit_code list_all_tokens(const token_flags& flags) {
  return with_cluster(flags.cluster, [&](const client::connection& cluster) {
    auto all = ordered_json::array();
    msg::list_tokens asked;
    const auto read = read_pages(
        cluster, asked, std::numeric_limits<std::uint32_t>::max(), tokens_per_page,
        [&](const msg::token_page& page, std::uint32_t before) {
          if (!flags.json && before == 0 && !page.tokens.empty())
            print_formatted("%-36s  %-11s  %-7s  %-27s  %-27s  %s\n", std::string{"id"},
                            std::string{"role"}, std::string{"state"}, std::string{"expires"},
                            std::string{"last used"}, std::string{"reaches"});
          for (const auto& token : page.tokens)
            if (flags.json)
              all.push_back(token_json(token));
            else
              print_token(token);
          if (!page.tokens.empty())
            asked.after = page.tokens.back().token;
          return page.tokens.size();
        });
    if (!read)
      return refused_by_node(read.error());
    if (flags.json)
      std::cout << pretty({{"tokens", std::move(all)}}) << '\n';
    else if (read->items == 0)
      std::cout << "no tokens\n";
    return exit_code::ok;
  });
}

exit_code end_token(const token_flags& flags) {
  const auto id = id_in<core::api_token_id>(flags.id, "the token");
  if (!id)
    return exit_code::usage;
  return with_cluster(flags.cluster, [&](const client::connection& cluster) {
    const auto revoked = cluster.ask<msg::token_view>(msg::revoke_token{*id});
    if (!revoked)
      return refused_by_node(revoked.error());
    if (flags.json)
      std::cout << pretty(token_json(*revoked)) << '\n';
    else
      std::cout << core::to_string(revoked->token) << " is revoked\n";
    return exit_code::ok;
  });
}

// --- the command line ---

struct token_subcommand {
  CLI::App* command;
  std::shared_ptr<token_flags> flags;
};

token_subcommand add_for_tokens(CLI::App& tokens, exit_code& result, const char* name,
                                const char* about,
                                const std::function<exit_code(const token_flags&)>& run) {
  auto flags = std::make_shared<token_flags>();
  auto* command = tokens.add_subcommand(name, about);
  flags->cluster.add_to(*command);
  command->add_flag("--json", flags->json, "Print one JSON object");
  command->callback([flags, run, &result] { result = run(*flags); });
  return {command, flags};
}

/// The flags that say whose token or session it is to be.
void add_holder_flags(const token_subcommand& of) {
  auto& flags = *of.flags;
  of.command
      ->add_option("--role", flags.role,
                   "admin, operator, requester, producer, worker, contributor or auditor")
      ->type_name("ROLE")
      ->required();
  of.command->add_option("--contributor", flags.contributor, "The only contributor it may name")
      ->type_name("NAME");
  of.command->add_option("--worker", flags.worker, "The only worker it may name")
      ->type_name("NAME");
  of.command
      ->add_option("--queues", flags.queues,
                   "The beginnings of the names of the only queues it reaches, with commas between")
      ->type_name("PREFIXES")
      ->delimiter(',');
  of.command
      ->add_option("--workflows", flags.workflows,
                   "The only workflows it reaches, with commas between")
      ->type_name("IDS")
      ->delimiter(',');
}

} // namespace

void add_token_command(CLI::App& cli, exit_code& result) {
  auto* tokens = cli.add_subcommand("token", "Make, list and revoke API tokens of HTTP clients");
  tokens->require_subcommand(1);

  const auto making =
      add_for_tokens(*tokens, result, "create", "Make a token, and print it once", make_token);
  add_holder_flags(making);
  making.command
      ->add_option("--expires", making.flags->expires, "Good for this time; else for ever")
      ->type_name("TIME");

  const auto linking = add_for_tokens(
      *tokens, result, "link", "Make a link that signs a person in at the pages, once", make_link);
  add_holder_flags(linking);
  linking.command
      ->add_option("--url", linking.flags->url,
                   "The address at which people reach a node; else that of this configuration")
      ->type_name("URL");

  add_for_tokens(*tokens, result, "list", "List the tokens, without their secrets",
                 list_all_tokens);

  const auto revoking =
      add_for_tokens(*tokens, result, "revoke", "End a token for good", end_token);
  revoking.command->add_option("id", revoking.flags->id, "The token's id")->required();
}

} // namespace holdfast::app
