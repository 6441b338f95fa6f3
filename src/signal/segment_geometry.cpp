#include "signal/segment_geometry.hpp"

#include <algorithm>
#include <limits>

#include "base/padded_place.hpp"
#include "papilio/base/error.hpp"

namespace papilio::signal_detail {
namespace {

constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) {
  return a > most - b ? most : a + b;
}
std::uint64_t saturating_multiply(std::uint64_t a, std::uint64_t b) {
  return b != 0 && a > most / b ? most : a * b;
}

}  // namespace

std::uint64_t segment_geometry::segments(std::uint64_t samples) const {
  if (samples == 0) return 0;
  const std::uint64_t padded =
      checked_add<std::uint64_t>(samples, 2 * lead_, "stft: samples and padding");
  if (!pad_end_) return padded < n_ ? 0 : 1 + (padded - n_) / hop_;
  if (padded <= n_) return 1;
  const std::uint64_t steps = (padded - n_ - 1) / hop_ + 1;
  return first(steps) < padded ? 1 + steps : steps;
}

std::uint64_t segment_geometry::first(std::uint64_t segment) const {
  return saturating_multiply(segment, hop_);
}

std::uint64_t segment_geometry::least_samples(std::uint64_t segments) const {
  std::uint64_t padded = saturating_add(first(segments - 1), n_);
  if (pad_end_) {
    // One more than what the segments before leave nothing of, and the last must begin within it.
    padded =
        segments == 1 ? 1 : std::max(saturating_add(first(segments - 2), n_), first(segments - 1));
    if (segments > 1) padded = saturating_add(padded, 1);
  }
  if (padded == most) return most;
  return padded > 2 * lead_ ? padded - 2 * lead_ : 1;
}

std::uint64_t segment_geometry::reach(std::uint64_t segments) const {
  return saturating_add(first(segments - 1), n_) - lead_;
}

std::uint64_t segment_geometry::source(std::int64_t i, std::uint64_t size) const {
  return static_cast<std::uint64_t>(base_detail::padded_place(
      i, static_cast<std::int64_t>(size), static_cast<std::int64_t>(lead_), padding_));
}

template <class T>
void copy_segment(const segment_geometry& geometry, const T* signal, std::ptrdiff_t stride,
                  std::size_t size, std::uint64_t s, T* out) {
  const auto first =
      static_cast<std::int64_t>(geometry.first(s)) - static_cast<std::int64_t>(geometry.lead());
  const auto count = static_cast<std::int64_t>(geometry.n());
  const std::int64_t begin = std::clamp<std::int64_t>(-first, 0, count);
  const std::int64_t end =
      std::clamp<std::int64_t>(static_cast<std::int64_t>(size) - first, begin, count);
  const auto outside = [&](std::int64_t j) {
    const std::uint64_t at = geometry.source(first + j, size);
    return at == size ? T(0) : signal[static_cast<std::ptrdiff_t>(at) * stride];
  };
  for (std::int64_t j = 0; j < begin; ++j) out[j] = outside(j);
  if (stride == 1 && begin < end)
    std::copy(signal + (first + begin), signal + (first + end), out + begin);
  else
    for (std::int64_t j = begin; j < end; ++j) out[j] = signal[(first + j) * stride];
  for (std::int64_t j = end; j < count; ++j) out[j] = outside(j);
}

template void copy_segment(const segment_geometry&, const float*, std::ptrdiff_t, std::size_t,
                           std::uint64_t, float*);
template void copy_segment(const segment_geometry&, const double*, std::ptrdiff_t, std::size_t,
                           std::uint64_t, double*);

}  // namespace papilio::signal_detail
