// Transposes matrices from HBM to HBM: [planes, a, b] -> [planes, b, a].
//   wide       where both extents are above thresholds.narrow_transpose_side_max, squares of a PSUM
//              bank's columns are loaded and stored in rows as long, and the tensor engine
//              transposes them in blocks of its rows
//   narrow     where one extent is small, or matrices are small and many, a partition holds a run
//              of the long extent with the short one whole, and a copy reorders its elements; DMA
//              rows are long again, and nothing is multiplied
//   bound      DMA; for extents between the two, its short rows
#include "kernels/transform/transposition.hpp"

#include <algorithm>
#include <vector>

#include "papilio/base/error.hpp"
#include "papilio/engine/core.hpp"
#include "papilio/engine/lowering.hpp"

namespace papilio::kernels_detail {

using namespace engine;

namespace {

constexpr int transposition_depth = 2;

struct transposed_planes {
  std::int64_t planes, a, b;  ///< planes of [a, b] each
  bool complex = false;       ///< real planes and as many imaginary ones, said once

  auto fields() const { return std::tie(planes, a, b, complex); }
  std::string describe() const {
    const std::int64_t said = complex ? planes / 2 : planes;
    return base_detail::message("transposition of ", a, " x ", b,
                                said <= 1 ? ""
                                : complex ? ", "
                                          : ", planes ",
                                said > 1 ? std::to_string(said) : std::string());
  }
  transposed_planes without_batch() const { return {0, a, b, complex}; }
};

// Elements of a partition's piece: two input and two output tiles fit.
std::int64_t narrow_elements(const machine_spec& machine) {
  return std::min(machine.thresholds.narrow_transpose_elements_max,
                  machine.sbuf.bytes_per_partition / (2 * transposition_depth * 4));
}

// A partition holds the small extent whole, with a run of the large one: [run, b] or [a, run].
class narrow_transposition {
 public:
  narrow_transposition(core& nc, const transposed_planes& of, const hbm_view& in,
                       const hbm_view& out)
      : nc_(nc),
        of_(of),
        in_(in),
        out_(out),
        by_rows_(of.b <= of.a),
        small_(std::min(of.a, of.b)),
        large_(std::max(of.a, of.b)),
        partitions_(nc.machine().sbuf.partitions),
        run_(run_of()),
        ins_(nc.sbuf_pool(transposition_depth, int(partitions_), run_ * small_)),
        outs_(nc.sbuf_pool(transposition_depth, int(partitions_), run_ * small_)) {}

  void issue() {
    const std::int64_t whole = large_ / run_, tail = large_ - whole * run_;
    const auto pieces = [&](std::int64_t first, std::int64_t count, std::int64_t run) {
      const std::int64_t together = partitions_ / count;
      for (std::int64_t plane = 0; plane < of_.planes; plane += together)
        piece({plane, std::min(together, of_.planes - plane), first, count, run});
    };
    for (std::int64_t r = 0; r < whole; r += partitions_)
      pieces(r * run_, std::min(partitions_, whole - r), run_);
    if (tail > 0) pieces(whole * run_, 1, tail);
  }

 private:
  // `count` runs of `run` indices of the large extent, from `first` on, of some planes.
  struct part {
    std::int64_t plane, planes, first, count, run;
  };

  // The run is so long that all planes' runs are about as many as partitions, and that it fits.
  std::int64_t run_of() const {
    const std::int64_t pieces = (partitions_ + of_.planes - 1) / of_.planes,
                       most = std::max<std::int64_t>(1, narrow_elements(nc_.machine()) / small_),
                       least = std::min(large_, nc_.machine().thresholds.run_elements_min);
    return std::min(std::max((large_ + pieces - 1) / pieces, least), most);
  }

  void piece(const part& p) {
    const std::int64_t all = of_.a * of_.b;
    const int partitions = int(p.planes * p.count);
    const auto front = [&](tile_pool& pool) {
      return pool.next().partition_range(0, partitions).columns(0, p.run * small_);
    };
    const tile_view from = front(ins_), to = front(outs_);
    const hbm_view lines =
                       (by_rows_ ? in_ : out_)
                           .pattern(
                               p.plane * all + p.first * small_,
                               {{p.planes, all}, {p.count, p.run * small_}, {p.run * small_, 1}}),
                   strips =
                       (by_rows_ ? out_ : in_)
                           .pattern(
                               p.plane * all + p.first,
                               {{p.planes, all}, {p.count, p.run}, {small_, large_}, {p.run, 1}});
    nc_.issue(dma_copy{.out = from, .in = by_rows_ ? lines : strips});
    // The copy transposes [fast, slow] to [slow, fast].
    const std::int64_t fast = by_rows_ ? p.run : small_, slow = by_rows_ ? small_ : p.run;
    copy_tile(nc_, to, from.pattern(0, {{slow, 1}, {fast, slow}}),
              by_scalar_ ? unit::scalar : unit::vector);
    by_scalar_ = !by_scalar_;
    nc_.issue(dma_copy{.out = by_rows_ ? strips : lines, .in = to});
  }

