#include "papilio/base/error.hpp"
#include "papilio/engine/kernel.hpp"

namespace papilio::engine {

std::int64_t tensor_shape::elements() const {
  if (extents.empty() || extents.size() > std::size_t(hbm_view::dims_max))
    throw shape_error(base_detail::message("tensor_shape: rank must be 1 to ", hbm_view::dims_max,
                                           ", got ", extents.size()));
  std::int64_t count = 1;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (extents[i] < 1)
      throw shape_error(base_detail::message("tensor_shape: extents[", i,
                                             "] must be at least 1, got ", extents[i]));
    count = checked_multiply(count, extents[i], "tensor_shape: elements");
  }
  return count;
}

std::int64_t tensor_shape::bytes() const {
  return checked_multiply(elements(), std::int64_t(size_bytes(type)), "tensor_shape: bytes");
}

std::string tensor_shape::describe() const {
  std::string text = "[";
  for (std::size_t i = 0; i < extents.size(); ++i)
    text += (i > 0 ? ", " : "") + std::to_string(extents[i]);
  return text + "] " + to_string(type);
}

namespace {

const hbm_view& at(const char* function, const std::vector<hbm_view>& views, std::size_t index) {
  if (index >= views.size())
    throw invalid_argument(
        base_detail::message(function, ": index must be below ", views.size(), ", got ", index));
  return views[index];
}

}  // namespace

const hbm_view& kernel_arguments::in(std::size_t index) const {
  return at("kernel_arguments::in", in_, index);
}
const hbm_view& kernel_arguments::out(std::size_t index) const {
  return at("kernel_arguments::out", out_, index);
}

}  // namespace papilio::engine
