#pragma once

#include <cstdint>

#include "kernels/elementwise/pointwise.hpp"
#include "papilio/dispatch/operation.hpp"

// Layers of complex networks, masks and updates, forward and backward, as formulas. Gradients of
// complex numbers are dL/dRe + i dL/dIm. Planes of complex numbers are re, im; of symmetric matrices
// rr, ri, ii.
namespace papilio::kernels_detail {

/// One function of a layer.
struct layer_formula {
  const char* kernel;  ///< its name
  double roundings;    ///< on the way of an element
  pointwise_program program;
};

/// The formula of a function, all but batch normalisation.
layer_formula formula_of(layer_function function);

/// Complex batch normalisation over rows. Moments are the sums over `count` rows: S of the numbers,
/// and C of the products of their distances from the mean; of a mean and a covariance, count is 1.
struct normalization_of {
  std::int64_t count = 1;
  float epsilon = 0;
};
pointwise_program mean_sums();                             ///< x to S
pointwise_program central_sums(std::int64_t count);        ///< x, S to C
pointwise_program normalised(const normalization_of& by);  ///< x, S, C, gamma, beta to y
/// x, S, gradient to the sums of gradient times distance, [4], and of the gradient, which is that by
/// beta.
pointwise_program normalised_vjp_sums(const normalization_of& by);
/// x, S, C, gamma, gradient and those sums to the gradients by x and by gamma; through the moments
/// too where they are those of x.
pointwise_program normalised_vjp(const normalization_of& by, bool through_moments);

/// Parameters, gradient, running mean, running square and rate [1] to the first, third and fourth
/// after a step of Adam (Kingma and Ba 2015) with decays 0.9 and 0.999; the rate has their
/// corrections.
pointwise_program adam();

}  // namespace papilio::kernels_detail
