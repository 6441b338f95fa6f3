// Kernels that others measured alone, on hardware: their values against sums in double, and their
// bytes and engines against the published profiles.
//
// Error model: a sum of k terms is within gamma_q |A| |B|, q = k + ceil(k / 128), u = 2^-24, and
// operands in bf16 are exact; elementwise results are a few roundings of their values.
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/published/catalog.hpp"
#include "kernels/published/published_table.hpp"
#include "kernels/runs.hpp"
#include "papilio/kernels/catalog.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;

using matrix = array<float, 2>;

constexpr double u = 0x1p-24;

matrix launched(const std::string& name, const std::vector<std::string>& settings,
                const std::vector<const matrix*>& in) {
  device dev(trainium1());
  const sized_kernel kernel = size_kernel(published::find_any(name), settings, dev.machine());
  const auto& to = kernel.outputs[0].extents;
  std::vector<launch_input> inputs;
  for (std::size_t i = 0; i < in.size(); ++i)
    inputs.emplace_back(view<const float, 2>(in[i]->view()), kernel.inputs[i].type);
  matrix out({std::size_t(to[to.size() - 2]), std::size_t(to.back())});
  prepared_kernel(dev, kernel).launch(inputs, {launch_output(out, kernel.outputs[0].type)});
  return out;
}

/// A few elements of every row of a result.
template <class Of>
void expect_values(const matrix& got, double relative, double absolute, const Of& of) {
  for (std::size_t i = 0; i < got.extent(0); ++i)
    for (std::size_t j = i % 37; j < got.extent(1); j += 101) {
      const double expected = of(i, j);
      ASSERT_NEAR(got(i, j), expected, relative * std::fabs(expected) + absolute) << i << ", " << j;
    }
}

TEST(published_nki, silu_is_x_times_its_sigmoid) {
  const matrix x = values_between(-4, 4, 128, 2048, 1);
  const matrix y = launched("published/silu", {"rows=128", "columns=2048"}, {&x});
  expect_values(y, 8 * u, 0, [&](std::size_t i, std::size_t j) {
    return double(x(i, j)) / (1 + std::exp(-double(x(i, j))));
  });
}

TEST(published_nki, rope_rotates_the_halves_of_the_rows) {
  const matrix x = values_between(-1, 1, 128, 1024, 1), c = values_between(-1, 1, 64, 1024, 2),
               s = values_between(-1, 1, 64, 1024, 3);
  const matrix y = launched("published/rope", {"columns=1024"}, {&x, &c, &s});
  expect_values(y, 0, 4 * u, [&](std::size_t i, std::size_t j) {
    const std::size_t h = i % 64;
    const double upper = x(h, j), lower = x(h + 64, j);
    return i < 64 ? upper * c(h, j) - lower * s(h, j) : lower * c(h, j) + upper * s(h, j);
  });
}

TEST(published_nki, products_are_sums) {
  // The last columns are padded: 1100 are two blocks, the second of 76.
  const matrix a = values_between(-1, 1, 256, 1024, 1), b = values_between(-1, 1, 256, 1100, 2);
  const auto of_transposed = [](const matrix& left, const matrix& right) {
    return [&](std::size_t i, std::size_t j) {
      double sum = 0;
      for (std::size_t k = 0; k < left.extent(0); ++k) sum += double(left(k, i)) * right(k, j);
      return sum;
    };
  };
  const matrix c =
      launched("published/transposed_product", {"m=1024", "k=256", "n=1100"}, {&a, &b});
  expect_values(c, 0, 258 * u * 256, of_transposed(a, b));
  matrix a16 = values_between(-1, 1, 128, 512, 3), b16 = values_between(-1, 1, 128, 1024, 4);
  for (matrix* m : {&a16, &b16})
    for (float& v : std::span(m->data(), m->size())) v = round_to(dtype::bf16, v);
  for (const char* step : {"step=0", "step=1", "step=2", "step=3", "step=4", "step=5"}) {
    const matrix d = launched("published/ladder", {step, "m=512", "k=128", "n=1024"}, {&a16, &b16});
    expect_values(d, 0x1p-8, 129 * u * 128, of_transposed(a16, b16));
  }
}

matrix identity() {
  matrix one({128, 128});
  for (std::size_t i = 0; i < 128; ++i)
    for (std::size_t j = 0; j < 128; ++j) one(i, j) = i == j;
  return one;
}

TEST(published_nki, rmsnorm_scales_rows_before_the_product) {
  const matrix x = values_between(-1, 1, 1024, 512, 1), w = values_between(-1, 1, 512, 1024, 2),
               one = identity();
  const matrix c =
      launched("published/rmsnorm_product", {"m=1024", "k=512", "n=1024"}, {&x, &w, &one});
  expect_values(c, 0, 520 * u * 512, [&](std::size_t i, std::size_t j) {
    double sum = 0, squares = 0;
    for (std::size_t k = 0; k < 512; ++k) {
      sum += double(x(i, k)) * w(k, j);
      squares += double(x(i, k)) * x(i, k);
    }
    return sum / std::sqrt(squares / 512);
  });
}

