#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/base/tensor.hpp"
#include "papilio/dispatch/comparison.hpp"
#include "papilio/dispatch/execution.hpp"
#include "papilio/dispatch/host_model.hpp"
#include "papilio/dispatch/operation.hpp"

namespace papilio {

/// Estimate by a backend of what a problem costs. Nothing is measured.
struct fft_estimate {
  std::string recipe;         ///< description, by the backend, of what runs
  std::size_t passes = 0;     ///< number of times that the data is read and written
  double bytes_moved = 0;     ///< between memory and caches, all passes
  double flops = 0;           ///< additions and multiplications of reals
  double seconds = 0;         ///< time on one thread, or those of host_fft_estimate
  double table_bytes = 0;     ///< bytes of tables that a plan keeps; 0: not known
  double relative_error = 0;  ///< expected, Euclidean norm
};

/// Transform that a backend has built, immutable; any number of threads may execute it at once.
class PAPILIO_API fft_executor {
 public:
  virtual ~fft_executor();
  fft_executor(const fft_executor&) = delete;
  fft_executor& operator=(const fft_executor&) = delete;

  /// Description of what runs.
  virtual std::string recipe() const = 0;
  /// Bytes of tables that it holds, estimated if the backend does not report them.
  virtual std::size_t table_bytes() const = 0;
  /// Bytes of scratch of one thread, without the operands; 0 if the backend does not report them.
  virtual std::size_t scratch_bytes() const { return 0; }

  /// Transforms every line along `axis` (line problems), or the whole array (others; `axis` is 0).
  /// Elements are of the problem's type, complex where its kind says so. Any rank of at least 1,
  /// any strides in `in`; no two elements of `out` may share an address. The caller has checked the
  /// extents. The input is not written unless it is the output; overlapping operands are allowed.
  virtual void execute(const untyped_view<const void>& in, const untyped_view<void>& out,
                       std::size_t axis, int threads) const = 0;

 protected:
  fft_executor() = default;
};

/// Backend that computes Fourier transforms on the host, as plain functions.
struct fft_candidate {
  const char* name;     ///< name for execution::backend
  std::string version;  ///< version of the library behind it; empty for papilio itself
  /// Returns why the backend cannot do a well-formed problem; empty if it can.
  std::string (*refusal)(const fft_problem& problem);
  /// Estimates `lines` lines (line problems), or `lines` arrays.
  fft_estimate (*estimate)(const fft_problem& problem, std::size_t lines);
  /// Builds a transform that is not refused.
  std::unique_ptr<const fft_executor> (*build)(const fft_problem& problem);
};

/// Returns the backends in this build, the preferred first.
PAPILIO_API std::span<const fft_candidate> fft_candidates();

/// Returns the backend of the host that `on` chooses for a problem; nothing is built or recorded.
/// Throws invalid_argument, in the name of `function`, for a malformed problem, an unknown backend
/// or one that cannot do it, threads below 0, and a precision that the host does not have.
PAPILIO_API const fft_candidate& choose_fft(const char* function, const fft_problem& problem,
                                            const execution& on);

/// Returns one line with papilio's version and those of the libraries behind optional backends, for
/// example "papilio 0.1.0, fftw 3.3.10".
PAPILIO_API std::string build_info();

/// Bound of the plan cache behind the transforms.
struct plan_cache_bound {
  std::size_t plans = 256;
  std::size_t bytes = std::size_t{256} << 20;  ///< tables, and about 1 KiB for each plan
};

/// Counts of the plan cache since the program began, and what it holds now.
struct plan_cache_counts {
  std::size_t hits = 0;
  std::size_t misses = 0;     ///< each built a plan
  std::size_t evictions = 0;  ///< dropped to make room; without those of clear_plan_cache
  std::size_t plans = 0;
  std::size_t bytes = 0;  ///< estimated, as in plan_cache_bound
};

/// Returns the counts of the plan cache. It keeps the plans that the transforms build and drops the
/// least recently used if either bound is reached; a plan that exceeds the bound alone is used and
/// not kept. All functions of the cache may be called from any number of threads. A plan is built
/// without holding the lock: two threads that need the same new plan at once may both build it, and
/// one of the two is kept.
PAPILIO_API plan_cache_counts plan_cache_statistics();
/// Returns the bound of the plan cache.
PAPILIO_API plan_cache_bound plan_cache_limit();
/// Sets the plan cache's bound and drops at once what exceeds it. Either bound 0: nothing is kept.
PAPILIO_API void set_plan_cache_limit(plan_cache_bound bound);
/// Drops all plans of the plan cache. What last_run() returns is kept.
PAPILIO_API void clear_plan_cache();

}  // namespace papilio

// Estimated costs of Fourier, cosine and sine transforms on the host.
namespace papilio {

/// Estimates papilio's own plans for `lines` lines, or arrays, on `threads` threads of `host`
/// (0: one for each core).
/// Throws invalid_argument unless the problem is well formed and the backend "host" can do it.
PAPILIO_API fft_estimate host_fft_estimate(const host_model& host, const fft_problem& problem,
                                           std::size_t lines = 1, int threads = 1);

/// Returns the host's estimates of transforms, by the backends of this build, and of all that
/// host_roofline() has.
PAPILIO_API const host_row& host_transforms();

/// Compares the host and an accelerator for a transform, as explain() of an operation.
PAPILIO_API comparison explain(const fft_problem& problem, const execution& on = {});

}  // namespace papilio
