// Packed types, their scales and products against a decoder of the formats' definitions (OCP
// Microscaling Formats 1.0, OCP 8-bit Floating Point) in double.
//
// Error model of a product: every number is exact in fp32, so that a sum of t terms has one
// rounding a term: |error| <= gamma_t sum of |terms|, gamma_t = t u / (1 - t u), u = 2^-24.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "engine/support.hpp"
#include "papilio/engine/isa/rules.hpp"
#include "papilio/engine/profile.hpp"

namespace papilio::engine::test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr int quadrant = 32, numbers = 4;

struct packed_format {
  dtype type;
  int exponent_bits, mantissa_bits;
  int bits() const { return 1 + exponent_bits + mantissa_bits; }
  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
};
constexpr packed_format e4m3{dtype::fp8_e4m3fn_x4, 4, 3}, e5m2{dtype::fp8_e5m2_x4, 5, 2},
    e2m1{dtype::fp4_e2m1fn_x4, 2, 1};

// Only E5M2 has infinities; E4M3 has one NaN, E2M1 none.
double decoded(const packed_format& f, std::uint32_t code) {
  const int m = int(code & ((1u << f.mantissa_bits) - 1)),
            e = int(code >> f.mantissa_bits & ((1u << f.exponent_bits) - 1));
  const double sign = code >> (f.bits() - 1) & 1 ? -1 : 1,
               fraction = std::ldexp(m, -f.mantissa_bits);
  if (f.type == dtype::fp8_e5m2_x4 && e == 31) return m == 0 ? sign * INFINITY : nan;
  if (f.type == dtype::fp8_e4m3fn_x4 && e == 15 && m == 7) return nan;
  return e == 0 ? sign * std::ldexp(fraction, 1 - f.bias())
                : sign * std::ldexp(1 + fraction, e - f.bias());
}

double scale_of(int code) { return code == 255 ? nan : std::ldexp(1.0, code - 127); }

// The code nearest to a value, ties to even codes; of a value that no rounding takes beyond the
// largest.
std::uint32_t nearest_code(const packed_format& f, double value) {
  std::uint32_t best = 0;
  double least = INFINITY;
  for (std::uint32_t code = 0; code < 1u << (f.bits() - 1); ++code) {
    const double distance = std::fabs(decoded(f, code) - std::fabs(value));
    if (distance < least || (distance == least && code % 2 == 0)) {
      least = distance;
      best = code;
    }
  }
  return best | (std::signbit(value) ? 1u << (f.bits() - 1) : 0);
}

template <class Word>
void put(core& nc, const tile_view& view, const std::vector<Word>& words) {
  const hbm_view tensor = nc.hbm({view.partitions(), view.elements()}, view.type());
  nc.write_tensor(tensor, std::as_bytes(std::span(words)));
  nc.issue(dma_copy{.out = view, .in = tensor});
}

// A packed operand of random codes, numbers [partition][column][number], and its scales.
struct operand {
  packed_format format;
  int partitions;
  std::int64_t columns;
  tile packed, scale_tile;
  tile_view scales;
  std::vector<double> values;  // dequantised

