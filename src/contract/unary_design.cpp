#include <complex>

#include "contract/pair_design.hpp"
#include "papilio/base/error.hpp"

namespace papilio::contract_detail {

unary_design::unary_design(const layout& in, const layout& out, bool conjugate)
    : conjugate_(conjugate) {
  step_groups g = grouped(in, {}, out);
  // An empty sum has moved to k.
  nest_ = strided_nest(std::move(g.m), std::move(g.k.empty() ? g.left_only : g.k));
}

std::string unary_design::to_string() const {
  if (nest_.terms() != 1)
    return base_detail::message("sums ", nest_.results(), " of ", nest_.terms(), " terms");
  const bool is_dense = nest_.row().left == 1 && nest_.row().out == 1;
  return base_detail::message(is_dense ? "copy " : "permutation ", nest_.results());
}

double unary_design::bytes(std::size_t element_size) const {
  const auto results = static_cast<double>(nest_.results());
  return results * (1 + static_cast<double>(nest_.terms())) * static_cast<double>(element_size);
}

template <class T>
void run(const unary_design& design, const T* in, T* out, T alpha, T beta, int threads) {
  run(design.nest(),
      nest_operands<T>{.left = in,
                       .out = out,
                       .alpha = alpha,
                       .beta = beta,
                       .conjugate_left = design.conjugates()},
      threads);
}

#define PAPILIO_INSTANTIATE(T) \
  template PAPILIO_API void run(const unary_design&, const T*, T*, T, T, int)
PAPILIO_INSTANTIATE(float);
PAPILIO_INSTANTIATE(double);
PAPILIO_INSTANTIATE(std::complex<float>);
PAPILIO_INSTANTIATE(std::complex<double>);
#undef PAPILIO_INSTANTIATE

}  // namespace papilio::contract_detail
