#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace holdfast::test {

/// Choices of a property test. The standard's distributions differ between libraries, its engine
/// does not: a seed means the same run everywhere.
class random_source {
public:
  explicit random_source(std::uint64_t seed) : engine_(seed) {}

  /// From 0 to `limit` - 1.
  std::uint64_t below(std::uint64_t limit) { return engine_() % limit; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }

  template <class T>
  const T& of(const std::vector<T>& choices) {
    return choices[below(choices.size())];
  }

private:
  std::mt19937_64 engine_;
};

} // namespace holdfast::test
