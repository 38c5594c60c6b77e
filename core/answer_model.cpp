#include "core/answer_model.hpp"

#include "core/invariant.hpp"

namespace holdfast::core {

answer_model::answer_model(const std::vector<std::string>& labels)
    : model_(static_cast<std::uint32_t>(labels.size())) {
  for (const auto& label : labels)
    labels_.emplace(label, static_cast<std::uint32_t>(labels_.size()));
}

std::uint32_t answer_model::number_of(const unit_id& unit) {
  const auto [place, fresh] = units_.emplace(unit, static_cast<std::uint32_t>(units_.size()));
  if (fresh)
    judgments_.push_back(0);
  return place->second;
}

void answer_model::add(const unit_id& unit, const contributor_id& contributor,
                       const std::string& answer) {
  const auto label = labels_.find(answer);
  HOLDFAST_INVARIANT(label != labels_.end(), "a judgment whose answer is no label is refused");
  const auto [who, fresh] =
      contributors_.emplace(contributor, static_cast<std::uint32_t>(contributors_.size()));
  if (fresh)
    judged_.emplace_back();
  const auto number = number_of(unit);
  if (!model_.add(number, {who->second, label->second}))
    return;
  ++judgments_[number];
  judged_[who->second].push_back(number);
}

void answer_model::hold(const unit_id& unit, const std::string& truth) {
  if (const auto label = labels_.find(truth); label != labels_.end())
    model_.hold(number_of(unit), label->second);
}

void answer_model::withdraw(const contributor_id& contributor) {
  const auto who = contributors_.find(contributor);
  if (who == contributors_.end())
    return;
  for (const auto unit : judged_[who->second])
    if (model_.withdraw(unit, who->second))
      --judgments_[unit];
  judged_[who->second].clear();
}

model_opinion answer_model::opinion_of(const unit_id& unit) const {
  const auto labels = labels_.size();
  const auto found = units_.find(unit);
  if (found == units_.end())
    return {std::vector<double>(labels, 1.0 / static_cast<double>(labels)), 0};
  const auto* shares = model_.shares(found->second);
  return {{shares, shares + labels}, judgments_[found->second]};
}

} // namespace holdfast::core
