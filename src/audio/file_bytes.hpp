#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace papilio::audio_detail {

/// How messages call it.
std::string display_name(const std::filesystem::path& path);

/// The bytes of a file, read at any place, with at most one field replaced in what readers see.
///
/// A path is opened if it is a regular file. "-" (standard input), /dev/stdin and /dev/fd/N are
/// descriptors that somebody opened: a regular file begins where it stands, what comes through a
/// pipe, a socket or a device is first copied into a file without a name in the folder for
/// temporary files, to its end. io_error on anything else, and on a terminal.
class file_bytes {
 public:
  explicit file_bytes(const std::filesystem::path& path);
  ~file_bytes();
  file_bytes(const file_bytes&) = delete;
  file_bytes& operator=(const file_bytes&) = delete;

  std::uint64_t size() const { return size_; }

  /// Copies up to `count` bytes from `offset`, fewer at the end of the file or on an error.
  std::size_t read(std::uint64_t offset, void* out, std::size_t count) noexcept;

  /// From now on, the first byte is the one that was at `count`, or the end.
  void skip(std::uint64_t count);

  /// From now on, readers see `bytes` at `offset`.
  void replace(std::uint64_t offset, std::string bytes);

  /// errno of the first read that failed; 0 if none did.
  int failure() const { return failure_; }

 private:
  void open(const std::filesystem::path& path);
  void take(int descriptor, const std::string& name);
  void apply_replacement(std::uint64_t offset, char* out, std::size_t count) const noexcept;

  int descriptor_ = -1;
  std::uint64_t origin_ = 0;  // where the first byte is
  std::uint64_t size_ = 0;
  std::uint64_t replaced_at_ = 0;
  std::string replacement_;
  int failure_ = 0;
};

}  // namespace papilio::audio_detail