// The state is h[t] = exp(delta[t] A) h[t - 1] + delta[t] u[t] B[t], summed over states with C.
TEST(published_nki, mamba_scans_every_state) {
  constexpr std::size_t channels = 128, states = 2;
  for (const int version : {1, 2, 3}) {
    const std::size_t length = version == 3 ? 1024 : 512;
    const auto of = [&](float low, float high, std::size_t rows, std::size_t columns,
                        std::uint64_t seed) {
      return values_between(low, high, std::int64_t(rows), std::int64_t(columns), seed);
    };
    const matrix delta = of(0, 1, channels, length, 1), x = of(-1, 1, channels, length, 2),
                 a = of(-1, 0, channels, states, 3), b = of(-1, 1, states, length, 4),
                 c = of(-1, 1, states, length, 5);
    const matrix y = launched("published/mamba",
                              {"channels=128", "states=2", "version=" + std::to_string(version),
                               "length=" + std::to_string(length)},
                              {&delta, &x, &a, &b, &c});
    matrix expected({channels, length});
    for (std::size_t i = 0; i < channels; ++i)
      for (std::size_t s = 0; s < states; ++s) {
        double h = 0;
        for (std::size_t t = 0; t < length; ++t) {
          h = std::exp(double(delta(i, t)) * a(i, s)) * h + double(delta(i, t)) * x(i, t) * b(s, t);
          expected(i, t) = float((s == 0 ? 0 : expected(i, t)) + h * c(s, t));
        }
      }
    // A slowly decaying state adds the roundings of up to `length` steps of at most 2.
    expect_values(y, 0, double(length) * 8 * u,
                  [&](std::size_t i, std::size_t t) { return double(expected(i, t)); });
  }
}

TEST(published_nki, batched_products_are_sums) {
  device dev(trainium1());
  const sized_kernel kernel =
      size_kernel(published::find_any("published/batched_product"),
                  std::vector<std::string>{"batch=2", "m=1024", "k=32", "n=1024"}, dev.machine());
  array<float, 3> a({2, 1024, 32}), b({2, 32, 1024}), c({2, 1024, 1024});
  const matrix of_a = values_between(-1, 1, 2048, 32, 1), of_b = values_between(-1, 1, 64, 1024, 2),
               one = identity();
  std::copy_n(of_a.data(), a.size(), a.data());
  std::copy_n(of_b.data(), b.size(), b.data());
  prepared_kernel(dev, kernel).launch({a, b, one}, {c});
  for (std::size_t s = 0; s < 2; ++s)
    for (std::size_t i = 0; i < 1024; i += 11)
      for (std::size_t j = 0; j < 1024; j += 101) {
        double sum = 0;
        for (std::size_t k = 0; k < 32; ++k) sum += double(a(s, i, k)) * b(s, k, j);
        ASSERT_NEAR(c(s, i, j), sum, 33 * u * 32) << s << ", " << i << ", " << j;
      }
}

TEST(published_nki, refuse_sizes_that_are_no_tiles) {
  const auto refused = [](const char* name, const std::vector<std::string>& settings) {
    EXPECT_THROW(size_kernel(published::find_any(name), settings, trainium1()), invalid_argument)
        << name;
  };
  refused("published/silu", {"rows=100"});
  refused("published/silu", {"columns=512"});
  refused("published/rope", {"columns=100"});
  refused("published/transposed_product", {"m=512"});
  refused("published/batched_product", {"k=129"});
  refused("published/rmsnorm_product", {"k=128"});
  refused("published/ladder", {"step=6"});
  refused("published/ladder", {"m=256"});
  refused("published/mamba", {"length=1024"});
  refused("published/mamba", {"version=3", "length=100"});
}

// What hardware counted, where the vendor's compiler spilled nothing: to the byte. The published
// energy kernel's compiler added transfers of its own, 0.05 %.
TEST(published_nki, bytes_of_hbm_are_those_that_hardware_counted) {
  int exact = 0;
  for (const published::kernel_row& r : published::model_kernels(trainium1())) {
    const published::published_profile& p = r.row->profile;
    if (p.hbm_read_bytes == 0 || p.spills) continue;
    const double read = r.profile.value("hbm_read_bytes");
    const bool is_exact = read == double(p.hbm_read_bytes);
    EXPECT_EQ(r.profile.value("hbm_write_bytes"), double(p.hbm_write_bytes)) << r.row->op;
    EXPECT_TRUE(is_exact || r.row->system == "trnblas" || !r.row->note.empty()) << r.row->op;
    exact += is_exact;
  }
  EXPECT_EQ(exact, 5);
}

// Residuals as docs/published.md has them, rounded up: a pin, which tells a change of the model.
// Step 1 of the ladder is slower on hardware than step 0, which moves more.
TEST(published_nki, times_are_near_the_measured_ones) {
  double sum = 0;
  int rows = 0;
  for (const published::kernel_row& r : published::model_kernels(trainium1())) {
    const bool unexplained = r.row->op == "GEMM ladder, step 1";
    EXPECT_LT(std::fabs(r.residual()), unexplained ? 0.32 : 0.11) << r.row->op << r.row->shape;
    sum += std::fabs(r.residual());
    ++rows;
    if (r.row->profile.vector > 0) {
      EXPECT_NEAR(r.profile.value("vector_engine_active_time_percent"), r.row->profile.vector, 0.07)
          << r.row->op;
    }
  }
  EXPECT_EQ(rows, 18);
  EXPECT_LT(sum / rows, 0.07);
}

}  // namespace
}  // namespace papilio::kernels::test
