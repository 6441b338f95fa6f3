#include "kernels/butterfly/butterfly_plan.hpp"

#include <algorithm>

#include "base/roots_of_unity.hpp"

namespace papilio::kernels_detail {
namespace {

using engine::machine_spec;

constexpr std::int64_t largest_prime = 31;
constexpr std::int64_t searched_prime = 1 << 20;  // beyond, a refusal names what is left

std::int64_t parts_of(std::int64_t extent, std::int64_t most) { return (extent + most - 1) / most; }

std::int64_t balanced(std::int64_t extent, std::int64_t most) {
  return parts_of(extent, parts_of(extent, most));
}

// Intermediates of a pass, each of both planes of a chunk.
struct rows {
  std::int64_t sbuf, psum;
};

rows rows_of(const butterfly_stage& stage, bool compensated) {
  const std::int64_t r = stage.radix, others = stage.last() ? 0 : r - 1;
  if (compensated) {
    // Of the operations 5 and 4; every value is a pair.
    const std::int64_t sums = r == 2 ? 0 : r == 4 ? 8 : 2 * (r - 1) + 8;
    return {5 + sums + 2 * others, 4};
  }
  const std::int64_t products = stage.last() ? 0 : stage.merges() ? others : 1;
  const std::int64_t sums = r == 2 ? 0 : r == 4 ? 2 : r - 1 + 2;
  const std::int64_t parked_sums = r == 2 ? 1 : 2 + r / 2;
  const std::int64_t here = sums + products, there = std::max(parked_sums, products);
  return stage.merges() ? rows{here, there + others} : rows{here + others, there};
}

struct budget {
  std::int64_t sbuf, psum;
};

// SBUF floats that a pass needs at a width, with the table's pool where that passes by.
std::int64_t need(const butterfly_stage& stage, const butterfly_plan& plan) {
  const std::int64_t streamed =
      plan.resident || stage.last() ? 0 : 2 * plan.arrays * (stage.radix - 1) * stage.groups();
  return 2 * rows_of(stage, plan.compensated).sbuf * stage.width + streamed;
}

// Sets the widths; false if a pass would have to be cut finer than `least`.
bool set_widths(butterfly_plan& plan, const budget& free, std::int64_t least) {
  plan.work = plan.parked = 1;
  plan.table_chunk = 0;
  const auto shrink = [](butterfly_stage& stage, const auto& too_much) {
    while (stage.width > 0 && too_much()) stage.width -= (stage.width + 31) / 32;
  };
  for (butterfly_stage& stage : plan.stages) {
    const rows r = rows_of(stage, plan.compensated);
    const std::int64_t whole = plan.items * stage.m * stage.s;
    stage.width = r.psum == 0 ? whole : std::min(whole, free.psum / (2 * r.psum));
    shrink(stage, [&] { return need(stage, plan) > free.sbuf; });
    if (!plan.resident && !stage.last())
      plan.table_chunk =
          std::max(plan.table_chunk, plan.arrays * (stage.radix - 1) * stage.groups());
  }
  // The table's pool is as large as the pass with the most factors wants it.
  const std::int64_t left = free.sbuf - 2 * plan.table_chunk;
  for (butterfly_stage& stage : plan.stages) {
    const rows r = rows_of(stage, plan.compensated);
    shrink(stage, [&] { return 2 * r.sbuf * stage.width > left; });
    if (stage.width < std::min(plan.items * stage.m * stage.s, least)) return false;
    plan.work = std::max(plan.work, 2 * r.sbuf * stage.width);
    plan.parked = std::max(plan.parked, 2 * r.psum * stage.width);
  }
  return true;
}

// Of both copies of the data, with the low halves.
std::int64_t data_size(const butterfly_plan& plan) {
  const std::int64_t copies = 2 * plan.depth + (plan.compensated ? 2 : 0);
  return copies * 2 * plan.items * plan.n;
}

bool fits(butterfly_plan& plan, const machine_spec& machine, std::int64_t least) {
  // Tiles start at multiples of the alignment: a little is lost at each.
  const std::int64_t lost = 12 * machine.sbuf.alignment_bytes / 4;
  const std::int64_t all = machine.sbuf.bytes_per_partition / 4 - lost;
  if (plan.n > all || plan.items > all) return false;
  const std::int64_t left = all - data_size(plan) - (plan.resident ? plan.table_size : 0);
  const std::int64_t psum =
      std::min(machine.psum.bytes_per_partition / 4, machine.psum.free_elements_max);
  return left > 0 && set_widths(plan, {left, psum}, least);
}

// Rounding errors of a pass in units of one rounding of all its results, in power.
double roundings(const butterfly_stage& stage) {
  const double r = double(stage.radix), h = (r - 1) / 2;
  // A twiddle factor: its own, the products and their sum; none for p = 0.
  const double twiddles = 3 * (r - 1) / r * (1 - 1 / double(stage.m));
  if (stage.radix == 2) return 1 + twiddles;
  if (stage.radix == 4) return 2 + twiddles;
  // Of radix r with pairs j: sums and differences, constants, products, partial sums, both halves.
  const double constants = stage.radix == 3 ? 1.5 * (r - 1) : 2 * (r - 1);
  const double others = (r - 1) + constants + h + h * (h + 1) - 1 + r;
  const double first = 2 * h + h + h * (h + 1);
  return ((r - 1) * others + first) / (r * r) + twiddles;
}

}  // namespace

std::int64_t butterfly_stage::groups() const { return std::clamp<std::int64_t>(width / s, 1, m); }

std::vector<butterfly_chunk> butterfly_stage::chunks(std::int64_t items) const {
  const bool whole = m * s <= width;
  const std::int64_t each = whole ? std::min(items, width / (m * s)) : 1;
  const std::int64_t high = whole ? m : s <= width ? balanced(m, width / s) : 1;
  const std::int64_t wide = s <= width ? s : balanced(s, width);
  std::vector<butterfly_chunk> all;
  for (std::int64_t g = 0; g < items; g += each)
    for (std::int64_t p = 0; p < m; p += high)
      for (std::int64_t q = 0; q < s; q += wide)
        all.push_back({.g = g,
                       .items = std::min(each, items - g),
                       .p = p,
                       .groups = std::min(high, m - p),
                       .q = q,
                       .places = std::min(wide, s - q)});
  return all;
}

std::vector<std::int64_t> butterfly_radices(std::int64_t n, std::int64_t& too_large) {
  std::vector<std::int64_t> radices, fours;
  too_large = 0;
  std::int64_t left = n;
  for (; left % 4 == 0; left /= 4) fours.push_back(4);
  if (left % 2 == 0) radices.push_back(2), left /= 2;
  for (; left % 3 == 0; left /= 3) radices.push_back(3);
  radices.insert(radices.end(), fours.begin(), fours.end());
  for (std::int64_t prime = 5; prime <= largest_prime && left > 1; prime += 2)
    for (; left % prime == 0; left /= prime) radices.push_back(prime);
  if (left == 1) return radices;
  too_large = left;
  for (std::int64_t prime = largest_prime + 2; prime <= std::min(left / prime, searched_prime);
       prime += 2)
    if (left % prime == 0) {
      too_large = prime;
      break;
    }
  return {};
}

butterfly_plan make_butterfly_plan(const fft_lines& lines, bool inverse, bool compensated,
                                   const machine_spec& machine) {
  butterfly_plan plan{.compensated = compensated, .inverse = inverse, .n = lines.n};
  plan.depth = 0;
  if (lines.n > machine.sbuf.bytes_per_partition) return plan;
  plan.lanes = int(std::min<std::int64_t>(machine.sbuf.partitions, lines.batch));
  plan.arrays = compensated ? 8 : 2;
  // Enough points for long instructions and rows, few enough that loads and stores of one block
  // hide behind another.
  const engine::threshold_spec& limit = machine.thresholds;
  const std::int64_t most = std::max<std::int64_t>(
      1, (compensated ? limit.compensated_butterfly_points_max : limit.butterfly_points_max) /
             lines.n);
  const std::int64_t blocks = parts_of(lines.batch, plan.lanes * most);
  plan.items = parts_of(lines.batch, plan.lanes * blocks);
  std::int64_t too_large = 0, s = 1;
  for (const std::int64_t r : butterfly_radices(lines.n, too_large)) {
    const butterfly_stage stage{
        .radix = r, .m = lines.n / (s * r), .s = s, .table = plan.table_size};
    plan.table_size += plan.arrays * stage.factors();
    plan.stages.push_back(stage);
    s *= r;
  }
  struct choice {
    int depth;
    bool resident;
    std::int64_t least;
  };
  // Fewer items rather than less room for each.
  for (;; plan.items = (plan.items + 1) / 2) {
    for (const choice& c : {choice{2, true, 128}, choice{2, false, 128}, choice{1, true, 128},
                            choice{1, false, 128}, choice{1, false, 32}}) {
      plan.depth = c.depth;
      plan.resident = c.resident;
      if (fits(plan, machine, c.least)) return plan;
      if (plan.items > 1) break;
    }
    if (plan.items == 1) break;
  }
  plan.stages.clear();
  plan.depth = 0;
  return plan;
}

double butterfly_error(const butterfly_plan& plan, double scale) {
  double power = 0;
  if (plan.compensated) {
    power = plan.stages.empty() ? 0 : 1;
  } else {
    for (const butterfly_stage& stage : plan.stages) power += roundings(stage);
  }
  // A product with a power of two is exact.
  const split_number s = split(scale);
  float mantissa = s.high < 0 ? -s.high : s.high;
  while (mantissa >= 2) mantissa /= 2;
  while (mantissa > 0 && mantissa < 1) mantissa *= 2;
  if (mantissa != 0 && mantissa != 1) power += 1;
  const double off = s.high == 0 ? 0 : (scale - double(s.high)) / double(s.high) * 0x1p24;
  const double square = 0.18 * power + off * off;
  if (square == 0) return 0;
  double root = 1;
  for (int i = 0; i < 60; ++i) root = (root + square / root) / 2;
  return root * 0x1p-24;
}

butterfly_root root_of_unity(std::int64_t r, std::int64_t k, bool inverse) {
  const auto w = base_detail::roots_of_unity<double>(std::size_t(r))(std::size_t(k % r));
  return {w.real(), inverse ? -w.imag() : w.imag()};
}

split_number split(double value) {
  split_number s{};
  s.high = float(value);
  s.low = float(value - double(s.high));
  // Dekker's constant for 24 bits, 2^12 + 1.
  const float c = 4097.0F * s.high, rest = c - s.high;
  s.upper = c - rest;
  s.lower = s.high - s.upper;
  return s;
}

void fill_butterfly_table(const butterfly_plan& plan, std::span<float> out) {
  const base_detail::roots_of_unity<double> roots(std::size_t(plan.n));
  for (const butterfly_stage& stage : plan.stages) {
    const std::int64_t count = stage.factors();
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t k = i / stage.m + 1, p = i % stage.m;
      const auto w = roots(std::size_t(k * p * stage.s));
      const auto put = [&](std::int64_t array, float value) {
        out[std::size_t(stage.table + array * count + i)] = value;
      };
      const double im = plan.inverse ? -w.imag() : w.imag();
      if (!plan.compensated) {
        put(0, float(w.real()));
        put(1, float(im));
        continue;
      }
      std::int64_t array = 0;
      for (const split_number& s : {split(w.real()), split(im)})
        for (const float part : {s.high, s.low, s.upper, s.lower}) put(array++, part);
    }
  }
}

}  // namespace papilio::kernels_detail
