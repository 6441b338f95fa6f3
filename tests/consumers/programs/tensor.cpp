// papilio::tensor alone: one product by BLAS and by einsum.
#include <cstdio>
#include <papilio/blas.hpp>
#include <papilio/contract.hpp>

int main() {
  papilio::array<double, 2> a({2, 3}), b({3, 2}), by_blas({2, 2});
  for (std::size_t i = 0; i < 6; ++i) a.data()[i] = double(i + 1), b.data()[i] = double(i * i);
  papilio::gemm(1.0, a, b, 0.0, by_blas);
  const auto by_einsum = papilio::einsum("ij,jk->ik", a, b);
  const double expected[] = {56, 94, 116, 199};  // {1 2 3; 4 5 6} {0 1; 4 9; 16 25}, by hand
  bool same = true;
  for (std::size_t i = 0; i < 4; ++i)
    same = same && by_blas.data()[i] == expected[i] && by_einsum.data()[i] == expected[i];
  std::printf("tensor: the last element is %g\n", by_blas(1, 1));
  return same ? 0 : 1;
}
