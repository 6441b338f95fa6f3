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

/// What a line of n points runs as a column, where registers hold several elements; nothing where n
/// has no columns: one point, a prime factor without a pass, or a tile that would not fit the
/// cache.
std::optional<recipe> design_column_lines(std::size_t n);

/// The column form of a plan: for lines that lie beside each other, element by element. Its tables
/// are made when it is first used, since most plans never are; safe from many threads.
template <class T>
class column_lines {
 public:
  column_lines(std::size_t n, direction dir, long double scale);
  ~column_lines();

  /// What it runs; nothing where n has no columns, or registers hold one element.
  const std::optional<recipe>& design() const { return recipe_; }

  /// Lines of one call for preference, whose elements lie `step` elements apart; 0 without columns.
  std::size_t width(std::ptrdiff_t step) const;
  std::size_t memory_reals() const;
  /// Steps in complex elements.
  void run(const T* in, std::ptrdiff_t in_step, T* out, std::ptrdiff_t out_step, std::size_t lines,
           T* memory) const;

 private:
  void make() const;

  direction dir_;
  long double scale_;
  std::optional<recipe> recipe_;
  std::size_t lanes_ = 0, width_ = 0;
  mutable std::once_flag made_;
  // One of them, as the recipe says.
  mutable std::unique_ptr<const column_codelet<T>> codelet_;
  mutable std::unique_ptr<const column_transform<T>> transform_;
};

extern template class column_lines<float>;
extern template class column_lines<double>;
extern template class column_lines<long double>;

}  // namespace papilio::fft_detail
