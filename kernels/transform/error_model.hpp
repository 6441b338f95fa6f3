#pragma once

#include <cstdint>

#include "kernels/array_operands.hpp"

namespace papilio::kernels_detail {

/// By Newton's method, from above: no mathematical library is used where device programs are.
double square_root(double x);

/// Multiplying by x is exact: a power of two of either sign, or 0.
bool is_power_of_two(double x);

/// Squared relative error of sums of so many complex points in fp32, one after the other.
double stage_error(double points);
/// Of one rounding to fp32, on average over mantissas.
double rounding_squared_error();

/// Of sums of `terms` products of numbers that are each the sum of 2 or 3 in bf16, on an array of
/// so many rows.
double squared_error_of_split_products(double terms, int parts, int rows);

/// Squared error of products in parts with roots of unity of an order, for a digit of `radix`; order
/// 0 stands for any numbers. `sums` sums of so many terms are added up.
double squared_error_of_parts(double terms, double sums, std::int64_t radix, std::int64_t order,
                              const array_operands& operands);

/// Of multiplications by rounded complex factors: the factor's error, the products', the sum's.
double product_squared_error();

}  // namespace papilio::kernels_detail
