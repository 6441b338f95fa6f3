#include "papilio/signal/stft.hpp"

#include <algorithm>

#include "papilio/base/checked.hpp"
#include "papilio/base/overlap.hpp"
#include "papilio/base/parallel_for.hpp"
#include "signal/stft_options.hpp"

namespace papilio {

stft_options signal_detail::checked(stft_options o) {
  const auto require = [](bool good, const char* name, const char* bound, std::size_t value) {
    if (!good)
      throw invalid_argument(
          base_detail::message("stft_options: ", name, " must be ", bound, ", got ", value));
  };
  require(o.n_fft >= 1 && o.n_fft <= max_n_fft, "n_fft", "1 ... 16777216", o.n_fft);
  require(o.hop >= 1, "hop", "at least 1", o.hop);
  if (o.window_length == 0) o.window_length = o.n_fft;
  require(o.window_length <= o.n_fft, "window_length", "at most n_fft", o.window_length);
  return o;
}

namespace {

// Position of sample i of a signal mirrored about both ends without repeating them.
std::size_t mirrored(std::ptrdiff_t i, std::size_t size) {
  if (size == 1) return 0;
  const std::ptrdiff_t period = 2 * static_cast<std::ptrdiff_t>(size - 1);
  i %= period;
  if (i < 0) i += period;
  return static_cast<std::size_t>(std::min(i, period - i));
}

template <class T>
void copy_segment(std::span<const T> signal, std::ptrdiff_t first, edge_padding padding,
                  std::span<T> out) {
  const auto size = static_cast<std::ptrdiff_t>(signal.size());
  const auto count = static_cast<std::ptrdiff_t>(out.size());
  const std::ptrdiff_t begin = std::clamp<std::ptrdiff_t>(-first, 0, count);
  const std::ptrdiff_t end = std::clamp<std::ptrdiff_t>(size - first, begin, count);
  const auto outside = [&](std::ptrdiff_t j) {
    return padding == edge_padding::zero ? T(0) : signal[mirrored(first + j, signal.size())];
  };
  for (std::ptrdiff_t j = 0; j < begin; ++j) out[j] = outside(j);
  if (begin < end) std::copy_n(signal.begin() + first + begin, end - begin, out.begin() + begin);
  for (std::ptrdiff_t j = end; j < count; ++j) out[j] = outside(j);
}

template <class T>
array<T, 1> centred_window(const stft_options& o) {
  const array<T, 1> window = make_window<T>(o.window, o.window_length);
  array<T, 1> padded(o.n_fft);
  std::copy(window.begin(), window.end(), padded.begin() + (o.n_fft - o.window_length) / 2);
  return padded;
}

}  // namespace

template <class T>
stft_plan<T>::stft_plan(stft_options options)
    : options_(signal_detail::checked(options)),
      transform_(options_.n_fft, {.norm = normalization::none}),
      window_(centred_window<T>(options_)) {}

template <class T>
std::uint64_t stft_plan<T>::segments(std::uint64_t samples) const {
  if (samples == 0) return 0;
  const std::uint64_t padding = options_.centre ? options_.n_fft / 2 * 2 : 0;
  const std::uint64_t padded = checked_add(samples, padding, "stft_plan::segments");
  return padded < options_.n_fft ? 0 : 1 + (padded - options_.n_fft) / options_.hop;
}

template <class T>
std::size_t stft_plan<T>::segment_scratch_size() const {
  return (options_.n_fft + 1) / 2 + transform_.scratch_size();
}

template <class T>
void stft_plan<T>::transform_segment(std::span<const T> samples, std::span<std::complex<T>> out,
                                     std::span<std::complex<T>> scratch) const {
  if (samples.size() != options_.n_fft || scratch.size() < segment_scratch_size())
    throw shape_error(base_detail::message(
        "stft_plan::transform_segment: samples must hold ", options_.n_fft, ", got ",
        samples.size(), "; scratch at least ", segment_scratch_size(), ", got ", scratch.size()));
  T* const windowed = reinterpret_cast<T*>(scratch.data());
  for (std::size_t j = 0; j < samples.size(); ++j) windowed[j] = samples[j] * window_[j];
  transform_.forward(std::span<const T>(windowed, samples.size()), out,
                     scratch.subspan((options_.n_fft + 1) / 2));
}

namespace {

template <class T, class Out>
void require_apart(std::span<const T> signal, view<Out, 2> out) {
  base_detail::require_distinct("stft_plan", out);
  if (base_detail::reach(view<const T, 1>(signal)).overlaps(base_detail::reach(out)))
    throw invalid_argument("stft_plan: out overlaps the signal");
}

}  // namespace

template <class T>
template <class Store>
void stft_plan<T>::for_each_segment(std::span<const T> signal, std::size_t rows,
                                    std::size_t columns, int threads, const Store& store) const {
  if (rows != segments(signal.size()) || columns != bins())
    throw shape_error(base_detail::message("stft_plan: out must be ", segments(signal.size()),
                                           " x ", bins(), ", got ", rows, " x ", columns));
  const std::size_t pieces = std::min<std::size_t>(rows, thread_count(threads));
  const auto lead = static_cast<std::ptrdiff_t>(options_.centre ? options_.n_fft / 2 : 0);
  parallel_for(pieces, threads, [&](std::size_t piece) {
    array<T, 1> samples(options_.n_fft);
    array<std::complex<T>, 1> bins_of_segment(bins()), scratch(segment_scratch_size());
    for (std::size_t s = rows * piece / pieces; s < rows * (piece + 1) / pieces; ++s) {
      copy_segment(signal, static_cast<std::ptrdiff_t>(s * options_.hop) - lead, options_.padding,
                   samples.flat());
      transform_segment(samples.flat(), bins_of_segment.flat(), scratch.flat());
      for (std::size_t k = 0; k < columns; ++k) store(s, k, bins_of_segment[k]);
    }
  });
}

template <class T>
void stft_plan<T>::execute(std::span<const T> signal, view<std::complex<T>, 2> out,
                           int threads) const {
  require_apart(signal, out);
  for_each_segment(signal, out.extent(0), out.extent(1), threads,
                   [&](std::size_t s, std::size_t k, std::complex<T> x) { out(s, k) = x; });
}

template <class T>
void stft_plan<T>::execute_power(std::span<const T> signal, view<T, 2> out, int threads) const {
  require_apart(signal, out);
  for_each_segment(signal, out.extent(0), out.extent(1), threads,
                   [&](std::size_t s, std::size_t k, std::complex<T> x) {
                     out(s, k) = x.real() * x.real() + x.imag() * x.imag();
                   });
}

template class stft_plan<float>;
template class stft_plan<double>;

}  // namespace papilio
