#include "tests/support/source_dir.hpp"

namespace holdfast::test {

// The only source of the tests that knows where it is: the others compile to the same in each
// clone.
std::string source_dir() { return HOLDFAST_SOURCE_DIR; }

} // namespace holdfast::test
