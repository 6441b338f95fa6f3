#include "engine/isa/elementwise.hpp"
#include "engine/isa/operations.hpp"
#include "engine/region.hpp"
#include "engine/storage.hpp"

namespace papilio::engine_detail {

using engine::alu_op;

void apply(alu_op op, std::size_t count, const float* a, const float* b, float* out) {
  with_operation(op, [=](auto f) {
    for (std::size_t i = 0; i < count; ++i) out[i] = f(a[i], b[i]);
  });
}

void apply_scalar(alu_op op, std::size_t count, const float* a, float b, bool reversed,
                  float* out) {
  with_operation(op, [=](auto f) {
    if (reversed)
      for (std::size_t i = 0; i < count; ++i) out[i] = f(b, a[i]);
    else
      for (std::size_t i = 0; i < count; ++i) out[i] = f(a[i], b);
  });
}

void apply_bits(alu_op op, std::size_t count, const std::int32_t* a, const std::int32_t* b,
                std::int32_t* out) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto x = static_cast<std::uint32_t>(a[i]), y = static_cast<std::uint32_t>(b[i]);
    const std::uint32_t z = op == alu_op::bits_and     ? x & y
                            : op == alu_op::bits_or    ? x | y
                            : op == alu_op::bits_xor   ? x ^ y
                            : y > 31                   ? 0u
                            : op == alu_op::shift_left ? x << y
                                                       : x >> y;
    out[i] = static_cast<std::int32_t>(z);
  }
}

void require_apart(const checker& check, const char* out_name, const engine::tile_view& out,
                   const char* other_name, const engine::tile_view& other) {
  check.that(out.storage() != other.storage() || !overlap(region_of(out), region_of(other)),
             out_name, "overlaps ", other_name, ": ", out, " and ", other);
}

void require_in_one_bank(const checker& check, const char* name, const engine::tile_view& view) {
  const region bytes = region_of(view);
  const std::int64_t bank_bytes = check.machine().psum.bank_bytes;
  const std::int64_t first = view.storage()->address_bytes + bytes.lo;
  const std::int64_t last = view.storage()->address_bytes + bytes.hi - 1;
  check.that(first / bank_bytes == last / bank_bytes, name, "bytes [", first, ", ", last + 1,
             ") of a partition cross a PSUM bank of ", bank_bytes);
}

double copy_speedup(const engine::machine_spec& machine, engine::unit on,
                    const engine::tile_view& out, const engine::tile_view& in) {
  const engine::vector_engine_spec& vector = machine.vector;
  if (!is_16_bit(out.type()) || !is_16_bit(in.type())) return 1;
  if (on == engine::unit::scalar && is_unit_stride(out) && is_unit_stride(in))
    return machine.scalar.fast_copy_factor;
  if (!vector.performance_mode || on != engine::unit::vector) return 1;
  const bool all_sbuf =
      out.space() == engine::memory_space::sbuf && in.space() == engine::memory_space::sbuf;
  const bool unit_stride = is_unit_stride(out) && is_unit_stride(in);
  if (all_sbuf && unit_stride) return vector.fast_copy_factor;
  return all_sbuf || unit_stride ? vector.half_copy_factor : 1;
}

bool is_unit_stride(const engine::tile_view& view) {
  for (std::size_t i = view.dims().size(); i-- > 0;)
    if (view.dims()[i].extent > 1) return view.dims()[i].stride == 1;
  return true;
}

}  // namespace papilio::engine_detail
