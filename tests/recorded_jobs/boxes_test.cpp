// Boxes that people really drew: seven of them on each frame, against frames of experts.

#include "core/fields/combine.hpp"
#include "core/quality/tie_break.hpp"
#include "documents/csv.hpp"
#include "tests/support/source_dir.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace holdfast::test {

namespace {

using core::fields::mark;
using core::fields::rectangle;

constexpr std::size_t annotators_of_a_frame = 7;
constexpr double overlap_of_a_hit = 0.5;

struct annotation {
  std::string worker;
  std::vector<mark> marks;
};

struct box_job {
  std::map<std::string, std::vector<annotation>> frames; ///< In the order of the file.
  std::map<std::string, std::vector<rectangle>> truth;
};

std::vector<documents::csv_record> records_of(const std::string& name) {
  const auto path = source_dir() + "/data/bbox_pedestrians/" + name;
  std::ifstream in{path, std::ios::binary};
  const std::string text{std::istreambuf_iterator<char>{in}, {}};
  auto records = documents::parse_csv(text, path);
  BOOST_REQUIRE_MESSAGE(records, (records ? "" : records.error().detail));
  records->erase(records->begin()); // the header
  return std::move(*records);
}

rectangle box_from(const std::vector<std::string>& fields, std::size_t first) {
  const auto number = [&](std::size_t i) { return std::stod(fields[first + i]); };
  return {std::min(number(0), number(2)), std::min(number(1), number(3)),
          std::max(number(0), number(2)), std::max(number(1), number(3))};
}

const box_job& pedestrians() {
  static const box_job job = [] {
    box_job made;
    for (const auto& [line, fields, quoted] : records_of("annotations.csv")) {
      auto& frame = made.frames[fields[1]];
      if (frame.empty() || frame.back().worker != fields[0])
        frame.push_back({fields[0], {}});
      if (fields[2] != "-1") // else there is nobody
        frame.back().marks.push_back({"", box_from(fields, 3), {}});
    }
    for (const auto& [line, fields, quoted] : records_of("truth.csv"))
      if (fields[1] == "-1")
        made.truth[fields[0]];
      else
        made.truth[fields[0]].push_back(box_from(fields, 2));
    return made;
  }();
  return job;
}

struct detection {
  double score = 0;
  std::string frame;
  rectangle box;
};

double overlap(const rectangle& a, const rectangle& b) {
  const auto width = std::min(a.right, b.right) - std::max(a.left, b.left);
  const auto height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  if (width <= 0 || height <= 0)
    return 0;
  const auto area = [](const rectangle& r) { return (r.right - r.left) * (r.bottom - r.top); };
  return width * height / (area(a) + area(b) - width * height);
}

/// Average precision at 101 places of recall, each with the best precision from there on; what has
/// the same score counts together. As in the evaluation of COCO.
double average_precision(std::vector<detection> found, const box_job& job) {
  std::size_t objects = 0;
  for (const auto& [frame, boxes] : job.truth)
    objects += boxes.size();
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.score > b.score; });
  std::map<std::string, std::set<std::size_t>> taken;
  std::vector<std::pair<double, double>> curve; // recall, precision
  double hits = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto& truth = job.truth.at(found[i].frame);
    auto& used = taken[found[i].frame];
    std::size_t best = truth.size();
    double most = overlap_of_a_hit;
    for (std::size_t object = 0; object < truth.size(); ++object)
      if (const auto by = overlap(found[i].box, truth[object]);
          by >= most && used.count(object) == 0) {
        best = object;
        most = by;
      }
    if (best < truth.size()) {
      used.insert(best);
      ++hits;
    }
    if (i + 1 == found.size() || found[i + 1].score < found[i].score)
      curve.emplace_back(hits / static_cast<double>(objects), hits / static_cast<double>(i + 1));
  }
  double sum = 0;
  constexpr int places = 101;
  for (int place = 0; place < places; ++place) {
    double precision = 0;
    for (const auto& [recall, at] : curve)
      if (recall >= place / (places - 1.0))
        precision = std::max(precision, at);
    sum += precision / places;
  }
  return sum;
}

/// The average precision of the annotations at these places of each frame, combined.
double precision_of(const std::vector<std::size_t>& slots, double share) {
  core::fields::field_rule rule;
  rule.kind = core::fields::field_kind::boxes;
  rule.method = core::fields::field_method::clusters;
  rule.share = share;
  std::vector<detection> found;
  for (const auto& [frame, boxes] : pedestrians().truth) {
    const auto& all = pedestrians().frames.at(frame);
    std::vector<core::fields::given_value> given;
    for (const auto slot : slots)
      if (slot < all.size())
        given.push_back({all[slot].marks, 1,
                         core::quality::lot_on(core::quality::lot_of(frame),
                                               core::quality::lot_of(all[slot].worker))});
    const auto result = core::fields::combine(rule, given);
    if (const auto* marks = std::get_if<std::vector<mark>>(&result.answer))
      for (std::size_t i = 0; i < marks->size(); ++i)
        found.push_back({result.support[i].share, frame, (*marks)[i].box});
  }
  return average_precision(std::move(found), pedestrians());
}

} // namespace

BOOST_AUTO_TEST_SUITE(recorded_boxes)

BOOST_AUTO_TEST_CASE(seven_annotators_together_find_more_than_any_one_and_any_three_of_them) {
  BOOST_TEST(pedestrians().truth.size() == 938U);
  for (const auto share : {0.5, 0.0}) {
    double one = 0;
    double three = 0;
    for (std::size_t a = 0; a < annotators_of_a_frame; ++a) {
      one = std::max(one, precision_of({a}, share));
      for (std::size_t b = a + 1; b < annotators_of_a_frame; ++b)
        for (std::size_t c = b + 1; c < annotators_of_a_frame; ++c)
          three = std::max(three, precision_of({a, b, c}, share));
    }
    const auto seven = precision_of({0, 1, 2, 3, 4, 5, 6}, share);
    BOOST_TEST_MESSAGE("share " << share << ": one " << one << ", three " << three << ", seven "
                                << seven);
    BOOST_TEST(seven > one);
    BOOST_TEST(seven > three);
  }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
