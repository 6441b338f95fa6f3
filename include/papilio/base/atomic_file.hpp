#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "papilio/base/export.hpp"

namespace papilio {

/// A file that appears under its name whole or not at all.
///
/// Bytes go to a temporary in the target's folder, which commit() renames over it. An object that
/// dies without commit() leaves the target as it was and nothing else. Where the file system has
/// files without a name (O_TMPFILE), so does a process that is killed; elsewhere that leaves a
/// hidden ".papilio-*.tmp".
/// - A new file's mode is 0666 less the umask; a replaced file keeps its mode.
/// - A symbolic link of the caller's own or of root's stays: what it points to is replaced. One of
///   any other user is refused, wherever it stands: whoever can put a link in a shared folder must
///   not choose what is overwritten.
/// - A target that is no regular file (a device, a FIFO), and /dev/stdout, /dev/stderr and
///   /dev/fd/N whatever they lead to, are written to directly, with no temporary.
/// What is not covered is a power cut: nothing waits for the disk before the name is given.
/// Every failure is an io_error with the target's path and the system's reason, and leaves no
/// temporary behind; after one, only destruction is useful. Not for use by two threads at once.
class PAPILIO_API atomic_file {
 public:
  /// io_error if the target is a directory, is write-protected, or its folder cannot be written.
  explicit atomic_file(const std::filesystem::path& target);
  ~atomic_file();
  atomic_file(atomic_file&&) noexcept;
  atomic_file& operator=(atomic_file&&) noexcept;

  /// Appends `size_bytes` bytes. Buffered: an error may show only in a later call or in commit().
  void write(const void* data, std::size_t size_bytes);

  /// Writes bytes `offset_bytes` after the first that write() was given, over what stands there or
  /// beyond all of it (what is skipped is 0); the place of the next write() stays. io_error unless
  /// is_rewritable().
  void write_at(std::uint64_t offset_bytes, const void* data, std::size_t size_bytes);

  /// Writes what is buffered. Of several files that belong together none has its name yet, and all
  /// are written, where each is flushed before the first commit().
  void flush();

  /// Whether write_at() works: not on pipes, devices, and files that are only appended to.
  bool is_rewritable() const;

  /// Writes what is buffered, closes, and gives the file its name. Call it once, last.
  void commit();

  /// The path as it was given.
  const std::filesystem::path& path() const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// Levels of arrays and objects that JSON from outside may have. What copies, prints or frees a
/// value calls itself at each of them.
inline constexpr std::size_t most_json_levels = 32;

/// io_error(origin) if the text has more levels; text that is no JSON may pass.
PAPILIO_API void require_json_levels(std::string_view text, const std::string& origin);

/// The text of a file, which has no more levels. io_error(path) if it has, with the system's reason
/// if it cannot be read, and if it has more than `most_bytes`, of which no more is read.
PAPILIO_API std::string read_json_text(const std::filesystem::path& path, std::size_t most_bytes);

}  // namespace papilio
