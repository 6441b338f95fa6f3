#pragma once

#include <cstddef>
#include <vector>

#include "fft/column.hpp"
#include "papilio/base/array.hpp"
#include "papilio/fft/options.hpp"
#include "papilio/fft/recipe.hpp"

namespace papilio::fft_detail {

/// Streamed rows are interleaved ones that begin on cache lines and are written past the caches.
enum class row_layout { interleaved, split, tile, streamed };

/// Transforms of adjacent columns, as many at once as a few registers have lanes: a Stockham recipe
/// over rows, through tiles that stay in cache. Immutable; for many threads at once.
template <class T>
class column_transform {
 public:
  /// `scale` multiplies every output that leaves a tile.
  column_transform(const recipe& line, direction dir, long double scale);

  std::size_t size() const { return n_; }
  /// Columns of one register.
  std::size_t lanes() const { return moves_.lanes; }
  /// Rows of a tile: n, rounded up to whole registers.
  std::size_t tile_rows() const { return (n_ + lanes() - 1) / lanes() * lanes(); }
  std::ptrdiff_t tile_stride(std::size_t runs) const {
    return static_cast<std::ptrdiff_t>(2 * lanes() * runs);
  }
  /// Reals of memory for blocks of `runs` registers: two tiles and the rows of a narrow block.
  std::size_t memory_reals(std::size_t runs) const;

  /// `columns` columns, at most runs * lanes(), from interleaved or split rows, or from those of a
  /// tile, to interleaved, streamed or split rows. Fewer than whole registers only from interleaved
  /// to interleaved. In place allowed.
  void execute(row_layout from, column_rows<const T> in, row_layout to, column_rows<T> out,
               std::size_t columns, std::size_t runs, T* memory) const;

  /// Whether there are streamed rows.
  bool streams() const {
    return passes_.size() > 1 && kernels_.back()->last_streamed[0] != nullptr;
  }

  /// Transforms one register of columns; the result stays, unscaled, in a tile in `memory`.
  column_rows<T> execute_to_tile(row_layout from, column_rows<const T> in, T* memory) const;

 private:
  column_rows<T> tile(T* memory, std::size_t runs, std::size_t index) const;
  void execute_narrow(column_rows<const T> in, column_rows<T> out, std::size_t columns,
                      std::size_t runs, T* memory) const;
  column_rows<T> run_passes(row_layout from, column_rows<const T> in, std::size_t count,
                            std::size_t runs, T* memory) const;

  std::size_t n_;
  bool swap_;
  T scale_;
  std::vector<pass<T>> passes_;
  std::vector<const column_kernels<T>*> kernels_;
  const column_moves<T>& moves_;
  array<T, 1> tables_;
};

extern template class column_transform<float>;
extern template class column_transform<double>;

}  // namespace papilio::fft_detail
