#include "kernels/transform/groups.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <tuple>
#include <utility>

#include "kernels/ceil_div.hpp"
#include "kernels/table.hpp"
#include "kernels/transform/element_places.hpp"
#include "kernels/transform/patterns.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {

using engine::machine_spec;

namespace {

constexpr std::size_t levels_max = 4;  // of an access to a tile, partitions aside

// An element with its address in a tile. Results that are mirror images of rows that a group reads
// lie in the other direction.
struct placed {
  transform_element what = {};
  std::int64_t at = 0;
  bool mirrored = false;
};

// Groups that share a product.
struct group_bundle {
  std::vector<placed> in = {}, out = {};
  std::vector<std::int64_t> groups = {};  // of which they are
  std::vector<operand_piece> pieces = {};
  std::int64_t matrix = 0;
};

// One matrix of the table: its rows and columns, as elements of the transform forward.
struct stage_matrix {
  std::vector<transform_element> in = {}, out = {};
  std::vector<std::int64_t> piece_rows = {};
  std::int64_t column = 0;
};

// Compiles one stage.
class stage_compiler {
 public:
  stage_compiler(const transform_formula& f, const stage_options& o, const machine_spec& m, int t)
      : f_(f),
        o_(o),
        t_(t),
        side_(m.tensor.rows),
        bank_(product_columns_max(m)),
        levels_max_(levels_max),
        step_(m.sbuf.start_partition_step),
        before_(f.rows_after(t)),
        radix_(f.radices[std::size_t(t)]),
        left_(f.n() / before_ / radix_),
        reads_points_(!f.transposed && t == 0),
        reads_bins_(f.transposed && t + 1 == f.stages()),
        is_last_(f.transposed ? t == 0 : t + 1 == f.stages()),
        line_reals_(f.n() * (f.real ? 1 : 2)),
        filled_(std::size_t(o.lines), 0) {}

  // `places`: where the stage before left the elements; then where this one does.
  transform_stage compile(element_places& places) {
    make_bundles();
    transform_stage stage;
    // Sums of several pieces are short ones that are added up.
    const std::int64_t reals = f_.real ? radix_ : 2 * radix_;
    stage.points = (std::min(reals, side_) + 1) / 2 + (reals - 1) / side_;
    stage.radix = radix_;
    stage.order = before_ * radix_;
    element_places next(f_.rows_after(f_.transposed ? t_ : t_ + 1), o_.lines,
                        f_.transposed ? left_ * radix_ : left_);
    for (group_bundle& b : bundles_) {
      place(b, places, next);
      b.matrix = matrix_of(b, stage.table_columns);
    }
    stage.out_columns =
        o_.lines * (is_last_ && !f_.transposed ? f_.bins() * (o_.squared ? 1 : 2) : line_reals_);
    share_points(stage);
    make_units(stage);
    stage.squared = is_last_ && o_.squared;
    // One copy for a unit costs no more than results as they lie.
    stage.scattered =
        stage.squared || (is_last_ && std::ranges::any_of(stage.units, [](const product_unit& u) {
                            return u.copies.size() > 1;
                          }));
    stage.table = table(stage);
    stage.table_columns *= stage.turns;
    places = std::move(next);
    return stage;
  }

 private:
  std::int64_t orbit_of(std::int64_t k) const {
    k %= before_;
    return f_.real ? std::min(k, (before_ - k) % before_) : k;
  }
  bool is_own_image(std::int64_t orbit) const { return f_.real && 2 * orbit % before_ == 0; }
  // Groups in order: orbits that are their own mirror image, then lines, orbits, points left.
  std::int64_t group_of(const transform_element& e) const {
    const std::int64_t orbit = orbit_of(e.k);
    return (((is_own_image(orbit) ? 0 : o_.lines) + e.line) * before_ + orbit) * left_ +
           e.j % left_;
  }

  using by_group = std::vector<std::pair<std::int64_t, transform_element>>;
  by_group sorted(int t, bool whole) const {
    by_group all;
    for (const transform_element& e : elements_after(f_, t, o_.lines, whole))
      all.emplace_back(group_of(e), e);
    std::ranges::stable_sort(all, {}, &by_group::value_type::first);
    return all;
  }

