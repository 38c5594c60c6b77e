#include "app/configuration.hpp"

#include "app/printable.hpp"

#include <CLI/Error.hpp>

#include <cstddef>
#include <iostream>
#include <tuple>

namespace holdfast::app {

void configuration_flags::add_to(CLI::App& command) {
  command.add_option("--config", file_, "TOML file to read; also HOLDFAST_CONFIG")
      ->type_name("FILE");
  command
      .add_option("--set", sets_,
                  "Set an option, such as log.level=debug, which may also be typed as --log.level "
                  "debug; may be repeated. Every option can also come from the environment: "
                  "HOLDFAST_LOG_LEVEL. See `holdfast config`")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->take_all()
      ->check([](const std::string& text) {
        return text.find('=') == std::string::npos ? "`" + text + "` is not of the form KEY=VALUE"
                                                   : std::string{};
      });
  command.add_option(dotted_option, dotted_)->expected(1)->take_all()->group("");
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
  const auto add = [&](const std::string& text, const std::string& before) {
    const auto equals = text.find('=');
    const auto key = text.substr(0, equals);
    given.flags.push_back({key, text.substr(equals + 1), before + key});
  };
  for (const auto& set : sets_)
    add(set, "set ");
  for (const auto& option : dotted_)
    add(option, "");
  for (const auto& [key, typed, value] :
       {std::tuple{"node.data_dir", "data-dir", &data_dir_},
        std::tuple{"node.port", "port", &port_},
        std::tuple{"database.url", "database-url", &database_url_}})
    if (!value->empty())
      given.flags.push_back({key, *value, typed});
  return config::load(given);
}

std::vector<std::string> with_dotted_options(const std::vector<std::string>& words) {
  std::vector<std::string> put;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto& word = words[i];
    if (word == "--") {
      put.insert(put.end(), words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
      break;
    }
    const auto equals = word.find('=');
    const bool dotted = word.rfind("--", 0) == 0 && word.find('.') < equals;
    if (!dotted || (equals == std::string::npos && i + 1 == words.size())) {
      put.push_back(word);
      continue;
    }
    put.emplace_back(dotted_option);
    put.push_back(equals == std::string::npos ? word.substr(2) + '=' + words[++i] : word.substr(2));
  }
  return put;
}

void print_problems(const config::loaded& from) {
  for (const auto& problem : from.problems)
    std::cerr << "holdfast: " << printable_lines(problem.text) << '\n';
}

} // namespace holdfast::app
