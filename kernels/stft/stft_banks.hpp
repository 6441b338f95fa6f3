#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "kernels/array_operands.hpp"
#include "papilio/engine/core.hpp"
#include "papilio/engine/lowering.hpp"

namespace papilio::kernels_detail {

/// PSUM as a ring of tiles of two banks. Results of one width are put side by side, none across
/// banks, and leave two banks at a time: the engine's static cost is shared by up to 1024 columns.
class bank_ring {
 public:
  explicit bank_ring(engine::core& nc, const array_operands& operands = {})
      : nc_(nc),
        parts_(operands.parts),
        columns_(std::min<std::int64_t>(nc.machine().psum.bank_bytes / 4,
                                        nc.machine().tensor.moving_columns_max)),
        pool_(nc.psum_pool(nc.machine().psum.banks / 2, nc.machine().psum.partitions,
                           2 * nc.machine().psum.bank_bytes / 4)) {
    if (parts_ > 2)
      remainders_ = nc.sbuf_pool(2, nc.machine().sbuf.partitions, remainder_columns(nc.machine()));
  }

  /// fp32 columns of each of two tiles of what operands in more than two parts leave over.
  static std::int64_t remainder_columns(const engine::machine_spec& machine) {
    return 2 * machine.psum.bank_bytes / 4;
  }

  /// Columns of one result, at most.
  std::int64_t columns() const { return columns_; }

  /// make(i, out) issues what fills out, [partitions, width] in PSUM, for i = 0 ... count - 1;
  /// leave(first, results, out) what takes `results` of them away, side by side in out from column
  /// 0 on. `width` is at most columns().
  template <class Make, class Leave>
  void run(std::int64_t count, int partitions, std::int64_t width, const Make& make,
           const Leave& leave) {
    const std::int64_t bank = nc_.machine().psum.bank_bytes / 4, each = columns_ / width;
    for (std::int64_t first = 0; first < count; first += 2 * each) {
      const engine::tile_view whole = pool_.next().partition_range(0, partitions);
      const std::int64_t here = std::min(2 * each, count - first);
      for (std::int64_t i = 0; i < here; ++i)
        make(first + i, whole.columns(i / each * bank + i % each * width, width));
      if (here <= each || each * width == bank) {
        leave(first, here, whole.columns(0, here * width));
      } else if (here == 2 * each) {
        leave(first, here, whole.reshape({2, bank}).slice(2, 0, each * width));
      } else {
        leave(first, each, whole.columns(0, each * width));
        leave(first + each, here - each, whole.columns(bank, (here - each) * width));
      }
    }
  }

  /// T: from(i), `points` columns of `lanes` partitions, with its points on partitions. to(part,
  /// first, n) is where a part of n of them goes, side by side.
  template <class From, class To>
  void turn(std::int64_t count, std::int64_t points, std::int64_t lanes, const From& from,
            const To& to) {
    run(
        count, int(points), lanes,
        [&](std::int64_t i, const engine::tile_view& out) {
          nc_.issue(engine::transpose{.out = out, .in = from(i)});
        },
        [&](std::int64_t first, std::int64_t n, const engine::tile_view& in) {
          fill_parts(
              nc_, in, parts_, [&](int part) { return to(part, first, n); },
              [&] {
                return remainders_->next().partition_range(0, int(points)).columns(0, n * lanes);
              });
        });
  }

  /// S: what lies i-th side by side in x, stationary, `lanes` columns each, times what does in
  /// `matrix`, `width` columns each: lanes on partitions again. leave as of run.
  template <class Leave>
  void multiply(std::int64_t count, std::int64_t lanes, std::int64_t width,
                const engine::tile_view& x, const engine::tile_view& matrix, const Leave& leave) {
    run(
        count, int(lanes), width,
        [&](std::int64_t i, const engine::tile_view& out) {
          multiply_parts(nc_, out, parts_, {x, i * lanes, x.elements() / parts_, lanes},
                         {matrix, i * width, matrix.elements() / parts_, width}, false);
        },
        leave);
  }

  /// S of more points than the array has rows: `results` columns of sums over k < tiles of x(k),
  /// stationary, times matrix(k, first, width), both operand_parts. leave(first, width, sums) takes
  /// them away.
  template <class X, class Matrix, class Leave>
  void multiply_tiles(std::int64_t tiles, std::int64_t lanes, std::int64_t results, const X& x,
                      const Matrix& matrix, const Leave& leave) {
    const auto part = [&](std::int64_t done, std::int64_t count, std::int64_t width) {
      run(
          count, int(lanes), width,
          [&](std::int64_t i, const engine::tile_view& out) {
            for (std::int64_t k = 0; k < tiles; ++k)
              multiply_parts(nc_, out, parts_, x(k), matrix(k, done + i * width, width), k > 0);
          },
          [&](std::int64_t at, std::int64_t n, const engine::tile_view& in) {
            leave(done + at * width, n * width, in);
          });
    };
    part(0, results / columns_, columns_);
    if (results % columns_ > 0) part(results / columns_ * columns_, 1, results % columns_);
  }

 private:
  engine::core& nc_;
  int parts_;
  std::int64_t columns_;
  engine::tile_pool pool_;
  std::optional<engine::tile_pool> remainders_;
};

}  // namespace papilio::kernels_detail
