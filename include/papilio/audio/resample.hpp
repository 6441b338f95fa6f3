#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "papilio/audio/sound_file.hpp"
#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"
#include "papilio/base/view.hpp"

namespace papilio {

/// Linear-phase low-pass filters of libsoxr: bits of precision that the output has. What lies above
/// half of the lower rate is gone; all but its topmost tenth is kept (`low`: topmost third).
enum class resampling_quality {
  low,       ///< 16 bits
  medium,    ///< 16 bits
  high,      ///< 20 bits
  very_high  ///< 28 bits, computed in double, rounded to float
};

/// No rate may be more than so many times the other.
inline constexpr int largest_rate_ratio = 4096;

/// Frames that `frames` become: ceil(frames * to_hz / from_hz), the output frames whose time lies
/// before the input's end. invalid_argument as resampler; resource_error where they overflow.
PAPILIO_API std::uint64_t resampled_frames(std::uint64_t frames, int from_hz, int to_hz);

/// Changes the sample rate of a stream, block by block, in memory that does not depend on its
/// length. Output frame k stands at the time of input frame k * from_hz / to_hz: no delay is left;
/// before its beginning and after its end the input counts as 0. The output does not depend on how
/// the input is cut into blocks. Where the rates are equal, samples are copied. Not for use by two
/// threads at once.
///
///     resampler change(44100, 48000, 2);
///     while (const std::size_t got = reader.read(block)) {
///       for (view<const float, 2> rest = block.view().slice(0, 0, got); rest.extent(0) > 0;) {
///         const auto [taken, given] = change.process(rest, out);
///         writer.write(out.view().slice(0, 0, given));
///         rest = rest.slice(0, taken, rest.extent(0) - taken);
///       }
///     }
///     while (const std::size_t given = change.finish(out)) writer.write(out.view().slice(0, 0,
///     given));
class PAPILIO_API resampler {
 public:
  /// invalid_argument unless both rates are from 1 to highest_rate_hz and at most
  /// largest_rate_ratio apart, and channels from 1 to most_channels. resource_error if memory does
  /// not suffice.
  resampler(int from_hz, int to_hz, int channels,
            resampling_quality quality = resampling_quality::high);
  ~resampler();
  resampler(resampler&&) noexcept;
  resampler& operator=(resampler&&) noexcept;

  struct step {
    std::size_t taken;  ///< input frames that were consumed
    std::size_t given;  ///< output frames that were written
  };

  /// Takes frames of `in` and writes frames to `out`, both [frames, channels], row-major without
  /// gaps, not overlapping, until `in` is used up or `out` is full. What was not taken is to be
  /// given again. shape_error on other shapes, invalid_argument
  /// if `out` has no frames or after finish().
  step process(view<const float, 2> in, view<float, 2> out);

  /// After the last input: writes what is left, out.extent(0) frames at most, and returns their
  /// number; 0 when resampled_frames() of all input have been given. Errors as process().
  std::size_t finish(view<float, 2> out);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// A whole signal [frames, channels] at another rate: resampled_frames() of it. The result is that
/// of a resampler for any blocks.
PAPILIO_API array<float, 2> resample(view<const float, 2> samples, int from_hz, int to_hz,
                                     resampling_quality quality = resampling_quality::high);
/// The same for a sound, whose info has then that rate and that number of frames; of promised
/// frames that would be too many for a number, the largest number.
PAPILIO_API sound resample(const sound& s, int to_hz,
                           resampling_quality quality = resampling_quality::high);

}  // namespace papilio
