// Contractions by the cores of a group, against sums in double.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "kernels/published_runs.hpp"
#include "papilio/kernels/contraction.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;

constexpr std::size_t a = 5, b = 7, c = 9, d = 4;

struct operands_of_test {
  array<float, 3> x = normal<3>({a, b, c}, 1, 1);
  array<float, 3> y = normal<3>({c, d, b}, 1, 2);
  array<float, 2> z = normal<2>({d, a}, 1, 3);

  std::vector<launch_input> flat() const {
    return {view<const float, 1>(x.data(), {x.size()}), view<const float, 1>(y.data(), {y.size()}),
            view<const float, 1>(z.data(), {z.size()})};
  }
  // sum over c and d of x[a, b, c] y[c, d, b] z[d, a], and of the magnitudes.
  std::pair<double, double> sum(std::size_t i, std::size_t j) const {
    double sum = 0, magnitude = 0;
    for (std::size_t k = 0; k < c; ++k)
      for (std::size_t l = 0; l < d; ++l) {
        const double term = double(x(i, j, k)) * double(y(k, l, j)) * double(z(l, i));
        sum += term;
        magnitude += std::fabs(term);
      }
    return {sum, magnitude};
  }
};

contraction_problem shape_of_test() { return contraction_of("abc,cdb,da->ab", "a=5,b=7,c=9,d=4"); }

TEST(sharded_contraction, every_label_and_any_number_of_cores_give_the_result) {
  const operands_of_test t;
  for (const int cores : {1, 2, 3, 8, 16})
    for (int label = 0; label < 4; ++label) {
      device_group group(trainium1(), sdk_2_24(), cores, {.threads = 2});
      const sharded_contraction parts(group, shape_of_test(), label);
      EXPECT_EQ(parts.is_summed(), label >= 2);
      array<float, 1> out({a * b});
      parts.run(t.flat(), out);
      for (std::size_t i = 0; i < a; ++i)
        for (std::size_t j = 0; j < b; ++j) {
          const auto [sum, magnitude] = t.sum(i, j);
          EXPECT_NEAR(double(out(i * b + j)), sum, gamma(double(c * d) + 2 + cores) * magnitude)
              << label << " on " << cores;
        }
    }
}

TEST(sharded_contraction, complex_operands_are_cut_behind_their_planes) {
  const std::size_t m = 3, k = 10, n = 4;
  const array<float, 3> x = normal<3>({2, m, k}, 1, 4), y = normal<3>({2, k, n}, 1, 5);
  const contraction_problem shape = contraction_of("mk,kn->mn", "m=3,k=10,n=4", true);
  for (int label = 0; label < 3; ++label) {
    device_group group(trainium1(), sdk_2_24(), 4);
    array<float, 2> out({2, m * n});
    sharded_contraction(group, shape, label)
        .run({view<const float, 2>(x.data(), {2, m * k}),
              view<const float, 2>(y.data(), {2, k * n})},
             out);
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        double re = 0, im = 0, magnitude = 0;
        for (std::size_t p = 0; p < k; ++p) {
          const double xr = x(0, i, p), xi = x(1, i, p), yr = y(0, p, j), yi = y(1, p, j);
          re += xr * yr - xi * yi;
          im += xr * yi + xi * yr;
          magnitude +=
              std::fabs(xr * yr) + std::fabs(xi * yi) + std::fabs(xr * yi) + std::fabs(xi * yr);
        }
        EXPECT_NEAR(double(out(0, i * n + j)), re, gamma(2 * double(k) + 6) * magnitude);
        EXPECT_NEAR(double(out(1, i * n + j)), im, gamma(2 * double(k) + 6) * magnitude);
      }
  }
}

// A sum of 48 in even and uneven parts, with the bound of the published case trntensor-104.
TEST(sharded_contraction, a_sum_is_cut_evenly_or_not) {
  const array<float, 2> x = normal<2>({48, 8}, 1, 6), y = normal<2>({48, 12}, 1, 7);
  for (const int cores : {6, 5, 7}) {
    device_group group(trainium1(), sdk_2_24(), cores);
    array<float, 1> out({8 * 12});
    const sharded_contraction parts(group, contraction_of("ki,kj->ij", "k=48,i=8,j=12"), 0);
    EXPECT_TRUE(parts.is_summed());
    parts.run(
        {view<const float, 1>(x.data(), {x.size()}), view<const float, 1>(y.data(), {y.size()})},
        out);
    for (std::size_t i = 0; i < 8; ++i)
      for (std::size_t j = 0; j < 12; ++j) {
        double sum = 0;
        for (std::size_t k = 0; k < 48; ++k) sum += double(x(k, i)) * double(y(k, j));
        EXPECT_NEAR(double(out(i * 12 + j)), sum, 1e-5 + 1e-5 * std::fabs(sum)) << cores;
      }
  }
}

