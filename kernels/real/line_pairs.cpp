// Between the spectra of real lines and those of complex ones that have two of them as real and
// imaginary parts.
//   identity   Z = X + i Y of z = x + i y, x and y real, so that with a = Z[k], b = Z[n - k]
//                2 X[k] = a + conj b,  2 i Y[k] = a - conj b,  0 <= k <= n/2, Z[n] = Z[0],
//              and back Z[k] = X[k] + i Y[k], Z[n - k] = conj X[k] + i conj Y[k]
//   layout     of many lines, some whole ones to a partition, so that DMA's rows are long; of few,
//              chunks of lines on partitions, as tangle.cpp. Bins n - k are read and written in the
//              order of HBM and turned round on chip
//   bound      DMA: the vector engine has four sums a bin of two lines
#include <algorithm>

#include "kernels/fft/error_model.hpp"
#include "kernels/real/real_sweeps.hpp"
#include "kernels/real/regions.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {

using namespace engine;

namespace {

constexpr std::int64_t chunk = 2048;      // of few lines
constexpr std::int64_t shortest = 128;    // DMA's rows are then of 512 bytes
constexpr std::int64_t whole_max = 4096;  // elements of a line that a partition has whole
constexpr std::int64_t good_row = 512;    // elements
constexpr std::int64_t deep_row = 4096;   // up to which there are three tiles of a kind

// Pairs of lines p and p + second(), p < pairs(). Of an odd number one line is in two pairs, as the
// first of the last one and the second of pair 0.
struct pairing {
  std::int64_t lines, n;
  bool inverse;

  std::int64_t pairs() const { return (lines + 1) / 2; }
  std::int64_t second() const { return lines / 2; }
  std::int64_t bins() const { return n / 2 + 1; }
  /// Bins with a partner that is another one.
  std::int64_t partnered() const { return (n - 1) / 2; }
  bool twice() const { return lines % 2 != 0; }
};

// How a sweep lies on chip: lines whole, `each` pairs to a partition, or in chunks.
struct pairs_layout {
  bool whole = true;
  std::int64_t each = 1;
  std::int64_t z = 0, x = 0;  ///< elements of a tile of Z, and of X and Y
  int depth = 3;

  pairs_layout(const pairing& what, std::int64_t side)
      : whole(what.n <= whole_max && (what.pairs() >= side / 2 || what.n <= good_row)) {
    const std::int64_t row = std::max<std::int64_t>(1, good_row / what.n);
    if (whole) each = std::clamp<std::int64_t>(what.pairs() / side, 1, row);
    z = whole ? 2 * each * what.n : 4 * chunk;
    x = whole ? 4 * each * what.bins() : 4 * chunk;
    if (z > 2 * deep_row) depth = 2;
  }
};

// Bins of Z, their partners, and bins of X and Y: planes, of equal extents.
struct bin_views {
  tile_view a[2], b[2], x[2], y[2];
};

class pairs_run {
 public:
  pairs_run(core& nc, const pairing& what, const hbm_view& in, const hbm_view& out)
      : nc_(nc),
        what_(what),
        lines_(what.inverse ? in : out),
        complex_(what.inverse ? out : in),
        side_(nc.machine().sbuf.partitions),
        layout_(what, side_),
        zs_(nc.sbuf_pool(layout_.depth, int(side_), layout_.z)),
        xs_(nc.sbuf_pool(layout_.depth, int(side_), layout_.x)) {}

  void issue() {
    const std::int64_t pairs = what_.pairs();
    if (what_.inverse || !what_.twice()) return part(0, pairs);
    part(0, pairs - 1);
    both_ = false;
    part(pairs - 1, 1);
  }

 private:
  void part(std::int64_t first, std::int64_t count) {
    if (layout_.whole)
      whole_lines(first, count);
    else
      chunks(first, count);
  }

  void op(const tile_view& to, const tile_view& left, alu_op how, const tile_view& right) {
    nc_.issue(tensor_tensor{.out = to, .left = left, .right = right, .op = how});
  }

