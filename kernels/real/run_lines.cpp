// Issues a line_program.
//   layout   128 lines on partitions, each whole in the free axis
//   stage    pieces are transposed on the tensor engine (their elements to partitions), copied out
//            of PSUM, and are then the stationary operand of a product with their matrix moving:
//            lines are on partitions again
//   order    units of two banks; while one is multiplied, the next two are transposed; stages of
//            successive blocks take turns where the tiles between them are enough
//   columns  lines beside each other enter as pieces, elements on partitions, and are transposed
//            once more as they leave (column_access.hpp)
#include <algorithm>
#include <deque>

#include "kernels/real/column_access.hpp"
#include "kernels/real/line_factors.hpp"
#include "kernels/real/line_rings.hpp"
#include "papilio/engine/lowering.hpp"

namespace papilio::kernels_detail {

using namespace engine;

namespace {

constexpr std::size_t lag = 2;  // units between transposes and products

class lines_run {
 public:
  lines_run(core& nc, const line_program& program, const hbm_view& in, const hbm_view& out,
            std::span<const hbm_view> tables)
      : nc_(nc),
        program_(program),
        in_(in),
        out_(out),
        side_(nc.machine().tensor.rows),
        bank_(bank_columns(nc.machine())),
        unit_(bank_ * unit_banks),
        tables_(tables.begin(), tables.end()),
        operands_(nc.sbuf_pool(operand_ring, int(side_), unit_)),
        staging_(staged(program) ? nc.sbuf_pool(staging_ring, int(side_), unit_)
                                 : nc.sbuf_pool(1, 1, 1)),
        banks_(nc.psum_pool(nc.machine().psum.banks / unit_banks, int(side_), unit_)) {
    const std::size_t stages = program.stages.size();
    if (program.columns) access_.emplace(nc, program, in, out);
    if (with_factors(program)) factors_.emplace(nc, program, tables.back());
    pools_.push_back(access_ ? nc.sbuf_pool(1, 1, 1)
                             : nc.sbuf_pool(program.entry_depth, int(side_), program.in_columns));
    for (std::size_t s = 0; s < stages; ++s) {
      const line_stage& what = program.stages[s];
      pools_.push_back(nc.sbuf_pool(s + 1 == stages ? program.exit_depth : program.middle_depth,
                                    int(side_), what.out_columns));
      matrices_.push_back(nc.sbuf(int(what.table_rows), what.table_columns));
    }
  }

  void issue() {
    const std::int64_t count = access_ ? access_->blocks() : (program_.lanes + side_ - 1) / side_,
                       stages = std::int64_t(program_.stages.size());
    blocks_.resize(std::size_t(count));
    // Blocks that are loaded ahead, and that a stage is behind the one before.
    const std::int64_t ahead = access_ ? 0 : program_.entry_depth - 1,
                       behind = program_.middle_depth - 1;
    // Of many blocks the array waits for the first lines, of few the table is the longer load.
    const bool many = !access_ && count > 1;
    if (many) load(0);
    load_matrix(0);
    for (std::int64_t b = many ? 1 : 0; b < std::max<std::int64_t>(1, ahead); ++b) load(b);
    for (std::int64_t s = 1; s < stages; ++s) load_matrix(std::size_t(s));
    for (std::int64_t t = 0; t < count + behind * (stages - 1); ++t) {
      if (ahead > 0) load(t + ahead);
      for (std::int64_t s = 0; s < stages; ++s) {
        const std::int64_t b = t - s * behind;
        if (b >= 0 && b < count) stage(b, s);
        // What the array can do until the second block has been loaded, and until the last one
        // has left PSUM.
        if (many && (t == 0 || t >= count)) drain([](const pending&) { return true; });
        if (s == 0 && ahead == 0) load(t + 1);
      }
    }
    drain([](const pending&) { return true; });
  }

 private:
  struct block {
    std::int64_t first = 0, lanes = 0;
    std::vector<tile_view> tiles = {};  // the input, then of each stage
  };
  struct pending {
    std::int64_t block, stage;
    std::function<void()> back;
  };

  template <class Which>
  void drain(const Which& which) {
    while (std::ranges::any_of(queue_, which)) pop();
  }
  void push(pending what) {
    queue_.push_back(std::move(what));
    if (queue_.size() > lag) pop();
  }
  void pop() {
    const std::function<void()> back = std::move(queue_.front().back);
    queue_.pop_front();
    back();
  }

  void load_matrix(std::size_t s) {
    nc_.issue(dma_copy{.out = matrices_[s].whole(), .in = tables_[s]});
  }

