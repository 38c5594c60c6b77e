#pragma once

#include "core/outcome.hpp"
#include "messages/result_messages.hpp"

#include <string>

namespace holdfast::http {

/// Writes results as they come, and holds none of them.
class result_writer {
public:
  virtual ~result_writer() = default;

  /// How often all results are told, from the first to the last.
  virtual unsigned passes() const { return 1; }
  /// Before the results of a pass, which are numbered from 1.
  virtual void begin(unsigned pass, std::string& to);
  /// Fails with `payload_invalid` where the form cannot hold the result, and says which and why.
  virtual core::failure append(msg::workflow_result& result, std::string& to) = 0;
  virtual void finish(std::string& to);
};

} // namespace holdfast::http