  void arithmetic(const bin_views& v) {
    if (what_.inverse) {
      op(v.a[0], v.x[0], alu_op::subtract, v.y[1]);
      op(v.b[0], v.x[0], alu_op::add, v.y[1]);
      op(v.a[1], v.x[1], alu_op::add, v.y[0]);
      op(v.b[1], v.y[0], alu_op::subtract, v.x[1]);
    } else {
      op(v.x[0], v.a[0], alu_op::add, v.b[0]);
      op(v.y[1], v.b[0], alu_op::subtract, v.a[0]);
      op(v.x[1], v.a[1], alu_op::subtract, v.b[1]);
      op(v.y[0], v.a[1], alu_op::add, v.b[1]);
    }
  }

  // Bins that are their own partners.
  void ends(const bin_views& v) {
    const tile_view real[2] = {v.x[0], v.y[0]}, imaginary[2] = {v.x[1], v.y[1]};
    for (int i = 0; i < 2; ++i) {
      if (what_.inverse) {
        nc_.issue(tensor_copy{.out = v.a[i], .in = real[i]});
        continue;
      }
      op(real[i], v.a[i], alu_op::add, v.a[i]);
      nc_.issue(memset{.out = imaginary[i], .value = 0});
    }
  }

  // Between HBM and a tile: `in` where the sweep reads the tensor.
  void move(const hbm_view& place, const tile_view& tile, bool in) {
    if (in)
      nc_.issue(dma_copy{.out = tile, .in = place});
    else
      nc_.issue(dma_copy{.out = place, .in = tile});
  }

  // `each` consecutive pairs to a partition: [plane, pair, element] and [line of a pair, plane,
  // pair, bin].
  void whole_lines(std::int64_t first, std::int64_t count) {
    const std::int64_t each = layout_.each, whole = count / each * each;
    for (std::int64_t p = 0; p < whole; p += each * side_)
      block(first + p, std::min(side_, (whole - p) / each), each);
    if (whole < count) block(first + whole, count - whole, 1);
  }

  // Of whole lines, bins k, k + 1, ...
  bin_views views(const tile_view& z, const tile_view& x, std::int64_t each, std::int64_t k,
                  std::int64_t count) const {
    const std::int64_t n = what_.n, h = what_.bins();
    bin_views v;
    for (int plane = 0; plane < 2; ++plane) {
      v.a[plane] = z.pattern(plane * each * n + k, {{each, n}, {count, 1}});
      v.b[plane] = z.pattern(plane * each * n + (n - k) % n, {{each, n}, {count, -1}});
      v.x[plane] = x.pattern(plane * each * h + k, {{each, h}, {count, 1}});
      v.y[plane] = x.pattern((2 + plane) * each * h + k, {{each, h}, {count, 1}});
    }
    return v;
  }

  void block(std::int64_t first, std::int64_t partitions, std::int64_t each) {
    const std::int64_t n = what_.n, row = each * n, bins = each * what_.bins();
    const tile_view z = zs_.next().partition_range(0, int(partitions)).columns(0, 2 * row),
                    x = xs_.next().partition_range(0, int(partitions)).columns(0, 4 * bins);
    const auto complex = [&](bool in) {
      move(complex_.pattern(first * n, {{partitions, row}, {2, what_.pairs() * n}, {row, 1}}), z,
           in);
    };
    const auto lines = [&](bool in) {
      for (int line = both_ ? 0 : 1; line < 2; ++line)
        move(lines_.pattern((first + line * what_.second()) * what_.bins(),
                            {{partitions, bins}, {2, what_.lines * what_.bins()}, {bins, 1}}),
             x.columns(line * 2 * bins, 2 * bins), in);
    };
    what_.inverse ? lines(true) : complex(true);
    if (what_.partnered() > 0) arithmetic(views(z, x, each, 1, what_.partnered()));
    ends(views(z, x, each, 0, 1));
    if (n % 2 == 0) ends(views(z, x, each, n / 2, 1));
    what_.inverse ? complex(false) : lines(false);
  }

  void chunks(std::int64_t first, std::int64_t count) {
    // Few bins are spread over all partitions.
    const std::int64_t spread = (count * what_.partnered() + side_ - 1) / side_;
    for_regions(count, what_.partnered(), std::clamp(spread, shortest, chunk), side_,
                [&](line_region r) {
                  r.line += first;
                  region(r);
                });
    for (std::int64_t p = 0; p < count; p += side_) {
      const line_region r{.line = first + p, .lines = std::min(side_, count - p)};
      own_partners(r, 0);
      if (what_.n % 2 == 0) own_partners(r, what_.n / 2);
    }
  }

