#include "engine/checker.hpp"

#include <algorithm>
#include <cmath>

#include "engine/isa/reduction.hpp"
#include "engine/region.hpp"
#include "engine/storage.hpp"
#include "papilio/engine/kernel.hpp"

namespace papilio::engine {
namespace {

std::string text_of(const std::string& kernel, const std::string& instruction, std::uint64_t index,
                    const std::string& operand, const std::string& reason) {
  std::string text = "kernel " + kernel + ": ";
  if (!instruction.empty())
    text += base_detail::message("instruction ", index, " (", instruction, "): ");
  if (!operand.empty()) text += operand + ": ";
  return text + reason;
}

}  // namespace

kernel_error::kernel_error(std::string kernel, std::string instruction, std::uint64_t index,
                           std::string operand, const std::string& reason)
    : device_error(text_of(kernel, instruction, index, operand, reason)),
      kernel_(std::move(kernel)),
      instruction_(std::move(instruction)),
      operand_(std::move(operand)),
      index_(index) {}
kernel_error::~kernel_error() = default;

}  // namespace papilio::engine

namespace papilio::engine_detail {

using engine::alu_op;
using engine::memory_space;
using engine::tile_view;
using engine::unit;

void checker::refuse(const char* operand, const std::string& reason) const {
  throw engine::kernel_error(kernel_, opcode_, index_, operand, reason);
}

void checker::keeps(engine::isa_rule rule, double value) const {
  const engine::isa_rule_row& row = engine::row_of(rule);
  if (!row.is_of(generation_) || row.allows(value)) return;
  const bool is_counted = row.least <= row.most;
  refuse(row.operand, base_detail::message(to_string(row), is_counted ? ", got " : "",
                                           is_counted ? base_detail::message(value) : "", " (",
                                           machine_.core, ", ", row.source, ")"));
}

void checker::in_sbuf(const char* operand, const tile_view& view) const {
  if (view.space() != memory_space::sbuf) refuse(operand, "must be in SBUF, is in PSUM");
}

void checker::in_psum(const char* operand, const tile_view& view) const {
  if (view.space() != memory_space::psum) refuse(operand, "must be in PSUM, is in SBUF");
}

void checker::has_type(const char* operand, const tile_view& view, engine::dtype type) const {
  if (view.type() != type)
    refuse(operand, base_detail::message("must be ", engine::to_string(type), ", is ",
                                         engine::to_string(view.type())));
}

void checker::given(const char* operand, const tile_view& view) const {
  if (view.empty()) refuse(operand, "is missing");
}

void checker::same_shape(const char* operand, const tile_view& view, const char* other_name,
                         const tile_view& other) const {
  if (view.partitions() != other.partitions())
    refuse(operand, base_detail::message("must have the ", other.partitions(), " partitions of ",
                                         other_name, ", has ", view.partitions()));
  if (view.elements() != other.elements())
    refuse(operand,
           base_detail::message("must have the ", other.elements(), " elements a partition of ",
                                other_name, ", has ", view.elements()));
}

void checker::scalar_operand(const char* operand, const tile_view& view,
                             const tile_view& data) const {
  if (view.elements() != 1 || view.partitions() != data.partitions())
    refuse(operand, base_detail::message("must be a (", data.partitions(), ", 1) tile, is (",
                                         view.partitions(), ", ", view.elements(), ")"));
}

void checker::scales(const char* operand, const tile_view& view, const char* packed_name,
                     const tile_view& packed) const {
  constexpr int quadrant = engine::mx_quadrant_rows, rows = engine::mx_scale_rows;
  that(packed.partitions() % quadrant == 0, packed_name,
       "must have a multiple of 32 partitions, has ", packed.partitions());
  has_type(operand, view, engine::dtype::uint8);
  as_many(operand, "elements a partition", view.elements(), packed_name, packed.elements());
  const int first = view.partition() % quadrant;
  that(view.partition() / quadrant == packed.partition() / quadrant && first % rows == 0 &&
           first < rows * engine::mx_scale_places,
       operand, "must begin on partition 0, 4, 8 or 12 of the quadrant of ", packed_name,
       ", which begins on ", packed.partition() / quadrant * quadrant, ", begins on ",
       view.partition());
  equal(operand, "partitions, from the first quadrant's scales to the last's", view.partitions(),
        engine::mx_scale_span(packed.partitions()));
}

void checker::one_element(const char* operand, const tile_view& view) const {
  that(view.partitions() == 1 && view.elements() == 1, operand, "must be a (1, 1) tile, is (",
       view.partitions(), ", ", view.elements(), ")");
}

void checker::has_elements(const char* operand, const tile_view& view,
                           engine::element_kind kind) const {
  switch (kind) {
    case engine::element_kind::any:
      return that(!is_packed(view.type()), operand, "has four numbers an element, ",
                  engine::to_string(view.type()), ": view it as ",
                  size_bytes(view.type()) == 4 ? "int32" : "bf16", " to move it");
    case engine::element_kind::packed:
      return that(is_packed(view.type()), operand,
                  "must have four numbers an element (fp8_e4m3fn_x4 ...), is ",
                  engine::to_string(view.type()));
    case engine::element_kind::floating:
      return that(is_float(view.type()), operand, "must be a floating-point type, is ",
                  engine::to_string(view.type()));
    case engine::element_kind::integer:
      return that(is_integer(view.type()), operand, "must be int32 or uint8, is ",
                  engine::to_string(view.type()));
    case engine::element_kind::int32:
      return has_type(operand, view, engine::dtype::int32);
    case engine::element_kind::fp32:
      return has_type(operand, view, engine::dtype::fp32);
  }
}

void checker::one_in_sbuf(const char* operand, const tile_view& view, const char* other_name,
                          const tile_view& other) const {
  that(view.space() == memory_space::sbuf || other.space() == memory_space::sbuf, operand,
       "is in PSUM as ", other_name, " is: one of the two must be in SBUF");
}

std::string checker::expected(const engine::field_rules& rules) {
  if (std::isinf(rules.most)) return base_detail::message("must be at least ", rules.least);
  return base_detail::message("must be in [", rules.least, ", ", rules.most, "]");
}

void checker::refuse_number(const char* operand, double value,
                            const engine::field_rules& rules) const {
  refuse(operand, base_detail::message(expected(rules), ", got ", value));
}

bool checker::allows(engine::operations choice, alu_op op) {
  if (op == alu_op::absolute_minimum) return choice == engine::operations::extreme_reduction;
  switch (choice) {
    case engine::operations::all:
      return true;
    case engine::operations::arithmetic:
      return !is_bitwise(op);
    case engine::operations::comparison:
      return op >= alu_op::equal && op <= alu_op::less_equal;
    case engine::operations::reduction:
      return reduces(op);
    case engine::operations::number_reduction:
      return reduces_numbers(op);
    case engine::operations::running:
      return op == alu_op::add || op == alu_op::subtract || op == alu_op::multiply ||
             op == alu_op::maximum || op == alu_op::minimum;
    case engine::operations::extreme_reduction:
      return op == alu_op::add || op == alu_op::maximum || op == alu_op::minimum ||
             op == alu_op::absolute_maximum;
  }
  return false;
}

void checker::operation(const char* operand, alu_op op, engine::operations choice) const {
  if (allows(choice, op)) return;
  using engine::operations;
  const char* const reason = op == alu_op::absolute_minimum     ? "reduces, in activate2, alone: "
                             : choice == operations::arithmetic ? "must not be bitwise, is "
                             : choice == operations::running
                                 ? "must be add, subtract, multiply, maximum or minimum, is "
                             : choice == operations::extreme_reduction
                                 ? "must be add, maximum, minimum or those of magnitudes, is "
                             : choice == operations::comparison ? "must be a comparison, is "
                             : choice == operations::reduction  ? "does not reduce: "
                                                                : "does not reduce numbers: ";
  refuse(operand, base_detail::message(reason, to_string(op)));
}

void checker::has_integers(const char* operand, const tile_view& view, alu_op op) const {
  that(is_integer(view.type()), operand, "must be an integer type for ", to_string(op), ", is ",
       engine::to_string(view.type()));
}

void checker::is_word(const char* operand, double value, alu_op op) const {
  that(value == std::floor(value) && value >= -0x1p31 && value < 0x1p32, operand,
       "must be an integer in [-2147483648, 4294967295] for ", to_string(op), ", got ", value);
}

template <class Choice>
void checker::refuse_choice(const char* operand, Choice given, unsigned allowed) const {
  std::string names;
  for (unsigned c = 0; (allowed >> c) != 0; ++c)
    if ((allowed >> c & 1) != 0)
      names += (names.empty() ? "" : " or ") + std::string(to_string(Choice(c)));
  refuse(operand, base_detail::message("must be ", names, ", is ", to_string(given)));
}
template void checker::refuse_choice(const char*, unit, unsigned) const;
template void checker::refuse_choice(const char*, engine::reduce_command, unsigned) const;

void checker::overlaps(const operand_list& list) const {
  for (const named_operand& o : list) {
    if (!o.writes || o.tile == nullptr) continue;
    for (const named_operand& p : list) {
      if (&p == &o || p.column || p.tile == nullptr || p.tile->storage() != o.tile->storage() ||
          !overlap(o.bytes, p.bytes))
        continue;
      const tile_view &to = *o.tile, &from = *p.tile;
      if (p.writes)
        refuse(p.name, base_detail::message("overlaps ", o.name, ": ", from, " and ", to));
      that(to == from, o.name, "overlaps ", p.name, " without being the same elements: ", to,
           " and ", from);
    }
  }
}

// This test settles most operands in a few comparisons: neighbouring elements from partition 0 on
// break no rule of any engine that can reach both memories.
bool checker::is_plain(named_operand& o, unit on) const {
  const tile_view& view = *o.tile;
  if (view.dims().size() != 1 || view.dims()[0].stride != 1) return false;
  const tile_storage& storage = *view.storage();
  const std::int64_t extent = view.dims()[0].extent, lo = view.offset_bytes();
  const std::int64_t hi = lo + extent * std::int64_t(size_bytes(view.type()));
  const int first = view.partition(), end = first + view.partitions();
  o.bytes = {first, end, lo, hi, 0, 0, 0};
  return extent >= 1 && extent <= machine_.psum.free_elements_max &&
         extent <= machine_.access.extent_max && lo >= 0 && hi <= storage.size_bytes &&
         end > first && end <= storage.partitions && first == 0 && on != unit::gpsimd;
}

void checker::operand(named_operand& o, unit on) const {
  if (o.tile->empty()) refuse(o.name, "is missing");
  const tile_view& view = *o.tile;
  const tile_storage& storage = *view.storage();
  if (view.generation() != storage.generation || !storage.live)
    refuse(o.name, base_detail::message("tile ", storage.number,
                                        " is out of scope, or its place in a pool was given on"));
  if (is_plain(o, on)) return;
  pattern(o);
  if (on == unit::gpsimd && view.space() == memory_space::psum)
    refuse(o.name, "is in PSUM, which gpsimd cannot reach");
  if (on == unit::vector || on == unit::scalar) {
    const bool sbuf = view.space() == memory_space::sbuf;
    at_most(o.name, "elements a partition", view.elements(),
            sbuf ? machine_.sbuf.free_elements_max : machine_.psum.free_elements_max);
  }
}

namespace {

const std::string written_twice =
    "levels of the pattern reach into one another, and a place would be written twice: ";

}  // namespace

void checker::pattern(named_operand& o) const {
  const tile_view& view = *o.tile;
  const tile_storage& storage = *view.storage();
  const engine::access_spec& access = machine_.access;
  const int first = view.partition(), count = view.partitions();
  if (count < 1 || view.elements() < 1) refuse(o.name, "is empty");
  at_most(o.name, "partitions", count, machine_.sbuf.partitions);
  if (first + count > storage.partitions)
    refuse(o.name, base_detail::message("partitions [", first, ", ", first + count,
                                        ") leave the tile, which has ", storage.partitions));
  const int step = machine_.sbuf.start_partition_step;
  const int grain = count > 2 * step ? 4 * step : count > step ? 2 * step : step;
  if (first % grain != 0 && !o.scales)
    refuse(o.name,
           base_detail::message("an access of ", count, " partitions must start at a multiple of ",
                                grain, ", starts at ", first));
  int levels = 0;
  for (const engine::pattern_dim& d : view.dims()) {
    if (d.extent == 1) continue;
    ++levels;
    at_most(o.name, "extent of a level", d.extent, access.extent_max);
    if (d.stride > access.stride_max || d.stride < access.stride_min)
      refuse(o.name, base_detail::message("stride must be in [", access.stride_min, ", ",
                                          access.stride_max, "] elements, got ", d.stride));
  }
  at_most(o.name, "levels of the pattern", levels, access.pattern_dims_max);
  o.bytes = region_of(view);
  const region& bytes = o.bytes;
  if (bytes.lo < 0 || bytes.hi > storage.size_bytes)
    refuse(o.name,
           base_detail::message("bytes [", bytes.lo, ", ", bytes.hi,
                                ") of a partition leave the tile, which has ", storage.size_bytes));
  if (!o.writes) return;
  require_no_repetition(o.name, view.dims());
  if (!is_injective(view.dims())) refuse(o.name, written_twice + view.describe());
}

void checker::tensor(named_operand& o) const {
  if (o.hbm->empty()) refuse(o.name, "is missing");
  if (o.hbm->elements() < 1) refuse(o.name, "is empty");
  const hbm_storage& storage = *o.hbm->storage();
  o.bytes = region_of(*o.hbm);
  const region& bytes = o.bytes;
  const auto size = std::int64_t(size_bytes(storage.type));
  if (bytes.lo < 0 || bytes.hi > storage.elements * size)
    refuse(o.name,
           base_detail::message("elements [", bytes.lo / size, ", ", bytes.hi / size, ") leave ",
                                storage.name, ", which has ", storage.elements));
  if (!o.writes) return;
  if (storage.constant) refuse(o.name, storage.name + " is an input: it cannot be written");
  require_no_repetition(o.name, o.hbm->dims());
  if (!is_nested(o.hbm->dims())) refuse(o.name, written_twice + o.hbm->describe());
}

void checker::require_no_repetition(const char* name,
                                    std::span<const engine::pattern_dim> dims) const {
  for (const engine::pattern_dim& d : dims)
    if (d.extent > 1 && d.stride == 0) refuse(name, "is written through a stride of 0");
}

}  // namespace papilio::engine_detail