  // How many groups a product takes: points left come first, then rows, and lines where they read
  // neighbours.
  void make_bundles() {
    const bool whole = !f_.transposed && is_last_;
    const by_group in = sorted(t_, false), out = sorted(t_ + 1, whole);
    std::size_t reals = 0;
    for (const by_group* side : {&in, &out}) {
      const auto [first, last] =
          std::ranges::equal_range(*side, side->back().first, {}, &by_group::value_type::first);
      reals = std::max(reals, std::size_t(last - first));
    }
    const bool wide = o_.wide && t_ + 1 == f_.stages() && f_.stages() > 1;
    const std::int64_t room = (wide ? 2 : 1) * side_ / std::int64_t(reals);
    std::int64_t share = 1;
    for (std::int64_t d = 1; d <= std::min(left_, room); ++d)
      if (left_ % d == 0) share = d;
    const std::int64_t most =
        share == left_ ? std::max<std::int64_t>(1, room / left_) * left_ : share;
    std::pair<bool, std::int64_t> last{false, -1};
    for (std::size_t i = 0, o = 0; i < in.size();) {
      const std::int64_t group = in[i].first;
      const transform_element& e = in[i].second;
      const std::pair<bool, std::int64_t> here{is_own_image(orbit_of(e.k)),
                                               before_ == 1 ? 0 : e.line};
      if (bundles_.empty() || here != last || std::ssize(bundles_.back().groups) == most)
        bundles_.emplace_back();
      last = here;
      group_bundle& b = bundles_.back();
      b.groups.push_back(group);
      for (; i < in.size() && in[i].first == group; ++i) b.in.push_back({in[i].second});
      for (; o < out.size() && out[o].first == group; ++o)
        b.out.push_back({out[o].second, 0, out[o].second.k % before_ != orbit_of(out[o].second.k)});
    }
    if (f_.transposed)
      for (group_bundle& b : bundles_) std::swap(b.in, b.out);
  }

  std::int64_t outside(const transform_element& e, bool bins) const {
    if (bins) return o_.bins.at(o_.squared ? 0 : e.plane, e.line, e.k);
    return o_.points.at(e.plane, e.line, e.j);
  }

  std::int64_t cut_of(const placed& p, std::int64_t part) const {
    return (f_.transposed ? p.what.j : p.what.k) / part;
  }

  void place(group_bundle& b, element_places& before, element_places& next) {
    for (placed& p : b.in)
      p.at = reads_points_ || reads_bins_ ? outside(p.what, reads_bins_) : before[p.what];
    std::ranges::sort(b.in, {}, [](const placed& p) { return std::tuple(p.mirrored, p.at); });
    if (is_last_) {
      for (placed& p : b.out) p.at = outside(p.what, !f_.transposed);
      // Real and imaginary parts that do not fit one bank stay together.
      const std::int64_t part = std::ssize(b.out) > bank_ ? bank_ / 2 : f_.n();
      std::ranges::sort(b.out, {}, [&](const placed& p) {
        return std::tuple(p.mirrored, cut_of(p, part), p.what.plane, p.at);
      });
    } else {
      std::ranges::sort(b.out, {}, [](const placed& p) {
        return std::tuple(p.what.k, p.what.plane, p.what.line, p.what.j);
      });
      // Numbers of a line lie together, in the order in which they are made.
      for (placed& p : b.out)
        next[p.what] = p.at = p.what.line * line_reals_ + filled_[std::size_t(p.what.line)]++;
    }
    std::vector<std::int64_t> addresses;
    for (const placed& p : b.in) addresses.push_back(p.at);
    // Complex numbers have pieces alike, wherever planes lie, so that sums do not depend on the
    // lines beside them.
    const std::int64_t all = std::ssize(addresses),
                       rows = f_.real ? side_ : ceil_div(all, ceil_div(all, side_));
    for (address_run& run : runs_of(addresses, std::size_t(rows), levels_max_))
      b.pieces.push_back({addresses[run.first], std::int64_t(run.count), std::move(run.levels)});
  }

