// Sweeps between bins of complex lines and those of the two real lines that are their parts
// (kernels/fft/line_twins.cpp).
//   layout     of many lines, some whole ones to a partition, so that DMA's rows are long; of few,
//              chunks of lines on partitions, as tangle.cpp. Bins n - k are read and written in the
//              order of HBM and turned round on chip
//   bound      DMA: the vector engine has four sums a bin of two lines
#include <algorithm>

#include "kernels/fft/error_model.hpp"
#include "kernels/fft/line_twins.hpp"
#include "kernels/real/real_sweeps.hpp"
#include "kernels/real/regions.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {

using namespace engine;

namespace {

// How a sweep lies on chip: lines whole, `each` pairs to a partition, or in chunks.
struct pairs_layout {
  bool whole = true;
  std::int64_t each = 1;
  std::int64_t chunk = 2048;      ///< bins of a partition, of few lines
  std::int64_t z = 0, lines = 0;  ///< elements of a tile of Z, and of X and Y
  int depth = 3;

  pairs_layout(const line_twins& what, const machine_spec& machine) {
    const std::int64_t side = machine.sbuf.partitions, good_row = machine.dma.good_row_bytes / 4,
                       row = std::max<std::int64_t>(1, good_row / what.n);
    whole = what.n <= machine.thresholds.paired_points_max &&
            8 * (2 * what.n + 4 * what.bins()) <= machine.sbuf.bytes_per_partition &&
            (what.pairs() >= side / 2 || what.n <= good_row);
    if (whole) each = std::clamp<std::int64_t>(what.pairs() / side, 1, row);
    // Two tiles of each kind have room.
    while (2 * 4 * (4 * chunk + 4 * chunk) > machine.sbuf.bytes_per_partition) chunk /= 2;
    z = whole ? 2 * each * what.n : 4 * chunk;
    lines = whole ? 4 * each * what.bins() : 4 * chunk;
    if (3 * 4 * (z + lines) > machine.sbuf.bytes_per_partition) depth = 2;
  }
};

class pairs_run {
 public:
  pairs_run(core& nc, const line_twins& what, bool inverse, bool exchanged, const hbm_view& in,
            const hbm_view& out)
      : nc_(nc),
        what_(what),
        inverse_(inverse),
        exchanged_(exchanged),
        lines_(inverse ? in : out),
        complex_(inverse ? out : in),
        side_(nc.machine().sbuf.partitions),
        layout_(what, nc.machine()),
        zs_(nc.sbuf_pool(layout_.depth, int(side_), layout_.z)),
        xs_(nc.sbuf_pool(layout_.depth, int(side_), layout_.lines)) {}

  void issue() {
    // A line that is in two pairs is stored once.
    const std::int64_t firsts = inverse_ ? what_.pairs() : what_.second();
    some(0, firsts);
    both_ = false;
    some(firsts, what_.pairs() - firsts);
  }

 private:
  void some(std::int64_t first, std::int64_t count) {
    if (!layout_.whole) return chunks(first, count);
    const std::int64_t each = layout_.each, whole = count / each * each;
    for (std::int64_t p = 0; p < whole; p += each * side_)
      block(first + p, std::min(side_, (whole - p) / each), each);
    if (whole < count) block(first + whole, count - whole, 1);
  }

  // Where part 0 or 1 of a pair is, real or imaginary.
  int part(int index) const { return exchanged_ ? 1 - index : index; }

  // Between HBM and a tile.
  void move(const hbm_view& place, const tile_view& tile, bool in) {
    if (in)
      nc_.issue(dma_copy{.out = tile, .in = place});
    else
      nc_.issue(dma_copy{.out = place, .in = tile});
  }

  // In, what is between, out.
  template <class Lines, class Complex, class Work>
  void sweep(const Lines& lines, const Complex& spectra, const Work& work) {
    inverse_ ? lines(true) : spectra(true);
    work();
    inverse_ ? spectra(false) : lines(false);
  }

  // `each` consecutive pairs to a partition.
  void block(std::int64_t first, std::int64_t partitions, std::int64_t each) {
    const std::int64_t n = what_.n, row = each * n, bins = each * what_.bins();
    const whole_twins twins{
        .z = zs_.next().partition_range(0, int(partitions)).columns(0, 2 * row),
        .lines = xs_.next().partition_range(0, int(partitions)).columns(0, 4 * bins),
        .plane = row,
        .each = each,
        .n = n};
    sweep(
        [&](bool in) {
          for (int line = both_ ? 0 : 1; line < 2; ++line)
            move(lines_.pattern((first + part(line) * what_.second()) * what_.bins(),
                                {{partitions, bins}, {2, what_.lines * what_.bins()}, {bins, 1}}),
                 twins.lines.columns(line * 2 * bins, 2 * bins), in);
        },
        [&](bool in) {
          const std::int64_t plane = what_.pairs() * n;
          move(complex_.pattern(first * n + part(0) * plane,
                                {{partitions, row}, {2, (part(1) - part(0)) * plane}, {row, 1}}),
               twins.z, in);
        },
        [&] { inverse_ ? join(nc_, twins) : separate(nc_, twins, both_); });
  }

