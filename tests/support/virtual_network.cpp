#include "tests/support/virtual_network.hpp"

#include <caf/behavior.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/exit_reason.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/send.hpp>
#include <caf/stateful_actor.hpp>

#include <deque>
#include <utility>
#include <vector>

namespace holdfast::test {

struct virtual_network::state {
  struct line {
    std::string from;
    std::string to;
    caf::actor_addr actor;
  };

  explicit state(caf::actor_system& s) : system(&s) {}

  caf::actor_system* system;
  std::map<std::string, msg::member_gateway_actor> gateways;
  std::set<std::string> isolated;
  std::vector<line> lines;
  std::size_t laid = 0;
  bool refuses_when_isolated = false;
  std::uint32_t protocol = msg::own_protocols.newest;
  std::set<std::pair<std::string, std::string>> one_way_cuts; ///< Whom who does not reach.
  std::function<message_fate()> decide;
  std::function<caf::actor(const caf::actor&)> before_door;
  std::function<caf::actor(const caf::actor&)> before_line;

  bool is_cut(const std::string& from, const std::string& to) const {
    return one_way_cuts.count({from, to}) != 0;
  }

  void cut(const std::string& address) {
    std::vector<line> left;
    for (auto& one : lines)
      if (address.empty() || one.from == address || one.to == address)
        end(one.actor);
      else
        left.push_back(std::move(one));
    lines = std::move(left);
  }

  static void end(const caf::actor_addr& line) {
    if (const auto actor = caf::actor_cast<caf::strong_actor_ptr>(line))
      caf::anon_send_exit(actor, caf::exit_reason::kill);
  }
};

namespace {

using state_ptr = std::weak_ptr<virtual_network::state>;

/// INTERNAL, self-sent: what was late is due.
using due_atom = caf::atom_constant<caf::atom("linedue")>;
/// INTERNAL, self-sent: somebody has noticed that the line is dead.
using noticed_atom = caf::atom_constant<caf::atom("linedead")>;
/// INTERNAL: nothing goes wrong any more.
using heal_atom = caf::atom_constant<caf::atom("lineheal")>;

/// Under this id nobody waits for an answer: CAF drops what comes for it.
constexpr std::uint64_t nobody_waits = caf::message_id::default_async_value + (1ULL << 56);

struct line_state {
  struct parcel {
    caf::strong_actor_ptr sender;
    caf::message_id mid;
    caf::message content;
  };

  static inline const char* name = "line";

