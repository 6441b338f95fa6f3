// The published energy kernel's values against sums in double.
//
// Error model: with e_i, e_j < 0 < e_a, e_b nothing cancels in the denominator, which its three
// operations leave within 3 u. With the reciprocal, the difference 2 T - T^t and two products a
// term has 7 roundings. Sums of n go through at most n / 16 + 5 additions (tensor_reduce), over b,
// then over strips; the partials are added here in double. So
//   |error| <= gamma_q sum |term|, q = 7 + nvir / 16 + 5 + strips / 16 + 5, u = 2^-24.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/published/published.hpp"
#include "kernels/runs.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;
using published::mp2_energy_options;

struct molecule {
  std::int64_t ic, nocc, nvir;
  array<float, 2> t, eps_i, eps_j, eps_vir;

  molecule(std::int64_t chunk, std::int64_t occupied, std::int64_t virtuals)
      : ic(chunk),
        nocc(occupied),
        nvir(virtuals),
        t(values_between(-1, 1, ic * nvir, nocc * nvir, 1)),
        eps_i(values_between(-2, -0.5f, ic, 1, 2)),
        eps_j(values_between(-2, -0.5f, nocc, 1, 3)),
        eps_vir(values_between(0.1f, 2, nvir, 1, 4)) {}

  double at(std::int64_t i, std::int64_t j, std::int64_t a, std::int64_t b) const {
    return t.data()[(i * nvir + a) * nocc * nvir + j * nvir + b];
  }
};

struct energy {
  double value = 0, magnitude = 0;
};

energy oracle(const molecule& m) {
  energy e;
  for (std::int64_t i = 0; i < m.ic; ++i)
    for (std::int64_t j = 0; j < m.nocc; ++j)
      for (std::int64_t a = 0; a < m.nvir; ++a)
        for (std::int64_t b = 0; b < m.nvir; ++b) {
          const double delta = double(m.eps_i.data()[i]) + m.eps_j.data()[j] - m.eps_vir.data()[a] -
                               m.eps_vir.data()[b];
          const double term = m.at(i, j, a, b) * (2 * m.at(i, j, a, b) - m.at(i, j, b, a)) / delta;
          e.value += term;
          e.magnitude += std::fabs(term);
        }
  return e;
}

// The rule as published: the largest divisor of nvir up to 128.
std::int64_t published_strip(std::int64_t nvir) {
  std::int64_t strip = std::min<std::int64_t>(nvir, 128);
  while (nvir % strip != 0) --strip;
  return strip;
}

array<float, 2> partials_of(const molecule& m, const machine_spec& machine = trainium1(),
                            int threads = 1, const mp2_energy_options& options = {}) {
  array<float, 2> partials({std::size_t(published_strip(m.nvir)), std::size_t(m.ic * m.nocc)});
  device dev(machine, sdk_2_24(), {.threads = threads});
  const kernel program{.name = "mp2_energy", .body = [&](core& nc, const kernel_arguments& t) {
                         published::mp2_energy(nc, t.out(0), t.in(0), t.in(1), t.in(2), t.in(3),
                                               options);
                       }};
  dev.launch(program, {m.t, m.eps_i, m.eps_j, m.eps_vir}, {partials});
  return partials;
}

void expect_energy(const molecule& m, const array<float, 2>& partials) {
  double got = 0;
  for (std::size_t i = 0; i < partials.size(); ++i) got += partials.data()[i];
  const std::int64_t strips = m.nvir / published_strip(m.nvir);
  const double q = (17 + double(m.nvir + strips) / 16) * 0x1p-24, gamma = q / (1 - q);
  const energy e = oracle(m);
  EXPECT_LE(std::fabs(got - e.value), gamma * e.magnitude)
      << "nvir " << m.nvir << ": " << got << " " << e.value;
}

TEST(mp2_energy, values) {
  for (const std::int64_t nvir : {8, 16, 64, 75, 131, 256}) {
    const molecule m(2, 3, nvir);
    expect_energy(m, partials_of(m));
  }
  for (const std::int64_t nvir : {448, 672}) {
    const molecule m(1, 1, nvir);
    expect_energy(m, partials_of(m));
  }
}