  void chunks(std::int64_t first, std::int64_t count) {
    // Few bins are spread over all partitions.
    const std::int64_t spread = (count * what_.partnered() + side_ - 1) / side_;
    for_regions(
        count, what_.partnered(),
        std::clamp(spread,
                   std::min(layout_.chunk, nc_.machine().thresholds.spread_row_bytes_min / 4),
                   layout_.chunk),
        side_, [&](line_region r) {
          r.line += first;
          region(r, 1, true);
        });
    for (std::int64_t p = 0; p < count; p += side_) {
      const line_region r{.line = first + p, .lines = std::min(side_, count - p)};
      region(r, 0, false);
      if (what_.n % 2 == 0) region(r, what_.n / 2, false);
    }
  }

  // Of a tile of chunks.
  tile_view quarter(const tile_view& of, int i, std::int64_t length) const {
    return of.columns(i * layout_.chunk, length);
  }

  // Bins from `base` on, with their partners or as their own.
  void region(const line_region& r, std::int64_t base, bool partners) {
    const std::int64_t length = r.length;
    const tile_view z = zs_.next().partition_range(0, r.partitions()),
                    x = xs_.next().partition_range(0, r.partitions());
    twin_bins v;
    for (int plane = 0; plane < 2; ++plane) {
      v.a[plane] = quarter(z, plane, length);
      v.b[plane] = z.pattern((2 + plane) * layout_.chunk + length - 1, {{length, -1}});
      v.x[plane] = quarter(x, plane, length);
      v.y[plane] = quarter(x, 2 + plane, length);
    }
    sweep([&](bool in) { move_lines(x, r, base, in); },
          [&](bool in) { move_complex(z, r, base, partners, in); },
          [&] {
            if (partners)
              inverse_ ? join(nc_, v) : separate(nc_, v, both_);
            else
              inverse_ ? join_own(nc_, v) : separate_own(nc_, v, both_);
          });
  }

  void move_lines(const tile_view& x, const line_region& r, std::int64_t base, bool in) {
    const std::int64_t h = what_.bins();
    for (int line = both_ ? 0 : 1; line < 2; ++line)
      for (int plane = 0; plane < 2; ++plane)
        move(lines_.pattern(
                 (plane * what_.lines + r.line + part(line) * what_.second()) * h + base + r.first,
                 {{r.lines, h}, {r.chunks, r.length}, {r.length, 1}}),
             quarter(x, 2 * line + plane, r.length), in);
  }

  void move_complex(const tile_view& z, const line_region& r, std::int64_t base, bool partners,
                    bool in) {
    const std::int64_t n = what_.n, k = base + r.first;
    for (int plane = 0; plane < 2; ++plane) {
      const std::int64_t line = (part(plane) * what_.pairs() + r.line) * n;
      move(complex_.pattern(line + k, {{r.lines, n}, {r.chunks, r.length}, {r.length, 1}}),
           quarter(z, plane, r.length), in);
      if (!partners) continue;
      move(complex_.pattern(line + n - k - r.length + 1,
                            {{r.lines, n}, {r.chunks, -r.length}, {r.length, 1}}),
           quarter(z, 2 + plane, r.length), in);
    }
  }

  core& nc_;
  line_twins what_;
  bool inverse_, exchanged_;
  hbm_view lines_, complex_;
  std::int64_t side_;
  pairs_layout layout_;
  tile_pool zs_, xs_;
  bool both_ = true;  ///< the first lines of pairs are made, too
};

fft_step step_for(const line_twins& what, bool inverse, bool exchanged) {
  const std::int64_t lines = 2 * what.lines * what.bins(), spectra = 2 * what.pairs() * what.n;
  fft_step step{.design = design_of(paired_spectra{what, inverse, exchanged}),
                .in_elements = inverse ? lines : spectra,
                .out_elements = inverse ? spectra : lines,
                .squared_error = rounding_squared_error()};
  step.run = [=](core& nc, const hbm_view& in, const hbm_view& out, std::span<const hbm_view>) {
    pairs_run(nc, what, inverse, exchanged, in, out).issue();
  };
  return step;
}

}  // namespace

fft_step separate_step(std::int64_t lines, std::int64_t n) {
  return step_for(line_twins{lines, n}, false, false);
}

fft_step join_lines_step(std::int64_t lines, std::int64_t n, bool exchanged) {
  return step_for(line_twins{lines, n}, true, exchanged);
}

}  // namespace papilio::kernels_detail