  core& nc_;
  const transposed_planes& of_;
  hbm_view in_, out_;
  bool by_rows_, by_scalar_ = false;
  std::int64_t small_, large_, partitions_, run_;
  tile_pool ins_, outs_;
};

class wide_transposition {
 public:
  wide_transposition(core& nc, const transposed_planes& of, const hbm_view& in, const hbm_view& out)
      : nc_(nc),
        of_(of),
        in_(in),
        out_(out),
        array_rows_(nc.machine().tensor.rows),
        bank_(nc.machine().psum.bank_bytes / 4),
        ins_(nc.sbuf_pool(2 * int(bank_ / array_rows_), int(array_rows_), bank_)),
        outs_(nc.sbuf_pool(transposition_depth, int(array_rows_), bank_)),
        banks_(nc.psum_pool(nc.machine().psum.banks, int(array_rows_), bank_)) {}

  void issue() {
    struct square {
      std::int64_t plane, a, b;
    };
    std::vector<square> squares;
    for (std::int64_t p = 0; p < of_.planes; ++p)
      for (std::int64_t a = 0; a < of_.a; a += bank_)
        for (std::int64_t b = 0; b < of_.b; b += bank_) squares.push_back({p, a, b});
    std::vector<tile_view> rows = load(squares[0].plane, squares[0].a, squares[0].b), next;
    for (std::size_t i = 0; i < squares.size(); ++i) {
      const square& s = squares[i];
      if (i + 1 < squares.size())
        next = load(squares[i + 1].plane, squares[i + 1].a, squares[i + 1].b);
      store(s.plane, s.a, s.b, rows);
      rows = next;
    }
  }

 private:
  std::vector<tile_view> load(std::int64_t plane, std::int64_t a, std::int64_t b) {
    const std::int64_t height = std::min(bank_, of_.a - a), width = std::min(bank_, of_.b - b);
    std::vector<tile_view> rows;
    for (std::int64_t i = 0; i < height; i += array_rows_) {
      const std::int64_t count = std::min(array_rows_, height - i);
      rows.push_back(ins_.next().partition_range(0, int(count)).columns(0, width));
      nc_.issue(dma_copy{
          .out = rows.back(),
          .in = in_.pattern((plane * of_.a + a + i) * of_.b + b, {{count, of_.b}, {width, 1}})});
    }
    return rows;
  }

  void store(std::int64_t plane, std::int64_t a, std::int64_t b,
             const std::vector<tile_view>& rows) {
    const std::int64_t height = std::min(bank_, of_.a - a), width = std::min(bank_, of_.b - b);
    for (std::int64_t j = 0; j < width; j += array_rows_) {
      const std::int64_t count = std::min(array_rows_, width - j);
      const tile_view bank = banks_.next().partition_range(0, int(count)).columns(0, height),
                      to = outs_.next().partition_range(0, int(count)).columns(0, height);
      for (std::size_t i = 0; i < rows.size(); ++i)
        nc_.issue(transpose{
            .out = bank.columns(std::int64_t(i) * array_rows_, std::int64_t(rows[i].partitions())),
            .in = rows[i].columns(j, count)});
      evacuate(nc_, to, bank);
      nc_.issue(dma_copy{
          .out = out_.pattern((plane * of_.b + b + j) * of_.a + a, {{count, of_.a}, {height, 1}}),
          .in = to});
    }
  }

  core& nc_;
  const transposed_planes& of_;
  hbm_view in_, out_;
  std::int64_t array_rows_, bank_;
  tile_pool ins_, outs_, banks_;
};

fft_step step_for(const transposed_planes& planes) {
  const std::int64_t elements = planes.planes * planes.a * planes.b;
  fft_step step{.design = design_of(planes),
                .in_elements = elements,
                .out_elements = elements,
                .in_floor = false};
  step.run = [of = planes](core& nc, const hbm_view& in, const hbm_view& out,
                           std::span<const hbm_view>) {
    const machine_spec& machine = nc.machine();
    const std::int64_t small = std::min(of.a, of.b), room = narrow_elements(machine);
    const bool whole_ones = of.a * of.b <= room && 4 * of.planes >= machine.sbuf.partitions;
    if (whole_ones || small <= std::min(room, machine.thresholds.narrow_transpose_side_max))
      narrow_transposition(nc, of, in, out).issue();
    else
      wide_transposition(nc, of, in, out).issue();
  };
  return step;
}

}  // namespace

fft_step transposition_of(std::int64_t planes, std::int64_t a, std::int64_t b) {
  return step_for(transposed_planes{planes, a, b});
}

fft_step transposition_step(std::int64_t outer, std::int64_t a, std::int64_t b) {
  return step_for(transposed_planes{2 * outer, a, b, true});
}

}  // namespace papilio::kernels_detail