// Rows of the result in two halves, each of a group of three cores among which the sum is cut, with
// the bounds of the published case trntensor-105.
TEST(sharded_contraction, halves_of_the_result_are_sums_of_parts) {
  const array<float, 2> x = normal<2>({16, 8}, 1, 8), y = normal<2>({8, 12}, 1, 9);
  const array<float, 2> z = normal<2>({12, 5}, 1, 10);
  const auto flat = [](const array<float, 2>& a, std::size_t first, std::size_t count) {
    return view<const float, 1>(a.data() + first, {count});
  };
  array<float, 2> two({16, 12}), three({16, 5});
  for (std::size_t half = 0; half < 2; ++half) {
    device_group group(trainium1(), sdk_2_24(), 3);
    const auto rows = flat(x, half * 8 * 8, 8 * 8);
    const sharded_contraction product(group, contraction_of("ij,jk->ik", "i=8,j=8,k=12"), 1);
    EXPECT_TRUE(product.is_summed());
    product.run({rows, flat(y, 0, y.size())}, view<float, 1>(two.data() + half * 8 * 12, {8 * 12}));
    const sharded_contraction chain(group, contraction_of("ij,jk,kl->il", "i=8,j=8,k=12,l=5"), 1);
    EXPECT_TRUE(chain.is_summed());
    chain.run({rows, flat(y, 0, y.size()), flat(z, 0, z.size())},
              view<float, 1>(three.data() + half * 8 * 5, {8 * 5}));
  }
  for (std::size_t i = 0; i < 16; ++i) {
    std::vector<double> row(12);
    for (std::size_t k = 0; k < 12; ++k) {
      for (std::size_t j = 0; j < 8; ++j) row[k] += double(x(i, j)) * double(y(j, k));
      EXPECT_NEAR(double(two(i, k)), row[k], 1e-5 + 1e-5 * std::fabs(row[k]));
    }
    for (std::size_t l = 0; l < 5; ++l) {
      double sum = 0;
      for (std::size_t k = 0; k < 12; ++k) sum += row[k] * double(z(k, l));
      EXPECT_NEAR(double(three(i, l)), sum, 1e-4 + 1e-5 * std::fabs(sum));
    }
  }
}

TEST(sharded_contraction, the_hosts_threads_change_no_bit) {
  const operands_of_test t;
  for (const int label : {0, 2}) {
    std::vector<float> results[2];
    for (const int threads : {1, 2}) {
      device_group group(trainium1(), sdk_2_24(), 4, {.threads = threads});
      array<float, 1> out({a * b});
      sharded_contraction(group, shape_of_test(), label).run(t.flat(), out);
      results[threads - 1].assign(out.begin(), out.end());
    }
    EXPECT_EQ(results[0], results[1]);
  }
}

TEST(sharded_contraction, many_cores_pay) {
  const contraction_problem product = contraction_of("mk,kn->mn", "4096");
  const auto times = [&](int label, int cores) {
    return time_sharded_contraction(product, label, cores, trainium1(), sdk_2_29());
  };
  const auto efficiency = [&](int label, int cores) {
    return times(label, cores).device_efficiency(times(label, 1));
  };
  EXPECT_GT(efficiency(0, 2), 0.9);
  EXPECT_GT(efficiency(0, 16), 0.5);  // the right operand goes over the links
  EXPECT_GT(efficiency(1, 2), 0.8);   // sums do
  EXPECT_LT(efficiency(1, 16), efficiency(0, 16));
  EXPECT_LT(times(0, 16).seconds, 0.8 * times(0, 1).seconds);  // with copies of the host
}

