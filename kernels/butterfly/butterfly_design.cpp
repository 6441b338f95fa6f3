// The design of a butterfly FFT: its passes, its blocks, and the places of intermediates.
//   passes   radix 2 once, then 3, 4, 5 and larger primes: small strides come first, the largest
//            radix last, where there are no twiddle factors. Radix 8 would save 1.5 of 40.5 cycles
//            a point at 1024 and take more and shorter instructions, at 100 cycles each
//   items    a partition holds so many lines that instructions and DMA rows are long, and so few
//            that loads and stores of one block hide behind another
//   errors   each rounding of all results adds 0.18 u^2 to the squared relative error
#include <algorithm>

#include "base/roots_of_unity.hpp"
#include "kernels/butterfly/butterfly.hpp"
#include "kernels/ceil_div.hpp"
#include "kernels/transform/error_model.hpp"

namespace papilio::kernels_detail {
namespace {

using engine::machine_spec;

constexpr std::int64_t largest_prime = 31;

// Radices in the order of the passes. The least prime that is too large comes last.
std::vector<std::int64_t> radices_of(std::int64_t n) {
  constexpr std::int64_t searched_prime = 1 << 20;  // beyond, what is left is named whole
  std::vector<std::int64_t> radices, fours;
  for (; n % 4 == 0; n /= 4) fours.push_back(4);
  if (n % 2 == 0) radices.push_back(2), n /= 2;
  for (; n % 3 == 0; n /= 3) radices.push_back(3);
  radices.insert(radices.end(), fours.begin(), fours.end());
  for (std::int64_t prime = 5; prime <= std::min(n, searched_prime); prime += 2) {
    if (prime > largest_prime && prime > n / prime) break;
    for (; n % prime == 0; n /= prime) {
      radices.push_back(prime);
      if (prime > largest_prime) return radices;
    }
  }
  if (n > 1) radices.push_back(n);
  return radices;
}

// Intermediates that butterfly_passes takes in SBUF and PSUM, in rows of both planes of a chunk.
// Compensated values are pairs.
struct row_counts {
  std::int64_t sbuf, psum;
};

row_counts rows_of(const butterfly_stage& stage, bool compensated) {
  const std::int64_t r = stage.radix, others = stage.last() ? 0 : r - 1;
  if (compensated) return {1 + 2 * others + 2 * (r % 2 == 0 ? r : r + 4), 4};
  const std::int64_t sums = r == 2 ? 0 : r == 4 ? 2 : r + 1, parked_sums = r == 2 ? 1 : 2 + r / 2;
  const std::int64_t products = stage.last() ? 0 : stage.merges() ? others : 1;
  const std::int64_t here = std::max(sums, products), there = std::max(parked_sums, products);
  return stage.merges() ? row_counts{here, there + others} : row_counts{here + others, there};
}

// Sets the sizes for a buffer depth; false if a pass would be cut finer than into `least`
// butterflies.
bool fits(butterfly_design& d, int depth, std::int64_t least, const machine_spec& machine) {
  // Tiles start at multiples of the alignment: a little is lost at each.
  const std::int64_t all =
      machine.sbuf.bytes_per_partition / 4 - 12 * machine.sbuf.alignment_bytes / 4;
  const std::int64_t psum =
      std::min(machine.psum.bytes_per_partition / 4, machine.psum.free_elements_max);
  const std::int64_t copies = 2 * depth + (d.compensated ? 2 : 0);
  if (d.n > all || d.items > all || copies * 2 * d.items * d.n >= all) return false;
  const std::int64_t left = all - copies * 2 * d.items * d.n;
  d.table_chunk = d.work_columns = d.psum_columns = 1;
  for (butterfly_stage& stage : d.stages) {
    const auto [in_sbuf, in_psum] = rows_of(stage, d.compensated);
    const std::int64_t whole = d.items * stage.m * stage.s;
    const auto table = [&] {
      return stage.last() ? 0
                          : d.arrays() * (stage.radix - 1) *
                                std::clamp<std::int64_t>(stage.width / stage.s, 1, stage.m);
    };
    stage.width = in_psum == 0 ? whole : std::min(whole, psum / (2 * in_psum));
    while (stage.width > 0 && 2 * in_sbuf * stage.width + std::max(table(), d.table_chunk) > left)
      stage.width -= ceil_div(stage.width, 32);
    if (stage.width < std::min(whole, least)) return false;
    d.table_chunk = std::max(d.table_chunk, table());
    d.work_columns = std::max(d.work_columns, 2 * in_sbuf * stage.width);
    d.psum_columns = std::max(d.psum_columns, 2 * in_psum * stage.width);
  }
  d.depth = d.table_chunk + d.work_columns <= left ? depth : 0;
  return d.depth > 0;
}

// Squared error of a pass in units of one rounding of all its results.
double roundings(const butterfly_stage& stage) {
  const double r = double(stage.radix), h = (r - 1) / 2;
  // A twiddle factor: its own, the products and their sum; none for p = 0.
  const double twiddles = 3 * (r - 1) / r * (1 - 1 / double(stage.m));
  if (stage.radix == 2 || stage.radix == 4) return r / 2 + twiddles;
  // Pairs j: sums and differences, constants, products, partial sums, both halves.
  const double constants = stage.radix == 3 ? 1.5 * (r - 1) : 2 * (r - 1);
  const double others = (r - 1) + constants + h + h * (h + 1) - 1 + r;
  const double first = 2 * h + h + h * (h + 1);
  return ((r - 1) * others + first) / (r * r) + twiddles;
}

}  // namespace

std::int64_t prime_beyond_butterflies(std::int64_t n) {
  const std::vector<std::int64_t> radices = radices_of(n);
  return radices.empty() || radices.back() <= largest_prime ? 0 : radices.back();
}

butterfly_design design_butterfly(const fft_lines& lines, bool inverse, bool compensated,
                                  float scale, const machine_spec& machine) {
  butterfly_design d{.compensated = compensated,
                     .inverse = inverse,
                     .n = lines.n,
                     .batch = lines.batch,
                     .scale = scale};
  if (lines.n > machine.sbuf.bytes_per_partition) return d;
  d.partitions = int(std::min<std::int64_t>(machine.sbuf.partitions, lines.batch));
  const engine::threshold_spec& limit = machine.thresholds;
  const std::int64_t points =
      compensated ? limit.compensated_butterfly_points_max : limit.butterfly_points_max;
  const std::int64_t most = std::max<std::int64_t>(1, points / lines.n);
  d.items = ceil_div(lines.batch, d.partitions * ceil_div(lines.batch, d.partitions * most));
  std::int64_t s = 1;
  for (const std::int64_t r : radices_of(lines.n)) {
    d.stages.push_back({.radix = r, .m = lines.n / (s * r), .s = s, .table = d.table_size});
    d.table_size += d.arrays() * d.stages.back().factors();
    s *= r;
  }
  // Fewer items are better than less room for each.
  for (; d.items > 1; d.items = (d.items + 1) / 2)
    if (fits(d, 2, 256, machine)) return d;
  if (!fits(d, 2, 256, machine) && !fits(d, 1, 32, machine)) d.depth = 0;
  return d;
}

double butterfly_error(const butterfly_design& d, double scale) {
  double power = d.compensated && !d.stages.empty() ? 1 : 0;
  if (!d.compensated)
    for (const butterfly_stage& stage : d.stages) power += roundings(stage);
  if (!is_power_of_two(d.scale)) power += 1;
  const double off = d.scale == 0 ? 0 : scale / double(d.scale) - 1;
  return square_root(power * rounding_squared_error() + off * off);
}

split_number split(double value) {
  // Dekker's constant for 24 bits, 2^12 + 1.
  const float high = float(value), c = 4097.0F * high, rest = c - high, upper = c - rest;
  return {high, float(value - double(high)), upper, high - upper};
}

void fill_butterfly_table(const butterfly_design& d, std::span<float> out) {
  const base_detail::roots_of_unity<double> roots{std::size_t(d.n)};
  for (const butterfly_stage& stage : d.stages)
    for (std::int64_t i = 0, count = stage.factors(); i < count; ++i) {
      const auto w = roots(std::size_t((i / stage.m + 1) * (i % stage.m) * stage.s));
      std::int64_t at = stage.table + i;
      for (const split_number& part : {split(w.real()), split(d.inverse ? -w.imag() : w.imag())})
        for (std::int64_t a = 0; a < d.arrays() / 2; ++a, at += count)
          out[std::size_t(at)] = part[std::size_t(a)];
    }
}

}  // namespace papilio::kernels_detail
