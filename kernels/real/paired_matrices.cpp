// Matrices of the two stages of paired_lines.cpp.
#include <algorithm>
#include <complex>

#include "base/roots_of_unity.hpp"
#include "kernels/real/line_units.hpp"
#include "kernels/real/paired_geometry.hpp"

namespace papilio::kernels_detail {

std::vector<line_piece> paired_geometry::first_pieces(
    std::vector<std::vector<real_part>>* rows) const {
  std::vector<line_piece> pieces;
  for (const int plane : {0, 1}) {
    const std::int64_t last = plane == 0 ? first_bins() : first_bins() - 1;
    for (std::int64_t t = plane; t < last; t += side) {
      const std::int64_t count = std::min(side, last - t);
      pieces.push_back({plane * this->plane() + t * first_step(), {{count, first_step()}}});
      if (rows == nullptr) continue;
      rows->emplace_back();
      for (std::int64_t i = t; i < t + count; ++i)
        rows->back().push_back({i * first_step(), plane});
    }
  }
  return pieces;
}

namespace {

using complex = std::complex<double>;

class matrices {
 public:
  explicit matrices(const paired_geometry& g)
      : g_(g), root_n_(std::size_t(g.what.n)), root_m_(std::size_t(g.m)) {}

  // Between A[k1][j2] or y[k1][j2] (index k1 r2 + j2) and bin k.
  double pair(const real_part& row, const real_part& bin) const {
    if (row.index < 0) return 0;
    const std::int64_t k1 = row.index / g_.r2, j2 = row.index % g_.r2, k = bin.index;
    const std::int64_t other = (g_.m - k) % g_.r1;
    double sum = 0;
    if (!g_.what.inverse) {
      const complex w = root_m_(std::size_t(j2 * k % g_.m)) * (g_.what.scale / 2);
      const complex turn = complex(0, 1) * root_n_(std::size_t(k));
      if (k % g_.r1 == k1) sum += coefficient(w * (1.0 - turn), false, row.plane, bin.plane);
      if (other == k1) sum += coefficient(w * (1.0 + turn), true, row.plane, bin.plane);
      return sum;
    }
    if (k < g_.m && k % g_.r1 == k1) {
      const complex turn = complex(0, 1) * std::conj(root_n_(std::size_t(k)));
      const complex w = std::conj(root_m_(std::size_t(j2 * k % g_.m)));
      sum += coefficient(w * (1.0 + turn), false, bin.plane, row.plane);
    }
    if (k > 0 && other == k1) {
      const std::int64_t mirrored = g_.m - k;
      const complex turn = complex(0, 1) * std::conj(root_n_(std::size_t(mirrored)));
      const complex w = std::conj(root_m_(std::size_t(j2 * mirrored % g_.m)));
      sum += coefficient(w * (1.0 - turn), true, bin.plane, row.plane);
    }
    return sum;
  }