  operand(core& nc, const packed_format& f, int p, std::int64_t n, std::uint64_t seed,
          int place = 0, int lowest = 117, int highest = 137)
      : format(f),
        partitions(p),
        columns(n),
        packed(nc.sbuf(p, n, f.type)),
        scale_tile(nc.sbuf(128, n, dtype::uint8)),
        scales(scale_tile->partition_range(4 * place, (p / quadrant - 1) * quadrant + 4)),
        values(std::size_t(p * n * numbers)) {
    const auto codes = integers_between(0, 1 << f.bits(), values.size(), seed);
    const auto scale_codes =
        integers_between(lowest, highest + 1, std::size_t(p / 8 * n), seed + 1);
    std::vector<std::uint32_t> words(values.size() / numbers);
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::uint32_t code = std::uint32_t(codes[i]);
      if (!std::isfinite(decoded(f, code))) code &= 7u;
      words[i / numbers] |= code << (i % numbers * std::size_t(f.bits()));
      const std::size_t row = i / numbers / std::size_t(n), column = i / numbers % std::size_t(n);
      values[i] = decoded(f, code) * scale_of(scale_codes[row / 8 * std::size_t(n) + column]);
    }
    if (size_bytes(f.type) == 4)
      put(nc, packed, words);
    else
      put(nc, packed, std::vector<std::uint16_t>(words.begin(), words.end()));
    for (int q = 0; q < p / quadrant; ++q)
      load_integers(nc, scale_tile->partition_range(quadrant * q, quadrant),
                    in_place(scale_codes, q, place));
  }

  // The scales of a quadrant on their partitions, with bytes around that nobody may read.
  std::vector<std::int32_t> in_place(const std::vector<std::int32_t>& codes, int q,
                                     int place) const {
    std::vector<std::int32_t> all(std::size_t(quadrant * columns), 255);
    std::copy_n(codes.begin() + q * 4 * columns, 4 * columns, all.begin() + 4 * place * columns);
    return all;
  }
  double at(int p, std::int64_t column, int q) const {
    return values[std::size_t((p * columns + column) * numbers + q)];
  }
};

matmul_mx product_of(const tile_view& out, const operand& s, const operand& x) {
  return {.out = out,
          .stationary = s.packed,
          .stationary_scales = s.scales,
          .moving = x.packed,
          .moving_scales = x.scales};
}

void expect_product(core& nc, const operand& s, const operand& x) {
  const tile out = nc.psum(int(s.columns), x.columns);
  nc.issue(product_of(out, s, x));
  const std::vector<float> got = read(nc, out);
  const double terms = double(numbers * s.partitions),
               gamma = terms * 0x1p-24 / (1 - terms * 0x1p-24);
  for (int i = 0; i < s.columns; ++i)
    for (int j = 0; j < x.columns; ++j) {
      double sum = 0, magnitude = 0;
      for (int p = 0; p < s.partitions; ++p)
        for (int q = 0; q < numbers; ++q) {
          const double term = s.at(p, i, q) * x.at(p, j, q);
          sum += term;
          magnitude += std::fabs(term);
        }
      ASSERT_NEAR(got[std::size_t(i * x.columns + j)], sum, gamma * magnitude)
          << to_string(s.format.type) << " and " << to_string(x.format.type) << " at " << i << ", "
          << j;
    }
}

struct mx : testing::Test {
  core nc{trainium3(), {}};
};

TEST_F(mx, products_are_sums_of_dequantised_numbers) {
  for (const packed_format& left : {e4m3, e5m2, e2m1})
    for (const packed_format& right : {e4m3, e5m2, e2m1})
      for (const int p : {32, 128})
        expect_product(nc, operand(nc, left, p, 6, 1), operand(nc, right, p, 9, 2));
  expect_product(nc, operand(nc, e4m3, 96, 128, 3, 1), operand(nc, e4m3, 96, 512, 4, 3));
}

TEST_F(mx, products_accumulate_and_may_leave_bf16) {
  const operand s(nc, e4m3, 64, 8, 1), x(nc, e4m3, 64, 12, 2);
  const tile once = nc.psum(8, 12), twice = nc.psum(8, 12), narrow = nc.psum(8, 12, dtype::bf16);
  nc.issue(product_of(once, s, x));
  nc.issue(product_of(twice, s, x));
  matmul_mx again = product_of(twice, s, x);
  again.accumulate = true;
  nc.issue(again);
  nc.issue(product_of(narrow, s, x));
  const std::vector<float> one = read(nc, once), two = read(nc, twice), half = read(nc, narrow);
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(two[i], one[i] + one[i]);
    EXPECT_EQ(half[i], round_to(dtype::bf16, one[i]));
  }
}

TEST_F(mx, a_scale_of_255_is_no_number) {
  const operand s(nc, e4m3, 32, 2, 1, 0, 255, 255), x(nc, e4m3, 32, 3, 2);
  const tile out = nc.psum(2, 3);
  nc.issue(product_of(out, s, x));
  for (const float v : read(nc, out)) EXPECT_TRUE(std::isnan(v));
}

