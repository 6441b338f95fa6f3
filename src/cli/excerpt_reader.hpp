#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/excerpt.hpp"
#include "cli/task.hpp"
#include "papilio/audio.hpp"
#include "papilio/base.hpp"

namespace papilio::cli {

/// What is read, and how.
struct sound_source {
  std::string file;
  sound_options sound;
  excerpt_request part;
  bool show_progress = true;
  bool once = false;          ///< read() is called once, and needs no length before
  on_progress progress = {};  ///< told instead of a bar, where it is not empty
  work_surroundings around = {};
};

/// What was read.
struct sound_facts {
  std::string file;
  sound_info info;
  excerpt part;
  std::uint64_t replaced_samples = 0;
  std::vector<std::string> warnings;
};

/// Gives the excerpt's samples block by block, as often as is wanted.
class excerpt_reader {
 public:
  /// io_error for anything the file is to blame for.
  explicit excerpt_reader(const sound_source& source);

  const sound_info& info() const { return reader_.info(); }
  /// What there is of what was asked for, as far as is known.
  const excerpt& part() const { return part_; }
  /// Of the blocks: all, or the one.
  std::size_t channels() const;

  /// Another excerpt from now on. io_error if it is not there.
  void choose(const excerpt_request& part);

  /// Hands on the excerpt from its beginning, [frames, channels()]. Where the file ends before its
  /// header says, part() is then what came; io_error if nothing did.
  void read(function_ref<void(view<const float, 2>)> take);

  /// After the last read().
  sound_facts facts() const;

 private:
  sound_source source_;
  sound_reader reader_;
  excerpt part_;
  std::vector<std::string> warnings_;
};

}  // namespace papilio::cli
