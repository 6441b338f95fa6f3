#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "contract/layout.hpp"
#include "contract/pair_lowering.hpp"
#include "papilio/base/export.hpp"

// One step of a contraction: two operands into one result, lowered to BLAS.
namespace papilio::contract_detail {

/// Kind of a step's work, after diagonals are taken and labels that only one operand has, and not
/// the result, are summed.
///   gemm          one product of matrices
///   batched_gemm  one for each value of the labels that both operands and the result have
///   dot           a sum of products, nothing left
///   outer         nothing summed: products of every pair
///   elementwise   every label is on both operands and in the result
enum class step_kind { gemm, batched_gemm, dot, outer, elementwise };
PAPILIO_API const char* to_string(step_kind kind);

/// Returns the order of labels in which a step writes its result with the least copying, for
/// intermediates, whose order is free. `output` are the labels that the result must have.
PAPILIO_API std::vector<int> natural_output_order(const layout& left, const layout& right,
                                                  std::span<const int> output);

/// Design of a step out = alpha sum(left right) + beta out, which is found without touching memory.
/// Extents of a label agree; every label of `out` is on an operand; labels of `out` do not repeat,
/// and its strides are such that no two of its elements share an address. Strides of operands may
/// be anything, 0 and negative too.
class PAPILIO_API pair_design {
 public:
  pair_design(const layout& left, const layout& right, const layout& out, bool conjugate_left,
              bool conjugate_right, int copies = any_copies);

  step_kind kind() const { return kind_; }
  std::size_t batch() const { return batch_; }
  std::size_t m() const { return m_; }
  std::size_t k() const { return k_; }
  std::size_t n() const { return n_; }
  /// Elements of scratch that run() needs: copies of operands and of the result.
  std::size_t scratch_size() const { return scratch_size_; }
  /// Returns a text such as "gemm 48x128x48" (m x k x n), with what is copied and why.
  std::string to_string() const;
  /// Bytes that are read and written, with copies, for elements of this size.
  double bytes(std::size_t element_size) const;

  /// Loops, copies and products that run() executes.
  const pair_lowering& lowering() const { return lowering_; }
  bool conjugates_left() const { return conjugate_left_; }
  bool conjugates_right() const { return conjugate_right_; }

 private:
  step_kind kind_ = step_kind::elementwise;
  std::size_t batch_ = 1, m_ = 1, k_ = 1, n_ = 1;
  double left_elements_ = 0, right_elements_ = 0;
  std::size_t scratch_size_ = 0;
  bool conjugate_left_ = false, conjugate_right_ = false;
  pair_lowering lowering_;
};

/// Executes a design. T is float, double or one of their complex types. `scratch` is at least
/// design.scratch_size() elements. beta = 0 never reads out, alpha = 0 neither operand. `out`
/// shares no memory with the operands. Results do not depend on `threads` (0: every core; small
/// work takes one).
template <class T>
PAPILIO_API void run(const pair_design& design, const T* left, const T* right, T* out, T alpha,
                     T beta, std::span<T> scratch, int threads);

/// Operands of a step, with copies that `copy_operand` may have made already; null where not.
template <class T>
struct pair_operands {
  const T* left = nullptr;
  const T* right = nullptr;
  const T* copied_left = nullptr;
  const T* copied_right = nullptr;
};
template <class T>
void run(const pair_design& design, const pair_operands<T>& operands, T* out, T alpha, T beta,
         std::span<T> scratch, int threads);

/// Makes the copy of an operand that the step's lowering wants; `to` has copy.size elements.
template <class T>
void copy_operand(const step_copy& copy, const T* from, T* to, int threads);

/// Design of a step out = alpha op(operand) + beta out, a permutation with diagonals and sums.
class PAPILIO_API unary_design {
 public:
  unary_design(const layout& in, const layout& out, bool conjugate);
  std::string to_string() const;
  double bytes(std::size_t element_size) const;

  const strided_nest& nest() const { return nest_; }
  bool conjugates() const { return conjugate_; }

 private:
  strided_nest nest_;
  bool conjugate_ = false;
};
/// Executes a design of one operand; otherwise as `run` of a pair_design.
template <class T>
PAPILIO_API void run(const unary_design& design, const T* in, T* out, T alpha, T beta, int threads);

}  // namespace papilio::contract_detail
