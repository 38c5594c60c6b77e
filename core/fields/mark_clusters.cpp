#include "core/fields/mark_clusters.hpp"

#include "core/fields/shares.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <tuple>

namespace holdfast::core::fields {

namespace {

/// Objects seldom change after the first round.
constexpr int reassignments_max = 3;

constexpr auto no_object = std::numeric_limits<std::uint32_t>::max();

/// Two marks, or a mark and an object, that may belong together.
struct candidate_pair {
  std::int64_t like = 0; ///< In `share_grain`s: what differs by rounding alone is equal.
  std::uint32_t first = 0;
  std::uint32_t second = 0;
};

bool more_alike(const candidate_pair& a, const candidate_pair& b) {
  return std::tie(b.like, a.first, a.second) < std::tie(a.like, b.first, b.second);
}

std::int64_t in_grains(double like, bool same_label) {
  return std::llround((same_label ? like : like * other_label) / share_grain);
}

/// How far beyond its right side a mark may find another.
double reach_of(const field_rule& rule) {
  return rule.kind == field_kind::points ? rule.distance : 0;
}

/// Leaves of `rivals` the most alike of each person.
void keep_the_most_alike(const std::vector<placed_mark>& marks,
                         std::vector<candidate_pair>& rivals) {
  const auto person_of = [&](const candidate_pair& one) { return marks[one.second].person; };
  std::sort(rivals.begin(), rivals.end(), [&](const candidate_pair& a, const candidate_pair& b) {
    return person_of(a) != person_of(b) ? person_of(a) < person_of(b) : more_alike(a, b);
  });
  std::vector<candidate_pair> kept;
  std::size_t of_person = 0;
  for (const auto& one : rivals) {
    if (!kept.empty() && person_of(kept.back()) != person_of(one))
      of_person = 0;
    if (++of_person <= rivals_max)
      kept.push_back(one);
  }
  rivals = std::move(kept);
}

/// The pairs of marks of different people that may be the same object, the most alike first.
std::vector<candidate_pair> pairs_of(const field_rule& rule, const std::vector<placed_mark>& marks,
                                     const std::vector<std::uint32_t>& among) {
  std::vector<candidate_pair> pairs;
  std::vector<candidate_pair> rivals;
  for (std::size_t i = 0; i < among.size(); ++i) {
    const auto& one = marks[among[i]];
    const auto end = one.bounds.right + reach_of(rule);
    rivals.clear();
    // Marks are sorted by their left sides: none behind `end` meets this one.
    for (auto j = i + 1; j < among.size() && marks[among[j]].bounds.left <= end; ++j) {
      const auto& other = marks[among[j]];
      if (other.person == one.person)
        continue;
      if (const auto close = closeness_of(rule, one, other); close.same)
        rivals.push_back(
            {in_grains(close.like, one.drawn->label == other.drawn->label), among[i], among[j]});
    }
    if (rivals.size() > rivals_max)
      keep_the_most_alike(marks, rivals);
    pairs.insert(pairs.end(), rivals.begin(), rivals.end());
  }
  std::sort(pairs.begin(), pairs.end(), more_alike);
  return pairs;
}

bool share_a_person(const std::vector<placed_mark>& marks, const cluster& a, const cluster& b) {
  return std::any_of(a.begin(), a.end(), [&](std::uint32_t one) {
    return std::any_of(b.begin(), b.end(), [&](std::uint32_t other) {
      return marks[one].person == marks[other].person;
    });
  });
}

/// The groups that pairs make, the most alike first.
std::vector<cluster> grouped(const field_rule& rule, const std::vector<placed_mark>& marks,
                             const std::vector<std::uint32_t>& among) {
  std::vector<cluster> groups(marks.size());
  std::vector<std::uint32_t> group_of(marks.size());
  for (const auto one : among) {
    groups[one] = {one};
    group_of[one] = one;
  }
  for (const auto& pair : pairs_of(rule, marks, among)) {
    auto into = group_of[pair.first];
    auto from = group_of[pair.second];
    if (into == from || share_a_person(marks, groups[into], groups[from]))
      continue;
    if (groups[into].size() < groups[from].size())
      std::swap(into, from);
    for (const auto one : groups[from]) {
      groups[into].push_back(one);
      group_of[one] = into;
    }
    groups[from].clear();
  }
  std::vector<cluster> made;
  for (const auto one : among)
    if (!groups[one].empty()) {
      std::sort(groups[one].begin(), groups[one].end());
      made.push_back(std::move(groups[one]));
    }
  return made;
}

std::string leading_label(const std::vector<placed_mark>& marks, const cluster& members) {
  std::vector<label_claim> claims;
  for (const auto one : members)
    add_vote(claims, marks[one].drawn->label, marks[one].weight, marks[one].lot);
  std::uint32_t tied = 0;
  return claims[leading_claim(claims, tied)].label;
}

std::vector<marked_object> objects_of(const field_rule& rule, const std::vector<placed_mark>& marks,
                                      std::vector<cluster> clusters) {
  std::sort(clusters.begin(), clusters.end());
  std::vector<marked_object> objects(clusters.size());
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    objects[i].members = std::move(clusters[i]);
    objects[i].standing = standing_mark(rule, marks, objects[i].members);
    objects[i].standing.label = leading_label(marks, objects[i].members);
  }
  return objects;
}

/// The objects whose standing marks each mark is close to, the most alike first.
std::vector<candidate_pair> claims_on(const field_rule& rule, const std::vector<placed_mark>& marks,
                                      const std::vector<marked_object>& objects) {
  std::vector<placed_mark> standings(objects.size());
  double widest = 0;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    standings[i] = placed(rule.kind, objects[i].standing);
    widest = std::max(widest, standings[i].bounds.right - standings[i].bounds.left);
  }
  std::vector<std::uint32_t> by_left(objects.size());
  std::iota(by_left.begin(), by_left.end(), 0U);
  const auto left_of = [&](std::uint32_t object) { return standings[object].bounds.left; };
  std::sort(by_left.begin(), by_left.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::make_tuple(left_of(a), a) < std::make_tuple(left_of(b), b);
  });

  std::vector<candidate_pair> claims;
  for (std::uint32_t i = 0; i < marks.size(); ++i) {
    const auto begin = marks[i].bounds.left - widest - reach_of(rule);
    const auto end = marks[i].bounds.right + reach_of(rule);
    const auto before = static_cast<std::ptrdiff_t>(claims.size());
    for (auto next =
             std::partition_point(by_left.begin(), by_left.end(),
                                  [&](std::uint32_t object) { return left_of(object) < begin; });
         next != by_left.end() && left_of(*next) <= end; ++next)
      if (const auto close = closeness_of(rule, marks[i], standings[*next]); close.same)
        claims.push_back(
            {in_grains(close.like, marks[i].drawn->label == objects[*next].standing.label), i,
             *next});
    if (claims.size() - static_cast<std::size_t>(before) > rivals_max) {
      std::sort(claims.begin() + before, claims.end(), more_alike);
      claims.resize(static_cast<std::size_t>(before) + rivals_max);
    }
  }
  std::sort(claims.begin(), claims.end(), more_alike);
  return claims;
}

