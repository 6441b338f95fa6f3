#include "cli/rhythm.hpp"

#include <algorithm>
#include <cmath>

#include "signal/onset_envelope.hpp"

namespace papilio::cli {

onset_options rhythm_segments(double rate_hz) {
  const double usual = std::exp2(std::round(std::log2(rate_hz * 2048 / 22050)));
  const auto n_fft = static_cast<std::size_t>(std::clamp(usual, 4.0, 0x1p24));
  return {.rate_hz = rate_hz, .n_fft = n_fft, .hop = n_fft / 4};
}

std::vector<double> strength_of(excerpt_reader& reader, const onset_options& o,
                                const std::string& file) {
  signal_detail::onset_envelope<float> envelope(o, reader.channels());
  while (envelope.wants_more()) {
    reader.read([&](view<const float, 2> block) { envelope.push(block); });
    envelope.end_pass();
  }
  std::vector<double> strength = envelope.take();
  if (strength.size() < 2)
    throw bad_file(file, "a tempo needs at least 2 segments of hop {}, there {} {}", o.hop,
                   strength.size() == 1 ? "is" : "are", strength.size());
  return strength;
}

rhythm rhythm_of(const rhythm_settings& s, const std::vector<double>& strength,
                 double frame_rate_hz, double first_seconds) {
  const tempo_options of_tempo{.start_bpm = s.start_bpm, .max_bpm = s.max_bpm, .refine = s.refine};
  rhythm r;
  if (s.onsets) {
    r.bpm = tempo(strength, frame_rate_hz, of_tempo);
    r.segments = onset_detect(strength, frame_rate_hz);
  } else {
    beats found = beat_track(strength, frame_rate_hz,
                             {.tempo = of_tempo,
                              .bpm = s.bpm,
                              .tightness = s.tightness,
                              .trim = s.trim,
                              .trim_share = s.refine ? 0.5 : 1,
                              .free_end = s.refine});
    r.bpm = found.bpm;
    r.segments = std::move(found.segments);
  }
  if (s.refine)
    r.seconds = onset_seconds(strength, frame_rate_hz, r.segments);
  else
    for (const std::size_t segment : r.segments)
      r.seconds.push_back(static_cast<double>(segment) / frame_rate_hz);
  for (double& t : r.seconds) t += first_seconds;
  return r;
}

rhythm beats_of(excerpt_reader& reader, const std::string& file) {
  const double rate_hz = reader.info().rate_hz;
  onset_options o = rhythm_segments(rate_hz);
  o.aggregate = onset_aggregate::median;
  const std::vector<double> strength = strength_of(reader, o, file);
  return rhythm_of({}, strength, rate_hz / static_cast<double>(o.hop),
                   reader.part().start_seconds(reader.info()));
}

}  // namespace papilio::cli
