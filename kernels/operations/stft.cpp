// Short-time transforms and their inverses as kernels.
#include "papilio/kernels/stft.hpp"
#include "kernels/operations/operations.hpp"
#include "papilio/base/error.hpp"

namespace papilio::operations_detail {
namespace {

kernels::stft_padding padding_of(stft_ends ends) {
  return ends == stft_ends::zero      ? kernels::stft_padding::zero
         : ends == stft_ends::reflect ? kernels::stft_padding::reflect
                                      : kernels::stft_padding::edge;
}

kernels::stft_output output_of(stft_result result) {
  switch (result) {
    case stft_result::complex:
      return kernels::stft_output::complex;
    case stft_result::magnitude:
      return kernels::stft_output::magnitude;
    case stft_result::power:
      return kernels::stft_output::power;
    case stft_result::mel:
      return kernels::stft_output::mel;
    case stft_result::decibel:
      break;
  }
  return kernels::stft_output::decibel;
}

template <class Problem>
std::string refusal_of_bins(const Problem& p, const precision_options& precision) {
  if (const std::string why = float_only(p.type); !why.empty()) return why;
  if (p.two_sided) return "it has no kernel of two-sided spectra";
  if (p.halved_ends)
    return "it has no kernel that scales bin 0 and bin n_fft / 2 by a factor of their own (dbfs)";
  return native_only(precision);
}

}  // namespace

std::string refusal_of(const stft_problem& p, const precision_options& precision) {
  if (p.segments() == 0) return "the signal has no segment";
  if (p.pad_end) return "it has no kernel with zeros after the signal (pad_end)";
  return refusal_of_bins(p, precision);
}

std::string refusal_of(const istft_problem& p, const precision_options& precision) {
  return refusal_of_bins(p, precision);
}

kernels::sized_kernel kernel_of(const stft_problem& p, const precision_options&,
                                const engine::machine_spec& machine) {
  return kernels::stft_kernel({.channels = signed_size(p.channels),
                               .samples = signed_size(p.samples),
                               .n_fft = signed_size(p.n_fft),
                               .hop = signed_size(p.hop),
                               .window = p.window,
                               .centre = p.centre,
                               .padding = padding_of(p.ends),
                               .output = output_of(p.result),
                               .floor = p.floor,
                               .mels = p.mel.empty() ? 0 : signed_size(p.bands()),
                               .mel = p.mel},
                              machine);
}

kernels::sized_kernel kernel_of(const istft_problem& p, const precision_options&,
                                const engine::machine_spec& machine) {
  return kernels::istft_kernel({.channels = signed_size(p.channels),
                                .segments = signed_size(p.segments),
                                .samples = signed_size(p.samples),
                                .first = signed_size(p.first),
                                .n_fft = signed_size(p.n_fft),
                                .hop = signed_size(p.hop),
                                .window = p.window,
                                .centre = p.centre},
                               machine);
}

}  // namespace papilio::operations_detail
