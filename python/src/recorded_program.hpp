#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "papilio/engine.hpp"

// Programs that Python wrote down: instructions over tiles without a place, and their replay.
namespace papilio::python {

/// Elements of one memory that an instruction reads or writes.
struct reference {
  static constexpr std::int32_t none = INT32_MIN;

  std::int32_t memory = none;  ///< a tile's number, or ~ that of a tensor in HBM
  std::int16_t partition = 0, partitions = 1;
  std::int8_t field = 0;  ///< of the instruction
  std::int8_t rank = 0;
  bool writes = false;
  std::int64_t offset = 0;  ///< in elements
  std::array<engine::pattern_dim, 6> levels = {};

  bool is_tile() const { return memory >= 0; }
  std::span<const engine::pattern_dim> dims() const { return {levels.data(), std::size_t(rank)}; }
  std::int64_t elements() const;
  bool selects_same(const reference& other) const;
};

/// Says what becomes of an instruction once the whole program is known.
enum class record_role : std::uint8_t {
  plain,
  assigns,      ///< a copy of a result: its instruction may write to the copy's place at once
  adds,         ///< the sum of a result and its place: a product accumulates there instead
  accumulates,  ///< a product that overwrites where none was before
  dropped
};

/// An instruction as Python called it; its views are references.
struct record {
  engine::instruction what;
  std::uint32_t first = 0, count = 0;  ///< among the references
  int line = 0;
  std::uint32_t file = 0;
  record_role role = record_role::plain;
};

/// A tile of the program: its place is chosen when the program is replayed.
struct recorded_tile {
  engine::memory_space space = engine::memory_space::sbuf;
  int partitions = 1;
  std::int64_t columns = 1;
  engine::dtype type = engine::dtype::fp32;
  int line = 0;
  std::uint32_t file = 0;
};

/// How a tensor in HBM comes into the program and leaves it.
enum class tensor_role : std::uint8_t { scratch, input, output, updated };

struct recorded_tensor {
  engine::tensor_shape shape;
  tensor_role role = tensor_role::scratch;
  std::span<std::byte> data = {};  ///< contents of the host; none in a dry run
};

/// A launch, and what the replay saw beside it.
struct replayed {
  engine::launch_result run;
  std::uint64_t repeated_loads = 0, repeated_load_bytes = 0;
};

class recorded_program {
 public:
  explicit recorded_program(std::string kernel) : kernel_(std::move(kernel)) {}

  int add_tile(const recorded_tile& tile);
  int add_tensor(const engine::tensor_shape& shape, tensor_role role);
  recorded_tensor& tensor(std::size_t number);
  std::uint32_t file(const std::string& name);
  void add(record next, std::span<const reference> references);

  std::size_t size() const { return records_.size(); }
  /// "kernel K, F line N", of the record.
  std::string where(const record& r) const { return where(r.file, r.line); }
  std::string where(std::uint32_t file, int line) const;

  /// Merges results with the places that they are assigned to, and decides which products overwrite.
  /// Once, after the last instruction.
  void settle();
  /// Launches what was recorded on a device of its own.
  replayed run(const engine::machine_spec& machine, const engine::runtime_spec& runtime,
               engine::run_mode mode, bool trace, int threads);
  /// The source line of each instruction that a run issues.
  std::vector<std::pair<std::string, int>> lines() const;
  /// The numbers of the tensors that instructions write to.
  std::vector<int> stored_tensors() const;

 private:
  friend class replay;

  std::span<reference> references_of(const record& r);
  reference* written(const record& r);
  bool takes_place_of(std::size_t producer, std::size_t copy, const reference& result,
                      const reference& place);
  void merge_results();
  void choose_overwriting();

  std::string kernel_;
  std::deque<record> records_;
  std::vector<reference> references_;
  std::vector<recorded_tile> tiles_;
  std::vector<recorded_tensor> tensors_;
  std::vector<std::string> files_;
};

}  // namespace papilio::python
