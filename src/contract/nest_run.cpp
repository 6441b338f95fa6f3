#include <algorithm>
#include <array>
#include <complex>

#include "blas/block_grid.hpp"
#include "contract/nest_kernels.hpp"
#include "contract/strided_nest.hpp"
#include "contract/transpose_tile.hpp"
#include "papilio/base/parallel_for.hpp"

namespace papilio::contract_detail {
namespace {

constexpr std::size_t widest_row = 256;
constexpr std::size_t tile_row = 64, tile_lines = 64;
// Most results of a row that one thread takes at once. Where they are sums, the fewest: of sums
// that advance along the row together, reading a piece of each line, and of sums that are computed
// one after the other.
constexpr std::size_t block_row = 4096, least_row = 128, least_sums = 16;
constexpr std::size_t wanted_units = 16;
constexpr std::size_t longest_run = 1024;  // terms that run_sum takes at once
constexpr double worth_a_turn = 0x1p18;
// Time of a multiply-add on data that is read once, in that of one on cached data: threads are
// worth while for that much less work.
constexpr double weight_of_memory = 1.5;

struct offsets {
  std::ptrdiff_t left = 0, right = 0, out = 0;

  void move(const step_axis& a, std::size_t count) {
    const auto steps = static_cast<std::ptrdiff_t>(count);
    left += a.left * steps;
    right += a.right * steps;
    out += a.out * steps;
  }
};

// Calls body(left offset, right offset) for each index of the axes but the last.
template <class Body>
void for_outer_terms(const step_axes& axes, const Body& body) {
  std::array<std::size_t, 64> index{};
  const std::size_t last = axes.size() - 1;
  offsets at;
  for (;;) {
    body(at.left, at.right);
    std::size_t axis = last;
    for (; axis > 0; --axis) {
      const step_axis& a = axes[axis - 1];
      at.left += a.left;
      at.right += a.right;
      if (++index[axis - 1] < a.extent) break;
      at.left -= a.left * static_cast<std::ptrdiff_t>(a.extent);
      at.right -= a.right * static_cast<std::ptrdiff_t>(a.extent);
      index[axis - 1] = 0;
    }
    if (axis == 0) return;
  }
}

// Buffer without initial values, whose elements are written before they are read.
template <class T, std::size_t Count>
struct raw_buffer {
  T* data() { return reinterpret_cast<T*>(bytes); }
  alignas(64) std::byte bytes[Count * sizeof(T)];
};

template <class T, bool HasRight, bool Conjugate>
class nest_runner {
 public:
  nest_runner(const strided_nest& nest, const nest_operands<T>& o, finish<T> end)
      : nest_(nest), o_(o), end_(end) {
    const step_axis& row = nest.row();
    has_tiles_ = std::abs(row.left) > 1 || std::abs(row.right) > 1;
    is_copy_ = !HasRight && nest.summed().empty() && end.is_plain() && row.out == 1;
    is_transpose_ = is_copy_ && has_tiles_ && nest.line().left == 1;
    line_blocks_ = (nest.line().extent + tile_lines - 1) / tile_lines;
    const std::size_t rows = line_blocks_ * size_of(nest.outer());
    block_ = block_of(rows);
    row_blocks_ = blocks_of(block_);
    units_ = row_blocks_ * rows;
  }

  std::size_t units() const { return units_; }

  void run_unit(std::size_t unit) const {
    const std::size_t row_block = unit % row_blocks_;
    const std::size_t line_block = unit / row_blocks_ % line_blocks_;
    std::size_t rest = unit / row_blocks_ / line_blocks_;
    offsets at;
    for (std::size_t axis = nest_.outer().size(); axis-- > 0;) {
      const step_axis& a = nest_.outer()[axis];
      at.move(a, rest % a.extent);
      rest /= a.extent;
    }
    const std::size_t first_line = line_block * tile_lines;
    const std::size_t lines = std::min(tile_lines, nest_.line().extent - first_line);
    const std::size_t first = row_block * block_;
    const std::size_t end = std::min(nest_.row().extent, first + block_);
    const std::size_t step = has_tiles_ ? tile_row : widest_row;
    at.move(nest_.line(), first_line);
    at.move(nest_.row(), first);
    for (std::size_t start = first; start < end; start += step, at.move(nest_.row(), step))
      run_tile(at, std::min(step, end - start), lines);
  }

