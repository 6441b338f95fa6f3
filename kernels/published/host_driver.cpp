// Helpers that the published systems' host programs and kernels share.
#include "kernels/published/host_driver.hpp"

#include "kernels/ceil_div.hpp"
#include "kernels/checks.hpp"

#include <algorithm>
#include <utility>

#include "kernels/transform/fft_design.hpp"
#include "papilio/base/error.hpp"
#include "papilio/engine/core.hpp"

namespace papilio::kernels::published {

void published_run::add(const published_run& other) {
  launches += other.launches;
  launch_seconds += other.launch_seconds;
  compile_seconds += other.compile_seconds;
  device_seconds += other.device_seconds;
  upload.add(other.upload);
  fetch.add(other.fetch);
}

}  // namespace papilio::kernels::published

namespace papilio::kernels::published_detail {

using namespace engine;
using kernels_detail::require;

host_driver::host_driver(device& on, run_mode mode) : on_(on), mode_(mode), before_(on.record()) {}

buffers host_driver::upload(std::int64_t rows, std::int64_t columns,
                            const std::function<planes()>& make, dtype type) {
  const tensor_shape shape{{rows, columns}, type};
  if (dry()) {
    device_buffer re = on_.upload(launch_input(shape));
    return {std::move(re), on_.upload(launch_input(shape))};
  }
  const planes values = make();
  device_buffer re = on_.upload(launch_input(values.re, type));
  return {std::move(re), on_.upload(launch_input(values.im, type))};
}

namespace {

std::vector<launch_input> operands(const std::vector<buffers>& pairs) {
  std::vector<launch_input> all;
  for (const buffers& pair : pairs) all.insert(all.end(), {pair.re, pair.im});
  return all;
}

}  // namespace

buffers host_driver::launch(const sized_kernel& what, const std::vector<buffers>& inputs) {
  const buffers results{on_.allocate(what.outputs[0]), on_.allocate(what.outputs[1])};
  prepared_kernel(on_, what, mode_).launch(operands(inputs), {results.re, results.im});
  return results;
}

std::optional<planes> host_driver::launch_and_fetch(const sized_kernel& what,
                                                    const std::vector<buffers>& inputs) {
  const prepared_kernel kernel(on_, what, mode_);
  if (dry()) {
    kernel.launch(operands(inputs), {what.outputs[0], what.outputs[1]});
    return std::nullopt;
  }
  const auto empty = [](const tensor_shape& shape) {
    return plane({std::size_t(shape.extents[0]), std::size_t(shape.extents[1])});
  };
  planes results{empty(what.outputs[0]), empty(what.outputs[1])};
  kernel.launch(operands(inputs), {results.re, results.im});
  return results;
}

published::published_run host_driver::result() const {
  const device_record& now = on_.record();
  const auto copies = [](const copy_record& after, const copy_record& before) {
    return copy_record{.tensors = after.tensors - before.tensors,
                       .bytes = after.bytes - before.bytes,
                       .seconds = after.seconds - before.seconds};
  };
  return {.launches = now.launches - before_.launches,
          .launch_seconds = now.launch_seconds - before_.launch_seconds,
          .compile_seconds = now.compile_seconds - before_.compile_seconds,
          .device_seconds = now.device_seconds + now.pending_seconds - before_.device_seconds -
                            before_.pending_seconds,
          .upload = copies(now.upload, before_.upload),
          .fetch = copies(now.fetch, before_.fetch)};
}

planes filled(std::int64_t rows, std::int64_t columns,
              const std::function<std::pair<float, float>(std::int64_t, std::int64_t)>& value) {
  const extents_type<2> extents{std::size_t(rows), std::size_t(columns)};
  planes result{plane(extents, uninitialized), plane(extents, uninitialized)};
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) {
      const std::size_t at = std::size_t(i * columns + j);
      std::tie(result.re.data()[at], result.im.data()[at]) = value(i, j);
    }
  return result;
}

void require_at_least(const std::string& where, const char* name, std::int64_t value,
                      std::int64_t least) {
  require(value >= least, where, ": ", name, " must be at least ", least, ", got ", value);
}

