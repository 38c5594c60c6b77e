#include "core/answer_model.hpp"

#include "core/invariant.hpp"
#include <algorithm>
#include <utility>

namespace holdfast::core {

answer_model::answer_model(const std::vector<std::string>& labels, aggregation_method method)
    : goes_by_(refitted_to(method)), model_(static_cast<std::uint32_t>(labels.size())) {
  for (const auto& label : labels)
    labels_.emplace(label, static_cast<std::uint32_t>(labels_.size()));
}

std::uint32_t answer_model::number_of(const unit_id& unit) {
  const auto [place, fresh] = units_.emplace(unit, static_cast<std::uint32_t>(units_.size()));
  if (fresh) {
    judgments_.push_back(0);
    changed_.push_back(true);
  }
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
  ++counted_;
  changed_[number] = true;
  judged_[who->second].push_back(number);
}

void answer_model::hold(const unit_id& unit, const std::string& truth) {
  const auto label = labels_.find(truth);
  if (label == labels_.end())
    return;
  const auto number = number_of(unit);
  model_.hold(number, label->second);
  changed_[number] = true;
}

void answer_model::let_go(const unit_id& unit) {
  const auto of = units_.find(unit);
  if (of == units_.end())
    return;
  model_.hold(of->second, quality::unknown_label);
  changed_[of->second] = true;
}

void answer_model::withdraw(const contributor_id& contributor) {
  const auto who = contributors_.find(contributor);
  if (who == contributors_.end())
    return;
  for (const auto unit : judged_[who->second]) {
    const bool counted = model_.withdraw(unit, who->second);
    HOLDFAST_INVARIANT(counted, "what counts of a contributor is listed once");
    --judgments_[unit];
    --counted_;
    changed_[unit] = true;
  }
  judged_[who->second].clear();
}

void answer_model::withdraw(const unit_id& unit, const contributor_id& contributor) {
  const auto who = contributors_.find(contributor);
  const auto of = units_.find(unit);
  if (who == contributors_.end() || of == units_.end() || !model_.withdraw(of->second, who->second))
    return;
  --judgments_[of->second];
  --counted_;
  changed_[of->second] = true;
  auto& judged = judged_[who->second];
  judged.erase(std::find(judged.begin(), judged.end(), of->second));
}

std::shared_ptr<const quality::refit_input> answer_model::begin_refit() {
  if (counted_ == 0)
    return nullptr;
  quality::refit_input input{model_.recorded(), model_.held(), goes_by_};
  begun_ = nullptr;
  if (!quality::can_refit(input))
    return nullptr;
  changed_.assign(changed_.size(), false);
  begun_ = std::make_shared<const quality::refit_input>(std::move(input));
  return begun_;
}

bool answer_model::adopt(const std::shared_ptr<const quality::refit_input>& input,
                         const quality::refit& refitted) {
  if (input == nullptr || input != begun_)
    return false;
  begun_ = nullptr;
  if (refitted.found.units() > 0)
    model_.adopt(refitted.found, changed_);
  rule_ = refitted.rule;
  return true;
}

bool answer_model::give_up(const std::shared_ptr<const quality::refit_input>& input) {
  if (input == nullptr || input != begun_)
    return false;
  begun_ = nullptr;
  return true;
}

std::vector<step_history::vote> answer_model::counted() const {
  std::vector<const std::string*> labels(labels_.size());
  for (const auto& [label, number] : labels_)
    labels[number] = &label;
  std::vector<unit_id> units(units_.size());
  for (const auto& [unit, number] : units_)
    units[number] = unit;
  std::vector<const contributor_id*> contributors(contributors_.size());
  for (const auto& [contributor, number] : contributors_)
    contributors[number] = &contributor;
  std::vector<step_history::vote> all;
  all.reserve(counted_);
  for (std::uint32_t who = 0; who < contributors.size(); ++who)
    for (const auto unit : judged_[who])
      for (const auto& vote : model_.votes(unit))
        if (vote.contributor == who)
          all.push_back({*contributors[who], units[unit], *labels[vote.label]});
  return all;
}

model_opinion answer_model::opinion_of(const unit_id& unit) const {
  const auto labels = static_cast<std::uint32_t>(labels_.size());
  model_opinion opinion{std::vector<double>(labels, 1.0 / labels), 0, rule_.sureness.fitted_on > 0,
                        std::string{quality::name_of(rule_.chosen)}};
  const auto found = units_.find(unit);
  if (found == units_.end())
    return opinion;
  const auto number = found->second;
  opinion.judgments = judgments_[number];
  quality::estimates one{1, labels};
  const auto* live = model_.shares(number);
  if (rule_.chosen == quality::method::dawid_skene_map || opinion.judgments == 0)
    std::copy(live, live + labels, one.of(0));
  else
    one = quality::shares_by(rule_, model_.votes(number), labels);
  opinion.posterior = *std::max_element(one.of(0), one.of(0) + labels);
  opinion.shares = quality::calibrated(std::move(one), rule_.sureness).shares;
  return opinion;
}

} // namespace holdfast::core
