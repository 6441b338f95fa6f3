#include "contract/gemm_nest.hpp"

#include <algorithm>
#include <complex>
#include <functional>

#include "base/share.hpp"
#include "blas/blas_operand.hpp"
#include "blas/block_grid.hpp"
#include "blas/cblas_calls.hpp"
#include "blas/separable_rows.hpp"
#include "blas/serial_blas.hpp"
#include "papilio/base/parallel_for.hpp"

namespace papilio::contract_detail {
namespace {

using blas_detail::blas_operand;
using blas_detail::strided_matrix;

// Most terms of one BLAS call, whose extents are int; the parts of a longer sum are added in order.
constexpr std::size_t longest_sum = std::size_t{1} << 30;
// Multiply-additions that a thread takes at once, at least, so that handing them out costs little.
constexpr double worth_a_turn = 0x1p18;

template <class T>
strided_matrix<T> matrix(T* data, const step_axis& rows, const step_axis& columns,
                         std::ptrdiff_t step_axis::*stride) {
  strided_matrix<T> m;
  m.data = data;
  m.rows = rows.extent;
  m.columns = columns.extent;
  m.row_stride = rows.*stride;
  m.column_stride = columns.*stride;
  return m;
}

bool is_expressible(const step_axis& rows, const step_axis& columns,
                    std::ptrdiff_t step_axis::*stride) {
  return blas_detail::is_expressible(matrix<const float>(nullptr, rows, columns, stride));
}

struct offsets {
  std::ptrdiff_t left = 0, right = 0, out = 0;
};
offsets at(const step_axes& axes, std::size_t index) {
  offsets result;
  for (std::size_t axis = axes.size(); axis-- > 0;) {
    const step_axis& a = axes[axis];
    const auto here = static_cast<std::ptrdiff_t>(index % a.extent);
    result.left += a.left * here;
    result.right += a.right * here;
    result.out += a.out * here;
    index /= a.extent;
  }
  return result;
}

// Runs a gemm_nest by BLAS with a row-major C; of a column-major C the transpose is computed.
template <class T>
class gemm_runner {
 public:
  gemm_runner(const gemm_nest& nest, bool conjugate_left, bool conjugate_right) : nest_(nest) {
    strided_matrix<const T> a = matrix<const T>(nullptr, nest.m, nest.k, &step_axis::left);
    strided_matrix<const T> b = matrix<const T>(nullptr, nest.k, nest.n, &step_axis::right);
    strided_matrix<T> c = matrix<T>(nullptr, nest.m, nest.n, &step_axis::out);
    a.conjugated = blas_detail::is_complex<T> && conjugate_left;
    b.conjugated = blas_detail::is_complex<T> && conjugate_right;
    is_swapped_ = blas_detail::row_major_pitch(c) == 0;
    if (is_swapped_) {
      std::swap(a, b);
      a = a.transposed();
      b = b.transposed();
      c = c.transposed();
    }
    a_ = blas_detail::expressed(a);
    b_ = blas_detail::expressed(b);
    c_ = blas_detail::expressed(c);
    rows_ = c.rows;
    columns_ = c.columns;
    sums_ = size_of(nest.summed);
    outer_ = size_of(nest.outer);
    grid_ = blas_detail::cut(rows_, columns_, nest.k.extent * sums_, blas_detail::weight_of<T>);
    if (sums_ == 1) {
      const blas_detail::product_cut by =
          blas_detail::cut_product(rows_, columns_, nest.k.extent, blas_detail::weight_of<T>,
                                   blas_detail::has_separable_rows<T>);
      if (by.by == blas_detail::product_cut::kind::rows) panels_ = by.panels;
    }
    share(1, 1);
  }

  /// Cuts rows, where that does not change the bits of results, into blocks that `team` threads
  /// share evenly in `items` nests.
  void share(int team, std::size_t items) {
    if (panels_ > 0)
      panel_blocks_ = blas_detail::share_rows(panels_, outer_ * items, team, rows_, columns_,
                                              nest_.k.extent, blas_detail::weight_of<T>);
  }

