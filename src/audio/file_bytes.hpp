#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <memory>
#include <string>

#include "audio/byte_source.hpp"
#include "audio/pipe_bytes.hpp"

namespace papilio::audio_detail {

/// Returns the name of the file in messages.
std::string display_name(const std::filesystem::path& path);

/// The bytes of a file, read at any place, with at most one field replaced in what readers see.
///
/// A path is opened if it is a regular file. "-" (standard input), /dev/stdin and /dev/fd/N are
/// descriptors that somebody opened: a regular file begins at its current offset; a pipe, a socket
/// or a device is read only as far as somebody asks (see pipe_bytes), so that its size is not known
/// at first. Throws io_error for anything else, and for a terminal.
class file_bytes : public byte_source {
 public:
  explicit file_bytes(const std::filesystem::path& path);
  /// Reads from a pipe, whose descriptor stays the caller's.
  file_bytes(int pipe, const std::string& name)
      : pipe_(std::make_unique<pipe_bytes>(pipe, name)), size_(unknown_size) {}
  ~file_bytes() override;

  std::uint64_t size() const override;
  bool is_whole() const override { return !pipe_; }
  /// Reads a pipe to its end into a file without a name; from then on it is as any file.
  void finish();
  /// From now on the bytes are those of this regular file, whose descriptor is this object's.
  void become(int descriptor);
  /// Says that a pipe's bytes are not asked for again, but for the last MiB, so that they may go.
  void forget();
  /// Whether reading may begin at 0 again.
  bool keeps() const { return !pipe_ || !pipe_->forgets(); }

  std::size_t read(std::uint64_t offset, void* out, std::size_t count) noexcept override;

  /// The name it was opened by; empty where somebody else opened it.
  const std::string& path() const { return path_; }
  /// Descriptor of the regular file, in which the first byte is at origin(); -1 for a pipe.
  int descriptor() const { return descriptor_; }
  std::uint64_t origin() const { return origin_; }

  /// From now on, readers see `bytes` at `offset`.
  void replace(std::uint64_t offset, std::string bytes);

  /// Throws what the first read that failed would have thrown; io_error.
  void check() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void open(const std::filesystem::path& path);
  void take(int descriptor);
  std::size_t read_file(std::uint64_t offset, char* out, std::size_t count);
  void apply_replacement(std::uint64_t offset, char* out, std::size_t count) const noexcept;

  std::string name_, path_;
  int descriptor_ = -1;
  std::unique_ptr<pipe_bytes> pipe_;
  std::uint64_t origin_ = 0;
  std::uint64_t size_ = 0;
  std::uint64_t replaced_at_ = 0;
  std::string replacement_;
  std::exception_ptr failure_;
};

}  // namespace papilio::audio_detail
