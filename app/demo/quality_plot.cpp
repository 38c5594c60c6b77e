#include "app/demo/quality_plot.hpp"

#include <algorithm>
#include <cstdio>

namespace holdfast::app::demo {

namespace {

constexpr double side = 320;
constexpr double margin = 60;
constexpr const char* honest_colour = "#2a6f97";
constexpr const char* spammer_colour = "#c1121f";

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

/// One square chart; both axes go from 0 to their greatest value.
class chart {
public:
  chart(double left, double x_most, std::string title, std::string x_label, std::string y_label)
      : left_(left), x_most_(x_most) {
    svg_ = "<g font-family=\"sans-serif\" font-size=\"12\">\n";
    svg_ += "<rect x=\"" + number(left) + "\" y=\"" + number(margin) + "\" width=\"" + number(side)
            + "\" height=\"" + number(side) + "\" fill=\"none\" stroke=\"#999\"/>\n";
    text(left, margin - 16, title, "start\" font-size=\"14\" font-weight=\"bold");
    text(left + side / 2, margin + side + 36, x_label, "middle");
    text(left, margin - 2, y_label, "start\" fill=\"#666");
    for (const auto share : {0.0, 0.5, 1.0}) {
      text(left - 6, y(share) + 4, number(share), "end");
      text(x(share * x_most), margin + side + 18, number(share * x_most), "middle");
    }
  }

  void line(const std::vector<std::pair<double, double>>& points, const std::string& style) {
    svg_ += "<polyline fill=\"none\" " + style + " points=\"";
    for (const auto& [at, value] : points)
      svg_ += number(x(at)) + ',' + number(y(value)) + ' ';
    svg_ += "\"/>\n";
  }

  void dot(double at, double value, double radius, const char* colour, const std::string& says) {
    svg_ += "<circle cx=\"" + number(x(at)) + "\" cy=\"" + number(y(value)) + "\" r=\""
            + number(radius) + "\" fill=\"" + colour + "\"><title>" + says + "</title></circle>\n";
  }

  void legend(const char* colour, const std::string& says, int row) {
    const auto top = margin + side - 14 - 16 * row;
    svg_ += "<rect x=\"" + number(left_ + side - 110) + "\" y=\"" + number(top - 8)
            + "\" width=\"14\" height=\"4\" fill=\"" + colour + "\"/>\n";
    text(left_ + side - 90, top, says, "start");
  }

  std::string finish() && { return std::move(svg_) + "</g>\n"; }

private:
  double x(double at) const { return left_ + side * at / x_most_; }
  static double y(double value) { return margin + side * (1 - value); }

  void text(double at, double top, const std::string& what, const std::string& anchor) {
    svg_ += "<text x=\"" + number(at) + "\" y=\"" + number(top) + "\" text-anchor=\"" + anchor
            + "\">" + what + "</text>\n";
  }

  double left_;
  double x_most_;
  std::string svg_;
};

std::string calibration_chart(const quality_report& report) {
  chart c{margin, 1, "Confidence of results", "confidence", "share that is right"};
  c.line({{0, 0}, {1, 1}}, "stroke=\"#bbb\" stroke-dasharray=\"4\"");
  std::vector<std::pair<double, double>> points;
  for (const auto& bin : report.calibration) {
    const auto right = static_cast<double>(bin.right) / static_cast<double>(bin.units);
    points.emplace_back(bin.confidence, right);
    c.dot(bin.confidence, right, 3 + 9 * std::min(1.0, static_cast<double>(bin.units) / 100),
          honest_colour, std::to_string(bin.right) + " of " + std::to_string(bin.units));
  }
  c.line(points, std::string{"stroke=\""} + honest_colour + '"');
  return std::move(c).finish();
}

std::string trust_chart(const quality_report& report) {
  std::size_t most = 1;
  for (const auto& curve : report.trust)
    most = std::max(most, curve.trust.size() - 1);
  chart c{2 * margin + side, static_cast<double>(most), "Trust in contributors",
          "test questions answered", "mean trust"};
  for (const auto& curve : report.trust) {
    std::vector<std::pair<double, double>> points;
    for (std::size_t i = 0; i < curve.trust.size(); ++i)
      points.emplace_back(static_cast<double>(i), curve.trust[i]);
    c.line(points, std::string{"stroke-opacity=\"0.7\" stroke=\""}
                       + (curve.spammer ? spammer_colour : honest_colour) + '"');
  }
  c.legend(honest_colour, "as recorded", 1);
  c.legend(spammer_colour, "spammers", 0);
  return std::move(c).finish();
}

} // namespace

std::string plot_of(const quality_report& report) {
  const auto width = number(3 * margin + 2 * side);
  const auto height = number(2 * margin + side);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + width + "\" height=\"" + height
         + "\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
         + calibration_chart(report) + trust_chart(report) + "</svg>\n";
}

} // namespace holdfast::app::demo
