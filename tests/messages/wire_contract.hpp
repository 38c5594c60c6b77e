#pragma once

#include "messages/protocol.hpp"

#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace holdfast::test {

/// What programs say to each other, as it is now: `message <name>` and the bytes of its sample in
/// hex, `answer <name of the request>` and the name of the answer.
using spoken = std::map<std::string, std::string>;

/// What was ever recorded, in order: tests/messages/wire_contract.txt.
struct wire_contract {
  struct line {
    std::uint32_t since = 0; ///< The newest protocol of the program that recorded it.
    std::string what;
    std::string value;
  };
  std::vector<line> lines;
};

inline wire_contract read_contract(const std::string& text) {
  wire_contract contract;
  std::istringstream lines{text};
  for (std::string one; std::getline(lines, one);) {
    if (one.empty() || one.front() == '#')
      continue;
    std::istringstream words{one};
    wire_contract::line line;
    std::string kind;
    std::string name;
    words >> line.since >> kind >> name >> line.value;
    line.what = kind + ' ' + name;
    contract.lines.push_back(line);
  }
  return contract;
}

inline std::string to_text(const wire_contract& contract) {
  std::string text =
      "# What programs of Holdfast say to each other. Written by `./dev record-wire`, which only\n"
      "# ever adds lines; checked by tests/messages/wire_contract_test.cpp. See docs/adr/0038.\n"
      "# since which protocol, what, how: the bytes of the sample, or the answer\n";
  for (const auto& line : contract.lines)
    text += std::to_string(line.since) + ' ' + line.what + ' ' + line.value + '\n';
  return text;
}

/// With what is new. What was recorded stays as it is, right or wrong.
inline wire_contract recorded(wire_contract contract, spoken now, const msg::protocol_range& own) {
  for (const auto& line : contract.lines)
    now.erase(line.what);
  for (const auto& [what, value] : now)
    contract.lines.push_back({own.newest, what, value});
  return contract;
}

/// Where a program would break its word, each with what to do.
inline std::vector<std::string> broken_words(const wire_contract& contract, spoken now,
                                             const msg::protocol_range& own) {
  if (contract.lines.empty())
    return {"nothing is recorded: record first, with ./dev record-wire, and commit what it writes"};
  std::vector<std::string> all;
  for (const auto& line : contract.lines) {
    const auto found = now.find(line.what);
    if (found == now.end()) {
      all.push_back(line.what + " is gone, and programs of protocol " + std::to_string(line.since)
                    + " may send it: put it back. If no program of protocol "
                    + std::to_string(own.oldest)
                    + " (own_protocols.oldest) or a later one sends "
                      "it, delete its line by hand");
      continue;
    }
    if (found->second != line.value)
      all.push_back(line.what + " is now\n  " + found->second + " and was recorded as\n  "
                    + line.value
                    + "\nPut it back as it was: programs of the version before use "
                      "it. A new layout, or another answer, takes a new message with a name of "
                      "its own, beside the old one; if nodes send it to nodes, raise "
                      "own_protocols.newest in messages/protocol.hpp. Then ./dev record-wire");
    if (line.since > own.newest)
      all.push_back(line.what + " was recorded under protocol " + std::to_string(line.since)
                    + ", and own_protocols.newest is " + std::to_string(own.newest)
                    + ": it never goes down");
    now.erase(found);
  }
  for (const auto& [what, value] : now)
    all.push_back(what + " is new: record it, with ./dev record-wire");
  return all;
}

} // namespace holdfast::test
