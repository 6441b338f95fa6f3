// Cosine and sine transforms.
//   types 2, 3   are FFTs of real lines on partitions (lines.hpp), in O(n log n), with
//                transpositions for axes that are not the last; or as types 1 and 4, if a dry run
//                finds that faster
//   types 1, 4   are products with the transform's matrix, a table that is kept on the device
// Row k, column j of the unscaled matrix of n points:
//   type 1  2 cos(pi j k / (n - 1))             2 sin(pi (j + 1) (k + 1) / (n + 1))
//   type 2  2 cos(pi k (2j + 1) / (2n))         2 sin(pi (k + 1) (2j + 1) / (2n))
//   type 3  2 cos(pi (2k + 1) j / (2n))         2 sin(pi (2k + 1) (j + 1) / (2n))
//   type 4  2 cos(pi (2k + 1) (2j + 1) / (4n))  2 sin(pi (2k + 1) (2j + 1) / (4n))
// Some columns are halved: column 0 of the cosines of type 3, the last of the sines of type 3, both
// ends' columns of the cosines of type 1. Where the matrix is to be orthogonal they are divided by
// a root of 2 instead, and so are the corresponding rows of types 1 and 2.
#include <algorithm>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

#include "base/roots_of_unity.hpp"
#include "kernels/choice.hpp"
#include "kernels/transform/error_model.hpp"
#include "kernels/transform/factors.hpp"
#include "kernels/transform/fft_design.hpp"
#include "kernels/transform/lines.hpp"
#include "kernels/transform/precision.hpp"
#include "kernels/transform/transposition.hpp"
#include "papilio/base/error.hpp"
#include "papilio/kernels/gemm.hpp"

namespace papilio::kernels_detail {
namespace {

using base_detail::message;

// Points of the largest matrix, which has 64 MiB.
constexpr std::size_t matrix_points_max = 4096;
// The longest real lines whose points, numbers between stages and results fit a partition, and
// their largest prime factor.
constexpr std::size_t line_points_max = 8192;
constexpr std::int64_t line_prime_max = 127;
// Number of lines in a dry run that compares both ways.
constexpr std::size_t compared_lines = 4096;

struct trigonometric_matrix {
  std::size_t n;
  int type;  // of the matrix: an inverse of type 2 has that of type 3
  bool is_cosine;
  bool is_orthogonal;
  double scale;

  auto fields() const { return std::tie(n, type, is_cosine, is_orthogonal, scale); }

  // The angle of row k, column j is 2 pi row(k) column(j) / period().
  std::size_t period() const {
    if (type == 1) return is_cosine ? 2 * (n - 1) : 2 * (n + 1);
    return type == 4 ? 8 * n : 4 * n;
  }
  std::size_t row(std::size_t k) const { return type >= 3 ? 2 * k + 1 : is_cosine ? k : k + 1; }
  std::size_t column(std::size_t j) const {
    return type == 2 || type == 4 ? 2 * j + 1 : is_cosine ? j : j + 1;
  }
  bool is_end_of_rows(std::size_t k) const { return type <= 2 && is_end(k); }
  bool is_end_of_columns(std::size_t j) const { return (type == 1 || type == 3) && is_end(j); }

  double row_factor(std::size_t k) const {
    return is_orthogonal && is_end_of_rows(k) ? std::numbers::sqrt2 / 2 : 1;
  }
  /// The factor of number 0 of the cosines, of the last one of the sines: a result in type 2, a
  /// point in type 3.
  double end_factor() const {
    const std::size_t end = is_cosine ? 0 : n - 1;
    return type == 2 ? row_factor(end) : column_factor(end);
  }
  double column_factor(std::size_t j) const {
    if (!is_end_of_columns(j)) return 1;
    return is_orthogonal ? std::numbers::sqrt2 / 2 : 0.5;
  }