// What quantize_mx leaves, by the definition: [partition][element], and [group of rows][element].
struct quantised {
  std::vector<std::uint32_t> words;
  std::vector<std::int32_t> scales;
};
quantised by_definition(const packed_format& f, const std::vector<float>& in, int partitions) {
  const std::size_t n = in.size() / std::size_t(partitions) / numbers;
  const int largest_exponent = f.type == dtype::fp8_e5m2_x4 ? 15 : 8;
  quantised out{std::vector<std::uint32_t>(in.size() / numbers),
                std::vector<std::int32_t>(std::size_t(partitions) / 8 * n)};
  for (std::size_t g = 0; g < out.scales.size(); ++g) {
    const std::size_t first = g / n * 8, j = g % n;
    double largest = 0;
    for (std::size_t r = 0; r < 8; ++r)
      for (std::size_t q = 0; q < numbers; ++q) {
        const double v = std::fabs(in[((first + r) * n + j) * numbers + q]);
        largest = std::isfinite(v) ? std::max(largest, v) : INFINITY;
      }
    const int exponent =
        largest == 0 ? -127 : int(std::floor(std::log2(largest))) - (largest_exponent - 1);
    out.scales[g] = std::isinf(largest) ? 255 : std::max(exponent, -127) + 127;
    for (std::size_t r = 0; r < 8; ++r)
      for (std::size_t q = 0; q < numbers; ++q) {
        const std::size_t at = (first + r) * n + j;
        const std::uint32_t code =
            std::isinf(largest) ? (f.type == dtype::fp8_e5m2_x4 ? 0x7eu : 0x7fu)
                                : nearest_code(f, in[at * numbers + q] / scale_of(out.scales[g]));
        out.words[at] |= code << 8 * q;
      }
  }
  return out;
}

void expect_quantised(core& nc, const packed_format& f, dtype type, const std::vector<float>& in,
                      int partitions) {
  const auto n = std::int64_t(in.size()) / partitions / numbers;
  const tile from = nc.sbuf(partitions, n * numbers, type), to = nc.sbuf(partitions, n, f.type),
             scales = nc.sbuf(128, n, dtype::uint8);
  load(nc, from, in);
  const std::vector<float> rounded = read(nc, from);
  nc.issue(
      quantize_mx{.out = to,
                  .scales = scales->partition_range(0, (partitions / quadrant - 1) * quadrant + 4),
                  .in = from});
  const quantised expected = by_definition(f, rounded, partitions);
  const std::vector<std::int32_t> words = read_integers(nc, to->as(dtype::int32));
  for (std::size_t i = 0; i < words.size(); ++i)
    ASSERT_EQ(std::uint32_t(words[i]), expected.words[i]) << to_string(f.type) << " at " << i;
  for (int q = 0; q < partitions / quadrant; ++q) {
    const std::vector<std::int32_t> got =
        read_integers(nc, scales->partition_range(quadrant * q, 4));
    for (std::size_t i = 0; i < got.size(); ++i)
      ASSERT_EQ(got[i], expected.scales[std::size_t(q) * got.size() + i]) << "scale " << i;
  }
}

TEST_F(mx, quantised_numbers_and_scales_are_those_of_the_definition) {
  for (const packed_format& f : {e4m3, e5m2})
    for (const dtype type : {dtype::bf16, dtype::fp16})
      for (const int p : {32, 128}) {
        std::vector<float> in = values_between(-1, 1, std::size_t(p * 8 * numbers), 5);
        for (std::size_t i = 0; i < in.size(); ++i) in[i] *= std::ldexp(1.0F, int(i % 19) - 12);
        expect_quantised(nc, f, type, in, p);
      }
}

