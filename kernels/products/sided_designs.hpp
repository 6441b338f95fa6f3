#pragma once

#include <cstdint>
#include <string>
#include <tuple>

#include "kernels/products/products.hpp"
#include "kernels/products/triangular_solve.hpp"
#include "papilio/kernels/triangular.hpp"

// What kernels were designed to be whose matrix A, given by a triangle, stands on one side of B.
namespace papilio::kernels_detail {

struct symm_design {
  kernels::symm_problem problem;
  product_tiling tiling;  ///< of the product with the whole A

  auto fields() const {
    return std::tie(problem.m, problem.n, problem.side, problem.part, problem.alpha, problem.beta,
                    tiling);
  }
  std::string describe() const;
};

struct trmm_design {
  kernels::trmm_problem problem;
  std::int64_t strip = 1;  ///< rows of C that are one product; columns, if A is on the right
  product_tiling tiling;   ///< of the longest sum

  auto fields() const {
    return std::tie(problem.m, problem.n, problem.side, problem.part, problem.transposed,
                    problem.unit, problem.alpha, strip, tiling);
  }
  std::string describe() const;
};

struct trsm_design {
  triangular_system system;
  triangular_tiling tiling;

  auto fields() const { return std::tie(system, tiling); }
  std::string describe() const;
};

}  // namespace papilio::kernels_detail
