#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "audio/file_bytes.hpp"

namespace papilio::audio_detail {

/// A file in a ZIP archive, as the directory at the archive's end has it.
struct zip_member {
  std::string name;
  std::uint64_t packed_bytes, size_bytes, header_at;
  std::uint32_t sum;  ///< CRC-32
  unsigned method;
};

/// A ZIP archive below 4 GB of at most 1000 files, stored or deflated. io_error naming `name` for any
/// other, and for what is damaged.
class zip_archive {
 public:
  zip_archive(file_bytes& bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  std::vector<zip_member> members() const;
  /// The member's bytes, piece by piece, as long as `take` wants more. What is damaged or cut short
  /// ends early: size and sum tell.
  void unpack(const zip_member& member, const std::function<bool(std::string_view)>& take) const;

 private:
  [[noreturn]] void fail(const std::string& reason) const;

  file_bytes& bytes_;
  const std::string& name_;
};

}  // namespace papilio::audio_detail
