#pragma once

#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

#include "papilio/base/export.hpp"

namespace papilio {

/// Root of everything papilio throws. The message names the function, the argument, the bound and
/// the value.
class PAPILIO_API error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  ~error() override;
};

/// An argument outside its documented range.
class PAPILIO_API invalid_argument : public error {
 public:
  using error::error;
  ~invalid_argument() override;
};

/// Extents or strides of an operand that do not fit the operation.
class PAPILIO_API shape_error : public error {
 public:
  using error::error;
  ~shape_error() override;
};

/// A file that cannot be opened, read, understood or written. The message begins with its path.
class PAPILIO_API io_error : public error {
 public:
  io_error(std::string path, const std::string& reason)
      : error(path + ": " + reason), path_(std::move(path)) {}
  ~io_error() override;
  const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

/// A refusal of the emulated accelerator.
class PAPILIO_API device_error : public error {
 public:
  using error::error;
  ~device_error() override;
};

/// A size that overflows, or memory that cannot be had.
class PAPILIO_API resource_error : public error {
 public:
  using error::error;
  ~resource_error() override;
};

namespace base_detail {

/// Concatenates its arguments as `operator<<` prints them; for messages only.
template <class... Parts>
std::string message(const Parts&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  return text.str();
}

}  // namespace base_detail
}  // namespace papilio