  std::deque<parcel> late; ///< In order.
  bool deaf = false;       ///< What is sent over it is lost.
  bool mute = false;       ///< What is answered over it is lost.
};

using line_ptr = caf::stateful_actor<line_state>*;

void hand_over(line_ptr self, const caf::actor& far_end, const line_state::parcel& what) {
  far_end->enqueue(caf::make_mailbox_element(what.sender, what.mid, {}, what.content),
                   self->context());
}

void hand_over_late(line_ptr self, const caf::actor& far_end) {
  for (const auto& one : std::exchange(self->state.late, {}))
    hand_over(self, far_end, one);
}

void notice_later(line_ptr self, core::duration pause) {
  self->delayed_send(self, pause, noticed_atom::value);
}

/// One message comes in at the near end.
void carry_parcel(line_ptr self, const caf::actor& far_end, line_state::parcel what,
                  const message_fate& fate) {
  auto& st = self->state;
  const bool question = what.mid.is_request();
  if ((fate.lost && !st.deaf) || (fate.answer_lost && !st.mute && question))
    notice_later(self, fate.noticed_after);
  st.deaf = st.deaf || fate.lost;
  st.mute = st.mute || (fate.answer_lost && question);
  if (st.deaf)
    return;
  if (st.mute && question)
    what.mid = caf::message_id{nobody_waits};
  const bool waits = !st.late.empty() || fate.late > fate.late.zero();
  if (waits && st.late.empty())
    self->delayed_send(self, fate.late, due_atom::value);
  const auto pass = [&] {
    if (waits)
      st.late.push_back(what);
    else
      hand_over(self, far_end, what);
  };
  pass();
  if (!fate.doubled)
    return;
  if (question)
    what.mid = caf::message_id{nobody_waits};
  pass();
}

/// Passes everything on, as far as its fate lets it, and ends with its far end.
caf::behavior line_to(line_ptr self, const state_ptr& network, const std::string& from,
                      const std::string& to, const caf::actor& far_end) {
  self->monitor(far_end);
  self->set_down_handler([=](const caf::down_msg& down) { self->quit(down.reason); });
  self->set_default_handler(
      [=](caf::scheduled_actor*, caf::message_view& view) -> caf::result<caf::message> {
        const auto* element = self->current_mailbox_element();
        line_state::parcel what{element->sender, element->mid, view.move_content_to_message()};
        self->make_response_promise(); // the far end answers, if anybody does
        message_fate fate;
        if (const auto open = network.lock()) {
          if (open->decide)
            fate = open->decide();
          // Whoever cuts a way breaks its lines, too: nothing is noticed here.
          if (open->is_cut(from, to))
            return caf::delegated<caf::message>{};
          if (open->is_cut(to, from) && what.mid.is_request())
            what.mid = caf::message_id{nobody_waits};
        }
        carry_parcel(self, far_end, std::move(what), fate);
        return caf::delegated<caf::message>{};
      });
  return {[=](due_atom) { hand_over_late(self, far_end); },
          [=](noticed_atom) { self->quit(caf::exit_reason::kill); },
          [=](heal_atom) {
            if (self->state.deaf || self->state.mute)
              return self->quit(caf::exit_reason::kill);
            hand_over_late(self, far_end);
          }};
}

/// What a dial reaches: for one introduction, whose answer leads to a line.
caf::behavior greeter(caf::event_based_actor* self, const state_ptr& network,
                      const std::string& from, const std::string& to, const caf::actor& gateway) {
  return {[=](const msg::meet_node& m) {
    auto promise = self->make_response_promise<msg::node_met>();
    const auto cut = [=] {
      const auto now = network.lock();
      return now && (now->is_cut(from, to) || now->is_cut(to, from));
    };
    if (cut())
      return promise; // of which nobody hears
    self->request(gateway, std::chrono::seconds{5}, m)
        .then(
            [=](msg::node_met met) mutable {
              const auto open = network.lock();
              if (!open || open->isolated.count(from) != 0 || open->isolated.count(to) != 0)
                return self->quit(caf::exit_reason::kill);
              if (cut())
                return self->quit();
              const auto far_end = open->before_door ? open->before_door(met.door) : met.door;
              met.door = self->system().spawn(line_to, network, from, to, far_end);
              open->lines.push_back({from, to, met.door.address()});
              if (open->before_line)
                met.door = open->before_line(met.door);
              ++open->laid;
              promise.deliver(std::move(met));
              self->quit();
            },
            [=](caf::error& error) mutable {
              promise.deliver(std::move(error));
              self->quit();
            });
    return promise;
  }};
}

} // namespace

virtual_network::virtual_network(caf::actor_system& system)
    : state_(std::make_shared<state>(system)) {}

actors::node_dialer virtual_network::dialer(const std::string& from) {
  return [network = state_ptr{state_}, from](
             const std::string& to, const std::function<void(const actors::dial_result&)>& done) {
    const auto open = network.lock();
    if (!open || open->isolated.count(from) != 0 || open->isolated.count(to) != 0)
      return done({{}, open && open->refuses_when_isolated, "no answer"});
    const auto found = open->gateways.find(to);
    if (found == open->gateways.end())
      return done({{}, true, "connection refused"});
    const auto gateway = caf::actor_cast<caf::actor>(found->second);
    done({caf::actor_cast<msg::member_gateway_actor>(
              open->system->spawn(greeter, network, from, to, gateway)),
          false,
          {},
          open->protocol});
  };
}

void virtual_network::listen(const std::string& address, const msg::member_gateway_actor& gateway) {
  state_->gateways[address] = gateway;
}

void virtual_network::close(const std::string& address) {
  state_->gateways.erase(address);
  state_->cut(address);
}

void virtual_network::isolate(const std::string& address, bool isolated) {
  if (!isolated) {
    state_->isolated.erase(address);
    return;
  }
  state_->isolated.insert(address);
  state_->cut(address);
}

void virtual_network::speak(std::uint32_t protocol) { state_->protocol = protocol; }

void virtual_network::refuse_when_isolated() { state_->refuses_when_isolated = true; }

void virtual_network::stand_before_doors(std::function<caf::actor(const caf::actor&)> before) {
  state_->before_door = std::move(before);
}

void virtual_network::cut_lines() { state_->cut({}); }

void virtual_network::cut_lines_of(const std::string& address) { state_->cut(address); }

void virtual_network::cut_one_way(const std::string& from, const std::string& to, bool cut) {
  if (cut)
    state_->one_way_cuts.insert({from, to});
  else
    state_->one_way_cuts.erase({from, to});
}

void virtual_network::decide_fates(std::function<message_fate()> decide) {
  state_->decide = std::move(decide);
}

void virtual_network::heal() {
  state_->decide = nullptr;
  for (const auto& [from, to] : std::exchange(state_->one_way_cuts, {}))
    state_->cut(from);
  for (const auto& one : state_->lines)
    if (const auto actor = caf::actor_cast<caf::actor>(one.actor))
      caf::anon_send(actor, heal_atom::value);
}

void virtual_network::stand_before_lines(std::function<caf::actor(const caf::actor&)> before) {
  state_->before_line = std::move(before);
}

std::size_t virtual_network::lines_laid() const { return state_->laid; }

} // namespace holdfast::test
