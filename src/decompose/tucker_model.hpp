#pragma once

#include "decompose/two_factors.hpp"
#include "papilio/decompose/tucker.hpp"

namespace papilio::decompose_detail {

/// shape_error unless there is a factor for each mode of the core, of its extent.
template <class T>
void check_model(const char* function, const tucker_model<T>& model);

/// The first factor, and the product of the core with the others; computed in S.
template <class S, class T>
two_factors<S> split_model(const tucker_model<T>& model, int threads);

}  // namespace papilio::decompose_detail
