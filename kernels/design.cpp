#include "kernels/design.hpp"

#include <fmt/format.h>

#include <functional>
#include <iterator>

namespace papilio {
namespace kernels {

kernel_design::value::~value() = default;

bool kernel_design::operator==(const kernel_design& other) const {
  if (value_ == other.value_) return true;
  return value_ != nullptr && other.value_ != nullptr && value_->equals(*other.value_);
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
  fmt::format_to(std::back_inserter(text_), "{}:{} ", text.size(), text);
}

// In hexadecimal, so that no digit is lost.
void key_writer::add(double value) { fmt::format_to(std::back_inserter(text_), "{:a} ", value); }

void key_writer::add(std::int64_t value) {
  fmt::format_to(std::back_inserter(text_), "{} ", value);
}

}  // namespace kernels_detail
}  // namespace papilio
