#pragma once

#include "core/ids.hpp"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The access table: the senders that each message may have. The frame filter of the link, the
/// gateway and every other entrance derive their rules from this one table.
namespace holdfast::core {

/// A role says what the holder of a certificate (or of another credential) may do.
enum class role : std::uint8_t {
  admin,         ///< Every request.
  node_operator, ///< `operator`: the cluster, queues, dead letters, webhooks.
  requester,     ///< Workflows, their data, contributors, results.
  producer,      ///< Adds tasks, and looks at them by their ids.
  worker,        ///< Claims tasks and what follows from a claim.
  contributor,   ///< Looks for steps, asks for assignments, judges.
  auditor,       ///< Reads everything, changes nothing.
};
inline constexpr std::size_t role_count = 7;

/// `admin`, `operator`, `requester`, `producer`, `worker`, `contributor` or `auditor`.
std::string_view to_string(role value);
std::optional<role> role_named(std::string_view name);

/// Whether a credential of this role may be bound to one contributor or worker.
bool is_bindable(role value);

/// Several roles.
class role_set {
public:
  constexpr role_set() = default;
  constexpr role_set(std::initializer_list<role> roles) {
    for (const auto one : roles)
      add(one);
  }
  static constexpr role_set all() {
    role_set every;
    every.bits_ = (1U << role_count) - 1;
    return every;
  }

  constexpr void add(role one) { bits_ |= bit(one); }
  constexpr bool has(role one) const { return (bits_ & bit(one)) != 0; }
  constexpr bool meets(role_set other) const { return (bits_ & other.bits_) != 0; }
  constexpr role_set common(role_set other) const {
    role_set both;
    both.bits_ = bits_ & other.bits_;
    return both;
  }
  constexpr bool empty() const { return bits_ == 0; }

  friend constexpr bool operator==(role_set a, role_set b) { return a.bits_ == b.bits_; }
  friend constexpr bool operator!=(role_set a, role_set b) { return a.bits_ != b.bits_; }

private:
  static constexpr std::uint32_t bit(role one) { return 1U << static_cast<unsigned>(one); }

  std::uint32_t bits_ = 0;
};

/// The side that says a message.
enum class said_by : std::uint8_t {
  clients, ///< A request of a peer; `message_access::roles` says of which.
  nodes,   ///< Nodes to each other, and to nobody else.
  answers, ///< The side that was asked. A peer that asks never says such a message.
  parts,   ///< Nobody: it travels inside other messages.
};

/// One row of the table.
struct message_access {
  std::string_view message; ///< As on the wire, without `hf<version>.`.
  said_by who = said_by::clients;
  role_set roles{}; ///< Of requests alone.
};

/// Every message of the wire. tests/messages compares it with what is registered.
const std::vector<message_access>& message_table();

/// The row of a message; null for one that this program does not know.
const message_access* find_access(std::string_view message);

/// One role that a holder has; the name binds `contributor` and `worker` to one contributor or
/// worker.
struct grant {
  role as = role::contributor;
  std::string name; ///< Empty: any. Other roles have none.

  friend bool operator==(const grant& a, const grant& b) {
    return a.as == b.as && a.name == b.name;
  }
};

/// The queues and workflows that a credential reaches. Without any it reaches all that its roles
/// do; one that names some reaches nothing else.
struct access_scope {
  std::vector<std::string> queues; ///< The beginnings of their names.
  std::vector<workflow_id> workflows;

  bool limits() const { return !queues.empty() || !workflows.empty(); }
  bool reaches(const queue_name& queue) const;
  bool reaches(workflow_id workflow) const;

  friend bool operator==(const access_scope& a, const access_scope& b) {
    return a.queues == b.queues && a.workflows == b.workflows;
  }
};

/// The identity behind a connection.
struct principal {
  bool is_node = false; ///< May do everything that nodes do.
  std::vector<grant> grants;
  access_scope scope{};
  std::string label{}; ///< A short stable name for the audit log, such as `certificate:ops`.

  role_set roles() const;
};

/// The name of a principal in the audit log: its label, or else its first role with the name that
/// this is bound to: `contributor ann`.
std::string label_of(const principal& who);

/// The contributor or the worker that a request names as the one it is for; null where the request
/// names none.
struct named_in_request {
  const std::string* contributor = nullptr;
  const std::string* worker = nullptr;
};

/// Why `who` may not send `message` for those whom it names; empty when they may.
std::string objection_to(const principal& who, std::string_view message,
                         const named_in_request& named);

/// A grant as a certificate carries it, in a URI of its alternative names:
/// `holdfast:role=worker?name=resizer-1`, the name percent-encoded.
std::string uri_of(const grant& given);
/// Empty when `uri` is no grant: another scheme, an unknown role, a name for a role without one.
std::optional<grant> grant_of_uri(std::string_view uri);
/// Whether `uri` is of the scheme of grants, also when it makes none.
bool is_grant_uri(std::string_view uri);

/// Roles separated by commas, such as `producer, worker`, or `none`. Empty when a word is no role.
std::optional<role_set> roles_of_list(std::string_view text);

} // namespace holdfast::core
