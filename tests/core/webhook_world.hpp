#pragma once

#include "core/webhook.hpp"
#include "tests/core/scenario_worlds.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::test {

/// One webhook, with the delivery of the events of one shard.
class webhook_world : public world {
public:
  bool given(word_reader& words) override {
    auto& policy = definition_.policy;
    if (words.take("attempts"))
      policy.attempts_max = count(words, "how many attempts");
    else if (words.take("waits of"))
      read_waits(words);
    else if (words.take("dead letters in a row"))
      policy.failing_after = count(words, "how many dead letters stop the delivery");
    else if (words.take("room for"))
      read_room(words);
    else if (words.take("batches of"))
      read_batches(words);
    else if (words.take("other webhooks"))
      others_ = count(words, "how many webhooks");
    else
      return false;
    if (const auto problems = problems_of(definition_); !problems.empty())
      throw bad_line("no webhook can have that: " + problems.front().place + " "
                     + problems.front().what);
    return true;
  }

  std::string carry_out(word_reader& words, core::instant now) override {
    now_ = now;
    if (words.take("the receiver does not answer"))
      return attempt({core::post_verdict::again, 0, {}, "no answer"});
    if (words.take("the receiver answers"))
      return attempt(http_answer(words));
    if (words.take("the address is not allowed"))
      return attempt({core::post_verdict::barred, 0, {}, "the address is not allowed"});
    if (words.take("the queue answers"))
      return attempt_by_tasks(words);
    if (words.take("the host dies"))
      return begin_anew();
    if (words.take("the webhook has"))
      return standing();
    if (words.take("the webhook is put"))
      return put(words);
    if (words.take("the webhook is"))
      return steer(words.word("what is done to the webhook"));
    if (words.take("an event of")) {
      sizes_.push_back(words.number("how many bytes"));
      words.expect("bytes happens");
      return newest(1);
    }
    const auto many = words.number("how many events");
    words.expect(many == 1 ? "event happens" : "events happen");
    const bool wanted = !words.take("that it does not want");
    sizes_.insert(sizes_.end(), many, wanted ? 2 : unwanted);
    return newest(many);
  }

private:
  /// In place of a size.
  static constexpr std::uint64_t unwanted = ~std::uint64_t{0};

  static core::webhook_definition sound() {
    core::webhook_definition made;
    made.url = "https://example.com/hooks";
    made.secret = "billing";
    return made;
  }

  static std::uint32_t count(word_reader& words, const char* what) {
    return static_cast<std::uint32_t>(words.number(what));
  }

  void read_waits(word_reader& words) {
    definition_.policy.least = words.duration("the shortest wait");
    words.expect("to");
    definition_.policy.most = words.duration("the longest wait");
  }

  void read_room(word_reader& words) {
    definition_.policy.dead_letters_max = count(words, "how many dead letters");
    words.expect("dead letters");
  }

  void read_batches(word_reader& words) {
    const auto most = count(words, "how much is in a batch");
    if (words.take("bytes"))
      definition_.policy.batch_bytes = most;
    else
      definition_.policy.batch_events = most;
    if (!words.done())
      words.expect("events");
  }

  std::string newest(std::uint64_t many) const {
    return many == 1 ? "event " + std::to_string(sizes_.size())
                     : "events " + std::to_string(sizes_.size() - many + 1) + " to "
                           + std::to_string(sizes_.size());
  }

  static core::post_answer http_answer(word_reader& words) {
    core::post_answer answer;
    answer.status = count(words, "a status of HTTP");
    answer.verdict = core::verdict_on(answer.status);
    answer.reason = "HTTP " + std::to_string(answer.status);
    if (words.take("come again after"))
      answer.retry_after = words.duration("when to come again");
    return answer;
  }

  /// What is sent next.
  core::webhook_batch next() const {
    std::vector<core::outgoing_event> wanted;
    for (auto seq = at_.position + 1; seq <= sizes_.size(); ++seq)
      if (sizes_[seq - 1] != unwanted)
        wanted.push_back({seq, std::string(sizes_[seq - 1], 'x')});
    const auto& policy = definition_.policy;
    return core::batch_of(std::move(wanted), sizes_.size(), core::next_batch_events(policy, at_),
                          policy.batch_bytes);
  }

  /// Why nothing is sent now; empty when something is.
  std::string obstacle(const core::webhook_batch& batch) const {
    if (known_ && known_->paused)
      return "not sent, paused";
    if (stopped_)
      return "not sent, stopped";
    if (now_ < due_)
      return "not sent before " + describe(due_);
    return batch.events.empty() ? "nothing to send" : "";
  }

  std::string attempt(const core::post_answer& answer) {
    const auto batch = next();
    const auto why_not = obstacle(batch);
    return why_not.empty() ? settle(batch, answer) : why_not;
  }

  /// One answer for each event of the batch: `taken`, or the error code of the refusal.
  std::string attempt_by_tasks(word_reader& words) {
    std::vector<core::failure> outcomes;
    do
      outcomes.push_back(outcome_named(words.word("an answer for a task")));
    while (!words.done());
    auto batch = next();
    if (auto why_not = obstacle(batch); !why_not.empty())
      return why_not;
    if (outcomes.size() != batch.events.size())
      throw bad_line("the queue answers for each of the " + std::to_string(batch.events.size())
                     + " events");
    const auto judged = core::judge_tasks(outcomes);
    batch = core::batch_of(std::move(batch.events), batch.through,
                           static_cast<std::uint32_t>(judged.events), unwanted);
    return settle(batch, judged.answer);
  }