  // Of a tile of chunks.
  static tile_view quarter(const tile_view& of, int i, std::int64_t length) {
    return of.columns(i * chunk, length);
  }

  void region(const line_region& r) {
    const std::int64_t n = r.length;
    const tile_view z = zs_.next().partition_range(0, r.partitions()),
                    x = xs_.next().partition_range(0, r.partitions());
    bin_views v;
    for (int plane = 0; plane < 2; ++plane) {
      v.a[plane] = quarter(z, plane, n);
      v.b[plane] = z.pattern((2 + plane) * chunk + n - 1, {{n, -1}});
      v.x[plane] = quarter(x, plane, n);
      v.y[plane] = quarter(x, 2 + plane, n);
    }
    what_.inverse ? move_lines(x, r, 1, true) : move_complex(z, r, 1, true);
    arithmetic(v);
    what_.inverse ? move_complex(z, r, 1, false) : move_lines(x, r, 1, false);
  }

  // Bin k of some lines, its own partner.
  void own_partners(const line_region& r, std::int64_t k) {
    const tile_view z = zs_.next().partition_range(0, r.partitions()),
                    x = xs_.next().partition_range(0, r.partitions());
    bin_views v;
    for (int plane = 0; plane < 2; ++plane) {
      v.a[plane] = quarter(z, plane, 1);
      v.x[plane] = quarter(x, plane, 1);
      v.y[plane] = quarter(x, 2 + plane, 1);
    }
    what_.inverse ? move_lines(x, r, k, true) : move_complex(z, r, k, true);
    ends(v);
    what_.inverse ? move_complex(z, r, k, false) : move_lines(x, r, k, false);
  }

  // Bins of both lines from `base` on.
  void move_lines(const tile_view& x, const line_region& r, std::int64_t base, bool in) {
    const std::int64_t h = what_.bins();
    for (int line = both_ ? 0 : 1; line < 2; ++line)
      for (int plane = 0; plane < 2; ++plane)
        move(lines_.pattern(
                 (plane * what_.lines + r.line + line * what_.second()) * h + base + r.first,
                 {{r.lines, h}, {r.chunks, r.length}, {r.length, 1}}),
             quarter(x, 2 * line + plane, r.length), in);
  }

  // The same of Z, and their partners where they have any, ascending.
  void move_complex(const tile_view& z, const line_region& r, std::int64_t base, bool in) {
    const std::int64_t n = what_.n, k = base + r.first;
    for (int plane = 0; plane < 2; ++plane) {
      const std::int64_t line = (plane * what_.pairs() + r.line) * n;
      move(complex_.pattern(line + k, {{r.lines, n}, {r.chunks, r.length}, {r.length, 1}}),
           quarter(z, plane, r.length), in);
      if (base != 1) continue;
      move(complex_.pattern(line + n - k - r.length + 1,
                            {{r.lines, n}, {r.chunks, -r.length}, {r.length, 1}}),
           quarter(z, 2 + plane, r.length), in);
    }
  }

  core& nc_;
  pairing what_;
  hbm_view lines_, complex_;
  std::int64_t side_;
  pairs_layout layout_;
  tile_pool zs_, xs_;
  bool both_ = true;  ///< the first lines of pairs are stored, too
};

fft_step step_for(const pairing& what) {
  const std::int64_t lines = 2 * what.lines * what.bins(), complex = 2 * what.pairs() * what.n;
  fft_step step{.text = base_detail::message(
                    what.inverse ? "two lines to a complex one, " : "a complex line to two, ",
                    what.lines, " real lines of ", what.n),
                .in_elements = what.inverse ? lines : complex,
                .out_elements = what.inverse ? complex : lines,
                .squared_error = rounding_squared_error()};
  step.run = [what](core& nc, const hbm_view& in, const hbm_view& out, std::span<const hbm_view>) {
    pairs_run(nc, what, in, out).issue();
  };
  return step;
}

}  // namespace

fft_step separate_step(std::int64_t lines, std::int64_t n) { return step_for({lines, n, false}); }

fft_step join_lines_step(std::int64_t lines, std::int64_t n) { return step_for({lines, n, true}); }

}  // namespace papilio::kernels_detail
