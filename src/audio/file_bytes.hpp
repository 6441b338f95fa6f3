#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace papilio::audio_detail {

/// The bytes of a regular file, read at any place, with at most one field replaced in what readers
/// see. io_error on opening anything else.
class file_bytes {
 public:
  explicit file_bytes(const std::filesystem::path& path);
  ~file_bytes();
  file_bytes(const file_bytes&) = delete;
  file_bytes& operator=(const file_bytes&) = delete;

  std::uint64_t size() const { return size_; }

  /// Copies up to `count` bytes from `offset`, fewer at the end of the file or on an error.
  std::size_t read(std::uint64_t offset, void* out, std::size_t count) noexcept;

  /// From now on, readers see `bytes` at `offset`.
  void replace(std::uint64_t offset, std::string bytes);

  /// errno of the first read that failed; 0 if none did.
  int failure() const { return failure_; }

 private:
  void apply_replacement(std::uint64_t offset, char* out, std::size_t count) const noexcept;

  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  std::uint64_t replaced_at_ = 0;
  std::string replacement_;
  int failure_ = 0;
};

}  // namespace papilio::audio_detail