fft_problem lines_of(const std::string& where, const view<const float, 3>& in,
                     const view<float, 3>& out, direction dir) {
  require<shape_error>(in.extents() == out.extents() && in.extent(0) == 2 && !in.empty(), where,
                       ": in and out must be [2, batch, n] of equal extents, got [", in.extent(0),
                       ", ", in.extent(1), ", ", in.extent(2), "] and [", out.extent(0), ", ",
                       out.extent(1), ", ", out.extent(2), "]");
  return {.dir = dir,
          .type = real_type::single_precision,
          .extents = {in.extent(1), in.extent(2)},
          .axes = {1}};
}

void require_lines(const char* where, const fft_problem& lines) {
  kernels_detail::checked_lines(where, lines, {});
  require(lines.extents.size() == 2 && lines.norm == normalization::backward, where,
          ": lines must be [batch, n] with norm backward");
}

void write_lines(const planes& from, view<float, 3> out, float scale, bool conjugate) {
  const float scale_im = conjugate ? -scale : scale;
  for (std::size_t i = 0; i < out.extent(1); ++i)
    for (std::size_t j = 0; j < out.extent(2); ++j) {
      out(0, i, j) = from.re(i, j) * scale;
      out(1, i, j) = from.im(i, j) * scale_im;
    }
}

void multiply_complex(core& nc, const complex_views& out, const complex_views& a,
                      const complex_views& b) {
  constexpr std::int64_t tile_columns = 512;  // of the published kernel
  const std::int64_t rows = out.re.extent(0), columns = out.re.extent(1);
  const std::int64_t partitions = std::min<std::int64_t>(rows, nc.machine().sbuf.partitions),
                     width = std::min(columns, tile_columns);
  tile_pool in = nc.sbuf_pool(3, int(partitions), 4 * width),
            work = nc.sbuf_pool(3, int(partitions), 4 * width),
            results = nc.sbuf_pool(3, int(partitions), 2 * width);
  struct block {
    std::int64_t i, j, m, n;
    tile_view in, result;
  };
  const auto part = [](const hbm_view& v, const block& k) {
    return v.slice(0, k.i, k.m).slice(1, k.j, k.n);
  };
  const auto piece = [&](const tile_view& v, int which, const block& k) {
    return v.partition_range(0, int(k.m)).columns(which * width, k.n);
  };
  const std::int64_t across = kernels_detail::ceil_div(columns, width),
                     down = kernels_detail::ceil_div(rows, partitions);
  pipeline(
      down * across, 1,
      [&](std::int64_t at) {
        block k{at / across * partitions, at % across * width, 0, 0, in.next(), {}};
        k.m = std::min(partitions, rows - k.i), k.n = std::min(width, columns - k.j);
        const hbm_view* const sources[] = {&a.re, &a.im, &b.re, &b.im};
        for (int s = 0; s < 4; ++s)
          nc.issue(dma_copy{.out = piece(k.in, s, k), .in = part(*sources[s], k)});
        return k;
      },
      [&](block k) {
        const tile_view w = work.next();
        k.result = results.next();
        const auto combine = [&](const tile_view& to, const tile_view& left, int l,
                                 const tile_view& right, int r, alu_op op) {
          nc.issue(tensor_tensor{
              .out = to, .left = piece(left, l, k), .right = piece(right, r, k), .op = op});
        };
        combine(piece(w, 0, k), k.in, 0, k.in, 2, alu_op::multiply);
        combine(piece(w, 1, k), k.in, 1, k.in, 3, alu_op::multiply);
        combine(piece(w, 2, k), k.in, 0, k.in, 3, alu_op::multiply);
        combine(piece(w, 3, k), k.in, 1, k.in, 2, alu_op::multiply);
        combine(piece(k.result, 0, k), w, 0, w, 1, alu_op::subtract);
        combine(piece(k.result, 1, k), w, 2, w, 3, alu_op::add);
        return k;
      },
      [&](const block& k) {
        nc.issue(dma_copy{.out = part(out.re, k), .in = piece(k.result, 0, k)});
        nc.issue(dma_copy{.out = part(out.im, k), .in = piece(k.result, 1, k)});
      });
}

}  // namespace papilio::kernels::published_detail
