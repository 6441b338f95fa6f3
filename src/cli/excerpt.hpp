#pragma once

#include "cli/progress.hpp"
#include "cli/sound_flags.hpp"
#include "cli/work_ahead.hpp"
#include "papilio/base/parallel_for.hpp"

namespace papilio::cli {

/// Called with the number of frames of a file that are done.
using on_progress = std::function<void(std::uint64_t done, std::uint64_t total)>;

/// The part of a file that is analysed: a channel, a start and a duration.
struct excerpt_request {
  std::optional<int> channel;  ///< from 1; none: all
  double start_seconds = 0;
  std::optional<double> duration_seconds;
  const char* start_name = "--start";  ///< of its flag

  /// --channel, --start and --duration; `otherwise` is what there is without --channel.
  void add_to(command& verb, const std::string& otherwise = "the mean power of all");
};

/// More than any file has.
inline constexpr std::uint64_t unlimited_frames = unlimited_steps;

struct excerpt {
  std::uint64_t first, frames;

  double start_seconds(const sound_info& info) const {
    return static_cast<double>(first) / info.rate_hz;
  }
  double duration_seconds(const sound_info& info) const {
    return static_cast<double>(frames) / info.rate_hz;
  }
};

/// How often a file is read: any number of times, whose length is then known; once, without its
/// length; or no further than what is known before.
enum class reading { again, once, bounded };

/// Facts of a sound that was read, or of an excerpt.
struct sound_facts {
  std::string file;
  sound_info info;
  excerpt part;
  std::uint64_t replaced_samples = 0;
  std::vector<std::string> warnings;
};

/// Gives an excerpt's samples block by block, as often as is wanted. Where only reading tells a
/// file's length, an excerpt with an end is read no further than that, and any other is measured
/// first.
class excerpt_reader {
 public:
  /// io_error for anything the file is to blame for: an excerpt or a channel that it has not.
  excerpt_reader(const std::string& file, const sound_flags& sound, const excerpt_request& part,
                 on_progress progress, reading how = reading::again);

  const sound_info& info() const { return reader_.info(); }
  /// The part of the request that the file has, as far as is known. An unknown end is
  /// unlimited_frames.
  const excerpt& part() const { return part_; }
  /// Channels of the blocks: all of the file's, or one.
  std::size_t channels() const;

  /// Transforms of its segments.
  segment_work work(std::size_t n_fft, std::size_t hop,
                    real_type type = real_type::single_precision) const {
    return {channels(), part_.frames, n_fft, hop, type};
  }

  /// Another excerpt from now on. io_error if it is not there.
  void choose(const excerpt_request& part);

  /// Hands on the excerpt from its beginning, [frames, channels()], at most `frames` of it, in blocks
  /// of at most `block_frames`, if that is not 0: each as soon as it is there. Where
  /// the file ends before its header says, part() is then what came; io_error if nothing did.
  void read(function_ref<void(view<const float, 2>)> take, std::uint64_t frames = unlimited_frames,
            std::size_t block_frames = 0);

  /// Makes the excerpt's first frame that of the next call of next().
  void begin();
  /// Reads frames to out, [frames, channels of the file]; how many, 0 at the end of the file.
  std::size_t next(view<float, 2> out) { return reader_.read(out); }

  /// After the last read().
  sound_facts facts() const;

 private:
  std::string file_;
  excerpt_request asked_;
  on_progress progress_;
  sound_reader reader_;
  excerpt part_;
  std::vector<std::string> warnings_;
};

}  // namespace papilio::cli