 private:
  const paired_geometry& g_;
  base_detail::roots_of_unity<double> root_n_, root_m_;
};

// The reals of A or y that a piece of a pair has, (plane, side, j2); pieces of one side, or of one
// side and plane.
std::vector<real_part> row_reals(const paired_geometry& g, std::int64_t pair, std::int64_t piece,
                                 std::int64_t pieces) {
  std::vector<real_part> reals;
  for (int plane = 0; plane < 2; ++plane)
    for (std::int64_t e = 0; e < 2; ++e) {
      if (pieces == 2 && e != piece) continue;
      if (pieces == 4 && 2 * plane + e != piece) continue;
      for (std::int64_t j2 = 0; j2 < g.r2; ++j2)
        reals.push_back({g.row(pair, e) < 0 ? -1 : g.row(pair, e) * g.r2 + j2, plane});
    }
  return reals;
}

// The same of bins, (plane, side, h); of the first pair all, forward.
std::vector<real_part> bin_reals(const paired_geometry& g, std::int64_t pair, std::int64_t piece,
                                 std::int64_t pieces) {
  std::vector<real_part> reals;
  for (int plane = 0; plane < 2; ++plane) {
    if (pair == 0) {
      for (std::int64_t t = 0; t < g.first_bins(); ++t)
        reals.push_back({t * g.first_step(), plane});
      continue;
    }
    for (std::int64_t e = 0; e < 2; ++e) {
      if (pieces == 2 && e != piece) continue;
      if (pieces == 4 && 2 * plane + e != piece) continue;
      for (std::int64_t h = 0; h < g.r2; ++h) reals.push_back({g.row(pair, e) + g.r1 * h, plane});
    }
  }
  return reals;
}

}  // namespace

void fill_pairs(const paired_geometry& g, std::int64_t table_columns, std::span<float> table) {
  const matrices of(g);
  std::ranges::fill(table, 0.0f);
  std::int64_t at = 0;
  const auto put = [&](const std::vector<real_part>& rows, const std::vector<real_part>& columns) {
    for (std::size_t r = 0; r < rows.size(); ++r)
      for (std::size_t c = 0; c < columns.size(); ++c)
        table[r * std::size_t(table_columns) + std::size_t(at) + c] = static_cast<float>(
            g.what.inverse ? of.pair(columns[c], rows[r]) : of.pair(rows[r], columns[c]));
    at += std::int64_t(columns.size());
  };
  const std::int64_t pieces = g.pair_pieces();
  for (std::int64_t p = 0; p < g.pairs; ++p) {
    if (g.what.inverse && p == 0) {
      std::vector<std::vector<real_part>> rows;
      g.first_pieces(&rows);
      for (const auto& r : rows) put(r, row_reals(g, 0, 0, 1));
      continue;
    }
    for (std::int64_t piece = 0; piece < pieces; ++piece)
      if (g.what.inverse)
        put(bin_reals(g, p, piece, pieces), row_reals(g, p, 0, 1));
      else
        put(row_reals(g, p, piece, pieces), bin_reals(g, p, 0, 1));
  }
}

void fill_points(const paired_geometry& g, std::int64_t table_columns, std::span<float> table) {
  const base_detail::roots_of_unity<double> root{std::size_t(g.r1)};
  std::ranges::fill(table, 0.0f);
  const std::int64_t pieces = g.point_pieces(), results = g.point_results();
  const auto value = [&](std::int64_t j1, std::int64_t k1) {
    const complex w = root(std::size_t(j1 * k1 % g.r1));
    return g.what.inverse ? std::conj(w) * g.what.scale : w;
  };
  for (std::int64_t j1 = 0; j1 < g.r1; ++j1)
    for (std::int64_t p = 0; p < g.pairs; ++p)
      for (std::int64_t e = 0; e < 2; ++e) {
        const std::int64_t k1 = g.row(p, e), c = g.shared;
        if (k1 < 0) continue;
        for (std::int64_t j2 = 0; j2 < c; ++j2)
          for (int from = 0; from < 2; ++from)
            for (int to = 0; to < 2; ++to) {
              const double v = coefficient(value(j1, k1), false, from, to);
              const int point_plane = g.what.inverse ? to : from,
                        row_plane = g.what.inverse ? from : to;
              const std::int64_t point = (j1 * c + j2) * 2 + point_plane;
              std::int64_t row = 0, column = 0;
              if (g.what.inverse) {
                row = ((from * g.pairs + p) * 2 + e) * c + j2;
                if (pieces == 2) row = (p * 2 + e) * c + j2;
                column = point;
              } else {
                row = pieces == 2 ? j1 * c + j2 : point;
                column = ((p * 2 + e) * 2 + row_plane) * c + j2;
              }
              if (pieces == 2) column += from * results;
              table[std::size_t(row * table_columns + column)] = static_cast<float>(v);
            }
      }
}

}  // namespace papilio::kernels_detail
