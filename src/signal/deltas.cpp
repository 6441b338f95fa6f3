#include "papilio/signal/deltas.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/share.hpp"
#include "papilio/base/error.hpp"
#include "papilio/base/overlap.hpp"

namespace papilio {
namespace {
namespace deltas {

constexpr std::size_t most_width = (std::size_t{1} << 20) - 1, most_order = 8;

const delta_options& checked(const delta_options& o) {
  if (o.width < 3 || o.width > most_width || o.width % 2 == 0)
    throw invalid_argument(
        base_detail::message("delta_plan: width must be odd, 3 ... 1048575, got ", o.width));
  if (o.order < 1 || o.order > std::min(most_order, o.width - 1))
    throw invalid_argument(base_detail::message("delta_plan: order must be 1 ... ",
                                                std::min(most_order, o.width - 1), " with width ",
                                                o.width, ", got ", o.order));
  if (o.edges < delta_edges::interpolate || o.edges > delta_edges::wrap)
    throw invalid_argument(base_detail::message(
        "delta_plan: edges must be one of delta_edges, got ", static_cast<int>(o.edges)));
  return o;
}

// Monic Gram polynomials on N points about 0:
//   p_{k+1}(x) = x p_k(x) - k^2 (N^2 - k^2) / (4 (4 k^2 - 1)) p_{k-1}(x)
std::vector<double> weights_of(const delta_options& o) {
  const double n = static_cast<double>(o.width), half = static_cast<double>(o.width / 2);
  std::vector<double> before(o.width, 0), p(o.width, 1);
  double factorial = 1;
  for (std::size_t degree = 0; degree < o.order; ++degree) {
    const double k = static_cast<double>(degree);
    const double beta = degree == 0 ? 0 : k * k * (n * n - k * k) / (4 * (4 * k * k - 1));
    for (std::size_t j = 0; j < o.width; ++j) {
      const double next = (static_cast<double>(j) - half) * p[j] - beta * before[j];
      before[j] = p[j];
      p[j] = next;
    }
    factorial *= k + 1;
  }
  double norm = 0;
  for (const double v : p) norm += v * v;
  for (double& v : p) v *= factorial / norm;
  return p;
}

/// Row of n that stands at a place, which may be outside; none: zeros.
std::optional<std::size_t> row_at(std::ptrdiff_t place, std::size_t rows, delta_edges edges) {
  const auto n = static_cast<std::ptrdiff_t>(rows);
  if (place >= 0 && place < n) return static_cast<std::size_t>(place);
  const auto modulo = [](std::ptrdiff_t a, std::ptrdiff_t period) {
    return (a % period + period) % period;
  };
  switch (edges) {
    case delta_edges::interpolate:  // its windows reach nowhere
    case delta_edges::zero:
      return {};
    case delta_edges::nearest:
      return place < 0 ? 0 : rows - 1;
    case delta_edges::mirror: {
      if (n == 1) return 0;
      const std::ptrdiff_t at = modulo(place, 2 * (n - 1));
      return static_cast<std::size_t>(std::min(at, 2 * (n - 1) - at));
    }
    case delta_edges::wrap:
      return static_cast<std::size_t>(modulo(place, n));
  }
  return {};
}

/// Adds the weighted rows of the window about row t of n, in the order of time.
template <class Row>
void add_window(const delta_options& o, std::span<const double> weights, std::size_t t,
                std::size_t n, std::span<double> sums, const Row& add_row) {
  const std::size_t half = o.width / 2;
  const std::size_t centre =
      o.edges == delta_edges::interpolate ? std::clamp(t, half, n - 1 - half) : t;
  std::ranges::fill(sums, 0.0);
  for (std::size_t j = 0; j < o.width; ++j) {
    const auto place = static_cast<std::ptrdiff_t>(centre + j) - static_cast<std::ptrdiff_t>(half);
    if (const auto row = row_at(place, n, o.edges)) add_row(*row, weights[j]);
  }
}

void require_rows(const delta_options& o, std::uint64_t rows) {
  if (o.edges == delta_edges::interpolate && rows > 0 && rows < o.width)
    throw shape_error(base_detail::message("delta_plan: rows must be at least the width ", o.width,
                                           " where ends are interpolated, got ", rows));
}

}  // namespace deltas
}  // namespace

template <class T>
delta_plan<T>::delta_plan(const delta_options& options)
    : options_(deltas::checked(options)), weights_(deltas::weights_of(options)) {}

template <class T>
void delta_plan<T>::execute(view<const T, 2> rows, view<T, 2> out, int threads) const {
  if (rows.extents() != out.extents())
    throw shape_error(base_detail::message("delta_plan: out must be ", rows.extent(0), " x ",
                                           rows.extent(1), " as rows, got ", out.extent(0), " x ",
                                           out.extent(1)));
  base_detail::require_distinct("delta_plan", out);
  if (base_detail::reach(rows).overlaps(base_detail::reach(out)))
    throw invalid_argument("delta_plan: out overlaps rows");
  const std::size_t n = rows.extent(0), features = rows.extent(1);
  deltas::require_rows(options_, n);
  base_detail::share(
      n, base_detail::team_of(threads), [&](std::size_t first, std::size_t last, std::size_t) {
        std::vector<double> sums(features);
        for (std::size_t t = first; t < last; ++t) {
          deltas::add_window(options_, weights_, t, n, sums, [&](std::size_t row, double weight) {
            const T* from = rows.data() + static_cast<std::ptrdiff_t>(row) * rows.stride(0);
            const std::ptrdiff_t step = rows.stride(1);
            if (step == 1)
              for (std::size_t i = 0; i < features; ++i) sums[i] += weight * double{from[i]};
            else
              for (std::size_t i = 0; i < features; ++i, from += step)
                sums[i] += weight * double{*from};
          });
          for (std::size_t i = 0; i < features; ++i) out(t, i) = static_cast<T>(sums[i]);
        }
      });
}

template <class T>
array<T, 2> delta_plan<T>::execute(view<const T, 2> rows, int threads) const {
  array<T, 2> out(rows.extents());
  execute(rows, out, threads);
  return out;
}

template <class T>
delta_stream<T>::delta_stream(const delta_options& options, std::size_t features)
    : plan_(options), sums_(features), out_(features) {
  if (options.edges == delta_edges::wrap)
    throw invalid_argument("delta_stream: edges must not be wrap, which needs the last rows first");
  if (features == 0) throw invalid_argument("delta_stream: features must be at least 1, got 0");
  last_ = array<T, 2>({options.width, features});
}

// Makes a row of the rows that were received: those that its window needs after it are there, or
// there are none. No row before the last `width` is needed, since a mirror is narrower.
template <class T>
void delta_stream<T>::make(std::uint64_t row, row_sink<T> sink) {
  const std::size_t width = plan_.options().width;
  deltas::add_window(plan_.options(), plan_.weights(), row, received_, sums_,
                     [&](std::size_t r, double weight) {
                       const T* const from = &last_(r % width, 0);
                       for (std::size_t i = 0; i < sums_.size(); ++i)
                         sums_[i] += weight * double{from[i]};
                     });
  std::ranges::transform(sums_, out_.begin(), [](double v) { return static_cast<T>(v); });
  ++made_;
  sink(row, out_);
}

template <class T>
void delta_stream<T>::push(view<const T, 2> rows, row_sink<T> sink) {
  if (is_finished_) throw invalid_argument("delta_stream: push after finish()");
  if (rows.extent(1) != features())
    throw shape_error(base_detail::message("delta_stream: rows must have ", features(),
                                           " features, got ", rows.extent(1)));
  const delta_options& o = plan_.options();
  for (std::size_t r = 0; r < rows.extent(0); ++r) {
    T* const to = &last_(static_cast<std::size_t>(received_ % o.width), 0);
    for (std::size_t i = 0; i < features(); ++i) to[i] = rows(r, i);
    ++received_;
    const bool is_whole = o.edges != delta_edges::interpolate || received_ >= o.width;
    while (is_whole && made_ + o.width / 2 < received_) make(made_, sink);
  }
}

template <class T>
void delta_stream<T>::finish(row_sink<T> sink) {
  if (is_finished_) return;
  deltas::require_rows(plan_.options(), received_);
  is_finished_ = true;
  while (made_ < received_) make(made_, sink);
}

template <class T>
void delta_stream<T>::reset() {
  received_ = made_ = 0;
  is_finished_ = false;
}

template class delta_plan<float>;
template class delta_plan<double>;
template class delta_stream<float>;
template class delta_stream<double>;

}  // namespace papilio
