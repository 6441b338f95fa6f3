#include "decompose/cp_iteration.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "decompose/khatri_rao.hpp"
#include "decompose/sums.hpp"
#include "papilio/base/parallel_for.hpp"
#include "papilio/blas/symmetric.hpp"

namespace papilio::decompose_detail {
namespace {

constexpr std::size_t summed_rank_max = 32;  // up to here own sums are faster than a BLAS call

template <class T>
constexpr double epsilon_of = static_cast<double>(std::numeric_limits<T>::epsilon());

// Computes the Gram matrix of the rows, in double.
template <class T>
void gram_of_rows(const array<T, 2>& rows, array<double, 2>& gram) {
  const std::size_t rank = rows.extent(0), extent = rows.extent(1);
  if (rank > summed_rank_max) {
    const array<double, 2> wide = converted<double>(rows.view());
    syrk(1.0, wide, 0.0, gram, {.triangle = matrix_triangle::lower, .threads = 1});
  }
  double* const out = gram.data();
  for (std::size_t r = 0; r < rank; ++r)
    for (std::size_t s = 0; s <= r; ++s) {
      if (rank <= summed_rank_max)
        out[r * rank + s] = dot(rows.data() + r * extent, rows.data() + s * extent, extent);
      out[s * rank + r] = out[r * rank + s];
    }
}

}  // namespace

template <class T>
cp_iteration<T>::cp_iteration(const prepared_operand<T>& x, mode_products<T>& products,
                              cp_factors<T> start, const cp_options<T>& options)
    : x_(x),
      options_(options),
      rank_(start.weights.size()),
      factors_(std::move(start)),
      combined_({rank_, rank_}),
      source_(products),
      equations_(rank_, x.mask == nullptr ? epsilon_of<T> : epsilon_of<double> * 64) {
  const std::size_t longest = std::ranges::max(x.extents);
  products_ = array<double, 1>(checked_multiply(rank_, longest, "cp_als: size"), uninitialized);
  solution_ = array<double, 1>(products_.size(), uninitialized);
  for (const array<T, 2>& rows : factors_.rows) {
    grams_.emplace_back(extents_type<2>{rank_, rank_});
    gram_of_rows(rows, grams_.back());
  }
  if (x.mask != nullptr) masked_.emplace(x, rank_, options.on.threads);
}

template <class T>
double cp_iteration<T>::sweep() {
  for (std::size_t mode = 0; mode < x_.order(); ++mode)
    masked_ ? update_masked(mode) : update(mode);
  const cancelling_sum squared = masked_ ? squared_error_masked() : squared_error();
  // Products have rounding errors of T (with a mask, of double), and a difference below some of
  // these is noise. Where components cancel, the terms are far larger than |x|^2.
  const double noise = 1024 * (masked_ ? epsilon_of<double> : epsilon_of<T>);
  if (squared.value < noise * squared.magnitude) return explicit_error();
  return root_of_ratio(squared.value, x_.squared_norm);
}

template <class T>
void cp_iteration<T>::combine_grams(std::size_t mode) {
  std::ranges::fill(combined_, 1.0);
  for (std::size_t m = 0; m < x_.order(); ++m) {
    if (m == mode) continue;
    for (std::size_t i = 0; i < combined_.size(); ++i) combined_.data()[i] *= grams_[m].data()[i];
  }
}

template <class T>
void cp_iteration<T>::update(std::size_t mode) {
  const std::size_t extent = x_.extents[mode], size = rank_ * extent;
  const T* const products = source_.at(position_++, factors_.rows);
  std::copy_n(products, size, products_.data());
  combine_grams(mode);
  if (options_.nonnegative) {
    for (std::size_t r = 0; r < rank_; ++r)
      for (std::size_t i = r * extent; i < (r + 1) * extent; ++i)
        solution_.data()[i] =
            factors_.weights[r] * static_cast<double>(factors_.rows[mode].data()[i]);
    descend_nonnegative(combined_.data(), products_.data(), solution_.data(), rank_, extent);
  } else {
    std::copy_n(products_.data(), size, solution_.data());
    equations_.solve(combined_.data(), solution_.data(), extent);
  }
  take(mode);
}

template <class T>
void cp_iteration<T>::take(std::size_t mode) {
  normalize(solution_.data(), factors_.rows[mode], factors_.weights);
  gram_of_rows(factors_.rows[mode], grams_[mode]);
}

template <class T>
void cp_iteration<T>::update_masked(std::size_t mode) {
  constexpr std::size_t rows_at_once = 16;
  const std::size_t extent = x_.extents[mode];
  masked_->form(mode, factors_.rows);
  const std::size_t pieces = (extent + rows_at_once - 1) / rows_at_once;
  papilio::parallel_for(
      pieces, extent * rank_ * rank_ < 100000 ? 1 : options_.on.threads, [&](std::size_t piece) {
        normal_equations equations = equations_;
        array<double, 2> v({rank_, rank_}, uninitialized);
        array<double, 1> row(rank_, uninitialized);
        const std::size_t end = std::min(extent, (piece + 1) * rows_at_once);
        for (std::size_t i = piece * rows_at_once; i < end; ++i) {
          masked_->matrix(i, v.data());
          if (options_.nonnegative) {
            for (std::size_t r = 0; r < rank_; ++r)
              row.data()[r] = factors_.weights[r] *
                              static_cast<double>(factors_.rows[mode].data()[r * extent + i]);
            descend_nonnegative(v.data(), masked_->right(i), row.data(), rank_, 1);
          } else {
            std::copy_n(masked_->right(i), rank_, row.data());
            equations.solve(v.data(), row.data(), 1);
          }
          for (std::size_t r = 0; r < rank_; ++r) solution_.data()[r * extent + i] = row.data()[r];
        }
      });
  take(mode);
}

// Computes |x|^2 - 2 <x, model> + |model|^2, by the products of the mode that was updated last.
template <class T>
typename cp_iteration<T>::cancelling_sum cp_iteration<T>::squared_error() const {
  const std::size_t mode = x_.order() - 1, extent = x_.extents[mode];
  const array<T, 2>& rows = factors_.rows[mode];
  cancelling_sum both, model;
  for (std::size_t r = 0; r < rank_; ++r)
    both.add(factors_.weights[r] *
             dot(products_.data() + r * extent, rows.data() + r * extent, extent));
  for (std::size_t r = 0; r < rank_; ++r)
    for (std::size_t s = 0; s < rank_; ++s)
      model.add(factors_.weights[r] * factors_.weights[s] * combined_.data()[r * rank_ + s] *
                grams_[mode].data()[r * rank_ + s]);
  return {x_.squared_norm - 2 * both.value + model.value,
          x_.squared_norm + 2 * both.magnitude + model.magnitude};
}

// Computes the squared error over the elements of the mask, row by row.
template <class T>
typename cp_iteration<T>::cancelling_sum cp_iteration<T>::squared_error_masked() {
  const std::size_t mode = x_.order() - 1, extent = x_.extents[mode];
  std::vector<double> row(rank_);
  cancelling_sum sum{x_.squared_norm, x_.squared_norm};
  for (std::size_t i = 0; i < extent; ++i) {
    for (std::size_t r = 0; r < rank_; ++r)
      row[r] =
          factors_.weights[r] * static_cast<double>(factors_.rows[mode].data()[r * extent + i]);
    masked_->matrix(i, combined_.data());
    for (std::size_t r = 0; r < rank_; ++r) {
      sum.add(row[r] * dot(combined_.data() + r * rank_, row.data(), rank_));
      sum.add(-2 * masked_->right(i)[r] * row[r]);
    }
  }
  return sum;
}

// Computes the error from the residual, with the weights as they are rounded in the result.
template <class T>
double cp_iteration<T>::explicit_error() const {
  std::vector<view<const T, 2>> turned;
  for (const array<T, 2>& rows : factors_.rows)
    turned.emplace_back(rows.data(), extents_type<2>{rows.extent(1), rank_},
                        strides_type<2>{1, static_cast<std::ptrdiff_t>(rows.extent(1))});
  std::vector<T> weights;
  for (const double weight : factors_.weights) weights.push_back(static_cast<T>(weight));
  const two_factors<double> model = split_cp<double, T>(turned, std::span<const T>(weights));
  return root_of_ratio(squared_residual(x_.data, x_.mask, 1, model, options_.on.threads),
                       x_.squared_norm);
}

template class cp_iteration<float>;
template class cp_iteration<double>;

}  // namespace papilio::decompose_detail