 private:
  bool is_end(std::size_t i) const {
    if (is_cosine) return i == 0 || (type == 1 && i == n - 1);
    return type != 1 && i == n - 1;
  }
};

trigonometric_matrix matrix_of(const fft_problem& p, double scale) {
  const int type = p.trigonometric_type;
  return {.n = p.extents[p.axes[0]],
          .type = p.is_inverse() && (type == 2 || type == 3) ? 5 - type : type,
          .is_cosine = p.kind == fft_kind::cosine,
          .is_orthogonal = p.norm == normalization::orthonormal,
          .scale = scale};
}

// Fills the matrix row by row, transposed where lines are rows of the product's left operand.
void fill(const trigonometric_matrix& m, bool transposed, std::span<float> table) {
  const std::size_t period = m.period();
  const base_detail::roots_of_unity<double> root(period);
  std::vector<double> wave(period);
  for (std::size_t q = 0; q < period; ++q)
    wave[q] = 2 * m.scale * (m.is_cosine ? root(q).real() : -root(q).imag());
  for (std::size_t k = 0; k < m.n; ++k)
    for (std::size_t j = 0; j < m.n; ++j) {
      const double value =
          wave[m.row(k) * m.column(j) % period] * m.row_factor(k) * m.column_factor(j);
      table[transposed ? j * m.n + k : k * m.n + j] = static_cast<float>(value);
    }
}

struct trigonometric_design {
  trigonometric_matrix matrix = {};
  bool lines_are_rows = false;  // the matrix is the product's right operand, transposed
  kernels::kernel_design product = {};

