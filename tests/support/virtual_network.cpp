#include "tests/support/virtual_network.hpp"

#include <caf/behavior.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/exit_reason.hpp>
#include <caf/send.hpp>

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
  std::function<caf::actor(const caf::actor&)> before_door;

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

/// Passes everything on, and ends with its far end.
caf::behavior line_to(caf::event_based_actor* self, const caf::actor& far_end) {
  self->monitor(far_end);
  self->set_down_handler([=](const caf::down_msg& down) { self->quit(down.reason); });
  self->set_default_handler(
      [=](caf::scheduled_actor*, caf::message_view& view) -> caf::result<caf::message> {
        auto promise = self->make_response_promise();
        promise.delegate(far_end, view.move_content_to_message());
        return caf::delegated<caf::message>{};
      });
  return {[](caf::unit_t) {}};
}

/// What a dial reaches: for one introduction, whose answer leads to a line.
caf::behavior greeter(caf::event_based_actor* self, const state_ptr& network,
                      const std::string& from, const std::string& to, const caf::actor& gateway) {
  return {[=](const msg::meet_node& m) {
    auto promise = self->make_response_promise<msg::node_met>();
    self->request(gateway, std::chrono::seconds{5}, m)
        .then(
            [=](msg::node_met met) mutable {
              const auto open = network.lock();
              if (!open || open->isolated.count(from) != 0 || open->isolated.count(to) != 0)
                return self->quit(caf::exit_reason::kill);
              const auto far_end = open->before_door ? open->before_door(met.door) : met.door;
              met.door = self->system().spawn(line_to, far_end);
              open->lines.push_back({from, to, met.door.address()});
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
          {}});
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

void virtual_network::refuse_when_isolated() { state_->refuses_when_isolated = true; }

void virtual_network::stand_before_doors(std::function<caf::actor(const caf::actor&)> before) {
  state_->before_door = std::move(before);
}

void virtual_network::cut_lines() { state_->cut({}); }

std::size_t virtual_network::lines_laid() const { return state_->laid; }

} // namespace holdfast::test
