#pragma once

// The parts of the object store's conformance suite: every test case of object_store_test.cpp is a
// template that runs against each type of `worlds`.

#include "objects/file_object_store.hpp"
#include "objects/memory_object_store.hpp"

#include <boost/mpl/list.hpp>
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

namespace holdfast::test {

/// A clock that stands still until it is told otherwise, in microseconds.
using hand_clock = std::shared_ptr<std::atomic<std::int64_t>>;

inline objects::object_store::clock reader_of(const hand_clock& hand) {
  return [hand] { return core::from_micros(*hand); };
}

/// The store in memory.
class memory_world {
public:
  std::unique_ptr<objects::object_store> open() {
    auto made = std::make_unique<objects::memory_object_store>(reader_of(clock));
    store_ = made.get();
    return made;
  }
  void overwrite(const core::digest& content, const std::string& bytes) {
    store_->overwrite(content, bytes);
  }

  hand_clock clock = std::make_shared<std::atomic<std::int64_t>>(1'700'000'000'000'000);

private:
  objects::memory_object_store* store_ = nullptr;
};

/// The store in a directory of its own, which is gone with it.
class file_world {
public:
  file_world() {
    std::string pattern = (std::filesystem::temp_directory_path() / "holdfast-XXXXXX").string();
    root_ = mkdtemp(pattern.data());
    directory = root_ / "objects";
  }
  ~file_world() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  file_world(const file_world&) = delete;
  file_world& operator=(const file_world&) = delete;

  std::unique_ptr<objects::file_object_store> open() {
    auto opened = objects::file_object_store::open(directory, reader_of(clock));
    BOOST_REQUIRE_MESSAGE(opened, (opened ? "" : opened.error().detail));
    return std::move(*opened);
  }
  std::filesystem::path path_of(const core::digest& content) { return open()->path_of(content); }
  void overwrite(const core::digest& content, const std::string& bytes) {
    std::ofstream{path_of(content), std::ios::binary | std::ios::trunc} << bytes;
  }

  hand_clock clock = std::make_shared<std::atomic<std::int64_t>>(1'700'000'000'000'000);
  std::filesystem::path directory;

private:
  std::filesystem::path root_;
};

using worlds = boost::mpl::list<memory_world, file_world>;

/// The value, or a failed test that tells why there is none.
template <class T>
T value_of(core::outcome<T> outcome) {
  BOOST_REQUIRE_MESSAGE(outcome, (outcome ? "" : outcome.error().detail));
  return std::move(*outcome);
}

/// For BOOST_TEST: whether the outcome is a failure of that code.
template <class T>
boost::test_tools::predicate_result fails_with(const core::outcome<T>& outcome, core::errc wanted) {
  boost::test_tools::predicate_result matches{!outcome && outcome.error().code == wanted};
  if (!matches)
    matches.message() << (outcome ? std::string{"success"} : outcome.error().detail)
                      << " instead of " << std::string{core::to_string(wanted)};
  return matches;
}

} // namespace holdfast::test
