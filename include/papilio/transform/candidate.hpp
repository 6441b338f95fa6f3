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

/// What a backend expects of a problem. Estimated, never measured.
struct fft_estimate {
  std::string recipe;         ///< the backend's own description of what runs
  std::size_t passes = 0;     ///< times that the data is read and written
  double bytes_moved = 0;     ///< between memory and caches, all passes
  double flops = 0;           ///< additions and multiplications of reals
  double seconds = 0;         ///< one thread
  double table_bytes = 0;     ///< that a plan keeps; 0: not known
  double relative_error = 0;  ///< expected, in the Euclidean norm
};

/// A built transform. Immutable; any number of threads may execute it at once.
class PAPILIO_API fft_executor {
 public:
  virtual ~fft_executor();
  fft_executor(const fft_executor&) = delete;
  fft_executor& operator=(const fft_executor&) = delete;

  virtual std::string recipe() const = 0;
  /// Bytes of tables that it holds, estimated where the backend does not report them.
  virtual std::size_t table_bytes() const = 0;
  /// Bytes of memory that one thread works in beside the operands; 0 where the backend does not
  /// tell.
  virtual std::size_t scratch_bytes() const { return 0; }

  /// Line problems: every line along `axis`. Others: the whole array; `axis` is 0.
  /// Elements are of the problem's type, complex where its kind says so. Any rank of at least 1,
  /// any strides in `in`; no two elements of `out` may share an address. The caller has checked the
  /// extents. The input is not written unless it is the output; overlapping operands are allowed.
  virtual void execute(const untyped_view<const void>& in, const untyped_view<void>& out,
                       std::size_t axis, int threads) const = 0;

 protected:
  fft_executor() = default;
};

/// One way to compute Fourier transforms on the host, as plain functions.
struct fft_candidate {
  const char* name;     ///< what execution::backend asks for
  std::string version;  ///< of the library behind it; empty where that is papilio itself
  /// Why it cannot do the problem; empty where it can.
  std::string (*refusal)(const fft_problem& problem);
  /// For `lines` lines (line problems), or `lines` arrays.
  fft_estimate (*estimate)(const fft_problem& problem, std::size_t lines);
  std::unique_ptr<const fft_executor> (*build)(const fft_problem& problem);
};

/// Those in this build, the preferred first.
PAPILIO_API std::span<const fft_candidate> fft_candidates();

/// The candidate of the host that `on` chooses for a problem. Pure. invalid_argument, in the name
/// of `function`: an unknown backend, one that cannot do it, a bad number of threads, a precision
/// that is not the host's.
PAPILIO_API const fft_candidate& choose_fft(const char* function, const fft_problem& problem,
                                            const execution& on);

/// One line: papilio's version and those of the libraries behind optional backends, for example
/// "papilio 0.1.0, fftw 3.3.10".
PAPILIO_API std::string build_info();

/// How much the cache of plans behind the transforms may hold.
struct plan_cache_bound {
  std::size_t plans = 256;
  std::size_t bytes = std::size_t{256} << 20;  ///< of tables
};

/// Counts since the program began; what is held now.
struct plan_cache_counts {
  std::size_t hits = 0;
  std::size_t misses = 0;     ///< each built a plan
  std::size_t evictions = 0;  ///< dropped for want of room; not those that clear_plan_cache drops
  std::size_t plans = 0;
  std::size_t bytes = 0;  ///< of tables, as the backends estimate them
};

/// The transforms keep the plans they build, the least recently used going first where either bound
/// is reached; a plan that exceeds the bound alone is used and not kept. All functions may be
/// called from any number of threads. A plan is built without holding the lock: two threads that
/// need the same new plan at once may both build it, and one of the two is kept.
PAPILIO_API plan_cache_counts plan_cache_statistics();
PAPILIO_API plan_cache_bound plan_cache_limit();
/// Drops at once what is beyond. Either bound 0: nothing is kept.
PAPILIO_API void set_plan_cache_limit(plan_cache_bound bound);
/// Drops all of them. What last_run() returns stays, without the plan that it is about.
PAPILIO_API void clear_plan_cache();

}  // namespace papilio

// What Fourier, cosine and sine transforms take on the host.
namespace papilio {

/// What papilio's own plans would take for `lines` lines, or arrays, on `threads` threads of `host`
/// (0: one for each core).
/// `problem` is one that the backend "host" can do.
PAPILIO_API fft_estimate host_fft_estimate(const host_model& host, const fft_problem& problem,
                                           std::size_t lines = 1, int threads = 1);

/// Transforms, by the candidates of this build, beside all that host_roofline() has.
PAPILIO_API const host_row& host_transforms();

/// As explain() of an operation.
PAPILIO_API comparison explain(const fft_problem& problem, const execution& on = {});

}  // namespace papilio
