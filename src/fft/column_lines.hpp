#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>

#include "papilio/fft/options.hpp"
#include "papilio/fft/recipe.hpp"

namespace papilio::fft_detail {

template <class T>
class column_transform;
template <class T>
class column_codelet;

/// Returns the recipe by which a line of n points runs as a column, where registers hold several
/// elements. There is none for one point, a prime factor without a pass, or a tile that would not
/// fit the cache.
std::optional<recipe> design_column_lines(std::size_t n);

/// The column form of a plan: for lines that lie beside each other, element by element. Its tables
/// are made when it is first used, since most plans never are; safe from many threads.
template <class T>
class column_lines {
 public:
  column_lines(std::size_t n, direction dir, long double scale);
  ~column_lines();

  /// Recipe of the columns; none where n has no columns, or registers hold one element.
  const std::optional<recipe>& design() const { return recipe_; }

  /// Preferred number of lines in one call, whose elements lie `step` elements apart; 0 without
  /// columns.
  std::size_t width(std::ptrdiff_t step) const;
  std::size_t memory_reals() const;
  /// Transforms adjacent lines; steps are in complex elements.
  void run(const T* in, std::ptrdiff_t in_step, T* out, std::ptrdiff_t out_step, std::size_t lines,
           T* memory) const;

 private:
  void make() const;

  direction dir_;
  long double scale_;
  std::optional<recipe> recipe_;
  std::size_t lanes_ = 0, width_ = 0;
  mutable std::once_flag made_;
  // The recipe says which of the two is made.
  mutable std::unique_ptr<const column_codelet<T>> codelet_;
  mutable std::unique_ptr<const column_transform<T>> transform_;
};

extern template class column_lines<float>;
extern template class column_lines<double>;
extern template class column_lines<long double>;

}  // namespace papilio::fft_detail
