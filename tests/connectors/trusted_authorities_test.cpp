// Which certificate authorities vouch for HTTPS receivers, and that a node can tell when there are
// none.

#include "connectors/trusted_authorities.hpp"
#include "link/authority.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

using namespace holdfast;
using connectors::read_authorities;

namespace {

struct authorities_directory {
  authorities_directory() {
    auto name = (std::filesystem::temp_directory_path() / "holdfast-authorities-XXXXXX").string();
    BOOST_REQUIRE(::mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~authorities_directory() { std::filesystem::remove_all(path); }

  std::string authority(const std::string& name) const {
    const auto directory = path / name;
    std::filesystem::create_directory(directory);
    const auto now = std::chrono::time_point_cast<core::duration>(std::chrono::system_clock::now());
    BOOST_REQUIRE(link::make_authority(directory.string(), name, 30, now));
    return (directory / "ca.crt").string();
  }
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream{path / name} << text;
    return (path / name).string();
  }

  std::filesystem::path path;
};

std::string text_of(const std::string& path) {
  std::ifstream file{path};
  return {std::istreambuf_iterator<char>{file}, {}};
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(trusted_authorities, authorities_directory)

BOOST_AUTO_TEST_CASE(every_certificate_of_a_named_bundle_counts) {
  const auto bundle =
      file("bundle.crt", "# ours\n" + text_of(authority("one")) + text_of(authority("two")));
  const auto trusted = read_authorities(bundle);
  BOOST_REQUIRE(trusted);
  BOOST_TEST(trusted->source == bundle);
  BOOST_TEST(trusted->count == 2U);
}

// finding E7
BOOST_AUTO_TEST_CASE(a_named_bundle_without_a_certificate_is_refused_by_its_path) {
  for (const auto& path : {file("empty.crt", ""), file("text.crt", "not a certificate\n"),
                           (path / "missing.crt").string()}) {
    const auto trusted = read_authorities(path);
    BOOST_REQUIRE(!trusted);
    BOOST_TEST((trusted.error().code == core::errc::invalid_argument));
    BOOST_TEST(trusted.error().detail
               == "webhooks.ca_file: no certificate can be read from " + path
                      + "; it must be a PEM file with the authorities of the receivers");
  }
}

// finding E7: what libcurl reads is named also where it holds nothing, for the node's warning
BOOST_AUTO_TEST_CASE(the_bundle_of_the_system_is_what_libcurl_reads) {
  const auto trusted = read_authorities("");
  BOOST_REQUIRE(trusted);
  BOOST_TEST(!trusted->source.empty());
  const bool present = std::filesystem::exists(trusted->source);
  BOOST_TEST((trusted->count > 0) == present);
}

BOOST_AUTO_TEST_SUITE_END()
