#include "papilio/blas/gemm.hpp"

#include <algorithm>
#include <complex>
#include <functional>
#include <vector>

#include "blas/buffer_pool.hpp"
#include "blas/gemm_check.hpp"

namespace papilio::blas_detail {
namespace {

constexpr std::size_t smallest_edge = 96;

struct block {
  std::size_t row, column, rows, columns;
  bool is_diagonal() const { return row == column; }
};

// The half of [first, first + n) squared as two halves and the square beside them, and so on: large
// blocks first.
void cut_half(std::size_t first, std::size_t n, matrix_triangle triangle,
              std::vector<block>& blocks) {
  if (n <= smallest_edge) {
    if (n > 0) blocks.push_back({first, first, n, n});
    return;
  }
  const std::size_t half = (n / 2 + 47) / 48 * 48, rest = n - half, next = first + half;
  if (triangle == matrix_triangle::upper)
    blocks.push_back({first, next, half, rest});
  else
    blocks.push_back({next, first, rest, half});
  cut_half(first, half, triangle, blocks);
  cut_half(next, rest, triangle, blocks);
}

// Lines [first, first + count) of op(A) along its rows, or its columns.
template <class T>
view<const T, 2> lines(view<const T, 2> m, matrix_op op, bool rows, std::size_t first,
                       std::size_t count) {
  return m.slice(rows != transposes(op) ? 0 : 1, first, count);
}

// An operand that BLAS can take: itself or a copy.
template <class T>
class taken_operand {
 public:
  taken_operand(view<const T, 2> m, bool is_read, int threads) : taken_(m) {
    const strided_matrix<const T> from(m);
    if (!is_read || is_expressible(from)) return;
    copy_.reserve(from, 1);
    copy_.fill(from, threads);
    const strided_matrix<T>& to = copy_.matrix();
    taken_ = {to.data, m.extents(), {to.row_stride, to.column_stride}};
  }
  view<const T, 2> get() const { return taken_; }

 private:
  operand_copy<T> copy_;
  view<const T, 2> taken_;
};

template <class T>
void scale_half(T beta, view<T, 2> c, matrix_triangle triangle) {
  if (beta == T(1)) return;
  const bool is_upper = triangle == matrix_triangle::upper;
  for (std::size_t i = 0; i < c.extent(0); ++i)
    for (std::size_t j = is_upper ? i : 0; j < (is_upper ? c.extent(0) : i + 1); ++j)
      c(i, j) = beta == T(0) ? T(0) : beta * c(i, j);
}

// The half of C = P + beta C.
template <class T>
void add_half(view<T, 2> p, T beta, view<T, 2> c, matrix_triangle triangle) {
  const bool is_upper = triangle == matrix_triangle::upper;
  for (std::size_t i = 0; i < c.extent(0); ++i)
    for (std::size_t j = is_upper ? i : 0; j < (is_upper ? c.extent(0) : i + 1); ++j)
      c(i, j) = beta == T(0) ? p(i, j) : p(i, j) + beta * c(i, j);
}

}  // namespace

template <class T>
void gemmt(T alpha, view<const T, 2> a, view<const T, 2> b, T beta, view<T, 2> c,
           matrix_triangle triangle, const gemm_options& options) {
  constexpr const char* who = "gemmt";
  const gemm_product<T> product{alpha, beta, {a, options.a}, {b, options.b}, c, 1, true};
  check_shapes(who, product);
  const std::size_t n = c.extent(0), k = product.a.columns;
  if (c.extent(1) != n)
    throw shape_error(
        base_detail::message(who, ": c is ", n, " x ", c.extent(1), "; must be square"));
  check_threads(who, options.threads);
  check_memory(who, a, b, c);
  if (alpha == T(0) || k == 0) return scale_half(beta, c, triangle);
  std::vector<block> blocks;
  cut_half(0, n, triangle, blocks);
  std::ranges::stable_sort(blocks, std::greater<>(), [](const block& x) { return x.rows; });
  const int team = threads_for(work_of(n, n, k, weight_of<T>) / 2, options.threads);
  const taken_operand<T> left(a, n > 0, team), right(b, n > 0, team);
  const auto at_once = std::min(blocks.size(), static_cast<std::size_t>(team));
  buffer_pool<T> pool(at_once, smallest_edge * smallest_edge);
  papilio::parallel_for(blocks.size(), team, [&](std::size_t index) {
    const auto& [row, column, rows, columns] = blocks[index];
    const auto x = lines(left.get(), options.a, true, row, rows);
    const auto y = lines(right.get(), options.b, false, column, columns);
    const view<T, 2> to = c.slice(0, row, rows).slice(1, column, columns);
    const gemm_options serial{options.a, options.b, 1};
    if (!blocks[index].is_diagonal()) return gemm(alpha, x, y, beta, to, serial);
    typename buffer_pool<T>::lease memory(pool);
    const view<T, 2> whole(memory.data(), {rows, columns});
    gemm(alpha, x, y, T(0), whole, serial);
    add_half(whole, beta, to, triangle);
  });
}

#define PAPILIO_INSTANTIATE(T)                                                          \
  template PAPILIO_API void gemmt(T, view<const T, 2>, view<const T, 2>, T, view<T, 2>, \
                                  matrix_triangle, const gemm_options&)
PAPILIO_INSTANTIATE(float);
PAPILIO_INSTANTIATE(double);
PAPILIO_INSTANTIATE(std::complex<float>);
PAPILIO_INSTANTIATE(std::complex<double>);
#undef PAPILIO_INSTANTIATE

}  // namespace papilio::blas_detail
