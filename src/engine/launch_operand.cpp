#include "papilio/engine/kernel.hpp"

#include "papilio/base/error.hpp"

namespace papilio::engine {

launch_operand::launch_operand(const device_buffer& buffer)
    : from_(source::buffer),
      shape_(buffer.empty() ? tensor_shape{} : buffer.shape()),
      buffer_(buffer) {}

launch_operand::launch_operand(const tensor_shape& shape) : from_(source::shape), shape_(shape) {
  shape_.bytes();
}

launch_operand::launch_operand(std::byte* data, dtype host_type,
                               std::span<const std::size_t> extents,
                               std::span<const std::ptrdiff_t> strides, dtype type)
    : from_(source::host),
      data_(data),
      host_type_(host_type),
      strides_(strides.begin(), strides.end()) {
  shape_.type = type;
  for (const std::size_t e : extents)
    shape_.extents.push_back(checked_cast<std::int64_t>(e, "launch operand: extent"));
  shape_.bytes();
  if (type != host_type && !(is_float(type) && is_float(host_type)))
    throw invalid_argument(base_detail::message("launch operand: an array of ",
                                                to_string(host_type), " cannot become ",
                                                to_string(type), " on a device"));
}

launch_operand::launch_operand(std::byte* data, std::size_t bytes, const tensor_shape& shape)
    : from_(source::host), shape_(shape), data_(data), host_type_(shape.type) {
  const std::int64_t needed = shape_.bytes();
  if (std::size_t(needed) != bytes)
    throw shape_error(base_detail::message("launch operand: ", shape.describe(), " has ", needed,
                                           " bytes, got ", bytes));
  strides_.resize(shape_.extents.size());
  base_detail::set_row_major(shape_.extents, strides_);
}

void launch_operand::cut(const char* function, std::span<const std::int64_t> first,
                         std::span<const std::int64_t> extents) {
  if (from_ == source::buffer)
    throw invalid_argument(base_detail::message(function, ": the operand is a buffer"));
  const std::size_t rank = shape_.extents.size();
  if (first.size() != rank || extents.size() != rank)
    throw shape_error(base_detail::message(function, ": ", first.size(), " first elements and ",
                                           extents.size(), " extents for ", shape_.describe()));
  for (std::size_t a = 0; a < rank; ++a) {
    const std::int64_t whole = shape_.extents[a];
    if (first[a] < 0 || extents[a] < 1 || first[a] > whole || extents[a] > whole - first[a])
      throw shape_error(base_detail::message(function, ": ", extents[a], " elements from ",
                                             first[a], " of axis ", a, " are not within ",
                                             shape_.describe()));
    if (from_ == source::host)
      data_ += std::ptrdiff_t(first[a]) * strides_[a] * std::ptrdiff_t(size_bytes(host_type_));
    shape_.extents[a] = extents[a];
  }
}

void launch_operand::split(const char* function, int axis, std::int64_t outer) {
  if (from_ == source::buffer)
    throw invalid_argument(base_detail::message(function, ": the operand is a buffer"));
  if (axis < 0 || axis >= shape_.rank())
    throw shape_error(
        base_detail::message(function, ": axis must be in [0, ", shape_.rank(), "), got ", axis));
  std::int64_t& extent = shape_.extents[std::size_t(axis)];
  if (outer < 1 || extent % outer != 0)
    throw shape_error(base_detail::message(function, ": axis ", axis, " of ", shape_.describe(),
                                           " does not divide into ", outer));
  const std::int64_t inner = extent / outer;
  extent = outer;
  shape_.extents.insert(shape_.extents.begin() + axis + 1, inner);
  if (from_ != source::host) return;
  std::ptrdiff_t& stride = strides_[std::size_t(axis)];
  const std::ptrdiff_t fine = stride;
  stride *= std::ptrdiff_t(inner);
  strides_.insert(strides_.begin() + axis + 1, fine);
}

bool launch_operand::is_contiguous() const {
  std::ptrdiff_t step = 1;
  for (std::size_t axis = strides_.size(); axis-- > 0;) {
    if (shape_.extents[axis] != 1 && strides_[axis] != step) return false;
    step *= std::ptrdiff_t(shape_.extents[axis]);
  }
  return true;
}

}  // namespace papilio::engine
