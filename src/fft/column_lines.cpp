#include "fft/column_lines.hpp"

#include <algorithm>
#include <type_traits>

#include "fft/column_codelet.hpp"
#include "fft/column_transform.hpp"
#include "fft/design.hpp"
#include "fft/stockham.hpp"

namespace papilio::fft_detail {
namespace {

// A tile of the widest registers is 128 bytes a row: two of them and their rows in memory are to
// stay in the L2 cache.
constexpr std::size_t most_rows = 4096;
// Points of a tile of which the cost of a call is a small part.
constexpr std::size_t tile_points = 2048;

}  // namespace

std::optional<recipe> design_column_lines(std::size_t n) {
  if (n < 2 || n > most_rows) return std::nullopt;
  auto codelet = design_column_codelet(n);
  return codelet ? codelet : design_columns(n);
}

template <class T>
column_lines<T>::column_lines(std::size_t n, direction dir, long double scale)
    : dir_(dir), scale_(scale) {
  if (has_lanes<T>()) recipe_ = design_column_lines(n);
  if (!recipe_) return;
  lanes_ = lanes_at_most<T>(std::numeric_limits<std::size_t>::max());
  width_ = lanes_ * std::max<std::size_t>(1, tile_points / (n * lanes_));
}

template <class T>
column_lines<T>::~column_lines() = default;

template <class T>
std::size_t column_lines<T>::width(std::ptrdiff_t step) const {
  if constexpr (!std::is_same_v<T, long double>)
    if (recipe_ && recipe_->kind == recipe_kind::codelet &&
        column_codelet<T>::are_far(recipe_->n, 2 * step))
      return std::max(width_, column_codelet<T>::most_copied);
  return width_;
}

template <class T>
void column_lines<T>::make() const {
  if constexpr (!std::is_same_v<T, long double>)
    std::call_once(made_, [&] {
      if (recipe_->kind == recipe_kind::codelet)
        codelet_ = std::make_unique<const column_codelet<T>>(*recipe_, dir_, scale_);
      else
        transform_ = std::make_unique<const column_transform<T>>(*recipe_, dir_, scale_);
    });
}

template <class T>
std::size_t column_lines<T>::memory_reals() const {
  if constexpr (std::is_same_v<T, long double>) return 0;
  make();
  return codelet_ ? codelet_->memory_reals() : transform_->memory_reals(width_ / lanes_);
}

template <class T>
void column_lines<T>::run(const T* in, std::ptrdiff_t in_step, T* out, std::ptrdiff_t out_step,
                          std::size_t lines, T* memory) const {
  if constexpr (!std::is_same_v<T, long double>) {
    make();
    if (codelet_) return codelet_->run(in, 2 * in_step, out, 2 * out_step, lines, memory);
    const auto block = [&](std::size_t first, std::size_t count) {
      transform_->execute(row_layout::interleaved, {in + 2 * first, nullptr, 2 * in_step},
                          row_layout::interleaved, {out + 2 * first, nullptr, 2 * out_step}, count,
                          (count + lanes_ - 1) / lanes_, memory);
    };
    const std::size_t whole = lines / lanes_ * lanes_;
    if (whole > 0) block(0, whole);
    if (whole < lines) block(whole, lines - whole);
  }
}

template class column_lines<float>;
template class column_lines<double>;
template class column_lines<long double>;

}  // namespace papilio::fft_detail
