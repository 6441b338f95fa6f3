#include "papilio/audio.hpp"

#include <soxr.h>

#include <algorithm>
#include <limits>
#include <new>
#include <optional>
#include <vector>

#include "papilio/base/error.hpp"

namespace papilio {
namespace {

using base_detail::message;

constexpr std::size_t block_frames = 4096;

void check_rates(const char* function, int from_hz, int to_hz) {
  for (const auto& [name, rate] : {std::pair{"from_hz", from_hz}, std::pair{"to_hz", to_hz}})
    if (rate < 1 || rate > highest_rate_hz)
      throw invalid_argument(
          message(function, ": ", name, " must be from 1 to ", highest_rate_hz, ", got ", rate));
  const auto [low, high] = std::minmax(from_hz, to_hz);
  if (high / largest_rate_ratio > low ||
      (high / largest_rate_ratio == low && high % largest_rate_ratio > 0))
    throw invalid_argument(message(function, ": the rates must be at most ", largest_rate_ratio,
                                   " times apart, got ", from_hz, " and ", to_hz));
}

unsigned long recipe_of(resampling_quality quality) {
  switch (quality) {
    case resampling_quality::low:
      return SOXR_LQ;
    case resampling_quality::medium:
      return SOXR_MQ;
    case resampling_quality::high:
      return SOXR_HQ;
    case resampling_quality::very_high:
      return SOXR_VHQ;
  }
  throw invalid_argument(
      message("resampler: there is no quality of number ", static_cast<int>(quality)));
}

// Returns the number of frames at the new rate; none where it overflows.
std::optional<std::uint64_t> converted(std::uint64_t frames, int from_hz, int to_hz) {
  const auto from = static_cast<std::uint64_t>(from_hz), to = static_cast<std::uint64_t>(to_hz);
  const std::uint64_t whole = frames / from, rest = frames % from;  // rest * to < 2^54
  const std::uint64_t part = (rest * to + from - 1) / from;
  if (whole > (std::numeric_limits<std::uint64_t>::max() - part) / to) return std::nullopt;
  return whole * to + part;
}

struct deleter {
  void operator()(soxr_t handle) const { soxr_delete(handle); }
};

}  // namespace

std::uint64_t resampled_frames(std::uint64_t frames, int from_hz, int to_hz) {
  check_rates("resampled_frames", from_hz, to_hz);
  if (const std::optional<std::uint64_t> result = converted(frames, from_hz, to_hz)) return *result;
  throw resource_error(message("resampled_frames: ", frames, " frames at ", from_hz,
                               " Hz become too many at ", to_hz, " Hz"));
}

struct resampler::state {
  state(int from, int to, int channel_count, resampling_quality quality);

  void check(const char* function, std::size_t got_channels, bool contiguous) const;
  step advance(const float* in, std::size_t in_frames, float* out, std::size_t out_frames);

