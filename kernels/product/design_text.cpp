// The line on a product's design that plans and profiles print.
#include <algorithm>

#include "kernels/product/design.hpp"
#include "kernels/product/rooms.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {
namespace {

// Whether a loop over columns is outside of those over rows.
bool is_by_columns(const product_step_design& d) {
  for (const block_loop& l : d.loops) {
    if (l.blocks() == 1) continue;
    if (is_among(d.m_axes, l.axis)) return false;
    if (is_among(d.n_axes, l.axis))
      return std::ranges::any_of(d.loops, [&](const block_loop& other) {
        return other.blocks() > 1 && is_among(d.m_axes, other.axis);
      });
  }
  return false;
}

}  // namespace

std::string product_step_design::describe(const contraction_step& step) const {
  using base_detail::message;
  const auto in_block = [&](const std::vector<int>& axes) {
    std::int64_t count = step.count_of(axes);
    for (const block_loop& l : loops)
      if (is_among(axes, l.axis))
        count = count / step.extent(l.axis) * std::min(step.extent(l.axis), l.block * l.unit);
    return count;
  };
  const auto parts = std::int64_t(blocks_of_a_result(*this));
  return message(batch.empty() ? "" : message(step.count_of(batch), " products of "),
                 step.count_of(m_axes), "x", step.count_of(k_axes), " by ", step.count_of(k_axes),
                 "x", step.count_of(n_axes), ", ", rows == operand_role::left ? "left" : "right",
                 " operand stationary", stationary.is_transposed ? ", transposed" : "",
                 shares                 ? ", and the other"
                 : moving.is_transposed ? ", the other transposed"
                                        : "",
                 is_packed(step.type) ? ", both quantised" : "", "; ", k.partitions(), " x ",
                 m.partitions(), " x ", n.partitions(), " at a time, in ", blocks_made(step, *this),
                 " blocks of ", batch.empty() ? "" : message(in_block(batch), " x "),
                 in_block(m_axes), " x ", in_block(k_axes), " x ", in_block(n_axes),
                 parts == 1 ? "" : message(", sums in ", parts, " parts"),
                 stream == 0 ? "" : ", the other k tile by k tile",
                 is_by_columns(*this) ? ", column by column" : "");
}

}  // namespace papilio::kernels_detail
