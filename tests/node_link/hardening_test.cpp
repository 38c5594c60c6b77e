// finding D6: what the linker and compiler do for the program, read from its file.

#include "tests/end_to_end/running_node.hpp"

#include <boost/test/unit_test.hpp>

#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

/// A program for a 64-bit machine.
class program_file {
public:
  explicit program_file(const std::string& path) {
    std::ifstream in{path, std::ios::binary};
    bytes_.assign(std::istreambuf_iterator<char>{in}, {});
    BOOST_REQUIRE(bytes_.size() > sizeof(Elf64_Ehdr));
    BOOST_REQUIRE(std::memcmp(bytes_.data(), ELFMAG, SELFMAG) == 0);
    BOOST_REQUIRE(bytes_[EI_CLASS] == ELFCLASS64);
    header_ = at<Elf64_Ehdr>(0);
  }

  bool moves() const { return header_.e_type == ET_DYN; }

  bool has_segment(std::uint32_t type) const {
    for (std::size_t i = 0; i < header_.e_phnum; ++i)
      if (at<Elf64_Phdr>(header_.e_phoff + i * sizeof(Elf64_Phdr)).p_type == type)
        return true;
    return false;
  }
  bool stack_runs() const {
    for (std::size_t i = 0; i < header_.e_phnum; ++i) {
      const auto segment = at<Elf64_Phdr>(header_.e_phoff + i * sizeof(Elf64_Phdr));
      if (segment.p_type == PT_GNU_STACK)
        return (segment.p_flags & PF_X) != 0;
    }
    return true;
  }
  /// Whether all functions of libraries are found before the program begins.
  bool binds_now() const {
    for (std::size_t i = 0; i < header_.e_phnum; ++i) {
      const auto segment = at<Elf64_Phdr>(header_.e_phoff + i * sizeof(Elf64_Phdr));
      if (segment.p_type != PT_DYNAMIC)
        continue;
      for (std::size_t offset = 0; offset < segment.p_filesz; offset += sizeof(Elf64_Dyn)) {
        const auto entry = at<Elf64_Dyn>(segment.p_offset + offset);
        if (entry.d_tag == DT_BIND_NOW
            || (entry.d_tag == DT_FLAGS && (entry.d_un.d_val & DF_BIND_NOW) != 0)
            || (entry.d_tag == DT_FLAGS_1 && (entry.d_un.d_val & DF_1_NOW) != 0))
          return true;
      }
    }
    return false;
  }
  bool names(const std::string& function) const {
    return bytes_.find('\0' + function + '\0') != std::string::npos;
  }

private:
  template <class Part>
  Part at(std::size_t offset) const {
    BOOST_REQUIRE(offset + sizeof(Part) <= bytes_.size());
    Part part;
    std::memcpy(&part, bytes_.data() + offset, sizeof part);
    return part;
  }

  std::string bytes_;
  Elf64_Ehdr header_{};
};

} // namespace

BOOST_AUTO_TEST_SUITE(hardening)

#ifndef HOLDFAST_SANITIZED_BUILD
BOOST_AUTO_TEST_CASE(program_is_linked_against_being_rewritten) {
  const program_file program{HOLDFAST_BINARY};
  BOOST_TEST(program.moves());
  BOOST_TEST(program.has_segment(PT_GNU_RELRO));
  BOOST_TEST(program.binds_now());
  BOOST_TEST(!program.stack_runs());
}
#endif

#ifdef HOLDFAST_SHIPPED_BUILD
BOOST_AUTO_TEST_CASE(shipped_program_guards_its_stack_and_its_buffers) {
  const program_file program{HOLDFAST_BINARY};
  BOOST_TEST(program.names("__stack_chk_fail"));
  BOOST_TEST((program.names("__snprintf_chk") || program.names("__memcpy_chk")
              || program.names("__vsnprintf_chk") || program.names("__read_chk")));
}
#endif

// Of a process that leaves no core dump everything in /proc belongs to root; where all is root's,
// that says nothing.
BOOST_AUTO_TEST_CASE(memory_of_a_node_is_closed_to_its_user) {
  if (::geteuid() == 0)
    return;
  const holdfast::test::running_node node;
  const auto running = holdfast::app::read_node_file(node.directory->path());
  BOOST_REQUIRE(running);
  struct stat memory {};
  const auto path = "/proc/" + std::to_string(running->pid) + "/mem";
  BOOST_REQUIRE(::stat(path.c_str(), &memory) == 0);
  BOOST_TEST(memory.st_uid == 0U);
  BOOST_TEST(::access(path.c_str(), R_OK) != 0);
}

BOOST_AUTO_TEST_SUITE_END()