TEST_F(mx, quantised_extremes) {
  std::vector<float> in(32 * 8 * numbers);  // column 0: zeros
  const auto set = [&](std::size_t partition, std::size_t element, float value) {
    in[(partition * 8 + element / numbers) * numbers + element % numbers] = value;
  };
  set(0, 4, 0x1.fep127F);  // the largest of bf16
  set(1, 4, 1);
  set(0, 8, 0x1p-133F);  // the least
  set(0, 12, INFINITY);
  set(3, 17, std::nanf(""));
  set(0, 20, 1.998F);  // rounds up to 2 in bf16
  set(0, 21, 1.9375F);
  set(0, 22, -1.9375F);
  set(0, 24, -0.0F);
  set(0, 28, 0x1p-120F);
  for (const packed_format& f : {e4m3, e5m2}) expect_quantised(nc, f, dtype::bf16, in, 32);
}

TEST_F(mx, quantised_bits_do_not_depend_on_threads) {
  const std::vector<float> in = values_between(-3, 3, 128 * 2048, 7);
  std::vector<std::vector<std::int32_t>> all;
  for (const int threads : {1, 3}) {
    core on(trainium3(), {.threads = threads});
    const tile from = on.sbuf(128, 2048, dtype::bf16), to = on.sbuf(128, 512, e4m3.type),
               scales = on.sbuf(128, 512, dtype::uint8);
    load(on, from, in);
    on.issue(quantize_mx{.out = to, .scales = scales->partition_range(0, 100), .in = from});
    all.push_back(read_integers(on, to->as(dtype::int32)));
    const std::vector<std::int32_t> s = read_integers(on, scales->partition_range(96, 4));
    all.back().insert(all.back().end(), s.begin(), s.end());
  }
  EXPECT_EQ(all[0], all[1]);
}

// A product of what was quantised is within the formats' rounding of the product of the numbers.
TEST_F(mx, quantised_operands_multiply) {
  const std::size_t p = 64, m = 16, n = 24;
  const std::vector<float> a = values_between(-1, 1, p * m * numbers, 1),
                           b = values_between(-1, 1, p * n * numbers, 2);
  const tile ta = nc.sbuf(64, 16 * numbers, dtype::fp16),
             tb = nc.sbuf(64, 24 * numbers, dtype::fp16), qa = nc.sbuf(64, 16, e4m3.type),
             qb = nc.sbuf(64, 24, e4m3.type), scales = nc.sbuf(64, 24, dtype::uint8),
             out = nc.psum(16, 24);
  load(nc, ta, a);
  load(nc, tb, b);
  // Both have their scales in one tile, at places 0 and 2.
  const tile_view sa = scales->partition_range(0, 36).columns(0, 16),
                  sb = scales->partition_range(8, 36);
  nc.issue(quantize_mx{.out = qa, .scales = sa, .in = ta});
  nc.issue(quantize_mx{.out = qb, .scales = sb, .in = tb});
  nc.issue(matmul_mx{
      .out = out, .stationary = qa, .stationary_scales = sa, .moving = qb, .moving_scales = sb});
  const std::vector<float> got = read(nc, out);
  double square = 0, whole = 0;
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < p * numbers; ++k)
        sum += double(a[(k / numbers * m + i) * numbers + k % numbers]) *
               double(b[(k / numbers * n + j) * numbers + k % numbers]);
      square += std::pow(got[i * n + j] - sum, 2);
      whole += sum * sum;
    }
  // The rms error of a rounding to 4 bits is about 0.42 of 2^-4; there are two operands.
  EXPECT_NEAR(std::sqrt(square / whole), 0.4247 * 0x1p-4 * std::sqrt(2.0), 0.01);
}

TEST(mx_refusals, of_machines_before) {
  for (const machine_spec& machine : {trainium1(), trainium2(), trainium3()}) {
    core on(machine, {.mode = run_mode::dry_run, .strict = false});
    const tile q = on.sbuf(32, 8, e4m3.type), s = on.sbuf(4, 8, dtype::uint8),
               in = on.sbuf(32, 32, dtype::bf16), out = on.psum(8, 8);
    const bool has = core_generation(machine) >= 4;
    const std::string why = "machine: must be NeuronCore-v4 or newer (" + machine.core + ", K:";
    EXPECT_EQ(refusal(on, quantize_mx{.out = q, .scales = s, .in = in}),
              has ? "(accepted)" : why + "quantize_mx)");
    EXPECT_EQ(refusal(on, matmul_mx{.out = out,
                                    .stationary = q,
                                    .stationary_scales = s,
                                    .moving = q,
                                    .moving_scales = s}),
              has ? "(accepted)" : why + "nc_matmul_mx)");
  }
}

