#include "kernels/fft/block.hpp"

#include <algorithm>
#include <limits>

namespace papilio::kernels_detail {

std::vector<packed_level> packed(const fft_pass& pass, const hbm_place& place) {
  std::vector<packed_level> levels{{-1, 2, place.plane, 0}};
  for (std::size_t d = 0; d < pass.digits.size(); ++d)
    levels.push_back({int(d), pass.digits[d].radix, place.digits[d], 0});
  std::erase_if(levels, [](const packed_level& l) { return l.extent == 1; });
  // Planes that are the same numbers in HBM are apart in the tile.
  std::ranges::stable_sort(levels, std::ranges::greater{}, [](const packed_level& l) {
    return l.digit < 0 && l.hbm == 0 ? std::numeric_limits<std::int64_t>::max() : l.hbm;
  });
  std::int64_t stride = 1;
  for (std::size_t i = levels.size(); i-- > 0;) {
    levels[i].tile = stride;
    stride *= levels[i].extent;
  }
  return levels;
}

column_tile column_tile_of(const fft_pass& pass, const fft_stage& first, std::int64_t lanes,
                           std::int64_t array_rows) {
  column_tile t;
  const std::int64_t runs = (lanes + array_rows - 1) / array_rows;
  // A single stage leaves nothing behind: no lane is padded.
  t.lanes = pass.stages.size() == 1 ? lanes : runs * array_rows;
  const bool pairs = first.planes_apart && pass.interleaved_input();
  t.lane_step = pairs ? 2 : 1;
  t.run = array_rows * t.lane_step;
  t.plane = !first.planes_apart ? 0 : pairs ? 1 : t.lanes;
  t.slot = t.lanes * (first.planes_apart ? 2 : 1);
  t.columns = t.slot * first.group_count();
  return t;
}

stage_input after_first(const fft_pass& pass, const fft_stage& first, std::int64_t lanes,
                        std::int64_t array_rows) {
  const bool columns = pass.entry == orientation::columns;
  const column_tile t = columns ? column_tile_of(pass, first, lanes, array_rows) : column_tile{};
  stage_input in;
  in.plane_stride = columns && t.plane > 1 ? t.plane : first.points * first.shared.extent;
  std::int64_t stride = first.shared.extent;
  for (std::size_t i = first.digits.size(); i-- > 0;) {
    const int d = first.digits[i];
    const std::int64_t radix = pass.digits[std::size_t(d)].radix;
    in.levels.push_back({d, radix, 1, stride});
    stride *= radix;
  }
  if (first.shared.extent > 1) {
    digit_level shared = first.shared;
    shared.stride = 1;
    in.levels.push_back(shared);
  }
  stride = columns ? t.slot : first.reals();
  for (std::size_t i = first.groups.size(); i-- > 0;) {
    digit_level l = first.groups[i];
    l.stride = stride;
    stride *= l.extent;
    in.levels.push_back(l);
  }
  return in;
}

stage_input entry_input(const fft_pass& pass) {
  stage_input in;
  if (pass.entry == orientation::columns) {
    in.plane_stride = pass.in.plane;
    for (std::size_t d = 0; d < pass.digits.size(); ++d)
      in.levels.push_back({int(d), pass.digits[d].radix, 1, pass.in.digits[d]});
    return in;
  }
  for (const packed_level& l : packed(pass, pass.in)) {
    if (l.digit < 0)
      in.plane_stride = l.tile;
    else
      in.levels.push_back({l.digit, l.extent, 1, l.tile});
  }
  return in;
}

std::vector<std::int64_t> output_numbers(const fft_pass& pass) {
  std::vector<std::int64_t> numbers;
  for (const fft_digit& d : pass.digits) numbers.push_back(d.stage >= 0 ? d.before : 0);
  return numbers;
}

std::vector<std::int64_t> exit_strides(const fft_pass& pass) {
  if (pass.exit == orientation::columns) return pass.out.digits;
  std::vector<std::int64_t> strides(pass.digits.size(), 0);
  for (const packed_level& l : packed(pass, pass.out))
    if (l.digit >= 0) strides[std::size_t(l.digit)] = l.tile;
  return strides;
}

}  // namespace papilio::kernels_detail
