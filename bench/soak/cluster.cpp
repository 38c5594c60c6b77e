#include "bench/soak/cluster.hpp"

#include "app/data_dir.hpp"
#include "bench/shell.hpp"
#include "bench/soak/sql_session.hpp"
#include "link/authority.hpp"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <utility>

namespace holdfast::soak {

namespace {

using namespace std::chrono_literals;

constexpr auto start_limit = 60s;
/// In the certificate of everybody who uses the cluster.
const std::string client_name = "users";

template <class Id>
Id id_of(const std::string& text) {
  const auto parsed = core::parse_uuid(text);
  if (!parsed)
    throw std::runtime_error{"not an id: " + text};
  return {*parsed};
}

} // namespace

cluster::cluster(cluster_options options)
    : options_(std::move(options)), older_(!options_.older_program.empty()) {
  auto made = app::demo::scratch_directory::make();
  if (!made)
    throw std::runtime_error{made.error().detail};
  directory_.emplace(std::move(*made));
  if (options_.machine.network.empty()) {
    network_.emplace(options_.nodes + 3); // the guest, the server and its standby
    issue_certificates();
  }
  database_options server;
  server.directory = directory();
  server.small_disk = options_.machine.disk.empty();
  server.disk_bytes = options_.disk_bytes;
  server.lazy_disk = options_.lazy_disk;
  server.lines = network_ ? &*network_ : nullptr;
  server.place = server_place();
  server.standby = options_.standby;
  if (options_.commits_interrupted)
    commits_ = std::make_shared<commit_interruptions>();
  server.commits = commits_;
  server.log_sessions = options_.log_sessions;
  server.copies = options_.copies;
  server.wrong_clock = options_.wrong_server_clock;
  server_.emplace(std::move(server));
  for (std::uint32_t number = 0; number < options_.nodes; ++number) {
    make_node(number);
    start(number);
  }
  if (options_.guest)
    make_node(guest());
}

cluster::~cluster() { nodes_.clear(); }

void cluster::issue_certificates() const {
  const auto now = std::chrono::time_point_cast<core::duration>(std::chrono::system_clock::now());
  const auto must = [](const core::outcome<bool>& done) {
    if (!done)
      throw std::runtime_error{"certificates: " + done.error().detail};
  };
  must(link::make_authority(authority(), "soak", link::authority_days, now));
  link::certificate_request request;
  request.directory = authority();
  request.name = client_name;
  must(link::issue_certificate(request, now));
  request.kind = link::holder::node;
  for (std::uint32_t number = 0; number <= guest(); ++number) {
    request.name = name_of(number);
    request.hosts = {network::address_of(number)};
    must(link::issue_certificate(request, now));
  }
}

link::credentials cluster::credentials_of(const std::string& name) const {
  const auto file = authority() + '/' + name;
  return {file + ".crt", file + ".key", authority() + "/ca.crt", {}};
}

std::vector<std::string> cluster::arguments_of(std::uint32_t number) const {
  const auto lease = std::chrono::duration_cast<std::chrono::milliseconds>(options_.lease_time);
  std::vector<std::string> words{"--database-url", server_->conninfo_of_nodes()};
  const auto set = [&](const std::string& option) { words.insert(words.end(), {"--set", option}); };
  set("node.name=" + name_of(number));
  set("node.lease_time=" + std::to_string(lease.count()) + "ms");
  set("node.heartbeat_interval=" + std::to_string(lease.count() / 4) + "ms");
  if (!network_)
    return words;
  const auto files = credentials_of(name_of(number));
  set("node.listen_address=" + network::address_of(number));
  set("link.certificate=" + files.certificate);
  set("link.key=" + files.key);
  set("link.ca=" + files.authority);
  std::string peers = client_name;
  for (std::uint32_t other = 0; other <= guest(); ++other)
    peers += ", " + name_of(other);
  set("link.peers=" + peers);
  return words;
}

std::vector<client::endpoint> cluster::endpoints(std::uint32_t first) const {
  std::vector<client::endpoint> all;
  for (std::uint32_t i = 0; i < options_.nodes; ++i) {
    const auto number = (first + i) % options_.nodes;
    client::endpoint where{"127.0.0.1", nodes_[number]->port(), {}, {}};
    if (network_) {
      where.host = network::address_of(number);
      where.tls = credentials_of(client_name);
    }
    all.push_back(std::move(where));
  }
  return all;
}

void cluster::make_node(std::uint32_t number) {
  const auto place = directory_->path() / name_of(number);
  std::filesystem::create_directory(place);
  auto runs = program();
  if (options_.wrong_clocks) {
    clocks_.emplace_back(place.string(), runs);
    runs = clocks_.back().program();
  }
  nodes_.push_back(std::make_unique<app::demo::node_process>(runs, place, arguments_of(number)));
}

void cluster::start(std::uint32_t number) {
  const auto begin = [&] {
    if (const auto started = nodes_[number]->start(start_limit); !started)
      throw std::runtime_error{"node " + name_of(number) + " does not start: "
                               + started.error().detail + "\n" + nodes_[number]->log_tail()};
  };
  if (network_)
    network_->inside(number, begin);
  else
    begin();
}

void cluster::use_older(bool older) {
  older_ = older;
  for (std::uint32_t number = 0; number < nodes_.size(); ++number)
    if (options_.wrong_clocks)
      clocks_.at(number).use(program());
    else
      nodes_.at(number)->set_program(program());
}

std::string cluster::incarnation(std::uint32_t number) const {
  const auto file = app::read_node_file(directory_->path() / name_of(number));
  return file ? file->incarnation : std::string{};
}

std::string cluster::turned_away_by(std::uint32_t number) const {
  const auto where = endpoints(number).front();
  auto command = bench::quoted(options_.program) + " status --host " + where.host + " --port "
                 + std::to_string(where.port);
  if (network_) {
    const auto files = credentials_of(client_name);
    command += " --set link.certificate=" + files.certificate + " --set link.key=" + files.key
               + " --set link.ca=" + files.authority;
  }
  const auto asked = bench::run_shell(command);
  return asked.status == 0 ? std::string{} : asked.output;
}

std::optional<process_reading> cluster::reading(std::uint32_t number) const {
  const auto file = app::read_node_file(directory_->path() / name_of(number));
  if (!file)
    return std::nullopt;
  const auto process = "/proc/" + std::to_string(file->pid);
  process_reading seen;
  seen.incarnation = file->incarnation;
  std::ifstream status{process + "/status"};
  for (std::string line; std::getline(status, line);)
    if (line.rfind("VmRSS:", 0) == 0)
      seen.memory_mib = std::stod(line.substr(6)) / 1024;
    else if (line.rfind("Threads:", 0) == 0)
      seen.threads = std::stod(line.substr(8));
  if (seen.memory_mib == 0)
    return std::nullopt; // it has ended
  std::error_code ended;
  for (std::filesystem::directory_iterator each{process + "/fd", ended}, end; !ended && each != end;
       each.increment(ended))
    ++seen.files;
  return seen;
}

std::uint64_t cluster::log_lines(const std::string& event) const {
  std::uint64_t lines = 0;
  for (std::uint32_t number = 0; number < nodes_.size(); ++number) {
    std::ifstream log{directory_->path() / name_of(number) / "node.log"};
    for (std::string line; std::getline(log, line);)
      lines += line.find(event) != std::string::npos ? 1 : 0;
  }
  return lines;
}

double cluster::database_mib() const {
  sql_session session{conninfo()};
  return std::stod(session.rows("SELECT pg_database_size(current_database())")[0][0]) / (1 << 20);
}

final_state cluster::stored_in(const std::string& conninfo) {
  sql_session session{conninfo};
  final_state state;
  for (const auto& row : session.rows("SELECT task_id, workflow_status, finished_at IS NULL, "
                                      "result->>'try' FROM report.tasks"))
    state.tasks[id_of<core::task_id>(row[0])] = {row[2] == "t", row[1] == "COMPLETED", row[3],
                                                 row[1] == "ERROR"};
  for (const auto& row :
       session.rows("SELECT judgment_id, unit_id, contributor_id FROM report.judgments"))
    state.judgments[id_of<core::judgment_id>(row[0])] = {id_of<core::unit_id>(row[1]), row[2]};
  // Those that were handed in; the others were made of their results.
  for (const auto& row : session.rows("SELECT workflow_step_id, source_key FROM report.units"
                                      " WHERE parent_unit_id IS NULL"))
    state.rows.push_back({id_of<core::step_id>(row[0]), row[1]});
  return state;
}

} // namespace holdfast::soak
