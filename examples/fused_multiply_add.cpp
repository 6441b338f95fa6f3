// A kernel of one's own for the emulated accelerator: out = a * b + c over rows of any number and
// length. Checks it against the host, then says what it would take, and why.
//   fused_multiply_add [ROWS COLUMNS [TRACE.json]]
// Built as a shared object, it is a kernel of papilio profile too:
//   papilio profile ./fused_multiply_add.so fused_multiply_add rows=300
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "papilio/engine.hpp"
#include "papilio/kernels.hpp"

namespace {

using namespace papilio;
using namespace papilio::engine;

// Tiles of 128 rows by 2048 columns: rows of 8 KiB keep the DMA engines at their rate. Two tiles of
// each operand, so that one is loaded while the other is worked on.
void fused_multiply_add(core& nc, const kernel_arguments& t) {
  const hbm_view a = t.in(0), b = t.in(1), c = t.in(2), out = t.out(0);
  const std::int64_t rows = a.extent(0), columns = a.extent(1);
  const std::int64_t lanes = nc.machine().sbuf.partitions,
                     width = std::min<std::int64_t>(columns, 2048);
  tile_pool as = nc.sbuf_pool(2, int(lanes), width), bs = nc.sbuf_pool(2, int(lanes), width),
            cs = nc.sbuf_pool(2, int(lanes), width);
  for (std::int64_t i = 0; i < rows; i += lanes)
    for (std::int64_t j = 0; j < columns; j += width) {
      const std::int64_t m = std::min(lanes, rows - i), n = std::min(width, columns - j);
      const auto part = [&](const hbm_view& v) { return v.slice(0, i, m).slice(1, j, n); };
      const auto loaded = [&](tile_pool& pool, const hbm_view& v) {
        const tile_view tile = pool.next().partition_range(0, int(m)).columns(0, n);
        nc.issue(dma_copy{.out = tile, .in = part(v)});
        return tile;
      };
      const tile_view x = loaded(as, a), y = loaded(bs, b), z = loaded(cs, c);
      nc.issue(tensor_tensor{.out = x, .left = x, .right = y, .op = alu_op::multiply});
      nc.issue(tensor_tensor{.out = x, .left = x, .right = z, .op = alu_op::add});
      nc.issue(dma_copy{.out = part(out), .in = x});
    }
}

int run(std::size_t rows, std::size_t columns, const char* trace_file) {
  array<float, 2> a({rows, columns}), b({rows, columns}), c({rows, columns}), out({rows, columns});
  for (std::size_t i = 0; i < a.size(); ++i) {
    a.data()[i] = std::sin(float(i));
    b.data()[i] = std::cos(float(i));
    c.data()[i] = float(i % 7);
  }
  device machine(trainium1(), sdk_2_24(), {.trace = trace_file != nullptr});
  const kernel program{.name = "fused_multiply_add", .body = fused_multiply_add};
  const launch_result result = machine.launch(program, {a, b, c}, {out});

  for (std::size_t i = 0; i < a.size(); ++i) {
    const float product = a.data()[i] * b.data()[i];  // the vector engine rounds each operation
    const float expected = product + c.data()[i];
    if (out.data()[i] != expected) {
      std::printf("element %zu is %g, not %g\n", i, double(out.data()[i]), double(expected));
      return 1;
    }
  }
  std::printf("%zu elements as on the host\n%s", a.size(), result.summary.to_text().c_str());
  std::printf("with launch and copies %.0f us, of which device %.0f us\n",
              result.total_seconds() * 1e6, result.device_seconds * 1e6);
  if (trace_file != nullptr) result.events.save(trace_file);
  return 0;
}

/// What papilio profile shows of it, and how it makes it at the sizes that it is given.
std::vector<kernels::catalog_entry> own_kernels() {
  const auto sized = [](const kernels::parameter_values& sizes, const machine_spec&) {
    const auto size = [&](const char* name) { return std::stoll(sizes.find(name)->second); };
    const tensor_shape shape{.extents = {size("rows"), size("columns")}};
    return kernels::sized_kernel{
        .program = {.name = "fused_multiply_add", .body = fused_multiply_add},
        .inputs = {shape, shape, shape},
        .outputs = {shape}};
  };
  return {{.name = "fused_multiply_add",
           .summary = "out = a * b + c",
           .parameters = {{.name = "rows", .preset = "300", .help = "rows of each operand"},
                          {.name = "columns", .preset = "4100", .help = "columns of each"}},
           .size = sized}};
}

}  // namespace

PAPILIO_KERNEL_OBJECT(own_kernels)

int main(int argc, char** argv) try {
  const auto size = [&](int i, std::size_t preset) {
    return argc > i ? std::strtoul(argv[i], nullptr, 10) : preset;
  };
  return run(size(1, 300), size(2, 4100), argc > 3 ? argv[3] : nullptr);
} catch (const std::exception& e) {
  std::fprintf(stderr, "fused_multiply_add: %s\n", e.what());
  return 1;
}
