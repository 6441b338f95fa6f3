#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/base/untyped_view.hpp"
#include "papilio/dispatch/execution.hpp"
#include "papilio/dispatch/fft_problem.hpp"

namespace papilio {

/// What a backend expects of a problem. Reckoned, never measured.
struct fft_estimate {
  std::string recipe;         ///< the backend's own description of what runs
  std::size_t passes = 0;     ///< times that the data is read and written
  double bytes_moved = 0;     ///< between memory and caches, all passes
  double flops = 0;           ///< additions and multiplications of reals
  double seconds = 0;         ///< one thread
  double table_bytes = 0;     ///< that a plan keeps; 0: not told
  double relative_error = 0;  ///< expected, in the Euclidean norm
};

/// A built transform. Immutable; any number of threads may execute it at once.
class PAPILIO_API fft_executor {
 public:
  virtual ~fft_executor();
  fft_executor(const fft_executor&) = delete;
  fft_executor& operator=(const fft_executor&) = delete;

  virtual std::string recipe() const = 0;
  /// Bytes of tables that it holds, reckoned where the backend does not tell.
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

}  // namespace papilio