  int from_hz, to_hz;
  std::size_t channels;
  std::unique_ptr<soxr, deleter> handle;  // none where the rates are equal
  std::uint64_t taken = 0, given = 0;
  bool finishing = false;
  std::vector<float> silence;  // that follows the input
};

resampler::state::state(int from, int to, int channel_count, resampling_quality quality)
    : from_hz(from), to_hz(to), channels(static_cast<std::size_t>(channel_count)) {
  check_rates("resampler", from, to);
  if (channel_count < 1 || channel_count > most_channels)
    throw invalid_argument(
        message("resampler: channels must be from 1 to ", most_channels, ", got ", channel_count));
  const soxr_quality_spec_t wish = soxr_quality_spec(recipe_of(quality), 0);
  if (from == to) return;
  const soxr_io_spec_t samples = soxr_io_spec(SOXR_FLOAT32_I, SOXR_FLOAT32_I);
  const soxr_runtime_spec_t running = soxr_runtime_spec(1);
  soxr_error_t problem = nullptr;
  handle.reset(soxr_create(from, to, static_cast<unsigned>(channel_count), &problem, &samples,
                           &wish, &running));
  if (!handle || problem != nullptr)
    throw resource_error(message("resampler: ", problem == nullptr ? "no memory" : problem));
}

void resampler::state::check(const char* function, std::size_t got_channels,
                             bool contiguous) const {
  if (got_channels != channels)
    throw shape_error(message("resampler::", function, ": a block has ", got_channels,
                              " channels, the resampler ", channels));
  if (!contiguous)
    throw shape_error(message("resampler::", function, ": blocks must be row-major without gaps"));
}

resampler::step resampler::state::advance(const float* in, std::size_t in_frames, float* out,
                                          std::size_t out_frames) {
  step done{0, 0};
  if (!handle) {
    done.taken = done.given = std::min(in_frames, out_frames);
    std::copy_n(in, done.taken * channels, out);
    return done;
  }
  // A null pointer would tell the library that the input is over.
  const float nothing = 0;
  if (const soxr_error_t problem =
          soxr_process(handle.get(), in_frames == 0 ? &nothing : in, in_frames, &done.taken, out,
                       out_frames, &done.given))
    throw resource_error(message("resampler: ", problem));
  return done;
}

resampler::resampler(int from_hz, int to_hz, int channels, resampling_quality quality)
    : state_(std::make_unique<state>(from_hz, to_hz, channels, quality)) {}
resampler::~resampler() = default;
resampler::resampler(resampler&&) noexcept = default;
resampler& resampler::operator=(resampler&&) noexcept = default;

resampler::step resampler::process(view<const float, 2> in, view<float, 2> out) {
  state& s = *state_;
  s.check("process", in.extent(1), in.is_contiguous());
  s.check("process", out.extent(1), out.is_contiguous());
  if (out.extent(0) == 0) throw invalid_argument("resampler::process: out has no frames");
  if (s.finishing) throw invalid_argument("resampler::process: after finish()");
  const step done = s.advance(in.data(), in.extent(0), out.data(), out.extent(0));
  s.taken += done.taken;
  s.given += done.given;
  return done;
}

std::size_t resampler::finish(view<float, 2> out) {
  state& s = *state_;
  s.check("finish", out.extent(1), out.is_contiguous());
  if (out.extent(0) == 0) throw invalid_argument("resampler::finish: out has no frames");
  if (!s.finishing) s.silence.resize(s.handle ? block_frames * s.channels : 0);
  s.finishing = true;
  const std::uint64_t left = resampled_frames(s.taken, s.from_hz, s.to_hz) - s.given;
  const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(left, out.extent(0)));
  std::size_t done = 0;
  while (done < wanted)
    done += s.advance(s.silence.data(), block_frames, out.data() + done * s.channels, wanted - done)
                .given;
  s.given += done;
  return done;
}

array<float, 2> resample(view<const float, 2> samples, int from_hz, int to_hz,
                         resampling_quality quality) {
  const std::size_t channels = samples.extent(1);
  if (channels > static_cast<std::size_t>(most_channels))
    throw invalid_argument(
        message("resample: at most ", most_channels, " channels, got ", channels));
  resampler change(from_hz, to_hz, static_cast<int>(channels), quality);
  const auto frames = checked_cast<std::size_t>(resampled_frames(samples.extent(0), from_hz, to_hz),
                                                "resample: frames");
  array<float, 2> out({frames, channels});
  array<float, 2> gathered({std::min(block_frames, samples.extent(0)), channels});
  std::size_t given = 0;
  for (std::size_t at = 0; at < samples.extent(0) && given < frames;) {
    const std::size_t count = std::min(block_frames, samples.extent(0) - at);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t c = 0; c < channels; ++c) gathered(i, c) = samples(at + i, c);
    const resampler::step done = change.process(gathered.view().slice(0, 0, count),
                                                out.view().slice(0, given, frames - given));
    at += done.taken;
    given += done.given;
  }
  while (given < frames) given += change.finish(out.view().slice(0, given, frames - given));
  return out;
}

sound resample(const sound& s, int to_hz, resampling_quality quality) {
  sound result{.info = s.info,
               .samples = resample(s.samples.view(), s.info.rate_hz, to_hz, quality),
               .replaced_samples = s.replaced_samples,
               .warnings = s.warnings};
  result.info.rate_hz = to_hz;
  result.info.frames = result.samples.extent(0);
  result.info.promised_frames = converted(s.info.promised_frames, s.info.rate_hz, to_hz)
                                    .value_or(std::numeric_limits<std::uint64_t>::max());
  return result;
}

}  // namespace papilio