  void load(std::int64_t index) {
    if (index >= std::int64_t(blocks_.size())) return;
    block& b = blocks_[std::size_t(index)];
    b.first = index * side_;
    b.lanes = access_ ? access_->lanes(index) : std::min(side_, program_.lanes - b.first);
    b.tiles.assign(program_.stages.size() + 1, {});
    if (access_) return access_->enter(index);
    b.tiles[0] = pools_[0].next();
    for (const line_move& m : program_.loads)
      nc_.issue(dma_copy{
          .out = b.tiles[0].partition_range(0, int(b.lanes)).columns(m.column, m.count),
          .in = in_.pattern(m.offset + b.first * m.lane, {{b.lanes, m.lane}, {m.count, 1}})});
  }

  void store(const block& b) {
    for (const line_move& m : program_.stores)
      nc_.issue(dma_copy{
          .out = out_.pattern(m.offset + b.first * m.lane, {{b.lanes, m.lane}, {m.count, 1}}),
          .in = b.tiles.back().partition_range(0, int(b.lanes)).columns(m.column, m.count)});
  }

  void stage(std::int64_t index, std::int64_t s) {
    block& b = blocks_[std::size_t(index)];
    const line_stage& what = program_.stages[std::size_t(s)];
    const bool last = is_last(s);
    const int depth = last ? program_.exit_depth : program_.middle_depth;
    // What the stage reads must have been filled, and the tile that it takes as well.
    drain([&](const pending& p) {
      return (p.block == index && p.stage < s) || (p.block <= index - depth && p.stage == s);
    });
    b.tiles[std::size_t(s) + 1] = pools_[std::size_t(s) + 1].next();
    std::size_t piece = 0;
    for (const line_unit& u : what.units) {
      if (s > 0 || !access_)
        unit(index, s, u);
      else
        piece = unit_of_columns(index, u, piece);
    }
    if (last && access_)
      leave_behind(index);
    else if (last)
      queue_.back().back = [this, &b, back = std::move(queue_.back().back)] {
        back();
        store(b);
      };
  }

  // Results of columns leave a block later, where there is a tile for it: the tensor engine, which
  // turns them, does not wait for the last of them.
  void leave_behind(std::int64_t index) {
    const auto leave = [this](std::int64_t number) {
      const auto& b = blocks_[std::size_t(number)];
      access_->leave(number, b.tiles.back().partition_range(0, int(b.lanes)), banks_);
    };
    const std::int64_t stage = std::int64_t(program_.stages.size()) - 1,
                       behind = program_.exit_depth > 1 ? 1 : 0;
    if (index >= behind)
      push({index - behind, stage, [leave, number = index - behind] { leave(number); }});
    if (behind > 0 && index + 1 == std::int64_t(blocks_.size()))
      push({index, stage, [leave, index] { leave(index); }});
  }

  std::int64_t place(std::int64_t index, std::int64_t width) const {
    const std::int64_t each = bank_ / width;
    return index / each * bank_ + index % each * width;
  }

  // Of a unit of the last stage; those of the next one are on their way meanwhile.
  tile_view next_factors(std::int64_t index, std::int64_t s, const line_unit& u) {
    if (!factors_ || !is_last(s)) return {};
    const auto load = [&](std::int64_t at, std::size_t number) {
      return factors_->load(number, access_->first_lane(at), access_->lanes(at));
    };
    const std::size_t number = number_of(u);
    const tile_view factors = ahead_.empty() ? load(index, number) : ahead_;
    if (number + 1 < program_.stages.back().units.size())
      ahead_ = load(index, number + 1);
    else if (index + 1 < std::int64_t(blocks_.size()))
      ahead_ = load(index + 1, 0);
    return factors;
  }

  bool is_last(std::int64_t s) const { return s + 1 == std::int64_t(program_.stages.size()); }
  // Of a unit of the last stage.
  std::size_t number_of(const line_unit& u) const {
    return std::size_t(&u - program_.stages.back().units.data());
  }

  void unit(std::int64_t index, std::int64_t s, const line_unit& u) {
    block& b = blocks_[std::size_t(index)];
    const tile_view from = b.tiles[std::size_t(s)].partition_range(0, int(b.lanes));
    const tile_view operand = operands_.next(), bank = banks_.next();
    // Piece by piece, since pieces of a group may differ in rows.
    std::vector<std::int64_t> rows;
    for (std::size_t i = 0; i < u.groups.front().pieces.size(); ++i)
      for (const line_group& g : u.groups) {
        const line_piece& p = g.pieces[i];
        nc_.issue(transpose{.out = bank.partition_range(0, int(p.rows()))
                                       .columns(place(std::int64_t(rows.size()), b.lanes), b.lanes),
                            .in = from.pattern(p.offset, p.dims)});
        rows.push_back(p.rows());
      }
    copy_pieces(rows, operand, bank, b.lanes);
    // Pieces lie in the order in which they were transposed.
    const auto entered = [operand, lanes = b.lanes, &u](std::size_t group, std::size_t piece) {
      const std::int64_t at = std::int64_t(piece * u.groups.size() + group);
      return operand.partition_range(0, int(u.groups[group].pieces[piece].rows()))
          .columns(at * lanes, lanes);
    };
    const tile_view factors = next_factors(index, s, u);
    push({index, s, [this, &b, s, &u, entered, factors] { multiply(b, s, u, entered, factors); }});
  }

