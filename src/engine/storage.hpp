#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/access_log.hpp"
#include "engine/written.hpp"
#include "papilio/engine/operand.hpp"

namespace papilio::engine_detail {

class core_state;
class tile_memory;

/// One allocation in SBUF or PSUM. The objects live as long as their core; a freed one is reused
/// under the next generation number, by which stale views are recognized.
struct tile_storage {
  const tile_memory* memory = nullptr;  // the memory that gave it out
  std::byte* data = nullptr;            // null in a dry run
  std::size_t pitch_bytes = 0;          // from one partition to the next in host memory
  engine::memory_space space = engine::memory_space::sbuf;
  engine::dtype type = engine::dtype::fp32;
  std::int64_t address_bytes = 0;  // within each partition
  std::int64_t size_bytes = 0;     // of each partition
  int partitions = 0;
  std::uint32_t generation = 1;
  std::uint32_t number = 0;  // by which messages name it
  bool live = false;
  std::string name;  // given by its kernel, or empty
  int pool = 0;      // the number of its pool, from 1 on; 0: it is in none

  double free_from_ns = 0;  // when the tiles that had these bytes before are no longer in use
  written_tile written;
  access_log log;

  std::byte* row(int partition) const { return data + std::size_t(partition) * pitch_bytes; }
};

/// The uses of a tensor so far. They tell whether it carries a value into the program.
struct tensor_use {
  bool read = false, written = false;
  bool read_first = false;  // read before it was written, so that its value came from outside

  void note(bool reads, bool writes) {
    read_first = read_first || (reads && !written);
    read = read || reads;
    written = written || writes;
  }
};

/// One tensor in HBM, which views refer to.
struct hbm_storage {
  const core_state* owner = nullptr;
  std::byte* data = nullptr;  // null in a dry run
  engine::dtype type = engine::dtype::fp32;
  std::vector<std::int64_t> extents;
  std::int64_t elements = 0;
  std::string name;
  bool constant = false;  // it is an input: no instruction writes it, so that reads need no log
  bool checked = false;   // it is an output, which must be complete at the end
  tensor_use used;

  bool is_input() const { return constant || used.read_first; }
  bool is_output() const { return checked || (used.written && (used.read_first || !used.read)); }
  written_tensor written;
  access_log log;
};

}  // namespace papilio::engine_detail
