// The passes of a butterfly FFT.
//   identity   y_k = W_(r m)^(p k) sum_j W_r^(j k) a_j;  odd r in pairs u = a_j + a_(r-j),
//              v = a_j - a_(r-j):  A = a_0 + sum cos u, B = sum sin v, y_k = A - i B, y_(r-k) =
//              A + i B. -i B is B with its planes swapped, so that (re of A - i B, im of A + i B)
//              is one sum and the other two halves one difference.
//   layout     a_j: runs of m s points; results at s (r p + k) + q; both planes in an instruction
//   parking    of two operands one is in PSUM where that is free of charge: half the cycles
#include "kernels/butterfly/butterfly_passes.hpp"

#include <algorithm>

namespace papilio::kernels_detail {

using namespace engine;

butterfly_passes::butterfly_passes(core& nc, const butterfly_plan& plan, const hbm_view& table)
    : nc_(nc), plan_(plan), table_(table), arithmetic_(nc, plan.compensated) {
  work_ = nc.sbuf(plan.lanes, plan.work);
  parked_ = nc.psum(plan.lanes, plan.parked);
  if (plan.compensated)
    for (tile& low : low_) low = nc.sbuf(plan.lanes, 2 * plan.items * plan.n);
  if (plan.table_size == 0) return;
  if (plan.resident)
    resident_ = nc.sbuf(plan.lanes, plan.table_size);
  else
    passing_ = nc.sbuf_pool(2, plan.lanes, plan.table_chunk);
}

void butterfly_passes::load_table() {
  if (!plan_.resident) return;
  // Pass by pass, so that the first need not wait for all.
  for (const butterfly_stage& stage : plan_.stages) {
    const std::int64_t count = plan_.arrays * stage.factors();
    if (count > 0)
      nc_.issue(dma_copy{.out = resident_.whole().columns(stage.table, count),
                         .in = table_.slice(0, stage.table, count).repeat(plan_.lanes)});
  }
}

tile_view butterfly_passes::run(const tile_view& in, const tile_view& other, std::int64_t items) {
  items_ = items;
  butterfly_value from{in}, to{other};
  for (std::size_t i = 0; i < plan_.stages.size(); ++i) {
    stage_ = &plan_.stages[i];
    if (plan_.compensated)
      to.lo =
          low_[i % 2].whole().partition_range(0, in.partitions()).columns(0, 2 * items * plan_.n);
    x_ = from;
    y_ = to;
    for (const butterfly_chunk& chunk : stage_->chunks(items)) run_chunk(chunk);
    from = y_;
    to = {x_.hi};
  }
  arithmetic_.round(from);
  return from.hi;
}

void butterfly_passes::begin_chunk() {
  const int lanes = x_.hi.partitions();
  here_.begin(work_.whole().partition_range(0, lanes));
  there_.begin(parked_.whole().partition_range(0, lanes));
  if (!plan_.compensated) return;
  const std::int64_t count = 2 * chunk_.width();
  const auto here = [&] { return here_.take(count); };
  const auto there = [&] { return there_.take(count); };
  arithmetic_.use({.difference = there(),
                   .upper = there(),
                   .lower = there(),
                   .parked_error = there(),
                   .rest = here(),
                   .product = here(),
                   .first = here(),
                   .second = here(),
                   .error = here()});
}

void butterfly_passes::run_chunk(const butterfly_chunk& chunk) {
  chunk_ = chunk;
  begin_chunk();
  const std::int64_t r = stage_->radix;
  if (!stage_->last()) {
    const std::int64_t count = 2 * (r - 1) * chunk.width();
    const bool parks = !plan_.compensated && stage_->merges();
    others_ = {(parks ? there_ : here_).take(count)};
    if (plan_.compensated) others_.lo = here_.take(count);
  }
  const std::int64_t here = here_.mark(), there = there_.mark();
  if (r == 2)
    two();
  else if (r == 4)
    four();
  else
    odd();
  here_.release(here);
  there_.release(there);
  if (!stage_->last()) twiddles();
}

tile_view butterfly_passes::row() {
  return here_.take(2 * chunk_.width()).reshape({2, chunk_.width()});
}

tile_view butterfly_passes::parked_row() {
  return there_.take(2 * chunk_.width()).reshape({2, chunk_.width()});
}

butterfly_value butterfly_passes::value() {
  return plan_.compensated ? butterfly_value{row(), row()} : butterfly_value{row()};
}

butterfly_value butterfly_passes::parked_value() {
  return plan_.compensated ? value() : butterfly_value{parked_row()};
}

butterfly_value butterfly_passes::input(std::int64_t j) const {
  const std::int64_t run = stage_->m * stage_->s;
  return x_.of([&](const tile_view& v) {
    return v.reshape({2, items_, stage_->radix, run})
        .slice(2, chunk_.g, chunk_.items)
        .slice(3, j, 1)
        .slice(4, chunk_.p * stage_->s + chunk_.q, chunk_.groups * chunk_.places);
  });
}

butterfly_value butterfly_passes::parked_input(std::int64_t j) {
  if (plan_.compensated) return input(j);
  return {arithmetic_.parked(parked_row(), input(j).hi)};
}

butterfly_value butterfly_passes::output(std::int64_t k, std::int64_t count) const {
  return y_.of([&](const tile_view& v) {
    const tile_view part = v.reshape({2, items_, stage_->m, stage_->radix, stage_->s})
                               .slice(2, chunk_.g, chunk_.items)
                               .slice(3, chunk_.p, chunk_.groups)
                               .slice(4, k, count)
                               .slice(5, chunk_.q, chunk_.places);
    return count == 1 ? part : part.permute({1, 4, 2, 3, 5});
  });
}

// Where the sum for k goes: a result already, or what awaits its twiddle factor.
butterfly_value butterfly_passes::branch(std::int64_t k) const {
  if (k == 0 || stage_->last()) return output(k, 1);
  return others_.of([&](const tile_view& v) {
    return v.reshape({2, stage_->radix - 1, chunk_.width()}).slice(2, k - 1, 1);
  });
}

// The real plane of one branch with the imaginary plane of another; none is a result.
butterfly_value butterfly_passes::mixed(std::int64_t re_of, std::int64_t im_of) const {
  const std::int64_t others = stage_->radix - 1;
  return others_.of([&](const tile_view& v) {
    return v.reshape({2 * others, chunk_.width()}).slice(1, re_of - 1, 2, others + im_of - re_of);
  });
}

void butterfly_passes::two() {
  const butterfly_value right = parked_input(1);
  arithmetic_.combine(branch(0), input(0), input(1), false);
  arithmetic_.combine(branch(1), input(0), right, true);
}

void butterfly_passes::four() {
  const butterfly_value even = value(), even_difference = value();
  const butterfly_value odd = parked_value(), odd_difference = parked_value();
  const butterfly_value third = parked_input(3), second = parked_input(2);
  // The copies are under way meanwhile: the first sum has no use for them.
  arithmetic_.combine(even, input(0), input(2), false);
  arithmetic_.combine(odd, input(1), third, false);
  arithmetic_.combine(odd_difference, input(1), third, true);
  arithmetic_.combine(even_difference, input(0), second, true);
  arithmetic_.combine(branch(0), even, odd, false);
  arithmetic_.combine(branch(2), even, odd, true);
  quarter_turn(1, 3, even_difference, odd_difference);
}

void butterfly_passes::odd() {
  const std::int64_t r = stage_->radix, pairs = r / 2;
  std::vector<butterfly_value> sums, differences;
  for (std::int64_t j = 1; j <= pairs; ++j) {
    sums.push_back(value());
    differences.push_back(value());
    const butterfly_value right = parked_input(r - j);
    arithmetic_.combine(sums.back(), input(j), input(r - j), false);
    arithmetic_.combine(differences.back(), input(j), right, true);
  }
  const butterfly_value cosines[2] = {value(), value()};
  const butterfly_value sines[2] = {parked_value(), parked_value()};
  butterfly_value all = input(0);
  for (std::int64_t j = 0; j < pairs; ++j) {
    const butterfly_value next = j + 1 == pairs ? branch(0) : cosines[j % 2];
    arithmetic_.combine(next, all, sums[std::size_t(j)], false);
    all = next;
  }
  for (std::int64_t k = 1; k <= pairs; ++k) {
    butterfly_value a = input(0), b;
    for (std::int64_t j = 1; j <= pairs; ++j) {
      const butterfly_root w = root_of_unity(r, j * k, false);
      const std::size_t pair = std::size_t(j) - 1;
      arithmetic_.multiply_add(cosines[j % 2], sums[pair], w.re, a);
      if (j == 1)
        arithmetic_.multiply(sines[j % 2], differences[pair], -w.im);
      else
        arithmetic_.multiply_add(sines[j % 2], differences[pair], -w.im, b);
      a = cosines[j % 2];
      b = sines[j % 2];
    }
    quarter_turn(k, r - k, a, b);
  }
}

// k1: a - i b, k2: a + i b; the inverse has them the other way round.
void butterfly_passes::quarter_turn(std::int64_t k1, std::int64_t k2, const butterfly_value& a,
                                    const butterfly_value& b) {
  if (plan_.inverse) std::swap(k1, k2);
  if (!stage_->last()) {
    arithmetic_.combine(mixed(k1, k2), a, b.planes_swapped(), false);
    arithmetic_.combine(mixed(k2, k1), a, b.planes_swapped(), true);
    return;
  }
  const butterfly_value minus = branch(k1), plus = branch(k2);
  arithmetic_.combine(minus.plane(0), a.plane(0), b.plane(1), false);
  arithmetic_.combine(plus.plane(0), a.plane(0), b.plane(1), true);
  arithmetic_.combine(plus.plane(1), a.plane(1), b.plane(0), false);
  arithmetic_.combine(minus.plane(1), a.plane(1), b.plane(0), true);
}

// The chunk's part of the table, [array][k - 1][p].
tile_view butterfly_passes::factors_here() {
  const butterfly_stage& stage = *stage_;
  const std::int64_t others = stage.radix - 1, count = plan_.arrays * stage.factors();
  const int lanes = x_.hi.partitions();
  if (plan_.resident)
    return resident_.whole()
        .partition_range(0, lanes)
        .columns(stage.table, count)
        .reshape({plan_.arrays, others, stage.m})
        .slice(3, chunk_.p, chunk_.groups);
  const tile_view place = passing_->next()
                              .partition_range(0, lanes)
                              .columns(0, plan_.arrays * others * chunk_.groups)
                              .reshape({plan_.arrays, others, chunk_.groups});
  nc_.issue(dma_copy{.out = place,
                     .in = table_.slice(0, stage.table, count)
                               .reshape({plan_.arrays, others, stage.m})
                               .slice(2, chunk_.p, chunk_.groups)
                               .repeat(lanes)});
  return place;
}

butterfly_factor butterfly_passes::factor(const tile_view& table, std::int64_t first, int parts,
                                          std::int64_t k, std::int64_t count) const {
  butterfly_factor w;
  for (int i = 0; i < parts; ++i) {
    const tile_view numbers = table.slice(1, first + i, 1)
                                  .slice(2, k - 1, count)
                                  .reshape({count, chunk_.groups})
                                  .spread(chunk_.places);
    if (chunk_.items == 1)
      w.part[i] = numbers.repeat(2);
    else if (count == 1)
      w.part[i] = numbers.repeat(chunk_.items).repeat(2);
    else  // a level too many for both planes
      w.part[i] = numbers.repeat(chunk_.items).permute({2, 1, 3, 4});
  }
  return w;
}

void butterfly_passes::twiddles() {
  const std::int64_t others = stage_->radix - 1, width = chunk_.width();
  const int parts = plan_.arrays / 2;
  const tile_view table = factors_here();
  const bool together = !plan_.compensated && stage_->merges();
  const std::int64_t each = together ? others : 1;
  tile_view products, parked;
  if (!plan_.compensated) {
    products = here_.take(2 * each * width).reshape({2, each * width});
    parked = there_.take(2 * each * width).reshape({2, each * width});
  }
  for (std::int64_t k = 1; k <= others; k += each) {
    const butterfly_value y = others_.of([&](const tile_view& v) {
      return v.reshape({2, others * width}).columns((k - 1) * width, each * width);
    });
    arithmetic_.twiddle(output(k, each), y, factor(table, 0, parts, k, each),
                        factor(table, parts, parts, k, each), products, parked);
  }
}

}  // namespace papilio::kernels_detail
