#include "signal/delta_columns.hpp"

#include <algorithm>

namespace papilio::signal_detail {
namespace {

constexpr std::size_t rows_at_once = 64;

}  // namespace

delta_columns::delta_columns(std::size_t columns, std::size_t orders, std::size_t width)
    : columns_(columns),
      width_(width),
      last_({width, columns}),
      made_({rows_at_once + width, columns * (orders + 1)}) {
  for (std::size_t order = 1; order <= orders; ++order)
    streams_.emplace_back(delta_options{.width = width, .order = order}, columns);
}

std::vector<std::string> delta_columns::names(const std::vector<std::string>& columns,
                                              std::size_t orders) {
  std::vector<std::string> all = columns;
  for (std::size_t order = 1; order <= orders; ++order)
    for (const std::string& name : columns)
      all.push_back((order == 1 ? "delta_" : "delta" + std::to_string(order) + "_") + name);
  return all;
}

// The streams have one width: each passes on the same rows.
void delta_columns::take(std::size_t order, std::uint64_t row, std::span<const double> deltas) {
  double* const to = &made_(static_cast<std::size_t>(row - first_), 0);
  std::ranges::copy(deltas, to + order * columns_);
  if (order > 1) return;
  std::copy_n(&last_(static_cast<std::size_t>(row % width_), 0), columns_, to);
  ++filled_;
}

void delta_columns::push(view<const double, 2> rows, sink out) {
  for (std::size_t r = 0; r < rows.extent(0); ++r) {
    const view<const double, 2> row = rows.slice(0, r, 1);
    for (std::size_t c = 0; c < columns_; ++c)
      last_(static_cast<std::size_t>(received_ % width_), c) = row(0, c);
    ++received_;
    for (std::size_t i = 0; i < streams_.size(); ++i)
      streams_[i].push(row, [&](std::uint64_t t, std::span<const double> v) { take(i + 1, t, v); });
    if (filled_ >= rows_at_once) flush(out);
  }
}

void delta_columns::finish(sink out) {
  if (received_ < width_) return;
  for (std::size_t i = 0; i < streams_.size(); ++i)
    streams_[i].finish([&](std::uint64_t t, std::span<const double> v) { take(i + 1, t, v); });
  flush(out);
}

void delta_columns::flush(sink out) {
  if (filled_ > 0) out(first_, made_.view().slice(0, 0, filled_));
  first_ += filled_;
  filled_ = 0;
}

}  // namespace papilio::signal_detail