TEST(mx_refusals, of_operands) {
  core nc(trainium3(), {.mode = run_mode::dry_run, .strict = false});
  const tile q = nc.sbuf(128, 512, e4m3.type), s = nc.sbuf(128, 512, dtype::uint8),
             in = nc.sbuf(128, 2048, dtype::bf16), out = nc.psum(128, 512),
             wide = nc.sbuf(128, 2048), few = nc.sbuf(48, 8, e4m3.type),
             four = nc.sbuf(128, 512, e2m1.type);
  const tile_view scales = s->partition_range(0, 100), square = q->columns(0, 128);
  const auto quantising = [&](const tile_view& to, const tile_view& by, const tile_view& from) {
    return refusal(nc, quantize_mx{.out = to, .scales = by, .in = from});
  };
  EXPECT_EQ(quantising(q, scales, in), "(accepted)");
  EXPECT_EQ(quantising(q, s->partition_range(12, 100), in), "(accepted)");
  EXPECT_EQ(quantising(q, s, in),
            "scales: partitions, from the first quadrant's scales to the last's must be 100, got "
            "128");
  EXPECT_EQ(quantising(q, s->partition_range(16, 100), in),
            "scales: must begin on partition 0, 4, 8 or 12 of the quadrant of out, which begins on "
            "0, begins on 16");
  EXPECT_EQ(quantising(q, scales.columns(0, 256), in),
            "scales: elements a partition (as out) must be 512, got 256");
  EXPECT_EQ(quantising(q, in->partition_range(0, 100).columns(0, 512), in),
            "scales: must be uint8, is bf16");
  EXPECT_EQ(quantising(four, scales, in),
            "out: must be fp8_e4m3fn_x4 or fp8_e5m2_x4, is fp4_e2m1fn_x4");
  EXPECT_EQ(quantising(q, scales, wide), "in: must be bf16 or fp16, is fp32");
  EXPECT_EQ(quantising(q, scales, in->columns(0, 512)),
            "in: elements a partition (four for each of out) must be 2048, got 512");
  EXPECT_EQ(quantising(in->columns(0, 512), scales, in),
            "out: must have four numbers an element (fp8_e4m3fn_x4 ...), is bf16");
  EXPECT_EQ(quantising(few, s->partition_range(0, 4).columns(0, 8),
                       in->partition_range(0, 48).columns(0, 32)),
            "out: must have a multiple of 32 partitions, has 48");
  const auto multiplying = [&](const tile_view& to, const tile_view& left, const tile_view& right) {
    return refusal(nc, matmul_mx{.out = to,
                                 .stationary = left,
                                 .stationary_scales = scales.columns(0, left.elements()),
                                 .moving = right,
                                 .moving_scales = scales.columns(0, right.elements())});
  };
  EXPECT_EQ(multiplying(out, square, q), "(accepted)");
  EXPECT_EQ(multiplying(out->partition_range(0, 3), q->columns(0, 3), q),
            "stationary: free size must be even, got 3");
  EXPECT_EQ(multiplying(out, q->columns(0, 130), q),
            "stationary: free size must be at most 128, got 130");
  EXPECT_EQ(multiplying(out->columns(0, 256), square, q),
            "out: elements a partition (free size of moving) must be 512, got 256");
  EXPECT_EQ(refusal(nc, matmul{.out = out, .stationary = square, .moving = q}),
            "stationary: must be a floating-point type, is fp8_e4m3fn_x4");
  EXPECT_EQ(refusal(nc, tensor_copy{.out = q, .in = q}),
            "out: has four numbers an element, fp8_e4m3fn_x4: view it as int32 to move it");
  EXPECT_EQ(refusal(nc, dma_copy{.out = wide->columns(0, 512), .in = q.whole()}),
            "out: is fp32, in is fp8_e4m3fn_x4: packed types are not converted");
}