TEST(mp2_energy, strips_are_the_largest_divisors) {
  const machine_spec machine = trainium1();
  const std::pair<std::int64_t, std::int64_t> known[] = {
      {8, 8}, {16, 16}, {64, 64}, {75, 75}, {131, 1}, {256, 128}, {448, 112}, {672, 112}};
  for (const auto& [nvir, strip] : known) {
    EXPECT_EQ(published::mp2_energy_strip(nvir, machine), strip) << nvir;
    EXPECT_EQ(published_strip(nvir), strip) << nvir;
  }
}

TEST(mp2_energy, a_partial_sum_is_of_its_pair_and_lane) {
  const molecule m(2, 3, 150);  // strips of 75
  const auto partials = partials_of(m);
  for (const std::int64_t lane : {0, 74})
    for (std::int64_t pair = 0; pair < 6; ++pair) {
      double sum = 0, magnitude = 0;
      const std::int64_t i = pair / 3, j = pair % 3;
      for (std::int64_t a = lane; a < 150; a += 75)
        for (std::int64_t b = 0; b < 150; ++b) {
          const double delta = double(m.eps_i.data()[i]) + m.eps_j.data()[j] - m.eps_vir.data()[a] -
                               m.eps_vir.data()[b];
          const double term = m.at(i, j, a, b) * (2 * m.at(i, j, a, b) - m.at(i, j, b, a)) / delta;
          sum += term;
          magnitude += std::fabs(term);
        }
      EXPECT_NEAR(partials.data()[lane * 6 + pair], sum, 27 * 0x1p-24 * magnitude)
          << lane << " " << pair;
    }
}

TEST(mp2_energy, variants_have_the_same_energy) {
  const molecule m(2, 3, 48);
  const auto plain = bits_of(partials_of(m));
  for (const std::int64_t pairs : {1, 2, 3, 16})
    EXPECT_EQ(bits_of(partials_of(m, trainium1(), 1, {.pairs_per_store = pairs})), plain) << pairs;
  expect_energy(m, partials_of(m, trainium1(), 1, {.hoist_denominator = true}));
}

TEST(mp2_energy, the_same_bits_with_two_threads) {
  const molecule m(1, 2, 448);
  EXPECT_EQ(bits_of(partials_of(m, trainium1(), 1)), bits_of(partials_of(m, trainium1(), 2)));
}

// Transposing DMA moves the same values, so that even the bits are trainium1's.
TEST(mp2_energy, on_a_machine_whose_dma_transposes) {
  for (const std::int64_t nvir : {16, 75, 448}) {
    const molecule m(1, 2, nvir);
    const auto partials = partials_of(m, trainium2());
    expect_energy(m, partials);
    EXPECT_EQ(bits_of(partials), bits_of(partials_of(m)));
  }
  const profile p =
      dry_profile("published/mp2_energy", {"ic=2", "nocc=3", "nvir=448"}, trainium2());
  std::uint64_t by_dma = 0, on_vector = 0;
  for (const profile_opcode& o : p.opcodes) {
    if (o.opcode == "dma_transpose") by_dma += o.count;
    if (o.opcode == "transpose") on_vector += o.count;
  }
  EXPECT_EQ(by_dma, 2u * 3 * 4);  // one a strip
  EXPECT_EQ(on_vector, 0u);
}

TEST(mp2_energy, shapes_must_agree) {
  core nc(trainium1(), {});
  const hbm_view t = nc.hbm({2 * 16, 3 * 16}), i = nc.hbm({2, 1}), j = nc.hbm({3, 1}),
                 v = nc.hbm({16, 1}), out = nc.hbm({16, 6});
  const auto run = [&](const hbm_view& partials, const hbm_view& amplitudes, const hbm_view& ei,
                       const hbm_view& ej, const hbm_view& ev) {
    published::mp2_energy(nc, partials, amplitudes, ei, ej, ev);
  };
  EXPECT_THROW(run(nc.hbm({16, 5}), t, i, j, v), shape_error);
  EXPECT_THROW(run(nc.hbm({8, 6}), t, i, j, v), shape_error);
  EXPECT_THROW(run(out, nc.hbm({32, 47}), i, j, v), shape_error);
  EXPECT_THROW(run(out, t, nc.hbm({3, 1}), j, v), shape_error);
  EXPECT_THROW(run(out, t, i, j.reshape({3}), v), shape_error);
  EXPECT_THROW(run(out, t, i, j, v.reshape({1, 16})), shape_error);
  EXPECT_THROW(published::mp2_energy(nc, out, t, i, j, v, {.pairs_per_store = -1}),
               invalid_argument);
}

}  // namespace
}  // namespace papilio::kernels::test
