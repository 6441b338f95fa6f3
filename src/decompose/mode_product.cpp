#include "decompose/mode_product.hpp"

#include "papilio/blas/gemm.hpp"

namespace papilio::decompose_detail {

template <class T>
array<T, 1> mode_product(const T* x, const mode_split& split, view<const T, 2> m, int threads) {
  const auto& [left, extent, right] = split;
  const std::size_t rows = m.extent(0);
  const std::size_t size =
      checked_multiply(checked_multiply(left, rows, "decompose: size"), right, "decompose: size");
  array<T, 1> out(size, uninitialized);
  const gemm_options options{.threads = threads};
  if (right == 1) {
    const view<const T, 2> in(x, {left, extent});
    gemm(T(1), in, transposed(m), T(0), view<T, 2>(out.data(), {left, rows}), options);
    return out;
  }
  const view<const T, 3> in(x, {left, extent, right});
  const view<T, 3> to(out.data(), {left, rows, right});
  if (left == 1) {
    gemm(T(1), m, in[0], T(0), to[0], options);
    return out;
  }
  const view<const T, 3> shared(m.data(), {left, rows, extent}, {0, m.stride(0), m.stride(1)});
  gemm_batched(T(1), shared, in, T(0), to, options);
  return out;
}

template array<float, 1> mode_product(const float*, const mode_split&, view<const float, 2>, int);
template array<double, 1> mode_product(const double*, const mode_split&, view<const double, 2>,
                                       int);

}  // namespace papilio::decompose_detail
