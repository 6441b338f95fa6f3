#include "papilio/signal/filters.hpp"

#include <algorithm>
#include <cmath>

#include "papilio/base/error.hpp"
#include "signal/filter_block.hpp"

namespace papilio {
namespace {
namespace fir_steps {

constexpr std::size_t rows_at_once = 256, most_taps = std::size_t{1} << 24;

std::vector<double> reversed(std::span<const double> taps) {
  if (taps.empty() || taps.size() > most_taps)
    throw invalid_argument(
        base_detail::message("fir_filter: taps must be 1 ... ", most_taps, ", got ", taps.size()));
  for (std::size_t i = 0; i < taps.size(); ++i)
    if (!std::isfinite(taps[i]))
      throw invalid_argument(
          base_detail::message("fir_filter: taps must be finite, got ", taps[i], " at ", i));
  return {taps.rbegin(), taps.rend()};
}

std::size_t checked_channels(std::size_t channels) {
  if (channels == 0) throw invalid_argument("fir_filter: channels must be at least 1, got 0");
  return channels;
}

}  // namespace fir_steps
}  // namespace

template <class T>
fir_filter<T>::fir_filter(std::span<const double> taps, std::size_t channels)
    : reversed_(fir_steps::reversed(taps)),
      held_({fir_steps::checked_channels(channels), taps.size() - 1 + fir_steps::rows_at_once}) {
  reset();
}

template <class T>
void fir_filter<T>::reset() {
  std::ranges::fill(held_, 0.0);
}

template <class T>
void fir_filter<T>::push(view<const T, 2> block, view<T, 2> out) {
  filter_parts::require_block("fir_filter::push", block, out, channels());
  if (block.empty()) return;
  const std::size_t before = reversed_.size() - 1;
  double made[fir_steps::rows_at_once];
  for (std::size_t done = 0; done < block.extent(0); done += fir_steps::rows_at_once) {
    const std::size_t count = std::min(fir_steps::rows_at_once, block.extent(0) - done);
    for (std::size_t c = 0; c < channels(); ++c) {
      double* const line = &held_(c, 0u);
      for (std::size_t n = 0; n < count; ++n)
        line[before + n] = static_cast<double>(block(done + n, c));
      filter_parts::correlate(reversed_, line, std::span(made).first(count));
      for (std::size_t n = 0; n < count; ++n) out(done + n, c) = static_cast<T>(made[n]);
      std::copy(line + count, line + count + before, line);
    }
  }
}

template class fir_filter<float>;
template class fir_filter<double>;

}  // namespace papilio