  // Bundles whose elements agree but for lines and points left share a matrix.
  std::int64_t matrix_of(const group_bundle& b, std::int64_t& columns) {
    std::vector<std::int64_t> key;
    const auto ordinal = [&](const transform_element& e) {
      return std::ranges::lower_bound(b.groups, group_of(e)) - b.groups.begin();
    };
    const bool weighted = t_ == 0 && !f_.point_factors.empty();
    const std::vector<placed>&in = f_.transposed ? b.out : b.in,
          &out = f_.transposed ? b.in : b.out;
    for (const placed& p : in)
      key.insert(key.end(), {p.what.k, weighted ? p.what.j : p.what.j / left_,
                             ordinal(p.what) * 2 + p.what.plane});
    key.push_back(-1);
    for (const placed& p : out)
      key.insert(key.end(), {p.what.k, ordinal(p.what) * 2 + p.what.plane});
    key.push_back(-1);
    for (const operand_piece& p : b.pieces) key.push_back(p.rows);
    const auto [found, fresh] = numbers_.emplace(std::move(key), matrices_.size());
    if (fresh) {
      stage_matrix m{.column = columns};
      for (const placed& p : in) m.in.push_back(p.what);
      for (const placed& p : out) m.out.push_back(p.what);
      for (const operand_piece& p : b.pieces) m.piece_rows.push_back(p.rows);
      columns += std::int64_t(b.pieces.size() * b.out.size());
      matrices_.push_back(std::move(m));
    }
    return matrices_[found->second].column;
  }

  // Points that follow each other in HBM by `shift`, whole digits of this stage, are shared where
  // pieces are alike and what is new fills partitions that the engines can begin at.
  void share_points(transform_stage& stage) const {
    if (o_.shift == 0 || !reads_points_ || is_last_ || o_.shift % left_ != 0) return;
    const std::int64_t digits = o_.shift / left_, bundles = std::ssize(bundles_),
                       beside = std::ssize(bundles_[0].groups), turns = radix_ / digits;
    const bool alike = std::ranges::all_of(bundles_, [&](const group_bundle& b) {
      return b.pieces.size() == 1 && std::ssize(b.groups) == beside;
    });
    if (!alike || turns < 2 || radix_ % digits != 0 || bundles % turns != 0 ||
        digits * beside % step_ != 0)
      return;
    stage.renewed = digits * beside;
    stage.turns = turns;
    for (std::int64_t b = 0; b < bundles; b += turns)
      stage.renewals.push_back({(radix_ - digits) * left_ + b * beside,
                                turns * stage.renewed,
                                {{turns, beside}, {digits, left_}, {beside, 1}}});
  }

  kernels::constant_table table(const transform_stage& stage) {
    const std::int64_t columns = stage.table_columns, turns = stage.turns, renewed = stage.renewed;
    std::int64_t rows = 1;
    for (const stage_matrix& m : matrices_)
      for (const std::int64_t r : m.piece_rows) rows = std::max(rows, r);
    const auto matrices = std::make_shared<std::vector<stage_matrix>>(std::move(matrices_));
    return table_of(
        base_detail::message("stage ", f_.transposed ? f_.stages() - t_ : t_ + 1, " of ",
                             f_.describe()),
        rows, columns * turns,
        [=, f = f_, t = t_](const table_writer& table) {
          const stage_coefficient coefficient(f, t);
          for (const stage_matrix& m : *matrices) {
            const auto& rows_of = f.transposed ? m.out : m.in;
            const auto& columns_of = f.transposed ? m.in : m.out;
            std::size_t row = 0;
            std::int64_t column = m.column;
            for (const std::int64_t count : m.piece_rows) {
              for (std::int64_t i = 0; i < count; ++i, ++row)
                for (std::size_t c = 0; c < columns_of.size(); ++c) {
                  const double value = f.transposed ? coefficient(columns_of[c], rows_of[row])
                                                    : coefficient(rows_of[row], columns_of[c]);
                  for (std::int64_t v = 0; v < turns; ++v)
                    table.put((i + v * renewed) % count, v * columns + column + std::int64_t(c),
                              value);
                }
              column += std::int64_t(columns_of.size());
            }
          }
        },
        o_.operands);
  }

  // Runs of a bundle's results that go where one pattern leads; of squared bins, of real parts.
  std::vector<result_copy> copies_of(const group_bundle& b, std::int64_t first,
                                     std::int64_t count) const {
    std::vector<std::int64_t> to, from;
    for (std::int64_t i = first; i < first + count; ++i) {
      const placed& p = b.out[std::size_t(i)];
      if (is_last_ && o_.squared && p.what.plane == 1) continue;
      to.push_back(p.at);
      from.push_back(i - first);
    }
    return copies_between(to, from, levels_max_);
  }

  bool alike(const group_bundle& a, const group_bundle& b) const {
    return a.pieces.size() == b.pieces.size() && a.out.size() == b.out.size();
  }