  static core::failure outcome_named(const std::string& name) {
    if (name == "taken")
      return {};
    for (const auto code :
         {core::errc::not_found, core::errc::overloaded, core::errc::already_exists,
          core::errc::invalid_argument, core::errc::wrong_state, core::errc::limit_reached,
          core::errc::unavailable})
      if (to_string(code) == name)
        return {code, "as the story wants it"};
    throw bad_line("no queue answers '" + name + "'");
  }

  std::string settle(const core::webhook_batch& batch, const core::post_answer& answer) {
    using way = core::delivery_verdict::way;
    const auto decide = [&](std::uint64_t random) {
      return core::judge_delivery(definition_.policy, at_, batch.events.size(), batch.through,
                                  answer, random);
    };
    const auto soonest = decide(0);
    const auto latest = decide(~std::uint64_t{0}); // a story waits as long as it may have to
    std::string list;
    for (const auto& e : batch.events) {
      list += " " + std::to_string(e.seq);
      if (latest.dead)
        dead_.insert(e.seq);
      else if (answer.verdict == core::post_verdict::delivered)
        delivered_.insert(e.seq);
    }
    at_ = latest.then;
    due_ = now_ + latest.wait;
    stopped_ = latest.how == way::stop;
    check_nothing_is_skipped();
    const auto to = "; position " + std::to_string(at_.position);
    switch (latest.how) {
    case way::wait:
      return "again in " + describe(soonest.wait) + " to " + describe(latest.wait);
    case way::narrow:
      return "again at once with " + std::to_string(at_.events_most)
             + (at_.events_most == 1 ? " event" : " events");
    case way::stop:
      return (latest.dead ? "dead letters" + list + to + "; " : std::string{})
             + "stopped: " + latest.reason;
    case way::go_on:
      break;
    }
    return (latest.dead ? "dead letters" : "delivered") + list + to;
  }

  void check_nothing_is_skipped() const {
    for (core::event_seq seq = 1; seq <= sizes_.size(); ++seq) {
      const bool settled =
          sizes_[seq - 1] == unwanted || delivered_.count(seq) + dead_.count(seq) > 0;
      if (seq <= at_.position && !settled)
        throw broken_rule("event " + std::to_string(seq) + " is passed over");
      if (seq > at_.position && sizes_[seq - 1] != unwanted && settled)
        throw broken_rule("event " + std::to_string(seq) + " would be sent a second time");
    }
    if (dead_.size() != at_.dead_letters)
      throw broken_rule("the dead letters are not counted right");
  }

  /// What a delivery knows when it starts: what is durable, and nothing of its attempts.
  std::string begin_anew() {
    core::webhook_progress stored;
    stored.position = at_.position;
    stored.dead_letters = at_.dead_letters;
    at_ = stored;
    due_ = now_;
    return standing();
  }

  std::string standing() const {
    return "position " + std::to_string(at_.position) + ", " + std::to_string(at_.dead_letters)
           + (at_.dead_letters == 1 ? " dead letter" : " dead letters") + ", "
           + std::to_string(at_.attempts) + (at_.attempts == 1 ? " attempt" : " attempts");
  }

  std::string put(word_reader& words) {
    const auto text = words.take("with other values") ? "other values" : "values";
    return told(
        core::decide_put(known_, {}, "billing", text, core::event_start::newest, others_, now_));
  }

  std::string steer(const std::string& verb) {
    const std::map<std::string, core::webhook_verb> verbs{{"paused", core::webhook_verb::pause},
                                                          {"resumed", core::webhook_verb::resume},
                                                          {"removed", core::webhook_verb::remove}};
    const auto known = verbs.find(verb);
    if (known == verbs.end())
      throw bad_line("no webhook can be '" + verb + "'");
    auto text = told(core::decide_change(known_, "billing", known->second, now_));
    if (known->second == core::webhook_verb::resume && stopped_) {
      stopped_ = false;
      text += "; goes on: " + begin_anew();
    }
    return text;
  }

  /// Keeps what is written as the store would.
  std::string told(const core::decision<std::uint64_t>& d) {
    if (d.refusal != core::errc::none)
      return d.changes.empty() ? "refused " + std::string{to_string(d.refusal)}
                               : throw broken_rule("a refusal writes something");
    for (const auto& write : d.changes.writes) {
      if (const auto* row = std::get_if<core::put_webhook>(&write)) {
        if (row->revision != d.answer)
          throw broken_rule("the answer tells another revision than is written");
        known_ = core::known_webhook{row->id, row->definition, row->paused, row->revision};
      } else {
        known_.reset();
      }
    }
    if (!known_)
      return "removed";
    return "revision " + std::to_string(d.answer) + (known_->paused ? ", paused" : "")
           + (d.changes.empty() ? ", as it was" : "");
  }

  core::webhook_definition definition_ = sound();
  std::size_t others_ = 0;
  std::optional<core::known_webhook> known_;
  std::vector<std::uint64_t> sizes_; ///< Of the events, in bytes; by their numbers, from 1.
  core::webhook_progress at_;
  bool stopped_ = false;
  core::instant due_;
  core::instant now_;
  std::set<core::event_seq> delivered_;
  std::set<core::event_seq> dead_;
};

} // namespace holdfast::test
