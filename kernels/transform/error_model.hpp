#pragma once

#include <cstdint>

#include "kernels/array_operands.hpp"

namespace papilio::kernels_detail {

/// The square root by Newton's method, from above: device programs use no mathematical library, so
/// that their bits are those of every host.
double square_root(double x);

/// Whether multiplying by x is exact: x is a power of two of either sign, or 0.
bool is_power_of_two(double x);

/// Squared relative error of sums of so many complex points in fp32, added one after the other.
double stage_error(double points);
/// Squared relative error of one rounding to fp32, on average over mantissas.
double rounding_squared_error();

/// Squared relative error of sums of `terms` products of numbers that are held in 2 or 3 bf16
/// parts, on an array of so many rows.
double squared_error_of_split_products(double terms, int parts, int rows);

/// Squared relative error of products in parts with roots of unity of an order, for a digit of
/// `radix`; order 0 stands for any numbers. `sums` sums of `terms` terms are added up.
double squared_error_of_parts(double terms, double sums, std::int64_t radix, std::int64_t order,
                              const array_operands& operands);

/// Squared relative error of a multiplication by a rounded complex factor: the factor's error, the
/// products', the sum's.
double product_squared_error();

}  // namespace papilio::kernels_detail
