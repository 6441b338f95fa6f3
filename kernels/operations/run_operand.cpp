#include "kernels/operations/run_operand.hpp"

#include <algorithm>
#include <complex>

#include "base/lines.hpp"
#include "engine/device_memory.hpp"
#include "papilio/base/error.hpp"

namespace papilio::operations_detail {

using base_detail::gapless_strides;

namespace {

// The most axes of a host array that a launch takes; one is left for the planes of complex numbers.
constexpr std::size_t most_host_axes = engine::hbm_view::dims_max - 1;

}  // namespace

run_operand::run_operand(const untyped_view<const void>& v, bool is_complex)
    : data_(const_cast<float*>(static_cast<const float*>(v.data))), reals_(is_complex ? 2 : 1) {
  auto& [extents, strides] = given_;
  for (std::size_t a = 0; a < v.rank(); ++a) {
    const std::size_t extent = v.extents[a];
    if (extent == 1) continue;
    if (!extents.empty() && strides.back() == v.strides[a] * static_cast<std::ptrdiff_t>(extent)) {
      extents.back() *= extent;
      strides.back() = v.strides[a];
    } else {
      extents.push_back(extent);
      strides.push_back(v.strides[a]);
    }
  }
  if (extents.empty()) given_ = {{1}, {1}};
  seen_ = given_;
  if (extents.size() > most_host_axes) stand_apart();
}

run_operand::run_operand(const char* function, const untyped_view<void>& v, bool is_complex)
    : run_operand(untyped_view<const void>(v.data, v.extents, v.strides), is_complex) {
  if (std::ranges::find(given_.strides, 0) != given_.strides.end())
    throw invalid_argument(
        base_detail::message(function, ": the result's array has a stride of 0"));
}

void run_operand::stand_apart() {
  if (is_copied()) return;
  const std::size_t count = base_detail::product(given_.extents);
  copy_ = std::make_shared<array<float, 1>>(extents_type<1>{count * reals_}, uninitialized);
  seen_ = {{count}, {1}};
}

std::optional<std::vector<std::ptrdiff_t>> run_operand::strides_as(
    const std::vector<std::size_t>& extents) const {
  std::vector<std::ptrdiff_t> strides(extents.size());
  std::size_t axis = given_.extents.size() - 1, left = given_.extents[axis];
  std::ptrdiff_t stride = given_.strides[axis];
  for (std::size_t a = extents.size(); a-- > 0;) {
    if (left == 1 && extents[a] > 1 && axis > 0) {
      left = given_.extents[--axis];
      stride = given_.strides[axis];
    }
    if (left % extents[a] != 0) return std::nullopt;
    strides[a] = stride;
    stride *= static_cast<std::ptrdiff_t>(extents[a]);
    left /= extents[a];
  }
  return strides;
}

void run_operand::reshape(const std::vector<std::size_t>& extents) {
  const auto strides = strides_as(extents);
  if (!strides) stand_apart();
  seen_ = {extents, is_copied() ? gapless_strides(extents) : *strides};
}

template <class Operand>
Operand run_operand::operand() const {
  if (is_buffer()) return buffer_;
  auto [extents, strides] = seen_;
  for (std::ptrdiff_t& stride : strides) stride *= static_cast<std::ptrdiff_t>(reals_);
  if (is_complex()) {
    extents.insert(extents.begin(), 2);
    strides.insert(strides.begin(), 1);
  }
  return Operand::strided(is_copied() ? copy_->data() : data_, engine::dtype::fp32, extents,
                          strides);
}
template engine::launch_input run_operand::operand() const;
template engine::launch_output run_operand::operand() const;

namespace {

void copy_array(const untyped_view<const void>& from, const untyped_view<void>& to,
                bool is_complex) {
  if (is_complex)
    base_detail::copy_strided<std::complex<float>>(from, to, 1);
  else
    base_detail::copy_strided<float>(from, to, 1);
}

}  // namespace

void run_operand::load() const {
  if (!is_copied()) return;
  const auto& [extents, strides] = given_;
  copy_array({data_, extents, strides}, {copy_->data(), extents, gapless_strides(extents)},
             is_complex());
}

void run_operand::store() const {
  if (!is_copied()) return;
  const auto& [extents, strides] = given_;
  copy_array({copy_->data(), extents, gapless_strides(extents)}, {data_, extents, strides},
             is_complex());
}

base_detail::byte_range run_operand::reach() const {
  return base_detail::reach(data_, reals_ * sizeof(float), given_.extents, given_.strides);
}

bool share_memory(const run_operand& a, const run_operand& b) {
  if (a.is_copied() || b.is_copied()) return a.reach().overlaps(b.reach());
  return engine_detail::share_bytes(a.input(), b.input());
}

}  // namespace papilio::operations_detail
