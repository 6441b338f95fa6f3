#include "kernels/operations/host_operand.hpp"

#include <algorithm>

#include "engine/device_memory.hpp"
#include "papilio/base/error.hpp"
#include "papilio/engine/operand.hpp"

namespace papilio::operations_detail {

namespace {

// The most axes of a host array that a launch takes; one is left for the planes of complex numbers.
constexpr std::size_t most_host_axes = engine::hbm_view::dims_max - 1;

// Calls visit(an element's first real) in row-major order.
template <class Number, class Visit>
void for_each_element(Number* data, const std::vector<std::size_t>& extents,
                      const std::vector<std::ptrdiff_t>& strides, const Visit& visit) {
  std::vector<std::size_t> at(extents.size());
  std::ptrdiff_t offset = 0;
  for (;;) {
    visit(data + offset);
    std::size_t axis = extents.size();
    for (;;) {
      if (axis-- == 0) return;
      offset += strides[axis];
      if (++at[axis] < extents[axis]) break;
      offset -= strides[axis] * static_cast<std::ptrdiff_t>(extents[axis]);
      at[axis] = 0;
    }
  }
}

}  // namespace

template <class Void>
host_operand<Void>::host_operand(const char* function, const untyped_view<Void>& v, bool is_complex)
    : data_(static_cast<number*>(v.data)), reals_(is_complex ? 2 : 1) {
  for (std::size_t a = 0; a < v.rank(); ++a) {
    const std::size_t extent = v.extents[a];
    const std::ptrdiff_t stride = v.strides[a] * static_cast<std::ptrdiff_t>(reals_);
    if (extent == 1) continue;
    if (!extents_.empty() && strides_.back() == stride * static_cast<std::ptrdiff_t>(extent)) {
      extents_.back() *= extent;
      strides_.back() = stride;
    } else {
      extents_.push_back(extent);
      strides_.push_back(stride);
    }
  }
  if (extents_.empty()) {
    extents_ = {1};
    strides_ = {1};
  }
  if (!std::is_const_v<Void> && std::ranges::find(strides_, 0) != strides_.end())
    throw invalid_argument(
        base_detail::message(function, ": the result's array has a stride of 0"));
  if (extents_.size() > most_host_axes) stand_apart();
}

template <class Void>
void host_operand<Void>::stand_apart() {
  if (is_copied()) return;
  std::size_t count = reals_;
  for (const std::size_t e : extents_) count *= e;
  copy_ = std::make_shared<array<float, 1>>(extents_type<1>{count}, uninitialized);
  copy_extents_ = {count / reals_};
}

template <class Void>
std::optional<std::vector<std::ptrdiff_t>> host_operand<Void>::strides_as(
    const std::vector<std::size_t>& extents) const {
  std::vector<std::ptrdiff_t> strides(extents.size());
  std::size_t axis = extents_.size() - 1, left = extents_[axis];
  std::ptrdiff_t stride = strides_[axis];
  for (std::size_t a = extents.size(); a-- > 0;) {
    if (left == 1 && extents[a] > 1 && axis > 0) {
      left = extents_[--axis];
      stride = strides_[axis];
    }
    if (left % extents[a] != 0) return std::nullopt;
    strides[a] = stride;
    stride *= static_cast<std::ptrdiff_t>(extents[a]);
    left /= extents[a];
  }
  return strides;
}

template <class Void>
void host_operand<Void>::reshape(const std::vector<std::size_t>& extents) {
  const auto strides = strides_as(extents);
  if (!is_copied() && strides) {
    extents_ = extents;
    strides_ = *strides;
  } else {
    stand_apart();
    copy_extents_ = extents;
  }
}

template <class Void>
engine::launch_input host_operand<Void>::input() const {
  std::vector<std::size_t> extents = extents_;
  std::vector<std::ptrdiff_t> strides = strides_;
  if (is_copied()) {
    extents = copy_extents_;
    strides.assign(extents.size(), static_cast<std::ptrdiff_t>(reals_));
    for (std::size_t a = extents.size() - 1; a > 0; --a)
      strides[a - 1] = strides[a] * static_cast<std::ptrdiff_t>(extents[a]);
  }
  if (reals_ == 2) {
    extents.insert(extents.begin(), 2);
    strides.insert(strides.begin(), 1);
  }
  return engine::launch_input::strided(is_copied() ? copy_->data() : data_, engine::dtype::fp32,
                                       extents, strides);
}

template <class Void>
engine::launch_output host_operand<Void>::output() const
  requires(!std::is_const_v<Void>)
{
  const engine::launch_input same = input();
  std::vector<std::size_t> extents;
  for (const std::int64_t e : same.shape().extents) extents.push_back(static_cast<std::size_t>(e));
  return engine::launch_output::strided(is_copied() ? copy_->data() : data_, engine::dtype::fp32,
                                        extents, same.strides());
}

template <class Void>
void host_operand<Void>::load() const {
  if (!is_copied()) return;
  float* to = copy_->data();
  for_each_element(data_, extents_, strides_,
                   [&](const float* from) { to = std::copy_n(from, reals_, to); });
}

template <class Void>
void host_operand<Void>::store() const
  requires(!std::is_const_v<Void>)
{
  if (!is_copied()) return;
  const float* from = copy_->data();
  for_each_element(data_, extents_, strides_, [&](float* to) {
    std::copy_n(from, reals_, to);
    from += reals_;
  });
}

template <class Void>
base_detail::byte_range host_operand<Void>::reach() const {
  base_detail::byte_range all = base_detail::reach(data_, sizeof(float), extents_, strides_);
  all.last += (reals_ - 1) * sizeof(float);
  return all;
}

template <class A, class B>
bool share_memory(const host_operand<A>& a, const host_operand<B>& b) {
  if (a.is_copied() || b.is_copied()) return a.reach().overlaps(b.reach());
  return engine_detail::share_bytes(a.input(), b.input());
}

template class host_operand<void>;
// Members are instantiated by name: clang 14 would compile output() and store() too, against their
// constraints.
template host_operand<const void>::host_operand(const char*, const untyped_view<const void>&, bool);
template engine::launch_input host_operand<const void>::input() const;
template void host_operand<const void>::stand_apart();
template void host_operand<const void>::reshape(const std::vector<std::size_t>&);
template void host_operand<const void>::load() const;
template base_detail::byte_range host_operand<const void>::reach() const;
template bool share_memory(const host_operand<void>&, const host_operand<void>&);
template bool share_memory(const host_operand<void>&, const host_operand<const void>&);

}  // namespace papilio::operations_detail
