// The entry point of every test executable; Boost.Test writes main() where the module is named.
#define BOOST_TEST_MODULE holdfast
#include <boost/test/unit_test.hpp>
