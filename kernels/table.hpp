#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "kernels/array_operands.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels_detail {

/// A table that is being filled: rows of numbers, zero until they are put.
class table_writer {
 public:
  table_writer(std::span<float> elements, std::int64_t columns)
      : elements_(elements), columns_(columns) {
    std::ranges::fill(elements, 0.0f);
  }

  void put(std::int64_t row, std::int64_t column, double value) const {
    elements_[std::size_t(row * columns_ + column)] = static_cast<float>(value);
  }
  /// The imaginary part so many columns behind the real one.
  void put(std::int64_t row, std::int64_t column, std::complex<double> value,
           std::int64_t plane) const {
    put(row, column, value.real());
    put(row, column + plane, value.imag());
  }

 private:
  std::span<float> elements_;
  std::int64_t columns_;
};

/// A table of rows that fill(table_writer) puts; of operands in parts, all columns of the first
/// part, then those of the next.
template <class Fill>
kernels::constant_table table_of(std::string name, std::int64_t rows, std::int64_t columns,
                                 Fill fill, const array_operands& operands = {}) {
  const std::int64_t pitch = operands.parts * columns;
  return {std::move(name),
          {{rows, pitch}, operands.type},
          [=, fill = std::move(fill)](std::span<float> out) {
            fill(table_writer(out, pitch));
            split_rows(out, columns, operands);
          }};
}

}  // namespace papilio::kernels_detail
