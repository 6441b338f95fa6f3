#include "papilio/engine/isa/tensor_engine.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "engine/checker.hpp"
#include "engine/instruction_run.hpp"
#include "engine/isa/elementwise.hpp"
#include "engine/written.hpp"

namespace papilio::engine {

using namespace engine_detail;

namespace {

constexpr std::size_t block_max = 128;

// Returns the byte offsets of the elements of a partition, in the pattern's order.
std::array<std::int64_t, block_max> offsets(const tile_view& view) {
  std::array<std::int64_t, block_max> result;
  std::size_t i = 0;
  const auto size = std::int64_t(size_bytes(view.type()));
  for_each_run(view.dims(), 0, [&](std::int64_t first, std::int64_t count) {
    for (std::int64_t k = 0; k < count; ++k) result[i++] = (first + k) * size;
  });
  return result;
}

template <class Word>
void move_words(const tile_view& out, const tile_view& in) {
  const auto from = offsets(in), to = offsets(out);
  const auto columns = std::size_t(in.elements());
  for (std::size_t f = 0; f < columns; ++f) {
    std::byte* const row = address(out, int(f));
    for (int p = 0; p < in.partitions(); ++p)
      std::memcpy(row + to[std::size_t(p)], address(in, p) + from[f], sizeof(Word));
  }
}

void convert(const tile_view& out, const tile_view& in, const instruction_run& run) {
  const auto from = offsets(in), to = offsets(out);
  for (std::size_t f = 0; f < std::size_t(in.elements()); ++f)
    for (int p = 0; p < in.partitions(); ++p) {
      float value;
      load_row(in.type(), address(in, p) + from[f], 1, 1, &value);
      store_row(out.type(), &value, 1, address(out, int(f)) + to[std::size_t(p)], 1, run.rounding(),
                (run.instruction() << 24) + f * block_max + std::size_t(p));
    }
}

// Transposes within one tile. Input and output may share elements, so that all elements are read
// before any is written.
void in_place(const tile_view& out, const tile_view& in) {
  const auto from = offsets(in), to = offsets(out);
  const std::size_t size = size_bytes(in.type()), columns = std::size_t(in.elements());
  std::vector<std::byte> words(columns * std::size_t(in.partitions()) * size);
  std::byte* word = words.data();
  for (int p = 0; p < in.partitions(); ++p)
    for (std::size_t f = 0; f < columns; ++f, word += size)
      std::memcpy(word, address(in, p) + from[f], size);
  word = words.data();
  for (int p = 0; p < in.partitions(); ++p)
    for (std::size_t f = 0; f < columns; ++f, word += size)
      std::memcpy(address(out, int(f)) + to[std::size_t(p)], word, size);
}

}  // namespace

void transpose::validate(const checker& check) const {
  const tensor_engine_spec& tensor = check.machine().tensor;
  const bool blocks = on == unit::vector;
  const int block_rows =
      blocks ? check.machine().vector.transpose_block : tensor.transpose_side_max;
  const int columns = strip ? check.machine().lowering.transpose_strip_columns : block_rows;
  check.that(blocks || !strip, "strip", "is of the vector engine");
  check.at_most("in", "partitions", in.partitions(), std::min(block_rows, int(block_max)));
  check.at_most("in", "elements a partition", in.elements(),
                std::int64_t(std::min(columns, int(block_max))));
  check.equal("out", "partitions (elements of in)", std::int64_t(out.partitions()), in.elements());
  check.equal("out", "elements a partition (partitions of in)", out.elements(),
              std::int64_t(in.partitions()));
  if (blocks) return check.has_type("out", out, in.type());
  check.in_sbuf("in", in);
  check.in_psum("out", out);
  require_in_one_bank(check, "out", out);
  check.that(is_float(in.type()), "in", "must be a floating-point type, is ", to_string(in.type()));
  check.that(out.type() == dtype::fp32 || (tensor.transpose_mode && out.type() == in.type()), "out",
             "must be fp32", tensor.transpose_mode ? " or of in's type" : "", ", is ",
             to_string(out.type()));
}

instruction_cost transpose::cost(const machine_spec& machine) const {
  const auto p = double(in.partitions()), f = double(in.elements());
  if (on == unit::vector) {
    const vector_engine_spec& v = machine.vector;
    const double columns = std::min(f, double(v.transpose_block)),
                 blocks = std::ceil(f / double(v.transpose_block));
    return {.cycles = blocks * std::max(v.min_cycles, columns * v.transpose_cycles_per_element)};
  }
  const tensor_engine_spec& tensor = machine.tensor;
  const double passes = in.type() == dtype::fp32 ? tensor.fp32_transpose_passes : 1;
  return {.cycles = p * passes,
          .load_cycles = std::min(tensor.fast_load_cycles_max, f) * passes,
          .is_transpose = true,
          .multiply_adds = p * p * f,
          .passes = passes};
}

void transpose::execute(instruction_run& run) const {
  if (in.storage() == out.storage()) return in_place(out, in);
  if (in.type() != out.type()) return convert(out, in, run);
  switch (size_bytes(in.type())) {
    case 1:
      return move_words<std::uint8_t>(out, in);
    case 2:
      return move_words<std::uint16_t>(out, in);
    default:
      return move_words<std::uint32_t>(out, in);
  }
}

}  // namespace papilio::engine
