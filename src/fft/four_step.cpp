// Four-step: with n = n1 n2, j = n2 r + c and k = k1 + n1 k2,
//   X[k1 + n1 k2] = sum_c W_n2^{c k2} ( W_n^{c k1} sum_r W_n1^{r k1} x[n2 r + c] ):
// the columns of x as a matrix [n1, n2], twiddles, and the columns of the transposed matrix. Blocks
// of columns run in cache; the matrix is transposed as it leaves the first of them, so that memory
// is read and written twice, in runs of whole cache lines.
#include "fft/four_step.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/team_memory.hpp"
#include "fft/column_transform.hpp"
#include "fft/design.hpp"
#include "fft/stockham.hpp"
#include "fft/twiddle.hpp"
#include "papilio/base/array.hpp"
#include "papilio/base/checked.hpp"
#include "papilio/base/parallel_for.hpp"

namespace papilio::fft_detail {

// ---- applicable
// -----------------------------------------------------------------------------------

namespace {

constexpr std::size_t least_n = 256;
// Longer lines fit no memory; the search for their factors would take long to find that out.
constexpr std::size_t most_n = std::size_t{1} << 40;

}  // namespace

std::optional<recipe> design_four_step(std::size_t n) {
  if (n < least_n || n > most_n) return std::nullopt;
  std::optional<recipe> best;
  double best_cost = std::numeric_limits<double>::infinity();
  for (std::size_t a = least_four_step_factor; a <= n / a; ++a) {
    if (n % a != 0 || a * 64 < n / a) continue;
    for (const std::size_t n1 : {a, n / a}) {
      auto columns = design_columns(n1), rows = design_columns(n / n1);
      if (!columns || !rows) continue;
      recipe r{recipe_kind::four_step, n, {}, {std::move(*columns), std::move(*rows)}};
      if (const double c = four_step_cost(r); c < best_cost) {
        best_cost = c;
        best = std::move(r);
      }
    }
  }
  return best;
}

// ---- cost
// -----------------------------------------------------------------------------------------

double four_step_cost(const recipe& r) {
  // Blocks of 16 columns, the last one as dear as a whole one.
  const auto whole = [](std::size_t columns) {
    return static_cast<double>((columns + 15) / 16 * 16) / static_cast<double>(columns);
  };
  const double columns = column_cost(r.parts[0]) * whole(r.parts[1].n);
  const double rows = column_cost(r.parts[1]) * whole(r.parts[0].n);
  const double memory = r.n <= 8192 ? 1.27 : r.n <= 65536 ? 1.45 : r.n <= 131072 ? 2.0 : 2.6;
  // Otherwise the matrix is a third array in the cache.
  const double through = r.parts[0].n % 16 == 0 ? 1 : r.n <= 65536 ? 1.1 : 1.4;
  // A long factor's tiles leave the first caches.
  const double ratio =
      std::log2(static_cast<double>(r.parts[0].n) / static_cast<double>(r.parts[1].n));
  return static_cast<double>(r.n) * memory * through * (columns + rows + 5.5) *
         (1 + 0.02 * ratio * ratio);
}

namespace {

// From so many bytes on, a result is written past the caches: memory is then not read only to be
// overwritten. Measured with 2 MiB of L2 cache and a share of an L3 cache of 260 MiB, the result
// read right afterwards: times 0.92 at 32 MiB, 1.14 (float) and 1.20 (double) at 64, 1.28 at 128.
constexpr std::size_t least_streamed_bytes = std::size_t{64} << 20;

// ---- build
// ----------------------------------------------------------------------------------------

template <class T>
class four_step final : public executable<T> {
 public:
  four_step(const recipe& r, direction dir, long double scale)
      : four_step(r, column_transform<T>(r.parts[0], dir, 1),
                  column_transform<T>(r.parts[1], dir, scale)) {}

  // ---- execute
  // ------------------------------------------------------------------------------------

