#include "contract/pair_design.hpp"

#include <algorithm>
#include <complex>

#include "papilio/base/error.hpp"

namespace papilio::contract_detail {
namespace {

// Regions of scratch begin at multiples of a line of the cache.
constexpr std::size_t scratch_grain = 16;

std::size_t region(const step_copy& copy) {
  return (copy.size + scratch_grain - 1) / scratch_grain * scratch_grain;
}

step_kind kind_of(const step_groups& g) {
  const bool has_sides = !g.m.empty() || !g.n.empty();
  if (g.k.empty()) return has_sides ? step_kind::outer : step_kind::elementwise;
  if (!g.batch.empty()) return step_kind::batched_gemm;
  return has_sides ? step_kind::gemm : step_kind::dot;
}

void add_copy(std::string& text, const char* what, const step_copy& copy) {
  if (copy.size == 0) return;
  text += base_detail::message(", ", what, copy.must_sum ? " summed" : " copied");
}

}  // namespace

const char* to_string(step_kind kind) {
  switch (kind) {
    case step_kind::gemm:
      return "gemm";
    case step_kind::batched_gemm:
      return "batched gemm";
    case step_kind::dot:
      return "dot";
    case step_kind::outer:
      return "outer product";
    case step_kind::elementwise:
      break;
  }
  return "elementwise product";
}

pair_design::pair_design(const layout& left, const layout& right, const layout& out,
                         bool conjugate_left, bool conjugate_right, int copies)
    : conjugate_left_(conjugate_left), conjugate_right_(conjugate_right) {
  const step_groups g = grouped(left, right, out);
  kind_ = kind_of(g);
  batch_ = size_of(g.batch);
  m_ = size_of(g.m);
  k_ = size_of(g.k);
  n_ = size_of(g.n);
  const auto count = [](std::initializer_list<std::size_t> extents) {
    double product = 1;
    for (std::size_t e : extents) product *= static_cast<double>(e);
    return product;
  };
  left_elements_ = count({batch_, m_, k_, size_of(g.left_only)});
  right_elements_ = count({batch_, k_, n_, size_of(g.right_only)});
  if (count({batch_, m_, n_}) == 0) return;
  lowering_ = lower(g, copies);
  scratch_size_ = region(lowering_.left) + region(lowering_.right) + region(lowering_.out);
}

std::string pair_design::to_string() const {
  std::string text = contract_detail::to_string(kind_);
  if (batch_ != 1) text += base_detail::message(" ", batch_, " x");
  text += base_detail::message(" ", m_, "x", k_, "x", n_);
  if (lowering_.is_loops) {
    text += " by loops";
  } else {
    const gemm_nest& p = lowering_.products;
    if (p.calls() > 1)
      text += base_detail::message(" by ", p.calls(), " products ", p.m.extent, "x", p.k.extent,
                                   "x", p.n.extent);
  }
  add_copy(text, "left", lowering_.left);
  add_copy(text, "right", lowering_.right);
  add_copy(text, "result", lowering_.out);
  return text;
}

double pair_design::bytes(std::size_t element_size) const {
  const double results =
      static_cast<double>(batch_) * static_cast<double>(m_) * static_cast<double>(n_);
  const auto copies =
      static_cast<double>(lowering_.left.size + lowering_.right.size + lowering_.out.size);
  return (left_elements_ + right_elements_ + results + 2 * copies) *
         static_cast<double>(element_size);
}

template <class T>
void copy_operand(const step_copy& copy, const T* from, T* to, int threads) {
  run(copy.nest, nest_operands<T>{.left = from, .out = to}, threads);
}

template <class T>
void run(const pair_design& design, const pair_operands<T>& operands, T* out, T alpha, T beta,
         std::span<T> scratch, int threads) {
  const pair_lowering& l = design.lowering();
  if (scratch.size() < design.scratch_size())
    throw invalid_argument(base_detail::message("contraction: scratch must have ",
                                                design.scratch_size(), " elements, got ",
                                                scratch.size()));
  T* space = scratch.data();
  const auto take = [&](const step_copy& copy) {
    T* const here = space;
    space += region(copy);
    return here;
  };
  const auto gather = [&](const step_copy& copy, const T* from, const T* copied) -> const T* {
    if (copy.size == 0 || alpha == T(0)) return from;
    if (copied != nullptr) return copied;
    T* const to = take(copy);
    copy_operand(copy, from, to, threads);
    return to;
  };
  const T* const left = gather(l.left, operands.left, operands.copied_left);
  const T* const right = gather(l.right, operands.right, operands.copied_right);
  const bool conjugate_left = design.conjugates_left(), conjugate_right = design.conjugates_right();
  if (l.is_loops || alpha == T(0)) {
    run(l.loops, nest_operands<T>{left, right, out, alpha, beta, conjugate_left, conjugate_right},
        threads);
    return;
  }
  const bool has_copy = l.out.size != 0;
  T* const to = has_copy ? take(l.out) : out;
  run(l.products,
      gemm_operands<T>{left, right, to, has_copy ? T(1) : alpha, has_copy ? T(0) : beta,
                       conjugate_left, conjugate_right},
      threads);
  if (has_copy)
    run(l.out.nest, nest_operands<T>{.left = to, .out = out, .alpha = alpha, .beta = beta},
        threads);
}

template <class T>
void run(const pair_design& design, const T* left, const T* right, T* out, T alpha, T beta,
         std::span<T> scratch, int threads) {
  run(design, pair_operands<T>{.left = left, .right = right}, out, alpha, beta, scratch, threads);
}

#define PAPILIO_INSTANTIATE(T)                                                                 \
  template void copy_operand(const step_copy&, const T*, T*, int);                             \
  template void run(const pair_design&, const pair_operands<T>&, T*, T, T, std::span<T>, int); \
  template PAPILIO_API void run(const pair_design&, const T*, const T*, T*, T, T, std::span<T>, int)
PAPILIO_INSTANTIATE(float);
PAPILIO_INSTANTIATE(double);
PAPILIO_INSTANTIATE(std::complex<float>);
PAPILIO_INSTANTIATE(std::complex<double>);
#undef PAPILIO_INSTANTIATE

}  // namespace papilio::contract_detail
