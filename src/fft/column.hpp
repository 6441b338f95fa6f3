#pragma once

#include <cstddef>

#include "fft/pass.hpp"

namespace papilio::fft_detail {

/// Where the rows of a block of columns begin: row r at re + r * stride, in reals. Adjacent columns
/// are adjacent in a row: as pairs from re (interleaved), in re and in im (split), or in a tile:
/// runs of one register, re and then im, all from re.
template <class T>
struct column_rows {
  T* re = nullptr;
  T* im = nullptr;
  std::ptrdiff_t stride = 0;
};

/// Operands of one pass: `runs` registers of columns. A pass that finishes a transform (count = 1)
/// may work in place.
template <class T>
struct column_block {
  column_rows<const T> in;
  column_rows<T> out;
  std::size_t runs = 1;
};

/// One Stockham pass of decimation in time (see pass.hpp) over rows instead of elements: lanes run
/// over the columns, and a twiddle is the same for all. Twiddles are stored for one lane.
template <class T>
using column_function = void (*)(const pass<T>& p, const column_block<T>& block);

/// The forms of one radix. Index [1] exchanges re and im on the interleaved side.
template <class T>
struct column_kernels {
  column_function<T> first[2];     ///< interleaved to tile, l = 1
  column_function<T> first_split;  ///< split to tile, l = 1
  column_function<T> middle;       ///< tile to tile, any l
  column_function<T> last[2];      ///< tile to interleaved, any l, scaled
  /// Does as `last`, but writes past the caches, to rows that begin on cache lines; null where
  /// there is no such form.
  column_function<T> last_streamed[2];
};

/// Factors of W_n^{ck} for the columns c of a block: W_n^{first k}, one a row, and W_n^{lane k},
/// one register (re, im) a row.
template <class T>
struct column_twiddles {
  const T* first = nullptr;
  const T* lanes = nullptr;
};

/// Operations on tiles for every radix. A tile at in.re has `rows` rows of `runs` registers of
/// columns.
template <class T>
struct column_moves {
  std::size_t lanes = 0;  ///< columns in one register

  /// Stores a tile, scaled, to interleaved rows ([1]: with re and im exchanged) or to split rows.
  void (*unload[2])(std::size_t rows, T scale, column_rows<const T> in, column_rows<T> out,
                    std::size_t runs) = {};
  void (*unload_split)(std::size_t rows, T scale, column_rows<const T> in, column_rows<T> out,
                       std::size_t runs) = nullptr;

  /// Entangles (see real_pass.hpp) a half spectrum `bins`, whose complex points are a matrix [rows,
  /// columns]: the register of columns c, c + 1, ... goes to a tile with re and im exchanged.
  /// `w.first` are i s conj W^{c + lane}, `w.lanes` conj W^{columns r}.
  void (*entangle)(std::size_t rows, std::size_t columns, T scale, T ends, column_twiddles<T> w,
                   const T* bins, std::size_t c, column_rows<T> out) = nullptr;

  /// Multiplies a tile by another one at `w`, in place; [1] leaves re and im exchanged.
  void (*multiply[2])(std::size_t rows, const T* w, column_rows<T> tile) = {};

  /// Multiplies a tile by twiddles and transposes it: column c becomes row c of a tile at `out`.
  /// `rows` is a multiple of the lanes.
  void (*turn)(std::size_t rows, column_twiddles<T> twiddles, column_rows<const T> in,
               column_rows<T> out) = nullptr;
  /// Does as `turn`, but writes past the caches, to rows that begin on cache lines; null where
  /// there is no such form.
  decltype(turn) turn_streamed = nullptr;
};

template <class T>
const column_moves<T>& find_column_moves();

/// Kernels of one radix at the full width of the machine, for a radix that has a pass.
template <class T>
const column_kernels<T>& find_column_kernels(std::size_t radix);

}  // namespace papilio::fft_detail
