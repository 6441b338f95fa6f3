#include "support/nd.hpp"

namespace papilio::test {
namespace {

// A row-major array seen as [before, n, behind].
struct sides {
  std::size_t before = 1, behind = 1;
};

sides around(const sizes& extents, std::size_t axis) {
  sides s;
  for (std::size_t a = 0; a < extents.size(); ++a) {
    if (a < axis) s.before *= extents[a];
    if (a > axis) s.behind *= extents[a];
  }
  return s;
}

}  // namespace

std::size_t count(const sizes& extents) {
  std::size_t product = 1;
  for (const std::size_t e : extents) product *= e;
  return product;
}

std::vector<exact> dftn(std::vector<exact> x, const sizes& extents, const sizes& axes, int sign) {
  for (const std::size_t axis : axes) {
    const auto [before, behind] = around(extents, axis);
    const std::size_t n = extents[axis];
    std::vector<exact> line(n);
    for (std::size_t a = 0; a < before; ++a)
      for (std::size_t b = 0; b < behind; ++b) {
        for (std::size_t j = 0; j < n; ++j) line[j] = x[(a * n + j) * behind + b];
        const std::vector<exact> spectrum = dft(line, sign);
        for (std::size_t j = 0; j < n; ++j) x[(a * n + j) * behind + b] = spectrum[j];
      }
  }
  return x;
}

std::vector<exact> hermitian(const std::vector<exact>& half, sizes extents, std::size_t axis,
                             std::size_t n) {
  extents[axis] = n;
  const auto [before, behind] = around(extents, axis);
  const std::size_t bins = n / 2 + 1;
  std::vector<exact> whole(count(extents));
  for (std::size_t a = 0; a < before; ++a)
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t b = 0; b < behind; ++b) {
        const auto bin = [&](std::size_t at) { return half[(a * bins + at) * behind + b]; };
        const bool is_real = k == 0 || 2 * k == n;
        whole[(a * n + k) * behind + b] = is_real    ? exact(bin(k).real())
                                          : k < bins ? bin(k)
                                                     : std::conj(bin(n - k));
      }
  return whole;
}

std::vector<exact> first_along(const std::vector<exact>& x, sizes extents, std::size_t axis,
                               std::size_t kept) {
  const auto [before, behind] = around(extents, axis);
  std::vector<exact> part;
  for (std::size_t a = 0; a < before; ++a)
    for (std::size_t i = 0; i < kept * behind; ++i)
      part.push_back(x[a * extents[axis] * behind + i]);
  return part;
}

layout lay_out(const sizes& extents, const sizes& order, const std::vector<axis_layout>& axes) {
  layout result{std::vector<std::ptrdiff_t>(extents.size()), 0, 1};
  for (std::size_t i = order.size(); i-- > 0;) {
    const std::size_t axis = order[i];
    if (axes[axis].repeated) continue;
    const std::size_t step = result.size * axes[axis].gap;
    result.strides[axis] = static_cast<std::ptrdiff_t>(step);
    if (axes[axis].backwards) {
      result.strides[axis] = -result.strides[axis];
      result.offset += step * (extents[axis] - 1);
    }
    result.size = step * extents[axis];
  }
  return result;
}

layout row_major(const sizes& extents) {
  sizes order;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) order.push_back(axis);
  return lay_out(extents, order, std::vector<axis_layout>(extents.size()));
}

std::vector<std::size_t> offsets(const sizes& extents, const layout& where) {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < count(extents); ++i) {
    std::size_t rest = i;
    auto offset = static_cast<std::ptrdiff_t>(where.offset);
    for (std::size_t axis = extents.size(); axis-- > 0; rest /= extents[axis])
      offset += static_cast<std::ptrdiff_t>(rest % extents[axis]) * where.strides[axis];
    all.push_back(static_cast<std::size_t>(offset));
  }
  return all;
}

std::vector<sizes> subsets(std::size_t rank) {
  std::vector<sizes> all;
  for (std::size_t bits = 0; bits < std::size_t{1} << rank; ++bits) {
    all.emplace_back();
    for (std::size_t axis = 0; axis < rank; ++axis)
      if (bits >> axis & 1) all.back().push_back(axis);
  }
  return all;
}

}  // namespace papilio::test
