// Checks and named runs of the short-time transform, which kernels/short_time/short_time.hpp makes.
#include "papilio/kernels/stft.hpp"

#include <algorithm>
#include <utility>

#include "kernels/entries.hpp"
#include "kernels/operations/operations.hpp"
#include "kernels/short_time/short_time.hpp"
#include "kernels/transform/fft_design.hpp"
#include "kernels/transform/precision.hpp"
#include "papilio/base/error.hpp"
#include "papilio/base/frequency_axis.hpp"

namespace papilio::kernels {
namespace {

using namespace engine;
using base_detail::message;

void validate(const stft_problem& s, const precision_options& precision) {
  for (const auto& [name, value] :
       {std::pair("channels", s.channels), std::pair("samples", s.samples),
        std::pair("n_fft", s.n_fft), std::pair("hop", s.hop)}) {
    if (value < 1)
      throw invalid_argument(message("stft: ", name, " must be at least 1, got ", value));
    kernels_detail::require_most(name, value, std::size_t{1} << 48);
  }
  s.require_valid("stft");
  kernels_detail::require_finite("stft: window", s.window);
  if (s.result == spectrum_form::decibel && !(s.floor >= 0x1p-126F && s.floor <= 0x1p126F))
    throw invalid_argument(message("stft: floor must be 2^-126 ... 2^126, got ", s.floor));
  if (s.segments() == 0)
    throw shape_error(message("stft: samples must be at least n_fft = ", s.n_fft,
                              " for one segment without centring, got ", s.samples));
  kernels_detail::require_most("segments", s.segments(), std::size_t{1} << 48);
  kernels_detail::check_precision("stft", precision);
  if (const std::string why = operations_detail::refusal_of(s, precision); !why.empty())
    throw invalid_argument(message("stft: ", why));
}

}  // namespace

sized_kernel stft_kernel(const stft_problem& s, const machine_spec& machine,
                         const precision_options& precision) {
  validate(s, precision);
  if (s.adjoint) return kernels_detail::istft_adjoint(s, machine, precision);
  return operations_detail::in_mode(
             "stft", precision, operations_detail::modes_of_products,
             [&](const precision_options& mode) {
               return kernels_detail::short_time_kernel(s, kernels_detail::operands_of(mode),
                                                        machine);
             },
             machine)
      .kernel;
}

}  // namespace papilio::kernels

namespace papilio::kernels_detail {

void require_most(const char* name, std::size_t value, std::size_t most) {
  if (value > most)
    throw resource_error(
        base_detail::message("stft: ", name, " must be at most ", most, ", got ", value));
}

namespace {

// Mel filters: triangles between neighbours of evenly spaced mels, up to 8 kHz.
std::vector<float> mel_triangles(std::size_t mels, std::size_t bins) {
  std::vector<float> weights;
  const double highest = 8000, step = hz_to_mel(highest, mel_scale::htk) / double(mels + 1);
  const auto edge = [&](std::size_t m) { return mel_to_hz(step * double(m), mel_scale::htk); };
  for (std::size_t m = 0; m < mels; ++m)
    for (std::size_t k = 0; k < bins; ++k) {
      const double hz = highest * double(k) / double(std::max<std::size_t>(1, bins - 1));
      const double rise = (hz - edge(m)) / (edge(m + 1) - edge(m));
      const double fall = (edge(m + 2) - hz) / (edge(m + 2) - edge(m + 1));
      weights.push_back(float(std::max(0.0, std::min(rise, fall))));
    }
  return weights;
}

struct stft_request : stft_problem, precision_options {
  std::optional<edge_padding> beyond = {};
  std::size_t mels = 0;

  stft_problem problem(const engine::machine_spec& machine) const {
    stft_problem s = *this;
    s.centre = beyond.has_value();
    s.padding = beyond.value_or(edge_padding::zero);
    // Sizes are refused before windows and bands of them are made.
    s.result = spectrum_form::power;
    kernels::stft_kernel(s, machine);
    s.result = result;
    s.window = hann(std::int64_t(n_fft));
    require_most("mels", mels, 1 << 16);
    s.mel = mel_triangles(mels, bins());
    return s;
  }
};

}  // namespace

kernels::catalog_entry stft_entry() {
  using r = stft_request;
  return short_time_entry<r>(
      "stft", "Short-time Fourier transform of real signals, Hann window, in one launch",
      kernels::stft_kernel,
      {choice_setting("output", &r::result, "Result for each bin, or for each mel band",
                      {{"complex", spectrum_form::complex},
                       {"magnitude", spectrum_form::magnitude},
                       {"power", spectrum_form::power},
                       {"mel", spectrum_form::mel},
                       {"db", spectrum_form::decibel}},
                      "magnitude"),
       number_setting("mels", &r::mels, "0", "Bands of mel and db, as at 16 kHz; 0: bins", 0),
       choice_setting("padding", &r::beyond,
                      "Beyond the ends of a centred signal; none: not centred",
                      {{"zero", edge_padding::zero},
                       {"reflect", edge_padding::reflect},
                       {"edge", edge_padding::edge},
                       {"none", std::nullopt}})});
}

}  // namespace papilio::kernels_detail