TEST(mx_costs, are_documented) {
  core nc(trainium3(), {.mode = run_mode::dry_run, .strict = false});
  const tile q = nc.sbuf(128, 512, e4m3.type), s = nc.sbuf(128, 512, dtype::uint8),
             in = nc.sbuf(128, 2048, dtype::bf16), out = nc.psum(128, 512),
             four = nc.sbuf(128, 512, e2m1.type);
  const tile_view scales = s->partition_range(0, 100);
  const auto cycles = [&](const tile& operand, std::int64_t m, std::int64_t n) {
    return matmul_mx{.out = out,
                     .stationary = operand->columns(0, m),
                     .stationary_scales = scales.columns(0, m),
                     .moving = operand->columns(0, n),
                     .moving_scales = scales.columns(0, n)}
        .cost(nc.machine());
  };
  EXPECT_EQ(cycles(q, 128, 512).cycles, 512);
  EXPECT_EQ(cycles(four, 128, 512).cycles, 512);
  EXPECT_EQ(cycles(q, 128, 2).cycles, 64);
  EXPECT_EQ(cycles(q, 128, 512).load_cycles, 64);
  EXPECT_EQ(cycles(q, 128, 512).multiply_adds, 512.0 * 128 * 512);
  EXPECT_EQ(cycles(q, 128, 512).passes, 0.25);
  const auto quantising = [&](std::int64_t n) {
    return quantize_mx{
        .out = q->columns(0, n), .scales = scales.columns(0, n), .in = in->columns(0, 4 * n)}
        .cost(nc.machine())
        .cycles;
  };
  EXPECT_EQ(quantising(512), 512);
  EXPECT_EQ(quantising(8), 64);
}

// Scales at two places of one tile are apart: a product of the first pair of operands does not wait
// for the second one's quantisation, and the product of the second does.
TEST(mx_hazards, are_of_the_scales_that_are_read) {
  const auto start_of_product = [](int read_place) {
    core nc(trainium3(), {.mode = run_mode::dry_run, .strict = false, .trace = true});
    const tile q = nc.sbuf(128, 512, e4m3.type), other = nc.sbuf(128, 512, e4m3.type),
               s = nc.sbuf(128, 512, dtype::uint8), in = nc.sbuf(128, 2048, dtype::bf16),
               out = nc.psum(128, 512);
    nc.issue(quantize_mx{.out = other, .scales = s->partition_range(4, 100), .in = in});
    const tile_view scales = s->partition_range(4 * read_place, 100);
    nc.issue(matmul_mx{.out = out,
                       .stationary = q->columns(0, 128),
                       .stationary_scales = scales.columns(0, 128),
                       .moving = q,
                       .moving_scales = scales});
    return nc.timeline_trace().instructions()[1].start_ns;
  };
  EXPECT_LT(start_of_product(0) + 100, start_of_product(1));
}

TEST(mx_hazards, unwritten_scales_are_refused) {
  core nc(trainium3(), {});
  const operand s(nc, e4m3, 32, 2, 1), x(nc, e4m3, 32, 3, 2);
  const tile unwritten = nc.sbuf(32, 3, dtype::uint8), out = nc.psum(2, 3);
  matmul_mx product = product_of(out, s, x);
  product.moving_scales = unwritten->partition_range(0, 4);
  EXPECT_NE(refusal(nc, product).find("moving_scales: reads what nobody wrote"), std::string::npos);
}

// ------------------------------------------------------------------------------- double rows ----

