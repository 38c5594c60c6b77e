#pragma once

#include "link/tls.hpp"
#include "tests/support/program.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::test {

/// An authority of `holdfast certs`, with what it has issued.
class issued_certificates {
public:
  explicit issued_certificates(std::string directory) : directory_(std::move(directory)) {
    certs({"init"});
  }

  /// `holdfast certs` with these arguments.
  void certs(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "certs");
    arguments.insert(arguments.begin() + 2, {"--dir", directory_});
    const auto end = run_program(HOLDFAST_BINARY, arguments, std::chrono::seconds{60});
    BOOST_REQUIRE_MESSAGE(end.code == 0, end.err);
  }

  const std::string& directory() const { return directory_; }
  std::string file(const std::string& name) const { return directory_ + '/' + name; }
  link::credentials of(const std::string& name) const {
    return {file(name + ".crt"), file(name + ".key"), file("ca.crt"), file("ca.crl")};
  }

  /// Of a node or a tool that shows the certificate of `name`.
  std::vector<std::string> options_of(const std::string& name) const {
    return {"--set", "link.certificate=" + file(name + ".crt"),
            "--set", "link.key=" + file(name + ".key"),
            "--set", "link.ca=" + file("ca.crt")};
  }

private:
  std::string directory_;
};

} // namespace holdfast::test
