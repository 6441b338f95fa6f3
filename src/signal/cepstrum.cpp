#include "papilio/signal/spectral_features.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include "base/share.hpp"
#include "base/team_memory.hpp"
#include "papilio/base/overlap.hpp"

namespace papilio {
namespace {

const mfcc_options& checked(std::size_t bands, const mfcc_options& o) {
  if (o.coefficients < 1 || o.coefficients > bands)
    throw invalid_argument(base_detail::message("mfcc_options: coefficients must be 1 ... ", bands,
                                                " bands, got ", o.coefficients));
  if (!(o.lifter >= 0) || !std::isfinite(o.lifter))
    throw invalid_argument(
        base_detail::message("mfcc_options: lifter must be finite and at least 0, got ", o.lifter));
  return o;
}

}  // namespace

template <class T>
mfcc_plan<T>::mfcc_plan(std::size_t bands, const mfcc_options& options)
    : options_(checked(bands, options)),
      transform_(bands, trigonometric_kind::dct2, {.norm = normalization::orthonormal}),
      lift_(options.coefficients) {
  for (std::size_t i = 0; i < lift_.size(); ++i)
    lift_[i] = static_cast<T>(
        options.lifter == 0
            ? 1
            : 1 + options.lifter / 2 *
                      std::sin(std::numbers::pi * static_cast<double>(i + 1) / options.lifter));
}

template <class T>
void mfcc_plan<T>::execute(view<const T, 2> mel, view<T, 2> out, int threads) const {
  if (mel.extent(1) != bands() || out.extent(1) != coefficients() || out.extent(0) != mel.extent(0))
    throw shape_error(base_detail::message("mfcc_plan: mel must be segments x ", bands(),
                                           " and out segments x ", coefficients(), ", got ",
                                           mel.extent(0), " x ", mel.extent(1), " and ",
                                           out.extent(0), " x ", out.extent(1)));
  base_detail::require_distinct("mfcc_plan", out);
  if (base_detail::reach(mel).overlaps(base_detail::reach(out)))
    throw invalid_argument("mfcc_plan: out overlaps mel");
  array<T, 2> levels(mel.extents(), uninitialized);
  for (std::size_t s = 0; s < mel.extent(0); ++s)
    for (std::size_t b = 0; b < bands(); ++b) levels(s, b) = mel(s, b);
  to_decibel<T>(levels.flat(), levels.flat(), options_.decibel);
  const base_detail::team team = base_detail::team_of(threads).at_most(out.extent(0));
  base_detail::team_memory<T> memory(team.workers, transform_.scratch_size());
  const auto run = [&](std::size_t first, std::size_t last, std::size_t worker) {
    const std::span<T> scratch(memory.of(worker), transform_.scratch_size());
    for (std::size_t s = first; s < last; ++s) {
      const std::span<T> line(&levels(s, 0), bands());
      transform_.forward(line, line, scratch);
      for (std::size_t i = 0; i < coefficients(); ++i) out(s, i) = line[i] * lift_[i];
    }
  };
  base_detail::share(out.extent(0), team, run);
}

template <class T>
array<T, 2> mfcc_plan<T>::execute(view<const T, 2> mel, int threads) const {
  array<T, 2> out({mel.extent(0), coefficients()});
  execute(mel, out, threads);
  return out;
}

template class mfcc_plan<float>;
template class mfcc_plan<double>;

mfcc_settings librosa_mfcc() { return {}; }

mfcc_settings torchaudio_mfcc() {
  return {.stft = {.n_fft = 400, .hop = 200, .padding = edge_padding::reflect},
          .mel = {.scale = mel_scale::htk, .norm = mel_norm::none},
          .mfcc = {.coefficients = 40}};
}

}  // namespace papilio
