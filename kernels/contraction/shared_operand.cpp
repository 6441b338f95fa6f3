#include "kernels/contraction/shared_operand.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "engine/device_memory.hpp"
#include "kernels/ceil_div.hpp"
#include "papilio/base/array.hpp"

namespace papilio::kernels_detail {

using namespace engine;

namespace {

bool gathering_pays(const device_group& group, std::int64_t bytes, std::int64_t piece_bytes) {
  const int p = group.cores();
  const auto copies_ns = [&](std::int64_t each) {
    return 1e3 * p * group.runtime().upload_us(1, double(each));
  };
  return copies_ns(piece_bytes) + (p - 1) * group.links().shift_ns(1, piece_bytes) <
         copies_ns(bytes);
}

}  // namespace

shared_operand::shared_operand(device_group& group, const tensor_shape& operand, bool is_complex)
    : planes_(is_complex ? 2 : 1),
      count_(operand.elements() / planes_),
      pieces_of_plane_(group.cores() / planes_) {
  if (group.cores() == 1) return;
  piece_ = ceil_div(count_, pieces_of_plane_);
  const tensor_shape piece{{piece_}, operand.type};
  if (!gathering_pays(group, operand.bytes(), piece.bytes())) return;
  pieces_ = group.allocate(piece);
  gathered_ = group.allocate({{group.cores() * piece_}, operand.type});
}

void shared_operand::distribute(device_group& group, const launch_input& operand,
                                run_mode mode) const {
  std::vector<array<float, 1>> padded;
  std::vector<launch_input> arrays;
  for (std::int64_t c = 0; c < group.cores(); ++c) {
    if (mode == run_mode::dry_run) {
      arrays.emplace_back(pieces_[0].shape());
      continue;
    }
    const array<float, 1>& piece =
        padded.emplace_back(extents_type<1>{static_cast<std::size_t>(piece_)});
    // Of three cores the last has nothing of two planes.
    const std::int64_t plane = c / pieces_of_plane_, begin = c % pieces_of_plane_ * piece_,
                       count = plane < planes_ ? std::min(piece_, count_ - begin) : 0;
    if (count > 0) {
      const std::array<std::int64_t, 2> first{plane, begin}, extents{1, count};
      const auto rank = static_cast<std::size_t>(planes_);
      engine_detail::gather(
          operand.part(std::span(first).last(rank), std::span(extents).last(rank)),
          reinterpret_cast<std::byte*>(padded.back().data()));
    }
    arrays.emplace_back(piece);
  }
  group.write(pieces_, arrays);
  group.all_gather(pieces_, gathered_, mode);
}

hbm_view shared_operand::whole(const hbm_view& gathered) const {
  if (planes_ == 1) return gathered.slice(0, 0, count_);
  return gathered.pattern(0, {{planes_, pieces_of_plane_ * piece_}, {count_, 1}});
}

}  // namespace papilio::kernels_detail