  auto fields() const { return std::tie(matrix, lines_are_rows, product); }
  std::string describe() const {
    return message("a product with the matrix of the transform, ", matrix.n, " x ", matrix.n,
                   ", which stays on the device\n", product.explain());
  }
};

// Whether FFTs of real lines can compute it, on a machine with a large enough array.
bool has_lines(const trigonometric_matrix& m) {
  const std::vector<std::int64_t> primes = primes_of(std::int64_t(m.n));
  return (m.type == 2 || m.type == 3) && m.n <= line_points_max && !primes.empty() &&
         primes.front() <= line_prime_max;
}

std::optional<fft_recipe> by_lines(const lines_problem& g, const trigonometric_matrix& m,
                                   const engine::machine_spec& machine) {
  using kind = trigonometric_lines::kind;
  if (!has_lines(m) || !has_cut(g.n, machine)) return {};
  auto step = lines_step({.outer = g.outer * g.inner,
                          .n = g.n,
                          .real = true,
                          .inverse = m.type == 3,
                          .scale = m.scale,
                          .trigonometric = {.of = m.is_cosine ? kind::cosine : kind::sine,
                                            .end_factor = m.end_factor()}},
                         machine);
  if (!step) return {};
  fft_recipe recipe;
  if (g.inner > 1) append_aside(recipe, transposition_of(g.outer, g.n, g.inner));
  recipe.steps.push_back(*std::move(step));
  if (g.inner > 1) append_aside(recipe, transposition_of(g.outer, g.inner, g.n));
  return recipe;
}

}  // namespace

std::string trigonometric_refusal(const fft_problem& p) {
  if (p.axes.size() != 1)
    return message("its kernel of cosine and sine transforms takes one axis, got ", p.axes.size());
  const std::size_t n = p.extents[p.axes[0]];
  if (n > matrix_points_max && !has_lines(matrix_of(p, 1)))
    return message("it computes cosine and sine transforms of types 2 and 3 up to ",
                   line_points_max, " points without a prime factor above ", line_prime_max,
                   ", others by a matrix of at most ", matrix_points_max, " points, got type ",
                   p.trigonometric_type, " of ", n);
  if (p.kind == fft_kind::cosine && p.trigonometric_type == 1 && n < 2)
    return message("cosine transforms of type 1 have at least 2 points, got ", n);
  return {};
}

namespace {

kernels::sized_kernel sized_by_lines(const fft_problem& p, fft_recipe recipe,
                                     const engine::machine_spec& machine) {
  const engine::tensor_shape array{extents_of(p)};
  kernels::sized_kernel sized{.program = {.name = "trigonometric transform", .body = {}},
                              .inputs = {array},
                              .outputs = {array}};
  sized.design = design_of(recipe.design());
  return kernel_of(std::move(recipe), std::move(sized), machine);
}

kernels::sized_kernel sized_by_matrix(const fft_problem& p,
                                      const kernels::fft_kernel_options& options,
                                      const engine::machine_spec& machine) {
  const lines_problem g = real_lines_of(p);
  const auto outer = std::size_t(g.outer), n = std::size_t(g.n), inner = std::size_t(g.inner);
  const bool lines_are_rows = inner == 1;
  kernels::sized_kernel product =
      lines_are_rows ? kernels::gemm_kernel({.m = outer, .k = n, .n = n}, machine)
      : outer == 1
          ? kernels::gemm_kernel({.m = n, .k = n, .n = inner}, machine)
          : kernels::batched_gemm_kernel(
                {.batch = outer, .m = n, .k = n, .n = inner, .shared_left = true}, machine);
  const engine::tensor_shape array{extents_of(p)}, operand = product.outputs[0],
                                                   matrix = product.inputs[lines_are_rows ? 1 : 0];
  kernels::sized_kernel sized{.program = {.name = "trigonometric transform", .body = {}},
                              .inputs = {array},
                              .outputs = {array}};
  sized.tables.push_back({"matrix of the transform", matrix,
                          [m = matrix_of(p, scale_of(p, options)),
                           lines_are_rows](std::span<float> t) { fill(m, lines_are_rows, t); }});
  sized.design = design_of(
      trigonometric_design{matrix_of(p, scale_of(p, options)), lines_are_rows, product.design});
  sized.program.parameters = sized.design.key();
  sized.chosen_as = std::move(product.chosen_as);
  sized.compared = std::move(product.compared);
  // The rounding of the matrix adds to the product's error.
  constexpr double rounding = 0.4247 * 0x1p-24;
  sized.expected_error =
      square_root(product.expected_error * product.expected_error + rounding * rounding);
  sized.program.body = [run = std::move(product.program.body), lines_are_rows, e = operand.extents](
                           engine::core& nc, const engine::kernel_arguments& t) {
    const auto shaped = [&](const engine::hbm_view& v) {
      return e.size() == 2 ? v.reshape({e[0], e[1]}) : v.reshape({e[0], e[1], e[2]});
    };
    const engine::hbm_view x = shaped(t.in(0)), y = shaped(t.out(0));
    run(nc, lines_are_rows ? engine::kernel_arguments({x, t.in(1)}, {y})
                           : engine::kernel_arguments({t.in(1), x}, {y}));
  };
  return sized;
}

}  // namespace

kernels::sized_kernel trigonometric_fft(const fft_problem& p,
                                        const kernels::fft_kernel_options& options,
                                        const engine::machine_spec& machine) {
  if (const std::string why = trigonometric_refusal(p); !why.empty())
    throw invalid_argument("fft_kernel: " + why);
  const trigonometric_matrix m = matrix_of(p, scale_of(p, options));
  const auto lines = by_lines(real_lines_of(p), m, machine);
  if (!lines) {
    if (m.n <= matrix_points_max) return sized_by_matrix(p, options, machine);
    throw invalid_argument(
        message("fft_kernel: this machine has no room for cosine and sine "
                "transforms of ",
                m.n, " points"));
  }
  if (m.n > matrix_points_max) return sized_by_lines(p, *lines, machine);
  fft_problem some = p;
  const lines_problem g = real_lines_of(p);
  some.extents = {std::min(std::size_t(g.outer), compared_lines), m.n,
                  std::min(std::size_t(g.inner), compared_lines)};
  some.axes = {1};
  const auto compared = by_lines(real_lines_of(some), m, machine);
  if (compared && modelled_seconds(*compared, machine) <
                      modelled_seconds(sized_by_matrix(some, options, machine), machine))
    return sized_by_lines(p, *lines, machine);
  return sized_by_matrix(p, options, machine);
}

}  // namespace papilio::kernels_detail
