// Short-time transforms and their inverses as kernels.
#include "papilio/kernels/stft.hpp"
#include "kernels/operations/operations.hpp"
#include "papilio/base/error.hpp"

namespace papilio::operations_detail {
namespace {

template <class Problem>
std::string refusal_of_bins(const Problem& p, const precision_options& precision) {
  if (const std::string why = float_only(p.type); !why.empty()) return why;
  if (p.two_sided) return "it has no kernel of two-sided spectra";
  if (p.halved_ends)
    return "it has no kernel that scales bin 0 and bin n_fft / 2 by a factor of their own (dbfs)";
  if (precision.target_error > 0) return {};
  if (precision.mode == papilio::precision::bf16_refined)
    return "its precision is native, bf16 or split_bf16: refinements by the inverse miss errors of "
           "spectra that no signal has";
  if (precision.mode == papilio::precision::compensated)
    return "its precision is native, bf16 or split_bf16: it has no compensated products";
  return {};
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

kernels::sized_kernel kernel_of(const stft_problem& p, const precision_options& precision,
                                const engine::machine_spec& machine) {
  return kernels::stft_kernel(p, machine, precision);
}

kernels::sized_kernel kernel_of(const istft_problem& p, const precision_options& precision,
                                const engine::machine_spec& machine) {
  return kernels::istft_kernel(p, machine, precision);
}

}  // namespace papilio::operations_detail
