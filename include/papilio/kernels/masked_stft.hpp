#pragma once

#include "papilio/base/export.hpp"
#include "papilio/kernels/istft.hpp"
#include "papilio/kernels/prepared_kernel.hpp"
#include "papilio/kernels/stft.hpp"

namespace papilio::kernels {

struct masked_stft_shape {
  stft_shape transform = {};  ///< output is complex; the inverse has the same window and length
  bool complex_mask = false;  ///< a mask of planes [2, segments, bins], else [segments, bins]
};

/// Signals to spectra, times a mask, and back, as one graph: nothing is fetched in between, spectra
/// stay on the device, and all tables are resident.
///
///   const masked_stft denoise(dev, {.transform = {...}});
///   graph g(dev);
///   denoise.capture(g, x, mask, y);
///   g.submit();
class PAPILIO_API masked_stft {
 public:
  /// The device must outlive it. Errors as stft_kernel and istft_kernel; invalid_argument for an
  /// output other than complex. `mode` as prepared_kernel's.
  masked_stft(engine::device& on, const masked_stft_shape& shape,
              engine::run_mode mode = engine::run_mode::execute);

  engine::tensor_shape signal_shape() const;  ///< [channels, samples]; the result's too
  engine::tensor_shape mask_shape() const;    ///< the same mask for every channel
  const prepared_kernel& forward() const { return forward_; }
  const prepared_kernel& mask() const { return mask_; }
  const prepared_kernel& inverse() const { return inverse_; }

  /// Three launches. shape_error unless signal and result are signal_shape(), mask mask_shape().
  void capture(engine::graph& into, const engine::launch_input& signal,
               const engine::launch_input& mask, const engine::launch_output& result) const;

 private:
  prepared_kernel forward_, mask_, inverse_;
};

}  // namespace papilio::kernels
