#pragma once

#include <cstddef>
#include <vector>

#include "base/roots_of_unity.hpp"
#include "fft/pass.hpp"
#include "fft/shared_table.hpp"
#include "papilio/fft/recipe.hpp"

namespace papilio::fft_detail {

using base_detail::roots_of_unity;

/// Half a line: split elements.
template <class T>
struct split_line {
  T *re, *im;
};

/// Line that the first pass writes, and the other one; passes write to both in turn.
template <class T>
struct pass_buffers {
  split_line<T> from, to;
};

/// The passes of a Stockham recipe of n points with their twiddles, and the lines between them.
template <class T>
class stockham_passes {
 public:
  /// `scale` multiplies what the last pass gives.
  stockham_passes(const recipe& r, T scale);

  std::size_t count() const { return passes_.size(); }
  const pass<T>& first() const { return passes_.front(); }
  const pass<T>& last() const { return passes_.back(); }
  /// The split form of pass i.
  pass_function<T> split_form(std::size_t i) const { return split_forms_[i]; }

  std::size_t scratch_reals() const;

  /// The output serves as one of the lines, so that less memory is in use, but the last pass must
  /// not find its input there, nor may the first pass write there while its input lies there.
  pass_buffers<T> lines(T* scratch, split_line<T> out, bool in_place) const;

  /// The passes between first and last; b.from is where the last one finds its input.
  void run_middle(pass_buffers<T>& b) const;

 private:
  void fill_tables();

  std::size_t n_;
  std::vector<pass<T>> passes_;
  std::vector<pass_function<T>> split_forms_;
  shared_table<T> tables_;
};

/// W_n^{jk count} for the lanes k = first, first + 1, ... of p (modulo l) and 0 < j < radix, as
/// `lanes` reals of re and then of im for every j. Returns where they end.
template <class T>
T* fill_twiddle_block(const pass<T>& p, const roots_of_unity<T>& root, std::size_t first,
                      std::size_t lanes, T* out);

extern template class stockham_passes<float>;
extern template class stockham_passes<double>;
extern template class stockham_passes<long double>;

}  // namespace papilio::fft_detail
