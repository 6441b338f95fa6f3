#include "blas/separable_rows.hpp"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstring>
#include <vector>

#include "blas/block_grid.hpp"
#include "blas/cblas_calls.hpp"
#include "blas/serial_blas.hpp"

namespace papilio::blas_detail {
namespace {

struct trial {
  std::size_t m, n, k, cut;
  CBLAS_TRANSPOSE op_a, op_b;
};

// Odd edges of every kind: some kernels treat the last rows or columns of a panel otherwise. Of a
// million multiplications or more, as blocks are.
constexpr trial trials[] = {
    {155, 173, 131, 3 * row_grain, CblasNoTrans, CblasNoTrans},
    {197, 61, 211, 4 * row_grain, CblasTrans, CblasNoTrans},
    {151, 37, 401, 3 * row_grain, CblasNoTrans, CblasTrans},
};

template <class T>
std::vector<T> numbers(std::size_t count, std::uint64_t state) {
  std::vector<T> x(count);
  const auto next = [&] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state >> 40) * 0x1p-24 - 0.5;
  };
  for (T& v : x) {
    using Real = decltype(std::real(v));
    const auto re = static_cast<Real>(next());
    if constexpr (std::is_floating_point_v<T>)
      v = re;
    else
      v = T(re, static_cast<Real>(next()));
  }
  return x;
}

template <class T>
bool is_separable_in(const trial& t) {
  const auto a = numbers<T>(t.m * t.k, 1), b = numbers<T>(t.k * t.n, 2);
  std::vector<T> whole(t.m * t.n), parts(t.m * t.n);
  const int lda = static_cast<int>(t.op_a == CblasNoTrans ? t.k : t.m);
  const int ldb = static_cast<int>(t.op_b == CblasNoTrans ? t.n : t.k);
  const auto rows = [&](std::vector<T>& c, std::size_t first, std::size_t end) {
    const T* const from = a.data() + (t.op_a == CblasNoTrans ? first * t.k : first);
    call_row_major_gemm(t.op_a, t.op_b, static_cast<int>(end - first), static_cast<int>(t.n),
                        static_cast<int>(t.k), T(0.7f), from, lda, b.data(), ldb, T(0),
                        c.data() + first * t.n, static_cast<int>(t.n));
  };
  rows(whole, 0, t.m);
  rows(parts, 0, t.cut);
  rows(parts, t.cut, t.m);
  return std::memcmp(whole.data(), parts.data(), whole.size() * sizeof(T)) == 0;
}

}  // namespace

template <class T>
bool has_separable_rows() {
  static const bool answer = [] {
    use_serial_blas();
    return std::ranges::all_of(trials, is_separable_in<T>);
  }();
  return answer;
}

template bool has_separable_rows<float>();
template bool has_separable_rows<double>();
template bool has_separable_rows<std::complex<float>>();
template bool has_separable_rows<std::complex<double>>();

}  // namespace papilio::blas_detail
