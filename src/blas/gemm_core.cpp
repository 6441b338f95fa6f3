#include "blas/gemm_core.hpp"

#include <algorithm>
#include <complex>
#include <vector>

#include "base/share.hpp"
#include "blas/cblas_calls.hpp"
#include "blas/separable_rows.hpp"
#include "blas/serial_blas.hpp"
#include "papilio/base/array.hpp"
#include "papilio/base/parallel_for.hpp"

namespace papilio::blas_detail {
namespace {

// Most terms of one BLAS call, whose extents are int; the parts of a longer sum are added in order.
constexpr std::size_t longest_sum = std::size_t{1} << 30;
// Multiply-additions that a thread takes at once, at least, so that handing them out costs little.
constexpr double worth_a_turn = 0x1p18;

template <class T>
blas_operand<const T> taken(const strided_matrix<const T>& m, const operand_copy<T>& copy) {
  return expressed(copy.is_there() ? operand_copy<T>::as_const(copy.matrix()) : m);
}

}  // namespace

template <class T>
std::size_t seen_block_count(std::size_t m, std::size_t n, std::size_t k) {
  if (m == 0 || n == 0) return 0;
  const product_cut c = cut_product(m, n, k, weight_of<T>, has_separable_rows<T>);
  if (c.by == product_cut::kind::grid) return cut(m, n, k, weight_of<T>).count();
  if (c.by != product_cut::kind::rows) return 1;
  return share_rows(c.panels, 1, 0, m, n, k, weight_of<T>).count();
}

template <class T>
ready_product<T>::ready_product(const gemm_product<T>& product, blocks_seen seen)
    : product_(product), seen_(seen) {
  auto& [alpha, beta, a, b, c, batch, has_c] = product_;
  if (has_c && is_better_transposed(c)) {
    is_transposed_ = true;
    transpose(product_);
  }
  if (c.rows == 0 || c.columns == 0 || batch == 0) return;
  has_product_ = alpha != T(0) && a.columns > 0;
  work_ = work_of(c.rows, c.columns, has_product_ ? a.columns : 1, weight_of<T>);
  cut_ = cut_product(c.rows, c.columns, a.columns, weight_of<T>, has_separable_rows<T>);
  if (cut_.by == product_cut::kind::sum && !has_product_) cut_.by = product_cut::kind::whole;
  grid_ = cut(c.rows, c.columns, a.columns, weight_of<T>);
  choose_blocks(1, 1);
  if (!has_product_) return;
  if (!is_expressible(a)) copy_a_.reserve(a, batch);
  if (!is_expressible(b)) copy_b_.reserve(b, batch);
  a_ = taken(a, copy_a_);
  b_ = taken(b, copy_b_);
  if (has_c) {
    if (row_major_pitch(c) == 0) copy_c_.reserve(operand_copy<T>::as_const(c), batch);
    c_ = expressed(copy_c_.is_there() ? copy_c_.matrix() : c);
  }
  if (cut_.by != product_cut::kind::sum) return;
  part_memory_ = array<T, 1>(
      checked_multiply(batch, cut_.sums * c.rows * c.columns, "gemm: elements of partial sums"),
      uninitialized);
  parts_ = part_memory_.data();
}

template <class T>
void ready_product<T>::choose_blocks(int team, double share) {
  if (work_ == 0) return;
  if (cut_.by == product_cut::kind::rows) {
    const int threads =
        seen_ == blocks_seen::yes ? 0 : std::max(1, static_cast<int>(share * team + 0.5));
    rows_ = share_rows(cut_.panels, product_.batch, threads, product_.c.rows, product_.c.columns,
                       product_.a.columns, weight_of<T>);
  }
  tasks_per_item_ = tasks_per_item();
}

template <class T>
std::size_t ready_product<T>::tasks_per_item() const {
  switch (cut_.by) {
    case product_cut::kind::grid:
      return grid_.count();
    case product_cut::kind::rows:
      return rows_.count();
    case product_cut::kind::sum:
      return cut_.sums;
    case product_cut::kind::whole:
      break;
  }
  return 1;
}

template <class T>
void ready_product<T>::gather(int threads) {
  if (copy_a_.is_there()) copy_a_.fill(product_.a, threads);
  if (copy_b_.is_there()) copy_b_.fill(product_.b, threads);
  if (copy_c_.is_there() && product_.beta != T(0))
    copy_c_.fill(operand_copy<T>::as_const(product_.c), threads);
}

template <class T>
void ready_product<T>::finish(int threads, const block_visitor<T>* visit) const {
  if (parts_ != nullptr)
    papilio::parallel_for(product_.batch, threads, [&](std::size_t i) { add_parts(i, visit); });
  if (copy_c_.is_there()) copy_c_.put_back(product_.c, threads);
}

// Computes C = (sum of the parts, in order) + beta C. Without a C the sum replaces the first part.
template <class T>
void ready_product<T>::add_parts(std::size_t item, const block_visitor<T>* visit) const {
  const std::size_t rows = product_.c.rows, columns = product_.c.columns;
  T* const part = parts_ + item * cut_.sums * rows * columns;
  const bool is_added = product_.has_c && product_.beta != T(0);
  for (std::size_t i = 0; i < rows; ++i) {
    T* const to = product_.has_c ? c_.at(item, i, 0) : part + i * columns;
    for (std::size_t j = 0; j < columns; ++j) {
      T sum = part[i * columns + j];
      for (std::size_t p = 1; p < cut_.sums; ++p) sum += part[(p * rows + i) * columns + j];
      to[j] = is_added ? sum + product_.beta * to[j] : sum;
    }
  }
  if (visit == nullptr) return;
  const std::ptrdiff_t pitch = product_.has_c ? c_.pitch : static_cast<std::ptrdiff_t>(columns);
  const place whole{
      .index = 0, .item = item, .row = 0, .column = 0, .rows = rows, .columns = columns};
  tell(whole, view<T, 2>(product_.has_c ? c_.at(item, 0, 0) : part, {rows, columns}, {pitch, 1}),
       *visit);
}

template <class T>
typename ready_product<T>::place ready_product<T>::place_of(std::size_t task) const {
  const std::size_t block = task % tasks_per_item_, item = task / tasks_per_item_;
  place at{.index = block,
           .item = item,
           .row = 0,
           .column = 0,
           .rows = product_.c.rows,
           .columns = product_.c.columns};
  if (cut_.by == product_cut::kind::grid) {
    at.row = block / grid_.column_blocks * grid_.block_rows;
    at.column = block % grid_.column_blocks * grid_.block_columns;
    at.rows = std::min(grid_.block_rows, product_.c.rows - at.row);
    at.columns = std::min(grid_.block_columns, product_.c.columns - at.column);
  } else if (cut_.by == product_cut::kind::rows) {
    at.row = rows_.first(block);
    at.rows = rows_.first(block + 1) - at.row;
  }
  return at;
}

template <class T>
void ready_product<T>::run_task(std::size_t index, const block_visitor<T>* visit) const {
  const place at = place_of(index);
  if (parts_ != nullptr) {
    const std::size_t first = at.index * cut_.terms, columns = at.columns;
    multiply_terms(at, first, std::min(first + cut_.terms, product_.a.columns), T(0),
                   parts_ + index * at.rows * columns, static_cast<int>(columns));
  } else if (visit != nullptr) {
    run_visited(at, *visit);
  } else if (!has_product_) {
    scale(at);
  } else {
    multiply(at, c_.at(at.item, at.row, at.column), c_.pitch);
  }
}

template <class T>
void ready_product<T>::run_visited(const place& at, const block_visitor<T>& visit) const {
  const extents_type<2> extents{at.rows, at.columns};
  if (!product_.has_c) {
    array<T, 2> values(extents, uninitialized);
    if (has_product_)
      multiply(at, values.data(), static_cast<int>(at.columns));
    else
      std::ranges::fill(values, T(0));
    tell(at, values, visit);
  } else if (has_product_) {
    T* const to = c_.at(at.item, at.row, at.column);
    multiply(at, to, c_.pitch);
    tell(at, view<T, 2>(to, extents, {c_.pitch, 1}), visit);
  } else {
    scale(at);
    const strided_matrix<T>& c = product_.c;
    T* const to = c.data + static_cast<std::ptrdiff_t>(at.row) * c.row_stride +
                  static_cast<std::ptrdiff_t>(at.column) * c.column_stride;
    tell(at, view<T, 2>(to, extents, {c.row_stride, c.column_stride}), visit);
  }
}

// Calls `visit` with the rows and columns of the C that was given, also where C^T is computed.
template <class T>
void ready_product<T>::tell(const place& at, view<T, 2> values,
                            const block_visitor<T>& visit) const {
  if (!is_transposed_) {
    visit({at.index, at.row, at.column, values});
    return;
  }
  const view<T, 2> turned(values.data(), {at.columns, at.rows},
                          {values.stride(1), values.stride(0)});
  visit({at.index, at.column, at.row, turned});
}

template <class T>
void ready_product<T>::multiply(const place& at, T* to, int pitch) const {
  T beta = product_.beta;
  const std::size_t sum = product_.a.columns;
  for (std::size_t first = 0; first < sum; first += longest_sum) {
    multiply_terms(at, first, std::min(first + longest_sum, sum), beta, to, pitch);
    beta = T(1);
  }
}

template <class T>
void ready_product<T>::multiply_terms(const place& at, std::size_t first, std::size_t end, T beta,
                                      T* to, int pitch) const {
  call_row_major_gemm(a_.op, b_.op, static_cast<int>(at.rows), static_cast<int>(at.columns),
                      static_cast<int>(end - first), product_.alpha, a_.at(at.item, at.row, first),
                      a_.pitch, b_.at(at.item, first, at.column), b_.pitch, beta, to, pitch);
}

template <class T>
void ready_product<T>::scale(const place& at) const {
  const T beta = product_.beta;
  if (beta == T(1)) return;
  const strided_matrix<T>& c = product_.c;
  T* const item = c.data + static_cast<std::ptrdiff_t>(at.item) * c.batch_stride;
  for (std::size_t i = at.row; i < at.row + at.rows; ++i)
    for (std::size_t j = at.column; j < at.column + at.columns; ++j) {
      T& element = item[static_cast<std::ptrdiff_t>(i) * c.row_stride +
                        static_cast<std::ptrdiff_t>(j) * c.column_stride];
      element = beta == T(0) ? T(0) : beta * element;
    }
}

template <class T>
void run(std::span<ready_product<T>> products, int threads, const block_visitor<T>* visit) {
  use_serial_blas();
  double work = 0;
  for (auto& product : products) work += product.work();
  const int team = threads_for(work, threads);
  std::size_t tasks = 0;
  for (auto& product : products) {
    if (team > 1) product.choose_blocks(team, product.work() / work);
    tasks += product.task_count();
    product.gather(team);
  }
  if (products.size() == 1) {
    const auto& only = products.front();
    if (team == 1) {  // parallel_for would ask the system about its cores
      for (std::size_t task = 0; task < tasks; ++task) {
        base_detail::ask_interruption();
        only.run_task(task, visit);
      }
      return only.finish(1, visit);
    }
    const double turns = std::max(1.0, work / worth_a_turn);
    const auto each = static_cast<std::size_t>(std::max(1.0, static_cast<double>(tasks) / turns));
    papilio::parallel_for((tasks + each - 1) / each, team, [&](std::size_t turn) {
      const std::size_t end = std::min(tasks, (turn + 1) * each);
      for (std::size_t task = turn * each; task < end; ++task) only.run_task(task, visit);
    });
  } else if (!products.empty()) {
    std::vector<std::size_t> ends;  // of each product's tasks
    for (const auto& product : products)
      ends.push_back((ends.empty() ? 0 : ends.back()) + product.task_count());
    papilio::parallel_for(tasks, team, [&](std::size_t task) {
      const auto p = static_cast<std::size_t>(std::ranges::upper_bound(ends, task) - ends.begin());
      products[p].run_task(task - (p == 0 ? 0 : ends[p - 1]), visit);
    });
  }
  for (const auto& product : products) product.finish(team, visit);
}

#define PAPILIO_INSTANTIATE(T)                                                     \
  template std::size_t seen_block_count<T>(std::size_t, std::size_t, std::size_t); \
  template class ready_product<T>;                                                 \
  template void run(std::span<ready_product<T>>, int, const block_visitor<T>*)
PAPILIO_INSTANTIATE(float);
PAPILIO_INSTANTIATE(double);
PAPILIO_INSTANTIATE(std::complex<float>);
PAPILIO_INSTANTIATE(std::complex<double>);
#undef PAPILIO_INSTANTIATE

}  // namespace papilio::blas_detail