// Large enough for the links: 90 x 131 numbers, which neither 3 nor 4 cores divide.
TEST(sharded_contraction, an_operand_of_all_cores_is_gathered_from_pieces) {
  const std::size_t m = 6, k = 90, n = 131;
  for (const bool is_complex : {false, true})
    for (const int cores : {2, 3, 4}) {
      const std::size_t planes = is_complex ? 2 : 1;
      const array<float, 2> x = normal<2>({planes, m * k}, 1, 8),
                            y = normal<2>({planes, k * n}, 1, 9);
      const contraction_problem shape = contraction_of("mk,kn->mn", "m=6,k=90,n=131", is_complex);
      device_group group(trainium1(), sdk_2_24(), cores);
      const sharded_contraction parts(group, shape, 0);
      array<float, 2> out({planes, m * n});
      const auto operand = [&](const array<float, 2>& v) {
        return is_complex ? launch_input(v)
                          : launch_input(view<const float, 1>(v.data(), {v.size()}));
      };
      const group_report report =
          parts.run({operand(x), operand(y)},
                    is_complex ? launch_output(out)
                               : launch_output(view<float, 1>(out.data(), {out.size()})));
      EXPECT_EQ(report.phases.size(), 3u);
      EXPECT_EQ(report.phases[0].name, "upload");
      EXPECT_GE(report.phases[0].upload.bytes, 4 * planes * k * n);
      EXPECT_LT(report.phases[0].upload.bytes, 4 * planes * k * n * 3 / 2 + 64);
      EXPECT_EQ(report.phases[1].name, "all_gather");
      for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < n; ++j) {
          std::complex<double> sum = 0;
          double magnitude = 0;
          const auto value = [&](const array<float, 2>& v, std::size_t at) {
            return std::complex<double>(v(0, at), is_complex ? v(1, at) : 0.0F);
          };
          for (std::size_t p = 0; p < k; ++p) {
            const auto a = value(x, i * k + p), b = value(y, p * n + j);
            sum += a * b;
            magnitude += (std::fabs(a.real()) + std::fabs(a.imag())) *
                         (std::fabs(b.real()) + std::fabs(b.imag()));
          }
          const double allowed = gamma(2 * double(k) + 6) * magnitude;
          EXPECT_NEAR(double(out(0, i * n + j)), sum.real(), allowed) << cores;
          EXPECT_NEAR(is_complex ? double(out(1, i * n + j)) : 0.0, sum.imag(), allowed) << cores;
        }
    }
}

TEST(sharded_contraction, the_widest_label_is_of_the_result_where_that_suffices) {
  EXPECT_EQ(widest_label(shape_of_test(), 4), 1);
  EXPECT_EQ(widest_label(shape_of_test(), 16), 2);
  EXPECT_EQ(widest_label(contraction_of("ab,ab->", "a=3,b=5"), 2), 1);
}

TEST(sharded_contraction, designs_are_values) {
  const auto design_of = [](int label, int cores) {
    device_group group(trainium1(), sdk_2_29(), cores);
    return sharded_contraction(group, shape_of_test(), label).design();
  };
  EXPECT_EQ(design_of(0, 2), design_of(0, 2));
  EXPECT_EQ(design_of(0, 2).key(), design_of(0, 2).key());
  EXPECT_NE(design_of(0, 2), design_of(1, 2));
  EXPECT_NE(design_of(0, 2), design_of(0, 3));
  EXPECT_FALSE(design_of(0, 8).explain().empty());
}

TEST(sharded_contraction, refuses_what_cannot_be_cut) {
  device_group group(trainium1(), sdk_2_24(), 2);
  const auto make = [&](const contraction_problem& shape, int label) {
    sharded_contraction(group, shape, label);
  };
  EXPECT_THROW(make(shape_of_test(), 4), invalid_argument);
  EXPECT_THROW(make(shape_of_test(), -1), invalid_argument);
  EXPECT_THROW(make(contraction_of("aab->b", "3"), 0), invalid_argument);
  const operands_of_test t;
  const sharded_contraction parts(group, shape_of_test(), 0);
  array<float, 1> out({a * b}), wrong({a});
  EXPECT_THROW(parts.run(t.flat(), wrong), shape_error);
  EXPECT_THROW(parts.run({t.flat()[0]}, out), invalid_argument);
  EXPECT_THROW(widest_label(contraction_of(",->", "1"), 2), invalid_argument);
}

}  // namespace
}  // namespace papilio::kernels::test