  void execute(const T* in, T* out, T* scratch, int threads) const override {
    run(row_layout::interleaved, {in, nullptr, 2 * row(n2_)}, {out, nullptr, 2 * row(n1_)}, scratch,
        threads);
  }
  void execute_split(const T* in_re, const T* in_im, T* out_re, T* out_im,
                     T* scratch) const override {
    execute_split_parallel(in_re, in_im, out_re, out_im, scratch, 1);
  }
  void execute_split_parallel(const T* in_re, const T* in_im, T* out_re, T* out_im, T* scratch,
                              int threads) const override {
    run(row_layout::split, {in_re, in_im, row(n2_)}, {out_re, out_im, row(n1_)}, scratch, threads);
  }

 private:
  using turn_function = decltype(column_moves<T>::turn);

  four_step(const recipe& r, column_transform<T> columns, column_transform<T> rows)
      : executable<T>(scratch_for(columns, rows)),
        n1_(columns.size()),
        n2_(rows.size()),
        lanes_(columns.lanes()),
        columns_(std::move(columns)),
        rows_(std::move(rows)),
        streams_(rows_.streams() && r.n >= least_streamed_bytes / (2 * sizeof(T))) {
    const std::size_t blocks = (n2_ + lanes_ - 1) / lanes_;
    twiddles_ = array<T, 1>(2 * n1_ * (blocks + lanes_));
    const roots_of_unity<T> root(r.n);
    T* next = twiddles_.data();
    for (std::size_t k = 0; k < n1_; ++k, next += 2 * lanes_)
      for (std::size_t lane = 0; lane < lanes_; ++lane) {
        const std::complex<T> w = root(lane * k);
        next[lane] = w.real();
        next[lanes_ + lane] = w.imag();
      }
    for (std::size_t block = 0; block < blocks; ++block)
      for (std::size_t k = 0; k < n1_; ++k) {
        const std::complex<T> w = root(std::min(block * lanes_, n2_ - lanes_) * k);
        *next++ = w.real();
        *next++ = w.imag();
      }
  }

  static std::ptrdiff_t row(std::size_t length) { return static_cast<std::ptrdiff_t>(length); }

  // Reals of a row of the transposed matrix, a tile's: registers of n1 columns, the last of which
  // may overlap its neighbour, and 128 bytes so that rows whose length is a power of two do not
  // fall on the same cache sets.
  static std::size_t pitch(const column_transform<T>& columns) {
    return 2 * columns.tile_rows() + 128 / sizeof(T);
  }
  static std::size_t memory_for(const column_transform<T>& columns,
                                const column_transform<T>& rows) {
    return std::max(columns.memory_reals(1), rows.memory_reals(1));
  }
  static std::size_t scratch_for(const column_transform<T>& columns,
                                 const column_transform<T>& rows) {
    constexpr const char* what = "fft_plan: scratch";
    // 64 bytes for an aligned start: whole registers are stored.
    return checked_add(checked_multiply(rows.size(), pitch(columns), what),
                       memory_for(columns, rows) + 64 / sizeof(T), what);
  }

