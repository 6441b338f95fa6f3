#include "papilio/signal/mdct.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/share.hpp"
#include "base/team_memory.hpp"
#include "papilio/base/error.hpp"
#include "papilio/base/overlap.hpp"
#include "papilio/signal/window.hpp"

namespace papilio {
namespace {
namespace lapped {

constexpr std::size_t most_coefficients = std::size_t{1} << 23;

const mdct_options& checked(const mdct_options& o) {
  if (o.coefficients < 2 || o.coefficients > most_coefficients || o.coefficients % 2 != 0)
    throw invalid_argument(base_detail::message(
        "mdct_plan: coefficients must be even, 2 ... 8388608, got ", o.coefficients));
  if (o.window < mdct_window::sine || o.window > mdct_window::vorbis)
    throw invalid_argument(base_detail::message(
        "mdct_plan: window must be one of mdct_window, got ", static_cast<int>(o.window)));
  if (!(o.alpha >= 0 && o.alpha <= 200))
    throw invalid_argument(
        base_detail::message("mdct_plan: alpha must be 0 ... 200, got ", o.alpha));
  if (o.norm < normalization::backward || o.norm > normalization::none)
    throw invalid_argument(base_detail::message(
        "mdct_plan: norm must be one of normalization, got ", static_cast<int>(o.norm)));
  return o;
}

/// The first half of the window; the second is its mirror image.
std::vector<double> rising_half(const mdct_options& o) {
  const std::size_t n = o.coefficients;
  std::vector<double> half(n);
  if (o.window == mdct_window::kaiser_bessel_derived) {
    const array<double, 1> kaiser = make_window<double>(
        {window_kind::kaiser, std::numbers::pi * o.alpha}, n + 1, window_symmetry::symmetric);
    long double whole = 0, sum = 0;
    for (const double k : kaiser.flat()) whole += k;
    for (std::size_t k = 0; k < n; ++k) {
      sum += kaiser[k];
      half[k] = static_cast<double>(std::sqrt(sum / whole));
    }
    return half;
  }
  for (std::size_t k = 0; k < n; ++k) {
    const double sine =
        std::sin(std::numbers::pi * (static_cast<double>(k) + 0.5) / (2 * static_cast<double>(n)));
    half[k] = o.window == mdct_window::sine ? sine : std::sin(std::numbers::pi / 2 * sine * sine);
  }
  return half;
}

template <class T>
std::vector<T> window_times(const mdct_options& o, double factor) {
  const std::vector<double> half = rising_half(o);
  std::vector<T> window(2 * half.size());
  for (std::size_t k = 0; k < half.size(); ++k)
    window[k] = window[window.size() - 1 - k] = static_cast<T>(factor * half[k]);
  return window;
}

double forward_factor(const mdct_options& o) {
  const double step = 2 / static_cast<double>(o.coefficients);
  if (o.norm == normalization::orthonormal) return std::sqrt(step);
  return o.norm == normalization::forward ? step : 1;
}

double inverse_factor(const mdct_options& o) {
  const double step = 2 / static_cast<double>(o.coefficients);
  if (o.norm == normalization::orthonormal) return std::sqrt(step);
  return o.norm == normalization::backward ? step : 1;
}

void require_length(const char* function, const char* name, std::size_t length,
                    std::size_t expected) {
  if (length != expected)
    throw shape_error(base_detail::message(function, ": ", name, " must have ", expected,
                                           " elements, got ", length));
}

}  // namespace lapped
}  // namespace

template <class T>
array<T, 1> make_mdct_window(const mdct_options& options) {
  const std::vector<T> window = lapped::window_times<T>(lapped::checked(options), 1);
  array<T, 1> out(window.size());
  std::ranges::copy(window, out.data());
  return out;
}
template PAPILIO_API array<float, 1> make_mdct_window(const mdct_options&);
template PAPILIO_API array<double, 1> make_mdct_window(const mdct_options&);

// The DCT-IV has twice the sum.
template <class T>
mdct_plan<T>::mdct_plan(const mdct_options& options)
    : options_(lapped::checked(options)),
      transform_(options.coefficients, trigonometric_kind::dct4, {.norm = normalization::none}),
      analysis_(lapped::window_times<T>(options, lapped::forward_factor(options) / 2)),
      synthesis_(lapped::window_times<T>(options, lapped::inverse_factor(options) / 2)) {}

template <class T>
std::uint64_t mdct_plan<T>::frames(std::uint64_t samples) const {
  return samples == 0 ? 0 : 2 + (samples - 1) / coefficients();
}

// With quarters a, b, c, d of the windowed frame, and ' for reversed order, X is the DCT-IV of
// (-c' - d, a - b').
template <class T>
void mdct_plan<T>::forward_frame(std::span<const T> samples, std::span<T> out,
                                 std::span<T> scratch) const {
  const std::size_t n = coefficients(), half = n / 2;
  lapped::require_length("mdct_plan::forward_frame", "samples", samples.size(), 2 * n);
  lapped::require_length("mdct_plan::forward_frame", "coefficients", out.size(), n);
  const T *const x = samples.data(), *const w = analysis_.data();
  for (std::size_t i = 0; i < half; ++i) {
    const std::size_t c = n + half - 1 - i, d = n + half + i, b = n - 1 - i;
    out[i] = -w[c] * x[c] - w[d] * x[d];
    out[half + i] = w[i] * x[i] - w[b] * x[b];
  }
  transform_.forward(out, out, scratch);
}

// The transposed: with (u, v) the DCT-IV of X, y is the windowed (v, -v', -u', -u).
template <class T>
void mdct_plan<T>::inverse_frame(std::span<const T> in, std::span<T> samples,
                                 std::span<T> scratch) const {
  const std::size_t n = coefficients(), half = n / 2;
  lapped::require_length("mdct_plan::inverse_frame", "coefficients", in.size(), n);
  lapped::require_length("mdct_plan::inverse_frame", "samples", samples.size(), 2 * n);
  if (scratch.size() < scratch_size())
    throw shape_error(base_detail::message("mdct_plan::inverse_frame: scratch must have ",
                                           scratch_size(), " elements, got ", scratch.size()));
  const std::span<T> folded = scratch.first(n);
  transform_.forward(in, folded, scratch.subspan(n));
  const T* const w = synthesis_.data();
  for (std::size_t i = 0; i < half; ++i) {
    const std::size_t b = n - 1 - i, c = n + half - 1 - i, d = n + half + i;
    samples[i] = w[i] * folded[half + i];
    samples[b] = -w[b] * folded[half + i];
    samples[c] = -w[c] * folded[i];
    samples[d] = -w[d] * folded[i];
  }
}

template <class T>
void mdct_plan<T>::forward(std::span<const T> signal, view<T, 2> out, int threads) const {
  const std::size_t n = coefficients(), count = frames(signal.size());
  if (out.extent(0) != count || out.extent(1) != n)
    throw shape_error(base_detail::message("mdct_plan::forward: out must be ", count, " x ", n,
                                           " of ", signal.size(), " samples, got ", out.extent(0),
                                           " x ", out.extent(1)));
  base_detail::require_distinct("mdct_plan::forward", out);
  if (base_detail::reach(view<const T, 1>(signal.data(), {signal.size()}))
          .overlaps(base_detail::reach(out)))
    throw invalid_argument("mdct_plan::forward: out overlaps signal");
  const base_detail::team team = base_detail::team_of(threads).at_most(count);
  base_detail::team_memory<T> memory(team.workers, 3 * n + scratch_size());
  base_detail::share(count, team, [&](std::size_t first, std::size_t last, std::size_t worker) {
    T* const mine = memory.of(worker);
    const std::span<T> frame(mine, 2 * n), coefficients(mine + 2 * n, n);
    const std::span<T> scratch(mine + 3 * n, scratch_size());
    // Whole frames are read where they are; at either end zeros are filled in.
    const auto samples_of = [&](std::size_t f) -> std::span<const T> {
      const std::size_t skipped = f == 0 ? n : 0, from = f == 0 ? 0 : (f - 1) * n;
      const std::size_t present = std::min(signal.size() - from, 2 * n - skipped);
      if (present == 2 * n) return signal.subspan(from, present);
      std::ranges::fill(frame, T(0));
      std::copy_n(signal.data() + from, present, frame.data() + skipped);
      return frame;
    };
    for (std::size_t f = first; f < last; ++f) {
      const bool is_row = out.stride(1) == 1;
      forward_frame(samples_of(f), is_row ? std::span<T>(&out(f, 0), n) : coefficients, scratch);
      for (std::size_t k = 0; k < n && !is_row; ++k) out(f, k) = coefficients[k];
    }
  });
}

template <class T>
array<T, 2> mdct_plan<T>::forward(std::span<const T> signal, int threads) const {
  array<T, 2> out({static_cast<std::size_t>(frames(signal.size())), coefficients()});
  forward(signal, out, threads);
  return out;
}

template <class T>
void mdct_plan<T>::inverse(view<const T, 2> frames, std::span<T> signal, int threads) const {
  const std::size_t n = coefficients(), count = frames.extent(0);
  const std::size_t most = count == 0 ? 0 : (count - 1) * n;
  if (frames.extent(1) != n || signal.size() > most)
    throw shape_error(base_detail::message(
        "mdct_plan::inverse: frames must be frames x ", n, " and have at most ", most,
        " samples, got ", count, " x ", frames.extent(1), " and ", signal.size(), " samples"));
  if (base_detail::reach(view<const T, 1>(signal.data(), {signal.size()}))
          .overlaps(base_detail::reach(frames)))
    throw invalid_argument("mdct_plan::inverse: signal overlaps frames");
  const std::size_t blocks = (signal.size() + n - 1) / n;
  const base_detail::team team = base_detail::team_of(threads).at_most(blocks);
  base_detail::team_memory<T> memory(team.workers, 4 * n + scratch_size());
  // The first block of a range takes the frame before it again.
  base_detail::share(blocks, team, [&](std::size_t first, std::size_t last, std::size_t worker) {
    T* const mine = memory.of(worker);
    const std::span<T> samples(mine, 2 * n), tail(mine + 2 * n, n), coefficients(mine + 3 * n, n);
    const std::span<T> scratch(mine + 4 * n, scratch_size());
    const auto take = [&](std::size_t f) {
      if (frames.stride(1) == 1)
        return inverse_frame(std::span<const T>(&frames(f, 0), n), samples, scratch);
      for (std::size_t k = 0; k < n; ++k) coefficients[k] = frames(f, k);
      inverse_frame(coefficients, samples, scratch);
    };
    take(first);
    for (std::size_t block = first; block < last; ++block) {
      std::ranges::copy(samples.last(n), tail.begin());
      take(block + 1);
      T* const to = signal.data() + block * n;
      const std::size_t present = std::min(n, signal.size() - block * n);
      for (std::size_t i = 0; i < present; ++i) to[i] = tail[i] + samples[i];
    }
  });
}

template <class T>
array<T, 1> mdct_plan<T>::inverse(view<const T, 2> frames, std::optional<std::size_t> samples,
                                  int threads) const {
  const std::size_t count = frames.extent(0);
  array<T, 1> signal(samples.value_or(count == 0 ? 0 : (count - 1) * coefficients()));
  inverse(frames, signal.flat(), threads);
  return signal;
}

template <class T>
mdct_stream<T>::mdct_stream(const mdct_plan<T>& plan)
    : plan_(plan),
      frame_(2 * plan.coefficients()),
      coefficients_(plan.coefficients()),
      scratch_(plan.scratch_size()),
      filled_(plan.coefficients()) {}

template <class T>
void mdct_stream<T>::transform(frame_sink<T> sink) {
  const auto middle = frame_.begin() + static_cast<std::ptrdiff_t>(plan_.coefficients());
  plan_.forward_frame(frame_, coefficients_, scratch_);
  std::copy(middle, frame_.end(), frame_.begin());
  std::fill(middle, frame_.end(), T(0));
  filled_ = plan_.coefficients();
  sink(frames_++, coefficients_);
}

template <class T>
void mdct_stream<T>::push(std::span<const T> samples, frame_sink<T> sink) {
  if (is_finished_) throw invalid_argument("mdct_stream: push after finish()");
  while (!samples.empty()) {
    const std::size_t taken = std::min(samples.size(), frame_.size() - filled_);
    std::copy_n(samples.begin(), taken, frame_.begin() + static_cast<std::ptrdiff_t>(filled_));
    samples = samples.subspan(taken);
    received_ += taken;
    filled_ += taken;
    if (filled_ == frame_.size()) transform(sink);
  }
}

template <class T>
void mdct_stream<T>::finish(frame_sink<T> sink) {
  if (is_finished_) return;
  is_finished_ = true;
  while (frames_ < plan_.frames(received_)) transform(sink);
}

template <class T>
void mdct_stream<T>::reset() {
  std::ranges::fill(frame_, T(0));
  filled_ = plan_.coefficients();
  received_ = frames_ = 0;
  is_finished_ = false;
}

template <class T>
imdct_stream<T>::imdct_stream(const mdct_plan<T>& plan)
    : plan_(plan),
      samples_(2 * plan.coefficients()),
      tail_(plan.coefficients()),
      scratch_(plan.scratch_size()) {}

template <class T>
void imdct_stream<T>::push(std::span<const T> coefficients, samples_sink<T> sink) {
  const std::size_t n = plan_.coefficients();
  plan_.inverse_frame(coefficients, samples_, scratch_);
  for (std::size_t i = 0; i < n; ++i) {
    const T sum = tail_[i] + samples_[i];
    tail_[i] = samples_[n + i];
    samples_[i] = sum;
  }
  if (frames_++ > 0) sink(std::span<const T>(samples_).first(n));
}

template <class T>
void imdct_stream<T>::reset() {
  frames_ = 0;  // the first frame's samples are not passed on, so that its tail is all that counts
}

template class mdct_plan<float>;
template class mdct_plan<double>;
template class mdct_stream<float>;
template class mdct_stream<double>;
template class imdct_stream<float>;
template class imdct_stream<double>;

}  // namespace papilio
