#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "blas/blas_operand.hpp"
#include "blas/block_grid.hpp"
#include "blas/strided_matrix.hpp"
#include "papilio/base/parallel_for.hpp"
#include "papilio/blas/gemm.hpp"

namespace papilio::blas_detail {

/// A checked C = alpha A B + beta C, on each item of a batch.
template <class T>
struct gemm_product {
  T alpha, beta;
  strided_matrix<const T> a, b;
  strided_matrix<T> c;
  std::size_t batch = 1;
  bool has_c = true;  ///< otherwise c is extents only, and blocks live as long as their visit
};

/// Is told of each block of C as soon as it is complete.
template <class T>
using block_visitor = function_ref<void(const gemm_block<T>&)>;

/// Whether someone is told of the blocks: then the shape alone decides how many they are.
enum class blocks_seen { no, yes };

/// The blocks of a product of which someone is told.
template <class T>
std::size_t seen_block_count(std::size_t m, std::size_t n, std::size_t k);

/// Whether BLAS, called row-major, is to be given the transposed product op(B)^T op(A)^T: C is
/// column-major, or would be copied as such.
template <class T>
bool is_better_transposed(const strided_matrix<T>& c) {
  return row_major_pitch(c) == 0 && (column_major_pitch(c) != 0 || is_better_by_columns(c));
}
/// The transposed product.
template <class T>
void transpose(gemm_product<T>& product) {
  product.c = product.c.transposed();
  std::swap(product.a, product.b);
  product.a = product.a.transposed();
  product.b = product.b.transposed();
}

/// A product made ready for BLAS: operands that it cannot take have memory for copies.
template <class T>
class ready_product {
 public:
  /// Has all the memory that is needed; touches no operand.
  explicit ready_product(const gemm_product<T>& product, blocks_seen seen = blocks_seen::no);

  /// Chooses blocks for a team, where that has no influence on the result. `share`: of this
  /// product in the work of the team.
  void choose_blocks(int team, double share);
  /// Copies what must be copied.
  void gather(int threads);
  /// The calls of BLAS, or pieces of other work on C, that may run in any order at once.
  std::size_t task_count() const { return tasks_per_item_ * product_.batch; }
  void run_task(std::size_t index, const block_visitor<T>* visit) const;
  /// Adds up the parts of sums and copies C back, if it was copied.
  void finish(int threads, const block_visitor<T>* visit) const;

  double work() const { return work_ * static_cast<double>(product_.batch); }

 private:
  struct place {
    std::size_t index, item, row, column, rows, columns;
  };
  place place_of(std::size_t task) const;
  void multiply(const place& at, T* to, int pitch) const;
  void multiply_terms(const place& at, std::size_t first, std::size_t end, T beta, T* to,
                      int pitch) const;
  void add_parts(std::size_t item, const block_visitor<T>* visit) const;
  std::size_t tasks_per_item() const;
  void scale(const place& at) const;
  void run_visited(const place& at, const block_visitor<T>& visit) const;
  void tell(const place& at, view<T, 2> values, const block_visitor<T>& visit) const;

  gemm_product<T> product_;
  operand_copy<T> copy_a_, copy_b_, copy_c_;
  array<T, 1> part_memory_;
  T* parts_ = nullptr;  // [batch, sums, rows, columns] of a product that is cut along its sum
  blas_operand<const T> a_, b_;
  blas_operand<T> c_;
  product_cut cut_;
  block_grid grid_;
  row_blocks rows_;
  std::size_t tasks_per_item_ = 0;
  double work_ = 0;
  blocks_seen seen_;
  bool has_product_ = false;  // otherwise C = beta C
  bool is_transposed_ = false;
};

/// Runs a product that is one call of BLAS on operands that BLAS can take and whose memory is
/// plainly apart; false where it is not such a product, and nothing is done. Allocates nothing.
template <class T>
bool run_directly(const gemm_product<T>& product, int threads);

/// Runs all the products, on at most `threads` threads.
template <class T>
void run(std::span<ready_product<T>> products, int threads,
         const block_visitor<T>* visit = nullptr);

}  // namespace papilio::blas_detail
