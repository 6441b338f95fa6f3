#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/engine/device_group.hpp"
#include "papilio/kernels/fft.hpp"
#include "papilio/kernels/group_split.hpp"

namespace papilio::kernels {

/// fft_kernel's transforms, in parts by the longest of the axes that come before all transformed
/// ones (batches). Every value has the bits that it has on one core, whatever the number of cores:
/// what a line is multiplied with depends on its length alone, and sums go on in the order of its
/// points. Finite values are supposed: lines that share a matrix also share a value that is not.
/// invalid_argument for cores < 1, and where the first axis is transformed; else as fft_kernel.
PAPILIO_API group_split split_fft(const fft_shape& shape, int cores,
                                  const engine::machine_spec& machine);

/// One long line, in parts.
struct large_fft_shape {
  std::int64_t n = 1;
  bool inverse = false;  ///< exp(+2 pi i j k / n)
  double scale = 1;      ///< on every output
};

/// X[k] = scale * sum over j of x[j] exp(-+ 2 pi i j k / n), one transform by all cores of a group.
///
/// n = n1 n2, j = j1 n2 + j2, k = k1 + n1 k2. Core c has ceil(n2 / p) consecutive columns j2: it
/// transforms them over j1 and multiplies by exp(-+ 2 pi i j2 k1 / n). An all-to-all brings
/// ceil(n1 / p) consecutive k1 of all columns to each core, which transforms them over j2. Two
/// dispatches and one exchange. Where n has no factors n1, n2 for that (primes, one core, prime
/// factors above 128), core 0 does it alone by fft_kernel; explanation() says so.
///
/// Results depend on n, the machine and the number of cores, on nothing else.
class PAPILIO_API large_fft {
 public:
  /// The group must outlive it. Tables are copied to the cores here. shape_error for n < 1;
  /// resource_error beyond 64 bits; else as fft_kernel.
  large_fft(engine::device_group& on, const large_fft_shape& shape,
            engine::run_mode mode = engine::run_mode::execute);
  ~large_fft();
  large_fft(large_fft&&) noexcept;
  large_fft& operator=(large_fft&&) noexcept;

  const large_fft_shape& shape() const;
  /// n1 and n2; 1 and n where one core does all.
  std::int64_t rows() const;
  std::int64_t columns() const;
  std::string explanation() const;
  /// As sized_kernel::expected_error.
  double expected_error() const;

  /// From an array [2, n] (planes re and im) of the host to one, in natural order; shapes alone in
  /// dry runs. Returns its phases, which also are the group's last ones. shape_error for other
  /// shapes, invalid_argument of buffers.
  engine::group_report transform(const engine::launch_input& in,
                                 const engine::launch_output& out) const;

  /// The same, results staying on the cores: core c has [2, n2, own(c)], element [plane, k2, i]
  /// being X[k], k = own first k1 + i + n1 k2. Empty buffers where own(c) is empty.
  std::vector<engine::device_buffer> transform_apart(const engine::launch_input& in) const;
  /// The k1 of a core. invalid_argument beyond the group's cores.
  index_range own(int core) const;

 private:
  struct members;
  std::unique_ptr<members> members_;
};

/// Modelled times on a new group, operands copied from the host and back, tables resident.
/// Errors as those of the split, and of device_group.
PAPILIO_API group_times time_split_fft(const fft_shape& shape, int cores,
                                       const engine::machine_spec& machine,
                                       const engine::runtime_spec& runtime,
                                       const engine::group_options& options = {});
PAPILIO_API group_times time_large_fft(const large_fft_shape& shape, int cores,
                                       const engine::machine_spec& machine,
                                       const engine::runtime_spec& runtime,
                                       const engine::group_options& options = {});

}  // namespace papilio::kernels
