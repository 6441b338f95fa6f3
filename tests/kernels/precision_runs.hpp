#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/runs.hpp"
#include "support/oracle.hpp"

// Transforms of lines in each mode of precision, and how far they are from the definition.
namespace papilio::kernels::test {

inline constexpr precision_options native{.mode = precision::native};
inline constexpr precision_options bf16{.mode = precision::bf16};
inline constexpr precision_options refined_once{.mode = precision::bf16_refined, .refinements = 1};
inline constexpr precision_options refined_twice{.mode = precision::bf16_refined, .refinements = 2};
inline constexpr precision_options split_in_2{.mode = precision::split_bf16, .parts = 2};
inline constexpr precision_options split_in_3{.mode = precision::split_bf16, .parts = 3};
inline constexpr precision_options compensated{.mode = precision::compensated};
inline const std::vector<precision_options> all_modes{
    native, bf16, refined_once, refined_twice, split_in_2, split_in_3, compensated};

std::string name_of(const precision_options& how);

using planes = array<float, 3>;  ///< [2, lines, n]

planes random_planes(std::size_t lines, std::size_t n, unsigned seed);

/// Along the last axis.
planes transformed(const planes& x, const precision_options& how, bool inverse = false,
                   double scale = 1, const engine::machine_spec& machine = engine::trainium1());

std::vector<papilio::test::exact> line(const planes& x, std::size_t index);

/// Root mean square of relative errors (Euclidean norm) of some lines, the first and last included.
double error_of(const planes& x, const planes& y, int sign = -1, long double scale = 1);

/// The largest difference over the largest value, of the worst line.
double max_norm_error(const planes& x, const planes& y, bool real_only = false);

/// expected_error of such transforms.
double model(std::int64_t lines, std::int64_t n, const precision_options& how);

/// Within a factor of 1.5.
void expect_agreement(double measured, double expected, const std::string& what);

/// Bits of a result as one text.
std::string bits(const planes& y);

}  // namespace papilio::kernels::test