  void run(row_layout layout, column_rows<const T> in, column_rows<T> out, T* scratch,
           int threads) const {
    const std::size_t team =
        std::min(std::max(n1_, n2_) / lanes_, static_cast<std::size_t>(threads));
    // The first piece has the caller's.
    base_detail::team_memory<T> memory(team - 1, memory_for(columns_, rows_));
    const auto misaligned = reinterpret_cast<std::uintptr_t>(scratch) % 64 / sizeof(T);
    if (misaligned != 0) scratch += 64 / sizeof(T) - misaligned;
    const std::size_t element = layout == row_layout::interleaved ? 2 : 1;
    column_rows<T> matrix = {scratch + memory_for(columns_, rows_), nullptr, row(pitch(columns_))};
    // A block of the second step reads and writes the same places of the output, if these are where
    // the first has left the matrix.
    if (layout == row_layout::interleaved && in.re != out.re && n1_ % lanes_ == 0) matrix = out;
    const bool streamed = matrix.re == out.re && streams_ &&
                          reinterpret_cast<std::uintptr_t>(out.re) % array_alignment_bytes == 0;
    const row_layout last = streamed ? row_layout::streamed : layout;
    const auto memory_of = [&](std::size_t piece) {
      return piece == 0 ? scratch : memory.of(piece - 1);
    };
    for_each_block(n2_, team, memory_of, [&](std::size_t c, std::size_t block, T* own) {
      const column_rows<T> tile = columns_.execute_to_tile(layout, shifted(in, c * element), own);
      const T* const first = twiddles_.data() + 2 * n1_ * (lanes_ + block);
      turn_rows(streamed ? turn_streamed_ : turn_, tile, first,
                {matrix.re + row(c) * matrix.stride, nullptr, matrix.stride});
    });
    for_each_block(n1_, team, memory_of, [&](std::size_t k, std::size_t block, T* own) {
      rows_.execute(row_layout::tile, {matrix.re + 2 * lanes_ * block, nullptr, matrix.stride},
                    last, shifted(out, k * element), lanes_, 1, own);
    });
  }

  // The columns of a tile become rows of the matrix.
  void turn_rows(turn_function turn, column_rows<T> tile, const T* first,
                 column_rows<T> matrix) const {
    const std::size_t whole = n1_ / lanes_ * lanes_;
    turn(whole, {first, twiddles_.data()}, {tile.re, nullptr, tile.stride}, matrix);
    if (whole == n1_) return;
    const std::size_t k = n1_ - lanes_;
    turn(lanes_, {first + 2 * k, twiddles_.data() + 2 * lanes_ * k},
         {tile.re + row(k) * tile.stride, nullptr, tile.stride},
         {matrix.re + 2 * whole, nullptr, matrix.stride});
  }

  template <class U>
  static column_rows<U> shifted(column_rows<U> rows, std::size_t reals) {
    return {rows.re + reals, rows.im == nullptr ? nullptr : rows.im + reals, rows.stride};
  }

  // body(first column, block, memory) for every block of columns, in as many pieces as the team has
  // threads. What is left over is done by a block that overlaps the last one, on the same thread.
  template <class MemoryOf, class Body>
  void for_each_block(std::size_t total, std::size_t team, const MemoryOf& memory_of,
                      const Body& body) const {
    const std::size_t blocks = total / lanes_;
    const auto run_blocks = [&](std::size_t from, std::size_t to, T* memory) {
      for (std::size_t block = from; block < to; ++block) body(block * lanes_, block, memory);
      if (to == blocks && total % lanes_ != 0) body(total - lanes_, blocks, memory);
    };
    const std::size_t pieces = std::min(blocks, team);
    if (pieces == 1) return run_blocks(0, blocks, memory_of(0));
    parallel_for(pieces, static_cast<int>(pieces), [&](std::size_t piece) {
      run_blocks(blocks * piece / pieces, blocks * (piece + 1) / pieces, memory_of(piece));
    });
  }

  std::size_t n1_, n2_, lanes_;
  column_transform<T> columns_, rows_;
  bool streams_;
  turn_function turn_ = find_column_moves<T>().turn;
  turn_function turn_streamed_ = find_column_moves<T>().turn_streamed;
  array<T, 1> twiddles_;  // of the lanes of a register, then of the first columns of registers
};

}  // namespace

template <class T>
std::unique_ptr<const executable<T>> build_four_step(const recipe& r, direction dir,
                                                     long double scale) {
  return std::make_unique<four_step<T>>(r, dir, scale);
}

template std::unique_ptr<const executable<float>> build_four_step(const recipe&, direction,
                                                                  long double);
template std::unique_ptr<const executable<double>> build_four_step(const recipe&, direction,
                                                                   long double);

}  // namespace papilio::fft_detail
