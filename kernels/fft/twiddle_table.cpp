#include <algorithm>
#include <complex>

#include "base/roots_of_unity.hpp"
#include "kernels/fft/block.hpp"
#include "kernels/fft/units.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {

kernels::constant_table twiddle_table(const fft_pass& pass) {
  const std::vector<group_box> boxes = exit_boxes(pass);
  const std::int64_t runs = (pass.lanes + pass.side - 1) / pass.side,
                     units = std::int64_t(boxes.size()), lanes = std::min(pass.side, pass.lanes),
                     columns = boxes.front().count * pass.stages.back().reals();
  const auto fill = [pass, boxes, runs, lanes, columns](std::span<float> out) {
    const base_detail::roots_of_unity<double> root{std::size_t(pass.twiddle_order)};
    const fft_stage& s = pass.stages.back();
    // What number k an output is, by its group, and by point and column within.
    const std::vector<std::int64_t> weights = output_numbers(pass);
    digit_layout groups = s.groups;
    for (digit_level& l : groups) l.stride = l.weight * weights[std::size_t(l.digit)];
    std::vector<std::int64_t> inside;
    for (std::int64_t point = 0; point < s.points; ++point)
      for (std::int64_t c = 0; c < s.shared.extent; ++c) {
        std::int64_t number =
            s.shared.extent > 1 ? c * s.shared.weight * weights[std::size_t(s.shared.digit)] : 0;
        std::int64_t left = point;
        for (std::size_t i = s.digits.size(); i-- > 0;) {
          const std::int64_t radix = pass.digits[std::size_t(s.digits[i])].radix;
          number += left % radix * weights[std::size_t(s.digits[i])];
          left /= radix;
        }
        inside.push_back(number);
      }
    std::ranges::fill(out, 0.0f);
    for (std::int64_t run = 0; run < runs; ++run)
      for (std::size_t u = 0; u < boxes.size(); ++u)
        for (std::int64_t l = 0; l < lanes && run * pass.side + l < pass.lanes; ++l) {
          const std::int64_t lane = pass.twiddle_first + run * pass.side + l;
          float* place =
              out.data() +
              ((run * std::int64_t(boxes.size()) + std::int64_t(u)) * lanes + l) * columns;
          for (std::int64_t g = 0; g < boxes[u].count; ++g, place += s.reals()) {
            const std::int64_t base = offset_at(groups, boxes[u].first + g);
            for (std::size_t i = 0; i < inside.size(); ++i) {
              const std::complex<double> w =
                  root(std::size_t(lane * (base + inside[i]) % pass.twiddle_order));
              place[i] = static_cast<float>(w.real());
              place[inside.size() + i] = static_cast<float>(pass.inverse ? -w.imag() : w.imag());
            }
          }
        }
  };
  return {.name = base_detail::message(pass.name, " twiddle factors"),
          .shape = {{runs, units, lanes, columns}},
          .fill = fill};
}

}  // namespace papilio::kernels_detail
