#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "papilio/base/export.hpp"

namespace papilio {

/// Output file that appears under its name whole or not at all.
///
/// Bytes go to a temporary in the target's folder, which commit() renames over the target.
/// Destruction without commit() leaves the target as it was and removes the temporary; so does the
/// end of a killed process where the file system has unnamed files (O_TMPFILE), elsewhere that
/// leaves a hidden ".papilio-*.tmp".
/// - A new file's mode is 0666 less the umask; a replaced file keeps its permission bits (0777).
/// - A symbolic link owned by the caller or by root is kept, and the file that it points to is
///   replaced. A link of any other user, anywhere in the chain, is refused: whoever can put a link
///   in a shared folder must not choose what is overwritten.
/// - A target that is no regular file (a device, a FIFO), and /dev/stdout, /dev/stderr and
///   /dev/fd/N whatever they lead to, are written to directly, with no temporary.
/// - A power cut is not covered: commit() does not wait for the disk before the rename.
///
/// Not for use by two threads at once.
///
/// Throws io_error with the target's path and the system's reason on every failure, and leaves no
/// temporary behind; after a failure the object can only be destroyed.
class PAPILIO_API atomic_file {
 public:
  /// Opens the temporary beside `target`, or the device.
  /// Throws io_error if `target` is empty, a directory or write-protected, is a link of another
  /// user, or its folder cannot be written.
  explicit atomic_file(const std::filesystem::path& target);
  ~atomic_file();
  atomic_file(atomic_file&&) noexcept;
  atomic_file& operator=(atomic_file&&) noexcept;

  /// Appends bytes, buffered: an error may be reported only by a later call or commit().
  void write(const void* data, std::size_t size_bytes);

  /// Writes `size_bytes` bytes at `offset_bytes` from the first byte given to write(), over what is
  /// there or beyond the end (gaps are 0); the position of the next write() does not change.
  /// Throws io_error unless is_rewritable().
  void write_at(std::uint64_t offset_bytes, const void* data, std::size_t size_bytes);

  /// Writes the buffered bytes.
  void flush();

  /// Whether write_at() works: false for pipes, devices and files opened for appending.
  bool is_rewritable() const;

  /// Writes the buffered bytes, closes, and gives the file its name; within a commit_group of this
  /// thread the group does the last two. Call it once, last.
  void commit();

  /// The path as it was given.
  const std::filesystem::path& path() const;

 private:
  friend class commit_group;
  struct state;
  std::shared_ptr<state> state_;
};

/// Outputs that belong together. Files that are committed by this thread while a group lives get
/// their names from finish(), when the bytes of all are written: a full disk leaves none of them.
/// The innermost group counts. Without finish() nothing is named.
class PAPILIO_API commit_group {
 public:
  commit_group();
  ~commit_group();
  commit_group(const commit_group&) = delete;
  commit_group& operator=(const commit_group&) = delete;

  /// Gives all their names, in the order of commit(). Throws io_error as atomic_file::commit(); it
  /// tells which are there already, should the system refuse a later name.
  void finish();

 private:
  friend class atomic_file;
  std::vector<std::shared_ptr<atomic_file::state>> files_;
  commit_group* outer_;
};

/// Largest nesting of arrays and objects accepted in JSON input: code that copies, prints or frees
/// a JSON value recurses once for each level.
inline constexpr std::size_t most_json_levels = 32;

/// Checks that JSON text has at most most_json_levels levels; it does not check that it is JSON.
/// Throws io_error with the path `origin` if it has more.
PAPILIO_API void require_json_levels(std::string_view text, const std::string& origin);

/// Reads a JSON file of at most `most_bytes` bytes, and of at most most_json_levels levels.
/// Throws io_error with the path if the file cannot be read, is longer (reading stops there) or
/// deeper.
PAPILIO_API std::string read_json_text(const std::filesystem::path& path, std::size_t most_bytes);

}  // namespace papilio
