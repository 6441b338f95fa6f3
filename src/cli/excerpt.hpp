#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/flags.hpp"
#include "cli/progress.hpp"
#include "papilio/audio.hpp"
#include "papilio/base.hpp"
#include "papilio/base/parallel_for.hpp"

namespace papilio::cli {

/// Told how many of so many frames of a file are done.
using on_progress = std::function<void(std::uint64_t done, std::uint64_t total)>;

/// What of a file is looked at.
struct excerpt_request {
  std::optional<int> channel;  ///< from 1; none: all
  double start_seconds = 0;
  std::optional<double> duration_seconds;

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

/// What is read, and how.
struct sound_source {
  std::string file;
  sound_options sound;
  excerpt_request part;
  on_progress progress = {};  ///< may be empty
  bool once = false;          ///< read() is called once, and needs no length before
  bool bounded = false;       ///< no more is read than is known before
};

/// What was read.
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
  explicit excerpt_reader(const sound_source& source);

  const sound_info& info() const { return reader_.info(); }
  /// What there is of what was asked for, as far as is known. An end that nobody knows is
  /// unlimited_frames.
  const excerpt& part() const { return part_; }
  /// Of the blocks: all, or the one.
  std::size_t channels() const;

  /// Another excerpt from now on. io_error if it is not there.
  void choose(const excerpt_request& part);

  /// Hands on the excerpt from its beginning, [frames, channels()], at most `frames` of it. Where
  /// the file ends before its header says, part() is then what came; io_error if nothing did.
  void read(function_ref<void(view<const float, 2>)> take, std::uint64_t frames = unlimited_frames);

  /// After the last read().
  sound_facts facts() const;

 private:
  sound_source source_;
  sound_reader reader_;
  excerpt part_;
  std::vector<std::string> warnings_;
};

}  // namespace papilio::cli