/// Clusters by which standing mark each mark is most like.
std::vector<cluster> reassigned(const field_rule& rule, const std::vector<placed_mark>& marks,
                                const std::vector<marked_object>& objects) {
  std::vector<std::uint32_t> object_of(marks.size(), no_object);
  std::vector<cluster> clusters(objects.size());
  for (const auto& claim : claims_on(rule, marks, objects)) {
    auto& members = clusters[claim.second];
    if (object_of[claim.first] != no_object || share_a_person(marks, {claim.first}, members))
      continue;
    object_of[claim.first] = claim.second;
    members.push_back(claim.first);
  }
  clusters.erase(std::remove_if(clusters.begin(), clusters.end(),
                                [](const cluster& members) { return members.empty(); }),
                 clusters.end());
  for (auto& members : clusters)
    std::sort(members.begin(), members.end());
  std::vector<std::uint32_t> left_over;
  for (std::uint32_t i = 0; i < marks.size(); ++i)
    if (object_of[i] == no_object)
      left_over.push_back(i);
  for (auto& members : grouped(rule, marks, left_over))
    clusters.push_back(std::move(members));
  std::sort(clusters.begin(), clusters.end());
  return clusters;
}

bool are_the_same(const std::vector<marked_object>& objects, const std::vector<cluster>& clusters) {
  return std::equal(objects.begin(), objects.end(), clusters.begin(), clusters.end(),
                    [](const marked_object& object, const cluster& members) {
                      return object.members == members;
                    });
}

} // namespace

std::vector<marked_object> cluster_marks(const field_rule& rule,
                                         const std::vector<placed_mark>& marks) {
  std::vector<std::uint32_t> all(marks.size());
  std::iota(all.begin(), all.end(), 0U);
  auto objects = objects_of(rule, marks, grouped(rule, marks, all));
  for (int round = 0; round < reassignments_max; ++round) {
    auto clusters = reassigned(rule, marks, objects);
    if (are_the_same(objects, clusters))
      break;
    objects = objects_of(rule, marks, std::move(clusters));
  }
  return objects;
}

} // namespace holdfast::core::fields
