#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/internal.hpp"
#include "papilio/base/array.hpp"
#include "papilio/signal/deltas.hpp"

namespace papilio::signal_detail {

/// Rows of features, each followed by its deltas of the orders 1 ... `orders`, which come `width` / 2
/// rows later. Memory is a few times `width` rows.
class PAPILIO_INTERNAL delta_columns {
 public:
  using sink = function_ref<void(std::uint64_t first, view<const double, 2> values)>;

  delta_columns(std::size_t columns, std::size_t orders, std::size_t width);

  /// "mfcc_0", ... and then "delta_mfcc_0", ... "delta2_mfcc_0", ...
  static std::vector<std::string> names(const std::vector<std::string>& columns,
                                        std::size_t orders);

  void push(view<const double, 2> rows, sink out);
  /// Passes on the last rows; none where there were fewer than `width`.
  void finish(sink out);

 private:
  void take(std::size_t order, std::uint64_t row, std::span<const double> deltas);
  void flush(sink out);

  std::size_t columns_, width_;
  std::vector<delta_stream<double>> streams_;
  array<double, 2> last_, made_;  // row r of those received is in last_ at r mod width
  std::uint64_t received_ = 0, first_ = 0;
  std::size_t filled_ = 0;
};

}  // namespace papilio::signal_detail