  // The same of pieces that are on partitions from the start; the number of the next one.
  std::size_t unit_of_columns(std::int64_t index, const line_unit& u, std::size_t first) {
    const std::size_t pieces = u.groups.front().pieces.size();
    const auto entered = [&](std::size_t group, std::size_t piece) {
      return access_->entered(index, first + group * pieces + piece);
    };
    multiply(blocks_[std::size_t(index)], 0, u, entered, next_factors(index, 0, u));
    return first + u.groups.size() * pieces;
  }

  // Pieces out of PSUM: those that have rows in common and follow each other at once.
  void copy_pieces(const std::vector<std::int64_t>& rows, const tile_view& to,
                   const tile_view& bank, std::int64_t lanes) {
    const std::int64_t all = std::int64_t(rows.size());
    std::int64_t next = 0;
    for (std::int64_t i = 0; i < all; i = next) {
      for (next = i + 1; next < all && rows[std::size_t(next)] == rows[std::size_t(i)]; ++next)
        if (place(next, lanes) != place(next - 1, lanes) + lanes) break;
      const int height = int(rows[std::size_t(i)]);
      evacuate(nc_, to.partition_range(0, height).columns(i * lanes, (next - i) * lanes),
               bank.partition_range(0, height).columns(place(i, lanes), (next - i) * lanes));
    }
  }

  template <class Operand>
  void multiply(const block& b, std::int64_t s, const line_unit& u, const Operand& operand,
                const tile_view& factors) {
    const int lanes = int(b.lanes);
    const tile_view bank = banks_.next().partition_range(0, lanes);
    const tile_view matrix = matrices_[std::size_t(s)].whole();
    const std::int64_t groups = std::int64_t(u.groups.size());
    for (std::size_t i = 0; i < u.groups.size(); ++i) {
      const line_group& g = u.groups[i];
      const tile_view sums = bank.columns(place(std::int64_t(i), u.columns), u.columns);
      std::int64_t column = g.column;
      for (std::size_t p = 0; p < g.pieces.size(); ++p, column += u.columns) {
        const int rows = int(g.pieces[p].rows());
        nc_.issue(matmul{.out = sums,
                         .stationary = operand(i, p),
                         .moving = matrix.partition_range(0, rows).columns(column, u.columns),
                         .accumulate = p > 0});
      }
    }
    const tile_view to = b.tiles[std::size_t(s) + 1].partition_range(0, lanes);
    if (!factors.empty()) return factors_->turn(number_of(u), to, bank, factors);
    const line_stage& what = program_.stages[std::size_t(s)];
    if (what.scattered) return scatter(what, u, to, bank.columns(0, groups * u.columns), &b);
    for (const line_copy& c : u.copies)
      evacuate(nc_, to.pattern(c.to, c.to_dims), bank.pattern(c.from, c.from_dims));
  }

  // The last block's planes, which nothing hides, go side by side.
  void scatter(const line_stage& s, const line_unit& u, const tile_view& to, const tile_view& sums,
               const block* of) {
    const tile_view results =
        staging_.next().partition_range(0, sums.partitions()).columns(0, sums.elements());
    evacuate(nc_, results, sums);
    const int planes = !access_ && of == &blocks_.back() ? 2 : 1;
    for (int plane = 0; plane < planes; ++plane)
      for (const line_copy& c : u.copies) {
        tile_view out = to.pattern(c.to, c.to_dims), in = results.pattern(c.from, c.from_dims);
        const std::ptrdiff_t level = plane_level(s, c);
        if (planes == 2 && level < std::ssize(c.to_dims)) {
          out = out.slice(int(level) + 1, plane, 1);
          in = in.slice(int(level) + 1, plane, 1);
        } else if (plane > 0) {
          continue;
        }
        copy_tile(nc_, out, in, plane == 0 ? unit::vector : unit::scalar);
      }
  }

  core& nc_;
  const line_program& program_;
  hbm_view in_, out_;
  std::int64_t side_, bank_, unit_;
  std::vector<hbm_view> tables_;
  tile_pool operands_, staging_, banks_;
  std::optional<column_access> access_;
  std::optional<line_factors> factors_;
  tile_view ahead_;  ///< factors of the next unit
  std::vector<tile_pool> pools_;
  std::vector<tile> matrices_;
  std::vector<block> blocks_;
  std::deque<pending> queue_;
};

}  // namespace

void run_lines(core& nc, const line_program& program, const hbm_view& in, const hbm_view& out,
               std::span<const hbm_view> tables) {
  lines_run(nc, program, in, out, tables).issue();
}

}  // namespace papilio::kernels_detail
