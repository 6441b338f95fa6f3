// Contractions of several arrays: two-electron integrals over atomic orbitals to ones over
// molecular orbitals, with the order of the steps and what they cost; then a grid of tensors whose
// intermediates may only have so many elements.
//   einsum_path [ATOMIC MOLECULAR [BOND]]
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <random>

#include "papilio/papilio.hpp"

namespace {

using papilio::tensor;

tensor<double> random_tensor(std::initializer_list<std::size_t> extents, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  tensor<double> t(extents);
  for (double& x : t.flat()) x = normal(generator);
  return t;
}

// Largest difference, relative to the largest element.
double difference(const tensor<double>& x, const tensor<double>& y) {
  double largest = 0, scale = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    largest = std::max(largest, std::abs(x.flat()[i] - y.flat()[i]));
    scale = std::max(scale, std::abs(x.flat()[i]));
  }
  return scale == 0 ? largest : largest / scale;
}

// (ac|gh) = sum over b, d, e, f of C_ab C_cd (bd|ef) C_ge C_hf. As one sum of eight indices it
// would take MOLECULAR^4 ATOMIC^4 multiplications; pair by pair it takes four products of matrices.
void transform_integrals(std::size_t atomic, std::size_t molecular) {
  const char* const subscripts = "ab,cd,bdef,ge,hf->acgh";
  const tensor<double> c = random_tensor({molecular, atomic}, 1);
  const tensor<double> integrals = random_tensor({atomic, atomic, atomic, atomic}, 2);

  const papilio::contraction_plan plan =
      papilio::plan_contraction(subscripts, c, c, integrals, c, c);
  std::fputs(plan.report().c_str(), stdout);
  const tensor<double> found = papilio::einsum(subscripts, c, c, integrals, c, c);

  // The same in an order that is given: the integrals with the matrices from the last to the first.
  papilio::einsum_options given;
  given.pairs = {{{2, 4}, {2, 3}, {1, 2}, {0, 1}}};
  std::printf("by another order the same to %.1e\n\n",
              difference(found, papilio::einsum(subscripts, c, c, integrals, c, c, given)));
}

// A 3 x 3 grid of tensors that share an index with each neighbour, contracted to a number. A limit
// on intermediates costs FLOPs: indices are sliced, and what does not depend on them is done again.
void contract_grid(std::size_t bond) {
  const char* const subscripts = "ag,abh,bi,gcj,hcdk,idl,je,kef,lf->";
  const tensor<double> corner = random_tensor({bond, bond}, 3);
  const tensor<double> side = random_tensor({bond, bond, bond}, 4);
  const tensor<double> middle = random_tensor({bond, bond, bond, bond}, 5);
  const auto contract = [&](const papilio::einsum_options& options) {
    const papilio::contraction_plan plan = papilio::plan_contraction(
        subscripts, corner, side, corner, side, middle, side, corner, side, corner, options);
    std::printf("%8.0f slices, largest intermediate %8.0f elements, %.3g FLOPs\n",
                plan.path().slices, plan.path().largest, plan.path().flops);
    return papilio::einsum(subscripts, corner, side, corner, side, middle, side, corner, side,
                           corner, options);
  };
  const tensor<double> whole = contract({});
  const tensor<double> limited = contract({.path = {.largest_intermediate = bond * bond}});
  std::printf("limited to %zu elements the same to %.1e\n", bond * bond,
              difference(whole, limited));
}

// A number of `most` at most, or 0.
std::size_t size_of(const char* text, std::size_t most) {
  std::size_t value = 0;
  const char* const end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, value);
  return error == std::errc() && stop == end && value <= most ? value : 0;
}

}  // namespace

int main(int argc, char** argv) try {
  const bool has_sizes = argc == 3 || argc == 4;
  const std::size_t atomic = has_sizes ? size_of(argv[1], 64) : 24;
  const std::size_t molecular = has_sizes ? size_of(argv[2], 64) : 10;
  const std::size_t bond = argc == 4 ? size_of(argv[3], 40) : 8;
  if ((argc != 1 && !has_sizes) || atomic == 0 || molecular == 0 || bond == 0) {
    std::fprintf(stderr,
                 "usage: einsum_path [ATOMIC MOLECULAR [BOND]]: at most 64, 64 and 40, at least "
                 "1\n");
    return 2;
  }
  transform_integrals(atomic, molecular);
  contract_grid(bond);
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "einsum_path: %s\n", e.what());
  return 1;
}
