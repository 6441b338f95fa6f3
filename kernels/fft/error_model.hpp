#pragma once

namespace papilio::kernels_detail {

/// By Newton's method, from above: no mathematical library is used where device programs are.
double square_root(double x);

}  // namespace papilio::kernels_detail
