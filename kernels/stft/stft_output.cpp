// From the last stage's results to the output: bins in order, powers, mel bands, decibel.
#include "kernels/stft/stft_forward.hpp"
#include "papilio/engine/lowering.hpp"

namespace papilio::kernels_detail {
namespace {

using namespace engine;

// Unit 0 of the two stages, or the direct result: packed bins `step` apart.
struct packed_bins {
  std::int64_t step, real, imaginary;
};

packed_bins packed_of(const stft_factors& f) {
  if (f.direct) return {.step = 1, .real = f.bins(), .imaginary = f.imaginary()};
  return {.step = f.r1 / 2, .real = f.r2 + 1, .imaginary = f.r2 - 1};
}

// The results of all units but 0, a half of the bins' residues at a time: use(parts [run, 1, plane,
// k2, bin of a run], first residue, residues, bins of a run, whether runs have rising residues).
template <class Use>
void for_halves(const stft_factors& f, const tile_view& e, const Use& use) {
  const std::int64_t alone = f.together - 1, all = f.units() - f.together;
  const std::int64_t points = f.unit_points();
  for (std::int64_t half = 0; half < 2; ++half) {
    if (alone > 0)
      use(e.columns(points, alone * points).reshape({alone, 2, 2, f.r2 / 2, 1}).slice(2, half, 1),
          half == 0 ? 1 : f.r1 - alone, alone, 1, half == 0);
    if (all > 0)
      use(e.columns(f.product_points(), all * points)
              .reshape({all / f.together, 2, 2, f.r2 / 2, f.together})
              .slice(2, half, 1),
          half == 0 ? f.together : f.r1 - f.units() + 1, all, f.together, half == 0);
  }
}

constexpr double decibels_per_neper = 8.685889638065035;  // 20 / ln 10

}  // namespace

void stft_forward::finish_segment(const item& it, const tile_view& e) {
  if (it.segment == 0) {
    out_ = out_pool_->next().partition_range(0, it.lanes);
    if (d_.planar()) {
      // Imaginary parts that no product gives.
      const tile_view im = out_.reshape({2, d_.rows.run, f_.bins()}).slice(1, 1, 1);
      nc_.issue(memset{.out = im.slice(3, 0, 1)});
      if (f_.n % 2 == 0) nc_.issue(memset{.out = im.slice(3, f_.n / 2, 1)});
    }
  }
  if (d_.planar()) {
    planes(it, e);
    if (it.segment == d_.rows.run - 1) finish_group(it, out_);
    return;
  }
  finish_late();
  const tile_view power = d_.mels > 0 ? next(power_pool_).partition_range(0, it.lanes)
                                      : out_.columns(it.segment * d_.width(), d_.width());
  powers(power, e);
  late_.emplace(late{it, power, out_});
  if (d_.depth <= 1) finish_late();  // its tiles are the next segment's
}

// What other engines do to powers comes a segment later: they are in order, and would wait here.
void stft_forward::finish_late() {
  if (!late_) return;
  const auto [it, power, out] = *late_;
  late_.reset();
  const tile_view numbers = out.columns(it.segment * d_.width(), d_.width());
  if (d_.mels > 0) mel_product(power, numbers);
  finish_numbers(nc_, d_, numbers);
  if (it.segment == d_.rows.run - 1) finish_group(it, out);
}

void stft_forward::planes(const item& it, const tile_view& e) {
  const packed_bins p = packed_of(f_);
  const std::int64_t half = f_.n / 2, place_of = it.segment * f_.bins();
  const tile_view out = out_.reshape({2, d_.rows.run * f_.bins()}).slice(2, place_of, f_.bins());
  nc_.issue(tensor_copy{.out = out.slice(1, 0, 1).slice(2, 0, p.real, p.step),
                        .in = e.columns(0, p.real)});
  if (p.imaginary > 0)
    nc_.issue(tensor_copy{.out = out.slice(1, 1, 1).slice(2, p.step, p.imaginary, p.step),
                          .in = e.columns(p.real, p.imaginary)});
  if (f_.direct) return;
  const tile_view bins = out.slice(2, 0, half).reshape({2, f_.r2 / 2, f_.r1});
  for_halves(
      f_, e,
      [&](const tile_view& parts, std::int64_t first, std::int64_t count, std::int64_t together,
          bool rising) {
        const std::int64_t runs = count / together;
        // [plane, k2, run of bins, bin of a run], as [run, plane, k2, bin].
        const tile_view place = bins.slice(3, first, count).reshape({2, f_.r2 / 2, runs, together});
        nc_.issue(tensor_copy{
            .out = (rising ? place : place.slice(3, runs - 1, runs, -1)).permute({3, 1, 2, 4}),
            .in = parts});
      });
}

void stft_forward::powers(const tile_view& out, const tile_view& e) {
  const packed_bins p = packed_of(f_);
  const std::int64_t ends = p.real - p.imaginary;  // bins without an imaginary part: 1 or 2
  nc_.issue(tensor_copy{.out = out.slice(1, 0, ends, std::max<std::int64_t>(1, f_.n / 2)),
                        .in = e.slice(1, 0, ends, p.real - 1 > 0 ? p.real - 1 : 1)});
  if (p.imaginary > 0)
    nc_.issue(tensor_tensor{.out = out.slice(1, p.step, p.imaginary, p.step),
                            .left = e.columns(1, p.imaginary),
                            .right = e.columns(p.real, p.imaginary)});
  if (f_.direct) return;
  const tile_view bins = out.columns(0, f_.n / 2).reshape({f_.r2 / 2, f_.r1});
  for_halves(
      f_, e,
      [&](const tile_view& parts, std::int64_t first, std::int64_t count, std::int64_t together,
          bool rising) {
        const std::int64_t runs = count / together;
        const tile_view place = bins.slice(2, first, count).reshape({f_.r2 / 2, runs, together});
        nc_.issue(tensor_tensor{
            .out = (rising ? place : place.slice(2, runs - 1, runs, -1)).permute({2, 1, 3}),
            .left = parts.slice(3, 0, 1),
            .right = parts.slice(3, 1, 1)});
      });
}

void stft_forward::mel_product(const tile_view& power, const tile_view& out) {
  const std::int64_t lanes = power.partitions(), bins = f_.bins();
  const int parts = d_.operands.parts;
  const tile_view x = next_operand(mel_pool_);
  transpose_columns(power, 0, bins, x);
  const auto depth = [&](std::int64_t k) { return int(std::min(side_, bins - k * side_)); };
  banks_.multiply_tiles((bins + side_ - 1) / side_, lanes, d_.mels,
                        [&](std::int64_t k) {
                          return operand_parts{x.partition_range(0, depth(k)), k * lanes,
                                               x.elements() / parts, lanes};
                        },
                        [&](std::int64_t k, std::int64_t first, std::int64_t width) {
                          return operand_parts{mel_->partition_range(0, depth(k)),
                                               k * parts * d_.mels + first, d_.mels, width};
                        },
                        [&](std::int64_t first, std::int64_t width, const tile_view& in) {
                          evacuate(nc_, out.columns(first, width), in);
                        });
}

// Roots by the vector engine: the scalar engine's are not valid for the smallest powers. Of
// decibels the root keeps the logarithm's argument in its range.
void finish_numbers(core& nc, const stft_design& d, const tile_view& out) {
  if (d.output == spectrum_form::magnitude)
    nc.issue(tensor_scalar{.out = out, .in = out, .op0 = alu_op::power, .operand0 = 0.5});
  if (d.output != spectrum_form::decibel) return;
  nc.issue(tensor_scalar{.out = out,
                         .in = out,
                         .op0 = alu_op::maximum,
                         .operand0 = d.floor,
                         .op1 = alu_op::power,
                         .operand1 = 0.5});
  nc.issue(activation{.out = out, .in = out, .function = activation_function::log});
  nc.issue(activation{.out = out, .in = out, .scale = float(decibels_per_neper)});
}

void stft_forward::finish_group(const item& it, const tile_view& whole) {
  const std::int64_t width = d_.width(), run = d_.rows.run, all = d_.rows.segments * width;
  const int planes = d_.planar() ? 2 : 1;
  const tile_view out = whole.reshape({planes, run * width});
  for (const row_piece& p : groups_[std::size_t(it.group)].pieces)
    for (int plane = 0; plane < planes; ++plane)
      nc_.issue(
          dma_copy{.out = args_.out(0).pattern(
                       (plane * d_.rows.channels + p.channel) * all + p.first_row * run * width,
                       {{p.channels, all}, {p.rows, run * width}, {p.segments * width, 1}}),
                   .in = out.partition_range(p.partition, p.partitions())
                             .slice(1, plane, 1)
                             .slice(2, 0, p.segments * width)});
}

}  // namespace papilio::kernels_detail