 private:
  std::size_t blocks_of(std::size_t block) const {
    return (nest_.row().extent + block - 1) / block;
  }
  // Chooses blocks by shape alone; each result is the same sum however the row is cut. Rows of sums
  // are cut shorter where there are few, since each sum is work enough.
  std::size_t block_of(std::size_t rows) const {
    std::size_t block = block_row;
    if (nest_.summed().empty()) return block;
    const std::size_t least = nest_.is_along_row() ? least_row : least_sums;
    while (rows * blocks_of(block) < wanted_units && block > least) block /= 2;
    return block;
  }
  strided_run<T> left(std::ptrdiff_t offset, std::ptrdiff_t step) const {
    return {o_.left + offset, step};
  }
  strided_run<T> right(std::ptrdiff_t offset, std::ptrdiff_t step) const {
    if constexpr (HasRight) return {o_.right + offset, step};
    return {};
  }

  // `count` results along the row for each of `lines` lines.
  void run_tile(offsets at, std::size_t count, std::size_t lines) const {
    const step_axis &row = nest_.row(), &line = nest_.line();
    if (is_transpose_)
      return transpose_block(o_.left + at.left, row.left, count, lines, o_.out + at.out, line.out);
    if (is_copy_ && row.left == 1)
      return copy_lines(o_.left + at.left, line.left, o_.out + at.out, line.out, lines, count);
    if (nest_.summed().empty() && has_tiles_) return run_gathered(at, count, lines);
    for (std::size_t l = 0; l < lines; ++l, at.move(line, 1)) {
      if (!nest_.is_along_row())
        sum_each(at, count);
      else if (!nest_.summed().empty())
        sum_row(at, count);
      else
        put_row(at.out, count, left(at.left, row.left), right(at.right, row.right));
    }
  }

  // Reads operands that are contiguous along the line but not along the row by transposed copies.
  void run_gathered(offsets at, std::size_t count, std::size_t lines) const {
    constexpr std::size_t most = std::min<std::size_t>(tile_lines, 256 / sizeof(T));
    const step_axis &row = nest_.row(), &line = nest_.line();
    const bool gathers_left = std::abs(row.left) > 1 && line.left == 1;
    const bool gathers_right = HasRight && std::abs(row.right) > 1 && line.right == 1;
    raw_buffer<T, tile_row * most> left_tile, right_tile;
    const auto tile_step = static_cast<std::ptrdiff_t>(tile_row);
    for (std::size_t first = 0; first < lines; first += most) {
      const std::size_t here = std::min(most, lines - first);
      if (gathers_left)
        transpose_block(o_.left + at.left, row.left, count, here, left_tile.data(), tile_step);
      if (gathers_right)
        transpose_block(o_.right + at.right, row.right, count, here, right_tile.data(), tile_step);
      for (std::size_t l = 0; l < here; ++l, at.move(line, 1))
        put_row(at.out, count,
                gathers_left ? strided_run<T>{left_tile.data() + l * tile_row, 1}
                             : left(at.left, row.left),
                gathers_right ? strided_run<T>{right_tile.data() + l * tile_row, 1}
                              : right(at.right, row.right));
    }
  }

  void put_row(std::ptrdiff_t out, std::size_t count, strided_run<T> x, strided_run<T> y) const {
    const step_axis& row = nest_.row();
    if (row.out == 1 && end_.is_plain()) {
      row_products<HasRight, Conjugate, false>(o_.out + out, count, x, y);
    } else {
      raw_buffer<T, widest_row> values;
      row_products<HasRight, Conjugate, false>(values.data(), count, x, y);
      end_.put(values.data(), count, o_.out + out, row.out);
    }
  }

  void sum_each(offsets at, std::size_t count) const {
    for (std::size_t i = 0; i < count; ++i, at.move(nest_.row(), 1)) {
      const T sum = run_along_sum(at);
      end_.put(&sum, 1, o_.out + at.out, 1);
    }
  }

