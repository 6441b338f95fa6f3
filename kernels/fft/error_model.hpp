#pragma once

namespace papilio::kernels_detail {

/// By Newton's method, from above: no mathematical library is used where device programs are.
double square_root(double x);

/// Of multiplications by rounded complex factors: the factor's error, the products', the sum's.
double product_squared_error();

}  // namespace papilio::kernels_detail
