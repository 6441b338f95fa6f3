#include "digest/instruction_hash.hpp"

#include <type_traits>
#include <variant>

#include "engine/each_field.hpp"
#include "engine/observer.hpp"

namespace papilio::test {

using engine_detail::each_field;
using engine_detail::field_count;

namespace {

template <class T>
constexpr bool is_array = false;
template <class T, std::size_t N>
constexpr bool is_array<std::array<T, N>> = true;

// The count itself.
static_assert(field_count<engine::semaphore>() == 1);
static_assert(field_count<engine::affine_pattern>() == 3);
static_assert(field_count<engine::matmul>() == 6);
static_assert(field_count<engine::tensor_scalar>() == 9);

}  // namespace

instruction_hash::instruction_hash(const engine::kernel_arguments& arguments) {
  for (std::size_t i = 0; i < arguments.inputs(); ++i) number_of(arguments.in(i));
  for (std::size_t i = 0; i < arguments.outputs(); ++i) number_of(arguments.out(i));
}

std::uint64_t instruction_hash::number_of(const engine::hbm_view& view) {
  return tensors_.try_emplace(view.storage(), tensors_.size()).first->second;
}

void instruction_hash::field(const engine::tile_view& view) {
  hash_.add_number(view.empty());
  if (view.empty()) return;
  hash_.add(to_string(view.space()));
  hash_.add_number(engine_detail::tile_address_bytes(view) + view.offset_bytes());
  hash_.add(to_string(view.type()));
  hash_.add_number(view.partition());
  hash_.add_number(view.partitions());
  hash_.add_number(view.dims().size());
  for (const engine::pattern_dim& d : view.dims()) field(d);
}

void instruction_hash::field(const engine::hbm_view& view) {
  hash_.add_number(view.empty());
  if (view.empty()) return;
  hash_.add_number(number_of(view));
  hash_.add_number(view.offset());
  hash_.add(to_string(view.type()));
  hash_.add_number(view.dims().size());
  for (const engine::pattern_dim& d : view.dims()) field(d);
}

void instruction_hash::field(const engine::dma_operand& side) {
  field(side.tile);
  field(side.hbm);
}

void instruction_hash::field(const engine::scalar_operand& scalar) {
  hash_.add_number(scalar.value);
  field(scalar.tile);
}

template <class Field>
void instruction_hash::field(const Field& f) {
  if constexpr (std::is_arithmetic_v<Field>) {
    hash_.add_number(f);
  } else if constexpr (requires { to_string(f); }) {
    hash_.add(to_string(f));  // and not its number: choices may come to stand in another order
  } else if constexpr (std::is_enum_v<Field>) {
    hash_.add_number(static_cast<std::underlying_type_t<Field>>(f));
  } else if constexpr (is_array<Field>) {
    for (const auto& one : f) field(one);
  } else {
    static_assert(std::is_aggregate_v<Field>, "a field of a new type needs an overload");
    each_field(f, [this](const auto& inner) { field(inner); });
  }
}

void instruction_hash::add(const engine::instruction& issued, int dma_queue) {
  ++count_;
  std::visit(
      [&](const auto& one) {
        hash_.add(one.opcode);
        hash_.add(to_string(one.runs_on()));
        hash_.add_number(dma_queue);
        field(one);
      },
      issued);
}

}  // namespace papilio::test
