#include "engine/support.hpp"

#include <bit>
#include <random>

namespace papilio::engine::test {
namespace {

template <class Value>
void put(core& nc, const tile_view& view, std::span<const Value> values, dtype type) {
  ASSERT_EQ(std::int64_t(values.size()), view.partitions() * view.elements());
  const hbm_view tensor = nc.hbm({view.partitions(), view.elements()}, type);
  nc.write_tensor(tensor, std::as_bytes(values));
  if (view.space() == memory_space::sbuf) return nc.issue(dma_copy{.out = view, .in = tensor});
  const tile stage = nc.sbuf(view.partitions(), view.elements(), view.type());
  nc.issue(dma_copy{.out = stage.whole(), .in = tensor});
  nc.issue(tensor_copy{.out = view, .in = stage});
}

template <class Value>
std::vector<Value> get(core& nc, const tile_view& view, dtype type) {
  std::vector<Value> values(std::size_t(view.partitions() * view.elements()));
  const hbm_view tensor = nc.hbm({view.partitions(), view.elements()}, type);
  if (view.space() == memory_space::sbuf) {
    nc.issue(dma_copy{.out = tensor, .in = view});
  } else {
    const tile stage = nc.sbuf(view.partitions(), view.elements(), view.type());
    nc.issue(tensor_copy{.out = stage, .in = view});
    nc.issue(dma_copy{.out = tensor, .in = stage.whole()});
  }
  nc.read_tensor(tensor, std::as_writable_bytes(std::span(values)));
  return values;
}

// A tensor that a uint8 view is copied from has its type.
std::vector<std::uint8_t> narrowed(std::span<const std::int32_t> values) {
  std::vector<std::uint8_t> result;
  for (const std::int32_t v : values) result.push_back(static_cast<std::uint8_t>(v));
  return result;
}

}  // namespace

void load(core& nc, const tile_view& view, std::span<const float> values) {
  put(nc, view, values, dtype::fp32);
}

void load_integers(core& nc, const tile_view& view, std::span<const std::int32_t> values) {
  if (view.type() != dtype::uint8) return put(nc, view, values, dtype::int32);
  const std::vector<std::uint8_t> bytes = narrowed(values);
  put(nc, view, std::span<const std::uint8_t>(bytes), dtype::uint8);
}

std::vector<float> read(core& nc, const tile_view& view) {
  return get<float>(nc, view, dtype::fp32);
}

std::vector<std::int32_t> read_integers(core& nc, const tile_view& view) {
  if (view.type() != dtype::uint8) return get<std::int32_t>(nc, view, dtype::int32);
  const std::vector<std::uint8_t> bytes = get<std::uint8_t>(nc, view, dtype::uint8);
  return {bytes.begin(), bytes.end()};
}

std::vector<float> values_between(float lo, float hi, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::vector<float> values(count);
  for (float& v : values) v = lo + (hi - lo) * (float(engine() >> 40) * 0x1p-24f);
  return values;
}

std::vector<std::int32_t> integers_between(std::int32_t lo, std::int32_t hi, std::size_t count,
                                           std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  const std::uint64_t span = std::uint64_t(std::int64_t(hi) - lo);
  std::vector<std::int32_t> values(count);
  for (std::int32_t& v : values)
    v = static_cast<std::int32_t>(lo + std::int64_t((engine() >> 1) % span));
  return values;
}

std::vector<std::uint32_t> bits_of(std::span<const float> values) {
  std::vector<std::uint32_t> bits;
  for (const float v : values) bits.push_back(std::bit_cast<std::uint32_t>(v));
  return bits;
}

instruction copy(const tile_view& out, const tile_view& in, unit on) {
  if (on == unit::scalar) return activation{.out = out, .in = in};
  return tensor_copy{.out = out, .in = in, .on = on};
}

std::string refusal(core& nc, const instruction& i) {
  try {
    nc.issue(i);
  } catch (const kernel_error& e) {
    const std::string text = e.what();
    const std::string opcode = "(" + e.instruction() + "): ";
    return text.substr(text.find(opcode) + opcode.size());
  }
  return "(accepted)";
}

namespace {

tile fill(core& nc, tile t, std::uint64_t seed) {
  const std::size_t count = std::size_t(t->partitions() * t->elements());
  if (is_float(t->type()))
    load(nc, t, values_between(-2, 2, count, seed));
  else
    load_integers(nc, t, integers_between(0, 200, count, seed));
  return t;
}

}  // namespace

tile fixture::filled(int partitions, std::int64_t columns, dtype type, std::uint64_t seed) {
  return fill(nc, nc.sbuf(partitions, columns, type), seed);
}
tile fixture::filled_psum(int partitions, std::int64_t columns, dtype type, std::uint64_t seed) {
  return fill(nc, nc.psum(partitions, columns, type), seed);
}
tile fixture::filled2(int partitions, std::int64_t columns, dtype type) {
  return fill(nc2, nc2.sbuf(partitions, columns, type), 1);
}
tile fixture::filled_psum2(int partitions, std::int64_t columns, dtype type) {
  return fill(nc2, nc2.psum(partitions, columns, type), 1);
}

}  // namespace papilio::engine::test
