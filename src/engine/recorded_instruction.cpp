#include "engine/recorded_instruction.hpp"

#include <bit>
#include <type_traits>
#include <variant>

#include "engine/each_field.hpp"
#include "engine/storage.hpp"

namespace papilio::engine_detail {
namespace {

template <class T>
constexpr bool is_array = false;
template <class T, std::size_t N>
constexpr bool is_array<std::array<T, N>> = true;

/// Visits the fields of one instruction.
class signature {
 public:
  explicit signature(std::unordered_map<const void*, std::uint64_t>& tensors) : tensors_(tensors) {}

  void field(const engine::tile_view& view) {
    add(view.empty());
    if (view.empty()) return;
    add(std::uint64_t(view.space()));
    // Which tile of a pool it is changes from iteration to iteration, how long ago it was given not.
    const tile_storage& tile = *view.storage();
    const bool pooled = tile.pool_given != nullptr;
    add(std::uint64_t(pooled ? tile.pool_address_bytes : tile.address_bytes));
    add(pooled ? 1 + *tile.pool_given - tile.given : 0);
    add(std::uint64_t(view.offset_bytes()));
    add(std::uint64_t(view.type()));
    add(std::uint64_t(view.partition()) << 32 | std::uint64_t(view.partitions()));
    pattern(view.dims());
  }
  void field(const engine::hbm_view& view) {
    add(view.empty());
    if (view.empty()) return;
    add(tensors_.try_emplace(view.storage(), tensors_.size()).first->second);
    add(std::uint64_t(view.type()));
    pattern(view.dims());
    made_.places[place_++] = view.offset();
  }
  void field(const engine::scalar_operand& scalar) {
    field(scalar.value);
    field(scalar.tile);
  }
  void field(const engine::dma_operand& side) {
    field(side.tile);
    field(side.hbm);
  }
  template <class Field>
  void field(const Field& f) {
    if constexpr (std::is_floating_point_v<Field>) {
      add(std::bit_cast<std::uint64_t>(double(f)));
    } else if constexpr (std::is_arithmetic_v<Field> || std::is_enum_v<Field>) {
      add(static_cast<std::uint64_t>(f));
    } else if constexpr (is_array<Field>) {
      for (const auto& one : f) field(one);
    } else {
      static_assert(std::is_aggregate_v<Field>, "a field of a new type needs an overload");
      each_field(f, [this](const auto& inner) { field(inner); });
    }
  }

  void add(std::uint64_t word) {
    made_.same = (made_.same ^ word) * 0x9E3779B97F4A7C15u;  // 2^64 / golden ratio, odd
    made_.same ^= made_.same >> 29;
  }
  recorded_instruction& made() { return made_; }

 private:
  void pattern(std::span<const engine::pattern_dim> dims) {
    add(dims.size());
    for (const engine::pattern_dim& d : dims) {
      add(std::uint64_t(d.extent));
      add(std::uint64_t(d.stride));
    }
  }

  std::unordered_map<const void*, std::uint64_t>& tensors_;
  recorded_instruction made_;
  std::size_t place_ = 0;
};

}  // namespace

void program_recorder::add(const engine::instruction& issued) {
  signature of(tensors_);
  of.add(issued.index());
  std::visit([&](const auto& one) { of.field(one); }, issued);
  of.made().is_tile = std::holds_alternative<engine::matmul>(issued) ||
                      (std::holds_alternative<engine::transpose>(issued) &&
                       std::get<engine::transpose>(issued).runs_on() == engine::unit::tensor);
  program_.push_back(of.made());
}

}  // namespace papilio::engine_detail
