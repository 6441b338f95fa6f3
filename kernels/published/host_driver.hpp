#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernels/published/published.hpp"
#include "papilio/base/array.hpp"
#include "papilio/engine/core.hpp"
#include "papilio/engine/device.hpp"
#include "papilio/kernels/sized_kernel.hpp"

// The host program that the published systems share: it uploads planes one by one, launches kernels
// between buffers, and fetches results; a dry run has no values.
namespace papilio::kernels::published_detail {

using plane = array<float, 2>;
struct planes {
  plane re, im;
};

struct buffers {
  engine::device_buffer re, im;
};

/// One run on a device; what it costs is the device's record from begin to end.
class host_driver {
 public:
  host_driver(engine::device& on, engine::run_mode mode);

  bool dry() const { return mode_ == engine::run_mode::dry_run; }
  engine::device& on() const { return on_; }

  /// Two uploads of [rows, columns]; `make` is called where values count.
  buffers upload(std::int64_t rows, std::int64_t columns, const std::function<planes()>& make,
                 engine::dtype type = engine::dtype::fp32);
  /// A launch whose two results stay on the device.
  buffers launch(const sized_kernel& what, const std::vector<buffers>& inputs);
  /// The last launch: the host waits once and fetches both. Nothing in a dry run.
  std::optional<planes> launch_and_fetch(const sized_kernel& what,
                                         const std::vector<buffers>& inputs);

  published::published_run result() const;

 private:
  engine::device& on_;
  engine::run_mode mode_;
  engine::device_record before_;
};

/// Element (row, column) of both planes, row by row.
planes filled(std::int64_t rows, std::int64_t columns,
              const std::function<std::pair<float, float>(std::int64_t, std::int64_t)>& value);

/// invalid_argument unless `value` is at least `least`.
void require_at_least(const std::string& where, const char* name, std::int64_t value,
                      std::int64_t least);
/// Transform of the lines of `in` to `out`; shape_error unless both are [2, batch, n] with the same
/// extents of at least 1.
fft_problem lines_of(const std::string& where, const view<const float, 3>& in,
                     const view<float, 3>& out, direction dir);
/// invalid_argument unless the problem is complex lines in float, [batch, n], with the norm that
/// the published hosts have.
void require_lines(const char* where, const fft_problem& lines);

/// Points of re and im times `scale`, im negated where `conjugate`; the first rows of `from`.
void write_lines(const planes& from, view<float, 3> out, float scale, bool conjugate = false);

/// out = a b, complex, tensors of two axes and equal shapes: blocks of up to 128 rows and 512
/// columns, six vector instructions each.
struct complex_views {
  engine::hbm_view re, im;
};
void multiply_complex(engine::core& nc, const complex_views& out, const complex_views& a,
                      const complex_views& b);

}  // namespace papilio::kernels::published_detail
