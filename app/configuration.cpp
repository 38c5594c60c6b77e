#include "app/configuration.hpp"

#include "app/printable.hpp"

#include <CLI/Error.hpp>

#include <iostream>

namespace holdfast::app {

void configuration_flags::add_to(CLI::App& command) {
  command.add_option("--config", file_, "TOML file to read; also HOLDFAST_CONFIG")
      ->type_name("FILE");
  command
      .add_option("--set", sets_,
                  "Set an option, such as log.level=debug; may be repeated. Every option can also "
                  "come from the environment: HOLDFAST_LOG_LEVEL. See `holdfast config`")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->take_all()
      ->check([](const std::string& text) {
        return text.find('=') == std::string::npos ? "`" + text + "` is not of the form KEY=VALUE"
                                                   : std::string{};
      });
  command.add_option("--data-dir", data_dir_, "Directory of the node; sets node.data_dir")
      ->type_name("DIR");
  command.add_option("--port", port_, "TCP port for peers; sets node.port")->type_name("PORT");
  command
      .add_option("--database-url", database_url_,
                  "PostgreSQL to use instead of a private one; sets database.url. Other users of "
                  "this machine can read command lines: pass a password in another way")
      ->type_name("URL");
}

config::loaded configuration_flags::load() const {
  config::inputs given;
  if (!file_.empty())
    given.file = file_;
  given.environment = config::process_environment();
  for (const auto& set : sets_) {
    const auto equals = set.find('=');
    given.flags.emplace_back(set.substr(0, equals), set.substr(equals + 1));
  }
  for (const auto& [key, value] :
       {std::pair{"node.data_dir", &data_dir_}, std::pair{"node.port", &port_},
        std::pair{"database.url", &database_url_}})
    if (!value->empty())
      given.flags.emplace_back(key, *value);
  return config::load(given);
}

void print_problems(const config::loaded& from) {
  for (const auto& problem : from.problems)
    std::cerr << "holdfast: " << printable_lines(problem.text) << '\n';
}

} // namespace holdfast::app
