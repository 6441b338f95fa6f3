#pragma once

#include "kernels/runs.hpp"

// Values of Fourier kernels on the emulator, by the definition.
namespace papilio::kernels::test {

enum class transform_way : std::uint8_t { forward, inverse, to_spectrum, from_spectrum };

/// Expects an error that the kernel's own expected_error allows, on seeded normal numbers, of all
/// results where they are few, else of 40, or 8 of very long sums, with the first and the last among
/// them. Each is summed in long double. Imaginary parts that must not be looked at are not there.
///
/// Bounds: 1.5 times as expected, of less than 64 results 4 times, since these scatter; of many
/// results of more than 8 points no less than 0.4 times: a model that is far too large says nothing.
void expect_values(transform_way way, const fft_row& shape,
                   const engine::machine_spec& machine = engine::trainium1());

/// Both ways, of complex and of real numbers.
void expect_complex(fft_row shape, const engine::machine_spec& machine = engine::trainium1());
void expect_real(const fft_row& shape, const engine::machine_spec& machine = engine::trainium1());

}  // namespace papilio::kernels::test
