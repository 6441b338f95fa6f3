#include "kernels/design.hpp"

#include <bit>
#include <charconv>
#include <functional>
#include <iterator>

namespace papilio {
namespace kernels {

kernel_design::value::~value() = default;

bool kernel_design::operator==(const kernel_design& other) const {
  return value_ == other.value_ || key() == other.key();
}

std::size_t kernel_design::hash() const { return std::hash<std::string>{}(key()); }

std::string kernel_design::key() const { return empty() ? std::string() : value_->key(); }

std::string kernel_design::explain() const { return empty() ? std::string() : value_->explain(); }

std::vector<design_part> kernel_design::parts() const {
  return empty() ? std::vector<design_part>() : value_->parts();
}

kernel_design kernel_design::without_batch() const {
  return empty() ? kernel_design() : value_->without_batch();
}

bool same_design(const kernel_design& a, const kernel_design& b) {
  return a.without_batch() == b.without_batch();
}

}  // namespace kernels

namespace kernels_detail {

void key_writer::add(std::string_view text) {
  add(static_cast<std::int64_t>(text.size()));
  text_ += text;
}

// Its bits: 0 and -0 differ. Windows have thousands of them.
void key_writer::add(double value) { add(std::bit_cast<std::int64_t>(value)); }

void key_writer::add(std::int64_t value) {
  char digits[24];
  char* const end =
      std::to_chars(std::begin(digits), std::end(digits), std::uint64_t(value), 16).ptr;
  text_.append(std::begin(digits), end) += ' ';
}

}  // namespace kernels_detail
}  // namespace papilio