  void sum_row(const offsets& at, std::size_t count) const {
    constexpr std::size_t length = cascade<T>::length;
    raw_buffer<T, widest_row> levels[3];
    for (auto& level : levels) std::fill_n(level.data(), count, T(0));
    const auto carry = [&](std::size_t level) {
      const T* const parts = levels[level].data();
      T* const sums = levels[level + 1].data();
      for (std::size_t i = 0; i < count; ++i) sums[i] += parts[i];
      std::fill_n(levels[level].data(), count, T(0));
    };
    const step_axis &row = nest_.row(), &inner = nest_.summed().back();
    const bool has_fours = has_four_rows<HasRight>(row.left, row.right);
    static_assert(length % 4 == 0);
    std::size_t rows = 0;
    for_outer_terms(nest_.summed(), [&](std::ptrdiff_t l, std::ptrdiff_t r) {
      std::ptrdiff_t from = at.left + l, by = at.right + r;
      for (std::size_t i = 0, lines = 0; i < inner.extent; i += lines) {
        lines = has_fours && rows % 4 == 0 && i + 4 <= inner.extent ? 4 : 1;
        if (lines == 4)
          add_four_rows<HasRight, Conjugate>(levels[0].data(), count, left(from, row.left),
                                             inner.left, right(by, row.right), inner.right);
        else
          row_products<HasRight, Conjugate, true>(levels[0].data(), count, left(from, row.left),
                                                  right(by, row.right));
        from += static_cast<std::ptrdiff_t>(lines) * inner.left;
        by += static_cast<std::ptrdiff_t>(lines) * inner.right;
        rows += lines;
        if (rows % length != 0) continue;
        carry(0);
        if (rows % (length * length) == 0) carry(1);
      }
    });
    if (rows >= length) {
      carry(0);
      carry(1);
    }
    end_.put((rows >= length ? levels[2] : levels[0]).data(), count, o_.out + at.out, row.out);
  }

  T run_along_sum(const offsets& at) const {
    const step_axis& inner = nest_.summed().back();
    cascade<T> sum;
    for_outer_terms(nest_.summed(), [&](std::ptrdiff_t l, std::ptrdiff_t r) {
      for (std::size_t first = 0; first < inner.extent; first += longest_run) {
        const auto skipped = static_cast<std::ptrdiff_t>(first);
        sum.add(
            run_sum<HasRight, Conjugate>(std::min(longest_run, inner.extent - first),
                                         left(at.left + l + inner.left * skipped, inner.left),
                                         right(at.right + r + inner.right * skipped, inner.right)));
      }
    });
    return sum.total();
  }

  const strided_nest& nest_;
  const nest_operands<T>& o_;
  finish<T> end_;
  bool has_tiles_ = false, is_copy_ = false, is_transpose_ = false;
  std::size_t block_ = block_row, row_blocks_ = 0, line_blocks_ = 0, units_ = 0;
};

template <class Runner>
void run_units(const Runner& runner, double cost, int threads) {
  const int team = blas_detail::threads_for(weight_of_memory * cost, threads);
  const auto units = static_cast<double>(runner.units());
  const auto each = static_cast<std::size_t>(std::max(1.0, units * worth_a_turn / cost));
  papilio::parallel_for((runner.units() + each - 1) / each, team, [&](std::size_t turn) {
    const std::size_t end = std::min(runner.units(), (turn + 1) * each);
    for (std::size_t unit = turn * each; unit < end; ++unit) runner.run_unit(unit);
  });
}

// Computes out = beta out, as for sums without terms.
template <class T>
void scale(const strided_nest& nest, const nest_operands<T>& o) {
  step_axes axes = nest.outer();
  axes.push_back(nest.line());
  axes.push_back(nest.row());
  axes.emplace_back();  // for_outer_terms leaves out the last axis
  for (step_axis& a : axes) a.left = a.out;
  for_outer_terms(axes, [&](std::ptrdiff_t offset, std::ptrdiff_t) {
    T& x = o.out[offset];
    x = o.beta == T(0) ? T(0) : product_of(o.beta, x);
  });
}

}  // namespace

template <class T>
void run(const strided_nest& nest, const nest_operands<T>& o, int threads) {
  if (nest.results() == 0) return;
  if (nest.terms() == 0 || o.alpha == T(0)) return scale(nest, o);
  finish<T> end{o.alpha, o.beta, false};
  if (o.right == nullptr) {
    end.conjugates = is_complex_element<T> && o.conjugate_left;
    return run_units(nest_runner<T, false, false>(nest, o, end), nest.cost(), threads);
  }
  if constexpr (is_complex_element<T>) {
    // x conj(y) is the conjugate of conj(x) y, conj(x) conj(y) that of x y.
    end.conjugates = o.conjugate_right;
    if (o.conjugate_left != o.conjugate_right)
      return run_units(nest_runner<T, true, true>(nest, o, end), nest.cost(), threads);
  }
  run_units(nest_runner<T, true, false>(nest, o, end), nest.cost(), threads);
}

#define PAPILIO_INSTANTIATE(T) template void run(const strided_nest&, const nest_operands<T>&, int)
PAPILIO_INSTANTIATE(float);
PAPILIO_INSTANTIATE(double);
PAPILIO_INSTANTIATE(std::complex<float>);
PAPILIO_INSTANTIATE(std::complex<double>);
#undef PAPILIO_INSTANTIATE

}  // namespace papilio::contract_detail
