#include "kernels/operations/device_times.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "papilio/engine/device.hpp"

namespace papilio::operations_detail {
namespace {

host_copies separate_copies(const engine::runtime_spec& runtime, std::span<const double> bytes_in,
                            std::span<const double> bytes_out) {
  host_copies c{.up = bytes_in.size(), .down = bytes_out.size()};
  for (const double bytes : bytes_in) c.upload_seconds += runtime.upload_us(1, bytes) * 1e-6;
  const double back = std::accumulate(bytes_out.begin(), bytes_out.end(), 0.0);
  c.fetch_seconds = runtime.fetch_us(c.down, back) * 1e-6;
  return c;
}

double packed_bytes(std::span<const double> bytes) {
  constexpr auto grain = static_cast<double>(engine::graph::packing_bytes);
  double all = 0;
  for (const double b : bytes) all += std::ceil(b / grain) * grain;
  return all;
}

}  // namespace

host_copies packed_copies(const engine::runtime_spec& runtime, std::span<const double> bytes_in,
                          std::span<const double> bytes_out) {
  host_copies c{.packed = true,
                .up = std::min<std::size_t>(bytes_in.size(), 1),
                .down = std::min<std::size_t>(bytes_out.size(), 1)};
  c.upload_seconds = runtime.upload_us(c.up, packed_bytes(bytes_in)) * 1e-6;
  c.fetch_seconds = runtime.fetch_us(c.down, packed_bytes(bytes_out)) * 1e-6;
  return c;
}

host_copies copies_of(const engine::runtime_spec& runtime, std::span<const double> bytes_in,
                      std::span<const double> bytes_out) {
  const host_copies separate = separate_copies(runtime, bytes_in, bytes_out);
  if (bytes_in.size() < 2 && bytes_out.size() < 2) return separate;
  const host_copies packed = packed_copies(runtime, bytes_in, bytes_out);
  return packed.upload_seconds + packed.fetch_seconds <
                 separate.upload_seconds + separate.fetch_seconds
             ? packed
             : separate;
}

}  // namespace papilio::operations_detail
