#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::bench {

/// What a figure is to reach, in its unit.
struct target {
  double bound = 0;
  bool at_most = false; ///< Else at least.

  bool reached_by(double value) const { return at_most ? value <= bound : value >= bound; }
};

inline target at_least(double bound) { return {bound, false}; }
inline target at_most(double bound) { return {bound, true}; }

/// One measured figure.
struct figure {
  std::string name; ///< Dotted, e.g. `hot_step.64.assignments`.
  double value = 0;
  std::string unit;
  std::string command; ///< What measures it again.
  std::optional<target> goal{};
};

/// Collects figures, prints each as it comes, and writes them with a description of the machine.
class results {
public:
  explicit results(std::string command) : command_(std::move(command)) {}

  void add(const std::string& name, double value, const std::string& unit,
           std::optional<target> goal = {});
  void add(figure measured);
  /// Figures that are to reach something and do not.
  std::size_t missed() const;
  /// The value of a figure that was added before; 0 if none was.
  double value(const std::string& name) const;
  /// Writes all figures as JSON. False, with a message on stderr, when the file cannot be written.
  bool write(const std::string& path) const;

private:
  std::string command_;
  std::vector<figure> figures_;
};

/// The value below which `share` (0 to 1) of `samples` lie; 0 for none.
double quantile(std::vector<double> samples, double share);

} // namespace holdfast::bench
