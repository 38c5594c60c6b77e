#include "http/result_writer.hpp"

namespace holdfast::http {

void result_writer::begin(unsigned, std::string&) {}
void result_writer::finish(std::string&) {}

} // namespace holdfast::http
