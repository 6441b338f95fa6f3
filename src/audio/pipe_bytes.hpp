#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace papilio::audio_detail {

/// A file without a name in the folder for temporary files ($TMPDIR, or /tmp), which vanishes with
/// the last of its descriptors. Errors are io_error and begin with `reader`, the name of what is
/// kept; a full disk is such an error.
class spool_file {
 public:
  explicit spool_file(std::string reader) : reader_(std::move(reader)) {}
  ~spool_file();
  spool_file(const spool_file&) = delete;
  spool_file& operator=(const spool_file&) = delete;

  bool is_open() const { return descriptor_ >= 0; }
  void open();
  void write(const char* data, std::size_t size_bytes);
  int descriptor() const { return descriptor_; }
  /// The descriptor, which is the caller's from now on.
  int release();

 private:
  [[noreturn]] void fail(int code) const;

  std::string reader_;
  std::filesystem::path folder_;
  int descriptor_ = -1;
};

/// The bytes of a pipe, read from it only as far as somebody asks. They are kept, the first 16 MiB
/// in memory, more in a spool_file; after forget() only the last MiB is. The descriptor stays the
/// caller's. Errors are io_error and begin with `name`.
class pipe_bytes {
 public:
  pipe_bytes(int descriptor, std::string name);

  /// Copies up to `count` bytes from `offset`, waiting for them; fewer at the end.
  std::size_t read(std::uint64_t offset, void* out, std::size_t count);
  /// Says that nothing before the furthest byte that was read will be asked for again, but for the
  /// last MiB. It has no effect on what is in the spool_file already.
  void forget() { keeps_ = false; }
  bool forgets() const { return !keeps_; }
  /// Reads to the end; the descriptor of a file of all the bytes, which is the caller's.
  int finish();

  bool ended() const { return ended_; }
  /// Bytes that came so far.
  std::uint64_t size() const { return end_; }

 private:
  void pull();
  void spill();

  int descriptor_;
  std::string name_;
  spool_file spool_;
  std::vector<char> memory_;  // the bytes from begin_ to end_, unless they are in the spool_file
  std::uint64_t begin_ = 0, end_ = 0;
  bool keeps_ = true, ended_ = false;
};

}  // namespace papilio::audio_detail
