#pragma once

#include "tests/persistence/test_cluster.hpp"

#include <pqxx/pqxx>
#include <string>

namespace holdfast::test {

/// An empty database of its own.
struct empty_database {
  empty_database() {
    drop();
    run(test_cluster::instance().conninfo(), "CREATE DATABASE migrated");
  }
  ~empty_database() { drop(); }

  static pqxx::result run(const std::string& where, const std::string& sql) {
    pqxx::connection database{where};
    pqxx::nontransaction tx{database};
    return tx.exec(sql);
  }
  static void drop() {
    run(test_cluster::instance().conninfo(), "DROP DATABASE IF EXISTS migrated WITH (FORCE)");
  }
  pqxx::result sql(const std::string& text) const { return run(conninfo, text); }

  std::string conninfo = test_cluster::instance().conninfo() + " dbname=migrated";
};

} // namespace holdfast::test
