// Four-step: with n = n1 n2, j = n2 r + c and k = k1 + n1 k2,
//   X[k1 + n1 k2] = sum_c W_n2^{c k2} ( W_n^{c k1} sum_r W_n1^{r k1} x[n2 r + c] ):
// the columns of x as a matrix [n1, n2], twiddles, and the columns of the transposed matrix. Blocks
// of columns run in cache; the matrix is transposed as it leaves the first of them, so that memory
// is read and written twice, in runs of whole cache lines.
#include "fft/four_step.hpp"

#include <algorithm>
#include <limits>

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
// Neither factor is so short that most lanes would idle, nor so long that a block leaves the cache.
constexpr std::size_t least_factor = 12;

recipe column_recipe(std::size_t n) {
  std::optional<recipe> best;
  for (const std::size_t largest_power : {8, 16, 4})
    if (auto r = design_stockham(n, largest_power);
        r && (!best || column_cost(*r) < column_cost(*best)))
      best = std::move(r);
  return best ? *best : recipe{};
}

}  // namespace

std::optional<recipe> design_four_step(std::size_t n) {
  if (n < least_n) return std::nullopt;
  std::optional<recipe> best;
  double best_cost = std::numeric_limits<double>::infinity();
  for (std::size_t a = least_factor; a <= n / a; ++a) {
    if (n % a != 0 || a * 64 < n / a) continue;
    for (const std::size_t n1 : {a, n / a}) {
      recipe r{recipe_kind::four_step, n, {}, {column_recipe(n1), column_recipe(n / n1)}};
      if (r.parts[0].n != n1 || r.parts[1].n != n / n1) continue;
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
  return static_cast<double>(r.n) * (columns + rows + 5.5);
}

namespace {

// ---- build
// ----------------------------------------------------------------------------------------

template <class T>
class four_step final : public executable<T> {
 public:
  four_step(const recipe& r, direction dir, double scale)
      : four_step(r, column_transform<T>(r.parts[0], dir, 1.0),
                  column_transform<T>(r.parts[1], dir, scale)) {}

  // ---- execute
  // ------------------------------------------------------------------------------------

  void execute(const T* in, T* out, T* scratch, int threads) const override {
    run(row_layout::interleaved, {in, nullptr, 2 * row(n2_)}, {out, nullptr, 2 * row(n1_)}, scratch,
        threads);
  }
  void execute_split(const T* in_re, const T* in_im, T* out_re, T* out_im,
                     T* scratch) const override {
    run(row_layout::split, {in_re, in_im, row(n2_)}, {out_re, out_im, row(n1_)}, scratch, 1);
  }

 private:
  four_step(const recipe& r, column_transform<T> columns, column_transform<T> rows)
      : executable<T>(scratch_for(r, columns, rows)),
        n1_(columns.size()),
        n2_(rows.size()),
        pitch_(pitch(columns)),
        columns_(std::move(columns)),
        rows_(std::move(rows)) {
    const std::size_t lanes = columns_.lanes(), height = columns_.tile_rows();
    const std::size_t blocks = (n2_ + lanes - 1) / lanes;
    twiddles_ = array<T, 1>(2 * height * (blocks + lanes));
    const roots_of_unity<T> root(r.n);
    T* next = twiddles_.data();
    for (std::size_t k = 0; k < height; ++k) {
      for (std::size_t lane = 0; lane < lanes; ++lane) next[lane] = root(lane * k).real();
      for (std::size_t lane = 0; lane < lanes; ++lane) next[lanes + lane] = root(lane * k).imag();
      next += 2 * lanes;
    }
    for (std::size_t block = 0; block < blocks; ++block)
      for (std::size_t k = 0; k < height; ++k) {
        const std::complex<T> w = root(block * lanes * k);
        *next++ = w.real();
        *next++ = w.imag();
      }
  }

  static std::ptrdiff_t row(std::size_t length) { return static_cast<std::ptrdiff_t>(length); }

  // Reals of a row of the transposed matrix: 128 bytes more than it needs, so that rows whose
  // length is a power of two do not fall on the same cache sets.
  static std::size_t pitch(const column_transform<T>& columns) {
    return 2 * columns.tile_rows() + 128 / sizeof(T);
  }
  static std::size_t matrix_reals(const recipe& r, const column_transform<T>& columns) {
    const std::size_t block = columns.lanes();
    const std::size_t rows = (r.parts[1].n + block - 1) / block * block;
    return checked_multiply(rows, pitch(columns), "fft_plan: scratch");
  }
  static std::size_t memory_for(const recipe& r, const column_transform<T>& columns,
                                const column_transform<T>& rows) {
    return std::max(columns.memory_reals(1), rows.memory_reals(1));
  }
  static std::size_t scratch_for(const recipe& r, const column_transform<T>& columns,
                                 const column_transform<T>& rows) {
    // 64 bytes for an aligned start: whole registers are stored.
    return checked_add(matrix_reals(r, columns), memory_for(r, columns, rows) + 64 / sizeof(T),
                       "fft_plan: scratch");
  }

  void run(row_layout layout, column_rows<const T> in, column_rows<T> out, T* scratch,
           int threads) const {
    const auto misaligned = reinterpret_cast<std::uintptr_t>(scratch) % 64 / sizeof(T);
    if (misaligned != 0) scratch += 64 / sizeof(T) - misaligned;
    const std::size_t width = columns_.lanes();
    const std::size_t element = layout == row_layout::interleaved ? 2 : 1;
    column_rows<T> matrix = {scratch + memory(), nullptr, row(pitch_)};
    // A block of the second step reads and writes the same places of the output, if these are where
    // the first has left the matrix.
    const bool through_output = layout == row_layout::interleaved && in.re != out.re &&
                                n1_ % columns_.lanes() == 0 && n2_ % width == 0;

    if (through_output) matrix = out;
    for_each_block(n2_, threads, scratch, [&](std::size_t c, std::size_t columns, T* memory) {
      run_columns(layout, in, c, columns, matrix, memory);
    });
    for_each_block(n1_, threads, scratch, [&](std::size_t k, std::size_t columns, T* memory) {
      const column_rows<const T> from = {matrix.re + 2 * k, nullptr, matrix.stride};
      rows_.execute(row_layout::tile, from, layout, shifted(out, k * element), columns, 1, memory);
    });
  }

  // One block of columns of the input, transformed, turned into rows.
  void run_columns(row_layout layout, column_rows<const T> in, std::size_t c, std::size_t columns,
                   column_rows<T> matrix, T* memory) const {
    const std::size_t lanes = columns_.lanes(), height = columns_.tile_rows();
    const std::size_t element = layout == row_layout::interleaved ? 2 : 1;
    const column_rows<T> tile =
        columns_.execute_to_tile(layout, shifted(in, c * element), columns, 1, memory);
    const T* const first = twiddles_.data() + 2 * height * (lanes + c / lanes);
    turn_(height, {first, twiddles_.data()}, {tile.re, nullptr, tile.stride},
          {matrix.re + row(c) * matrix.stride, nullptr, matrix.stride});
  }

  template <class U>
  static column_rows<U> shifted(column_rows<U> rows, std::size_t reals) {
    return {rows.re + reals, rows.im == nullptr ? nullptr : rows.im + reals, rows.stride};
  }

  std::size_t memory() const { return std::max(columns_.memory_reals(1), rows_.memory_reals(1)); }

  // body(first column, columns, memory) for every block of `total` columns, each thread with memory
  // of its own, one with the caller's.
  template <class Body>
  void for_each_block(std::size_t total, int threads, T* own, const Body& body) const {
    const std::size_t width = columns_.lanes(), blocks = (total + width - 1) / width;
    const auto run_block = [&](std::size_t block, T* mine) {
      body(block * width, std::min(width, total - block * width), mine);
    };
    const std::size_t pieces =
        std::min(blocks, static_cast<std::size_t>(threads == 1 ? 1 : thread_count(threads)));
    if (pieces == 1) {
      for (std::size_t block = 0; block < blocks; ++block) run_block(block, own);
      return;
    }
    parallel_for(pieces, threads, [&](std::size_t piece) {
      array<T, 1> memory_of_piece(piece == 0 ? 0 : memory());
      T* const mine = piece == 0 ? own : memory_of_piece.data();
      for (std::size_t block = blocks * piece / pieces; block < blocks * (piece + 1) / pieces;
           ++block)
        run_block(block, mine);
    });
  }

  std::size_t n1_, n2_, pitch_;
  column_transform<T> columns_, rows_;
  decltype(column_moves<T>::turn) turn_ = find_column_moves<T>().turn;
  array<T, 1> twiddles_;  // of the lanes of a register, then of the first columns of registers
};

}  // namespace

template <class T>
std::unique_ptr<const executable<T>> build_four_step(const recipe& r, direction dir, double scale) {
  return std::make_unique<four_step<T>>(r, dir, scale);
}

template std::unique_ptr<const executable<float>> build_four_step(const recipe&, direction, double);
template std::unique_ptr<const executable<double>> build_four_step(const recipe&, direction,
                                                                   double);

}  // namespace papilio::fft_detail
