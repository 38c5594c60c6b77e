#include "app/commands.hpp"
#include "app/printable.hpp"
#include "link/authority.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::app {

namespace {

struct certs_flags {
  std::string directory;
  std::string authority_name = "Holdfast";
  std::uint32_t authority_days = link::authority_days;
  link::certificate_request request;
  std::vector<std::string> access; ///< In the words of the command line.
  std::string certificate_file;
};

/// `worker`, or `worker=resizer-1`.
core::outcome<core::grant> grant_of(const std::string& word) {
  const auto end = std::min(word.find('='), word.size());
  const auto as = core::role_named(word.substr(0, end));
  if (!as)
    return core::failure{core::errc::invalid_argument,
                         "--access " + word
                             + ": roles are admin, operator, requester, producer, worker,"
                               " contributor and auditor"};
  core::grant given{*as, end == word.size() ? std::string{} : word.substr(end + 1)};
  const bool has_name = *as == core::role::worker || *as == core::role::contributor;
  if (end != word.size() && (given.name.empty() || !has_name))
    return core::failure{core::errc::invalid_argument,
                         "--access " + word
                             + ": worker=NAME and contributor=NAME are bound to a name"};
  return given;
}

core::instant now() {
  return std::chrono::time_point_cast<core::duration>(std::chrono::system_clock::now());
}

exit_code finish(const core::outcome<bool>& done, const std::string& success) {
  if (!done) {
    std::cerr << "holdfast: " << printable_lines(done.error().detail) << '\n';
    return exit_code::configuration;
  }
  std::cout << printable(success) << '\n';
  return exit_code::ok;
}

exit_code make(const certs_flags& flags) {
  return finish(
      link::make_authority(flags.directory, flags.authority_name, flags.authority_days, now()),
      "made " + flags.directory + "/ca.crt, ca.key and ca.crl; ca.key stays here, and here only");
}

exit_code issue(certs_flags flags, link::holder kind) {
  flags.request.directory = flags.directory;
  flags.request.kind = kind;
  if (!flags.access.empty())
    flags.request.access.clear();
  for (const auto& word : flags.access) {
    const auto given = grant_of(word);
    if (!given) {
      std::cerr << "holdfast: " << given.error().detail << '\n';
      return exit_code::configuration;
    }
    flags.request.access.push_back(*given);
  }
  const auto base = flags.directory + '/' + flags.request.name;
  return finish(link::issue_certificate(flags.request, now()),
                "made " + base + ".crt and .key; give it these, ca.crt and ca.crl"
                    + (kind == link::holder::peer && flags.access.empty()
                           ? "; it may send every request, --access bounds that"
                           : ""));
}

exit_code revoke(const certs_flags& flags) {
  const auto file = flags.certificate_file.empty()
                        ? flags.directory + '/' + flags.request.name + ".crt"
                        : flags.certificate_file;
  return finish(link::revoke_certificate(flags.directory, file, now()),
                "revoked " + file + "; bring " + flags.directory
                    + "/ca.crl to every node and send it SIGHUP");
}

CLI::App* subcommand(CLI::App& certs, const std::shared_ptr<certs_flags>& flags, const char* name,
                     const char* about) {
  auto* command = certs.add_subcommand(name, about);
  command->add_option("--dir", flags->directory, "Directory of the authority")
      ->type_name("DIR")
      ->required();
  return command;
}

void add_issue(CLI::App& certs, exit_code& result, const char* name, const char* about,
               link::holder kind) {
  auto flags = std::make_shared<certs_flags>();
  auto* command = subcommand(certs, flags, name, about);
  auto& request = flags->request;
  command->add_option("--name", request.name, "Its name; also that of the files")->required();
  if (kind == link::holder::node)
    command
        ->add_option("--host", request.hosts,
                     "Name or IP address at which others reach it; may be repeated")
        ->take_all();
  else
    command
        ->add_option("--access", flags->access,
                     "The requests that it may send: admin (the default), operator, requester, "
                     "producer, worker, "
                     "contributor or auditor; worker=NAME and contributor=NAME speak for that one "
                     "alone; may be repeated")
        ->type_name("ROLE[=NAME]")
        ->take_all();
  command
      ->add_option(
          "--role", request.roles,
          "A further name, so that `link.peers` need not list each holder; may be repeated")
      ->take_all();
  command->add_option("--days", request.days, "How long it is good")->capture_default_str();
  command->add_flag("--replace", request.replace, "Replace the pair that is there");
  command->callback([flags, kind, &result] { result = issue(*flags, kind); });
}

} // namespace

void add_certs_command(CLI::App& cli, exit_code& result) {
  auto* certs =
      cli.add_subcommand("certs", "Make a private authority and certificates for nodes and peers");
  certs->require_subcommand(1);

  auto init = std::make_shared<certs_flags>();
  auto* init_command = subcommand(*certs, init, "init", "Make the authority");
  init_command->add_option("--name", init->authority_name, "Its name")->capture_default_str();
  init_command->add_option("--days", init->authority_days, "How long it is good")
      ->capture_default_str();
  init_command->callback([init, &result] { result = make(*init); });

  add_issue(*certs, result, "node", "Make key and certificate of a node: it accepts and dials",
            link::holder::node);
  add_issue(*certs, result, "peer", "Make key and certificate of a peer: it dials nodes",
            link::holder::peer);

  auto gone = std::make_shared<certs_flags>();
  auto* revoke_command =
      subcommand(*certs, gone, "revoke", "Put a certificate on the list of revoked ones");
  auto* by_name = revoke_command->add_option("--name", gone->request.name,
                                             "Name of the one whose file is in the directory");
  auto* by_file = revoke_command
                      ->add_option("--certificate", gone->certificate_file,
                                   "File of a certificate, such as one that was replaced")
                      ->type_name("FILE");
  by_name->excludes(by_file);
  revoke_command->callback([gone, by_name, by_file, &result] {
    if (by_name->empty() && by_file->empty())
      throw CLI::RequiredError("--name or --certificate");
    result = revoke(*gone);
  });
}

} // namespace holdfast::app