  std::size_t tasks() const { return outer_ * blocks(); }
  double work() const {
    return static_cast<double>(outer_) * static_cast<double>(sums_) *
           blas_detail::work_of(rows_, columns_, nest_.k.extent, blas_detail::weight_of<T>);
  }

  void run_task(std::size_t task, const gemm_operands<T>& o) const {
    const place block = place_of(task % blocks());
    const offsets item = at(nest_.outer, task / blocks());
    T beta = o.beta;
    for (std::size_t sum = 0; sum < sums_; ++sum) {
      base_detail::ask_interruption();
      const offsets term = sums_ == 1 ? offsets{} : at(nest_.summed, sum);
      const T* left = o.left + item.left + term.left;
      const T* right = o.right + item.right + term.right;
      if (is_swapped_) std::swap(left, right);
      multiply(block, o.alpha, left, right, beta, o.out + item.out);
      beta = T(1);
    }
  }

 private:
  // A block of C.
  struct place {
    std::size_t row, rows, column, columns;
  };

  std::size_t blocks() const { return panels_ > 0 ? panel_blocks_.count() : grid_.count(); }
  place place_of(std::size_t block) const {
    if (panels_ > 0) {
      const std::size_t row = panel_blocks_.first(block);
      return {row, panel_blocks_.first(block + 1) - row, 0, columns_};
    }
    const std::size_t row = block / grid_.column_blocks * grid_.block_rows;
    const std::size_t column = block % grid_.column_blocks * grid_.block_columns;
    return {row, std::min(grid_.block_rows, rows_ - row), column,
            std::min(grid_.block_columns, columns_ - column)};
  }

  void multiply(const place& block, T alpha, const T* left, const T* right, T beta, T* out) const {
    blas_operand<const T> a = a_, b = b_;
    blas_operand<T> c = c_;
    a.data = left, b.data = right, c.data = out;
    const auto rows = static_cast<int>(block.rows), columns = static_cast<int>(block.columns);
    for (std::size_t first = 0; first < nest_.k.extent; first += longest_sum) {
      const auto terms = static_cast<int>(std::min(longest_sum, nest_.k.extent - first));
      blas_detail::call_gemm(CblasRowMajor, a.op, b.op, rows, columns, terms, alpha,
                             a.at(0, block.row, first), a.pitch, b.at(0, first, block.column),
                             b.pitch, beta, c.at(0, block.row, block.column), c.pitch);
      beta = T(1);
    }
  }

