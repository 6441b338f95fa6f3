#include "signal/pitch_columns.hpp"

#include <algorithm>
#include <memory>

namespace papilio::signal_detail {
namespace {

constexpr std::size_t most_rows = 64;

pyin_options options_of(const stft_options& o, double rate_hz, double fmin_hz, double fmax_hz) {
  return {.rate_hz = rate_hz,
          .fmin_hz = fmin_hz,
          .fmax_hz = fmax_hz,
          .frame = o.n_fft,
          .hop = o.hop,
          .centre = o.centre};
}

}  // namespace

pitch_columns::pitch_columns(const stft_options& segments, double rate_hz, double fmin_hz,
                             double fmax_hz, std::size_t channels, std::size_t columns)
    : stream_(std::make_shared<const pitch_candidates<float>>(
                  options_of(segments, rate_hz, fmin_hz, fmax_hz)),
              segment_geometry(segments), channels),
      columns_(columns),
      values_({most_rows, columns + count}) {}

void pitch_columns::keep(std::span<const pitch> pitches) {
  pitches_.insert(pitches_.end(), pitches.begin(), pitches.end());
}

void pitch_columns::push_samples(view<const float, 2> block) {
  stream_.push("features", block,
               [&](std::uint64_t, std::span<const pitch> pitches) { keep(pitches); });
}

void pitch_columns::push_rows(view<const double, 2> rows, sink out) {
  for (std::size_t s = 0; s < rows.extent(0); ++s)
    for (std::size_t i = 0; i < columns_; ++i) rows_.push_back(rows(s, i));
  waiting_ += rows.extent(0);
  hand_on(out);
}

void pitch_columns::finish(sink out) {
  stream_.finish("features", [&](std::uint64_t, std::span<const pitch> pitches) { keep(pitches); });
  hand_on(out);
}

void pitch_columns::hand_on(sink out) {
  while (waiting_ > 0 && !pitches_.empty()) {
    const std::size_t now = std::min({waiting_, pitches_.size(), most_rows});
    for (std::size_t s = 0; s < now; ++s) {
      for (std::size_t i = 0; i < columns_; ++i) {
        values_(s, i) = rows_.front();
        rows_.pop_front();
      }
      const pitch& p = pitches_.front();
      values_(s, columns_) = static_cast<double>(static_cast<float>(p.f0_hz));
      values_(s, columns_ + 1) = p.voiced ? 1 : 0;
      values_(s, columns_ + 2) = static_cast<double>(static_cast<float>(p.voiced_probability));
      pitches_.pop_front();
    }
    out(first_, values_.view().slice(0, 0, now));
    first_ += now;
    waiting_ -= now;
  }
}

}  // namespace papilio::signal_detail