TEST(double_rows, contract_both_halves) {
  for (const machine_spec& machine : {trainium2(), trainium3()}) {
    core nc(machine, {});
    const int p = 50, m = 12, n = 20;
    const std::vector<float> a = values_between(-2, 2, std::size_t(p * 2 * m), 1),
                             b = values_between(-2, 2, std::size_t(p * 2 * n), 2);
    const tile s = nc.sbuf(p, 2 * m, dtype::fp8_e4m3), x = nc.sbuf(p, 2 * n, dtype::fp8_e5m2),
               out = nc.psum(m, n);
    load(nc, s, a);
    load(nc, x, b);
    nc.issue(matmul{.out = out,
                    .stationary = s->reshape({2, m}),
                    .moving = x->reshape({2, n}),
                    .double_row = true});
    const std::vector<float> got = read(nc, out);
    for (std::size_t i = 0; i < std::size_t(m); ++i)
      for (std::size_t j = 0; j < std::size_t(n); ++j) {
        float sum = 0;
        for (std::size_t k = 0; k < std::size_t(2 * p); ++k)
          sum = std::fma(round_to(dtype::fp8_e4m3, a[k * std::size_t(m) + i]),
                         round_to(dtype::fp8_e5m2, b[k * std::size_t(n) + j]), sum);
        ASSERT_EQ(got[i * std::size_t(n) + j], sum);
      }
  }
}

TEST(double_rows, take_the_time_of_one) {
  core nc(trainium2(), {.mode = run_mode::dry_run, .strict = false});
  const tile s = nc.sbuf(128, 256, dtype::fp8_e4m3), x = nc.sbuf(128, 1024, dtype::fp8_e4m3),
             out = nc.psum(128, 512);
  const instruction_cost two = matmul{.out = out,
                                      .stationary = s->reshape({2, 128}),
                                      .moving = x->reshape({2, 512}),
                                      .double_row = true}
                                   .cost(nc.machine()),
                         one = matmul{.out = out,
                                      .stationary = s->columns(0, 128),
                                      .moving = x->columns(0, 512)}
                                   .cost(nc.machine());
  EXPECT_EQ(two.cycles, 512);
  EXPECT_EQ(two.load_cycles, 64);
  EXPECT_EQ(two.multiply_adds, 256.0 * 128 * 512);
  EXPECT_EQ(one.cycles, 512);
}

TEST(double_rows, refusals) {
  const auto said_of = [](const machine_spec& machine, dtype type, bool in_halves) {
    core nc(machine, {.mode = run_mode::dry_run, .strict = false});
    const tile s = nc.sbuf(128, 256, type), x = nc.sbuf(128, 1024, type), out = nc.psum(128, 512);
    return refusal(nc, matmul{.out = out,
                              .stationary = in_halves ? s->reshape({2, 128}) : s.whole(),
                              .moving = in_halves ? x->reshape({2, 512}) : x.whole(),
                              .double_row = true});
  };
  EXPECT_EQ(said_of(trainium2(), dtype::fp8_e5m2, true), "(accepted)");
  EXPECT_EQ(said_of(trainium3(), dtype::fp8_e4m3fn, true), "(accepted)");
  EXPECT_EQ(said_of(trainium1(), dtype::fp8_e4m3, true), "double_row: is not had by NeuronCore-v2");
  EXPECT_EQ(said_of(trainium2(), dtype::bf16, true),
            "stationary: must be fp8 in double rows, is bf16");
  EXPECT_EQ(said_of(trainium2(), dtype::fp8_e4m3, false).substr(0, 73),
            "stationary: must have 2 as the first extent of its pattern in double rows");
  core nc(trainium3(), {.mode = run_mode::dry_run, .strict = false});
  const tile older = nc.sbuf(8, 8, dtype::fp8_e4m3), ocp = nc.sbuf(8, 8, dtype::fp8_e4m3fn),
             out = nc.psum(8, 8);
  EXPECT_EQ(refusal(nc, matmul{.out = out, .stationary = older, .moving = ocp}),
            "moving: is fp8_e4m3fn, stationary is fp8_e4m3: the two do not multiply each other");
  EXPECT_EQ(refusal(nc, matmul{.out = out, .stationary = ocp, .moving = ocp}), "(accepted)");
}

}  // namespace
}  // namespace papilio::engine::test