  const gemm_nest& nest_;
  blas_operand<const T> a_, b_;  // their pointers are set in multiply()
  blas_operand<T> c_;
  blas_detail::block_grid grid_;
  std::size_t panels_ = 0;  // panels of rows, if rows are cut instead of the grid
  blas_detail::row_blocks panel_blocks_;
  std::size_t rows_ = 0, columns_ = 0, outer_ = 1, sums_ = 1;
  bool is_swapped_ = false;
};

}  // namespace

bool gemm_nest::is_left_expressible() const { return is_expressible(m, k, &step_axis::left); }
bool gemm_nest::is_right_expressible() const { return is_expressible(k, n, &step_axis::right); }
bool gemm_nest::is_out_expressible() const { return is_expressible(m, n, &step_axis::out); }

double gemm_nest::calls() const {
  double count = 1;
  for (const step_axis& a : outer) count *= static_cast<double>(a.extent);
  for (const step_axis& a : summed) count *= static_cast<double>(a.extent);
  return count;
}

// The model is fitted to calls of OpenBLAS with one thread: it counts multiplying, packing and
// writing by tiles of registers.
double gemm_nest::cost() const {
  const auto tiles = [](std::size_t extent, std::size_t edge) {
    return static_cast<double>((extent + edge - 1) / edge * edge);
  };
  const double rows = tiles(m.extent, 4), columns = tiles(n.extent, 4);
  const auto terms = static_cast<double>(k.extent);
  return calls() *
         (3500 + rows * columns * terms + 8 * (rows + columns) * terms + 5 * rows * columns);
}

double gemm_nest::cost_of_form() const {
  constexpr double small = 0x1p20, slow_form = 0.7;
  const double work =
      static_cast<double>(m.extent) * static_cast<double>(n.extent) * static_cast<double>(k.extent);
  return k.left == 1 && k.right == 1 && work < small ? slow_form * calls() * work : 0;
}

template <class T>
void run(const gemm_nest& nest, const gemm_operands<T>& operands, int threads) {
  blas_detail::use_serial_blas();
  gemm_runner<T> runner(nest, operands.conjugate_left, operands.conjugate_right);
  const int team = blas_detail::threads_for(runner.work(), threads);
  runner.share(team, 1);
  const double turns = std::max(1.0, runner.work() / worth_a_turn);
  const auto tasks = static_cast<double>(runner.tasks());
  const auto each = static_cast<std::size_t>(std::max(1.0, tasks / turns));
  papilio::parallel_for((runner.tasks() + each - 1) / each, team, [&](std::size_t turn) {
    const std::size_t end = std::min(runner.tasks(), (turn + 1) * each);
    for (std::size_t task = turn * each; task < end; ++task) runner.run_task(task, operands);
  });
}

namespace {

// Tasks of a batch that a thread does at once.
template <class T>
struct batch_turn {
  const gemm_batch<T>* batch;
  const gemm_runner<T>* runner;
  std::size_t first, last;

  double work() const {
    return runner->work() * static_cast<double>(last - first) /
           static_cast<double>(runner->tasks());
  }
  void run() const {
    for (std::size_t task = first; task < last; ++task)
      runner->run_task(task % runner->tasks(), batch->items[task / runner->tasks()]);
  }
};

}  // namespace

template <class T>
void run(std::span<const gemm_batch<T>> batches, int threads) {
  blas_detail::use_serial_blas();
  std::vector<gemm_runner<T>> runners;
  runners.reserve(batches.size());
  double work = 0;
  for (const gemm_batch<T>& b : batches) {
    const gemm_operands<T>& any = b.items.front();
    runners.emplace_back(*b.nest, any.conjugate_left, any.conjugate_right);
    work += runners.back().work() * static_cast<double>(b.items.size());
  }
  const int team = blas_detail::threads_for(work, threads);
  std::vector<batch_turn<T>> turns;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    gemm_runner<T>& runner = runners[i];
    runner.share(team, batches[i].items.size());
    const std::size_t tasks = batches[i].items.size() * runner.tasks();
    const double of_task = runner.work() / static_cast<double>(runner.tasks());
    const auto each =
        team == 1 ? tasks : static_cast<std::size_t>(std::max(1.0, worth_a_turn / of_task));
    for (std::size_t first = 0; first < tasks; first += each)
      turns.push_back({&batches[i], &runner, first, std::min(tasks, first + each)});
  }
  // The longest first, so that threads end together.
  std::ranges::stable_sort(turns, std::greater<>(), &batch_turn<T>::work);
  papilio::parallel_for(turns.size(), team, [&](std::size_t turn) { turns[turn].run(); });
}

#define PAPILIO_INSTANTIATE(T)                                       \
  template void run(const gemm_nest&, const gemm_operands<T>&, int); \
  template void run(std::span<const gemm_batch<T>>, int)
PAPILIO_INSTANTIATE(float);
PAPILIO_INSTANTIATE(double);
PAPILIO_INSTANTIATE(std::complex<float>);
PAPILIO_INSTANTIATE(std::complex<double>);
#undef PAPILIO_INSTANTIATE

}  // namespace papilio::contract_detail