  void make_units(transform_stage& stage) {
    for (std::size_t first = 0; first < bundles_.size();) {
      const group_bundle& one = bundles_[first];
      const std::int64_t columns = std::int64_t(one.out.size()),
                         pieces = std::int64_t(one.pieces.size());
      std::size_t end = first + 1;
      if (columns <= bank_) {
        // Results follow each other without a gap: within one bank where they do not fill it.
        const std::int64_t results = bank_ % columns ? bank_ / columns
                                                     : product_banks * (bank_ / columns),
                           transposes = product_banks * (bank_ / side_) / pieces,
                           most = std::max<std::int64_t>(1, std::min(results, transposes));
        while (end < bundles_.size() && std::int64_t(end - first) < most &&
               alike(bundles_[end], one))
          ++end;
        add_unit(stage, std::span(bundles_).subspan(first, end - first), 0, columns);
      } else {
        const auto cut = [&](std::int64_t i) { return cut_of(one.out[std::size_t(i)], bank_ / 2); };
        for (std::int64_t at = 0, next = 0; at < columns; at = next) {
          while (next < columns && cut(next) == cut(at)) ++next;
          add_unit(stage, std::span(bundles_).subspan(first, 1), at, next - at);
        }
      }
      first = end;
    }
  }

  void add_unit(transform_stage& stage, std::span<const group_bundle> bundles, std::int64_t at,
                std::int64_t columns) {
    product_unit u{.is_continued = at > 0,
                   .products = std::int64_t(bundles.size()),
                   .pieces_each = std::int64_t(bundles[0].pieces.size()),
                   .columns = columns,
                   .matrix_step = std::ssize(bundles[0].out)};
    for (const group_bundle& b : bundles) {
      u.pieces.insert(u.pieces.end(), b.pieces.begin(), b.pieces.end());
      u.matrices.push_back(b.matrix + at);
    }
    add_copies(u, bundles, at);
    stage.units.push_back(std::move(u));
  }

  // Copies of all bundles that step evenly are one.
  void add_copies(product_unit& u, std::span<const group_bundle> bundles, std::int64_t at) const {
    std::vector<std::vector<result_copy>> each;
    std::size_t most = 0;
    for (const group_bundle& b : bundles) {
      each.push_back(copies_of(b, at, u.columns));
      most = std::max(most, each.back().size());
    }
    for (std::size_t c = 0; c < most; ++c)
      for (std::size_t first = 0; first < each.size();) {
        if (c >= each[first].size()) {
          ++first;
          continue;
        }
        result_copy copy = each[first][c];
        copy.from += std::int64_t(first) * u.columns;
        std::size_t end = first + 1;
        std::int64_t step = 0;
        while (end < each.size() && c < each[end].size() &&
               each[end][c].to_levels == copy.to_levels &&
               each[end][c].from == each[first][c].from && copy.to_levels.size() < levels_max_) {
          const std::int64_t here = each[end][c].to - each[end - 1][c].to;
          if (end > first + 1 && here != step) break;
          step = here;
          ++end;
        }
        if (end - first > 1) {
          copy.to_levels.insert(copy.to_levels.begin(), {std::int64_t(end - first), step});
          copy.from_levels.insert(copy.from_levels.begin(), {std::int64_t(end - first), u.columns});
        }
        u.copies.push_back(std::move(copy));
        first = end;
      }
  }

  const transform_formula& f_;
  const stage_options& o_;
  const int t_;
  const std::int64_t side_, bank_;
  const std::size_t levels_max_;
  const std::int64_t step_;  // partitions from one at which accesses may begin to the next
  const std::int64_t before_, radix_, left_;  // R_t, r_{t+1}, n / R_{t+1}
  const bool reads_points_, reads_bins_, is_last_;
  const std::int64_t line_reals_;
  std::vector<std::int64_t> filled_;  // of each line's numbers
  std::vector<group_bundle> bundles_;
  std::vector<stage_matrix> matrices_;
  std::map<std::vector<std::int64_t>, std::size_t> numbers_;
};

}  // namespace

std::vector<transform_stage> stages_of(const transform_formula& formula,
                                       const stage_options& options, const machine_spec& machine) {
  std::vector<transform_stage> stages;
  element_places places(1, 1, 1);
  for (int s = 0; s < formula.stages(); ++s)
    stages.push_back(
        stage_compiler(formula, options, machine, formula.transposed ? formula.stages() - 1 - s : s)
            .compile(places));
  return stages;
}

}  // namespace papilio::kernels_detail
