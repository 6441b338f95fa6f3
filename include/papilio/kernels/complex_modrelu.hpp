#pragma once

#include <cstdint>

#include "papilio/base/export.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels {

struct complex_modrelu_shape {
  std::int64_t rows = 1, features = 1;
};

/// out = max(|z| + b, 0) z / |z|, and 0 where z is 0, element by element, with one b for each
/// feature: in z [2, rows, features] planar complex and b [features], out as z; fp32. Any sizes of
/// at least 1. The phase stays, magnitudes below -b vanish.
///
/// Layout: whole rows, several to a partition, or pieces of one, of which b is loaded once. Numbers
/// are divided by the larger of |re| and |im| before they are squared, so that nothing overflows or
/// underflows on the way and the scalar engine's square roots are within [1, 2].
/// Bound: the vector engine, 19 cycles an element of a lane; DMA moves 16 bytes an element.
/// Errors of a result are at most 2^-20 of the larger of |z| and |b| (about 2^-22 in practice). A
/// number whose larger part is not finite gives NaN. invalid_argument for a size below 1,
/// resource_error where a tensor's bytes overflow.
/// Source: modReLU is Arjovsky, Shah and Bengio's (Unitary evolution recurrent neural networks,
/// 2016); the layer is trnsci/trnfft's ComplexModReLU.
/// Aliasing: as sized_kernel says.
PAPILIO_API sized_kernel complex_modrelu_kernel(const complex_modrelu_shape& shape,
                                                const engine::machine_spec& machine);

}  // namespace papilio::kernels
