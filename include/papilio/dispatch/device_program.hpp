#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/base/parallel_for.hpp"
#include "papilio/base/tensor.hpp"
#include "papilio/base/vocabulary.hpp"
#include "papilio/dispatch/accelerator.hpp"
#include "papilio/dispatch/operation.hpp"

namespace papilio {

/// A part of a run that has a name of its own. Device seconds are modelled, from the part's first
/// instruction to the end of its last: parts may overlap.
struct run_step {
  std::string name = {};  ///< "step 2"
  std::string recipe = {};
  double device_seconds = 0;
};

/// What ran. Seconds are modelled but for wall_seconds; of the host's runs nothing is measured and
/// nothing modelled: they are 0.
struct run_record {
  std::string operation = {};
  std::string backend = {};  ///< "host", "fftw", "device"; empty: nothing has run yet
  std::string recipe = {};
  std::string machine = {};  ///< the accelerator's name
  std::size_t launches = 0;
  std::size_t uploads = 0, fetches = 0;  ///< tensors copied to the device, and back
  double upload_bytes = 0, fetch_bytes = 0;
  double launch_seconds = 0, upload_seconds = 0, device_seconds = 0, fetch_seconds = 0;
  double compile_seconds = 0;
  std::vector<run_step> steps = {};  ///< of an accelerator's program that has some
  bool captured = false;             ///< kept for a graph, not run
  double wall_seconds = 0;           ///< that the emulation took

  /// What the machine's user would have waited for.
  double seconds() const {
    return launch_seconds + upload_seconds + device_seconds + fetch_seconds + compile_seconds;
  }
  /// Of two runs after each other: counts, bytes and seconds are summed, steps by their names.
  PAPILIO_API void add(const run_record& later);
  /// Lines of text.
  PAPILIO_API std::string to_text() const;
};

/// Calls `work` and returns the record of the operation that it calls last on this thread, of those
/// that take an execution; empty where it calls none. An operation that consists of several (an
/// fftn over an axis that is named twice) leaves that of the last; a decomposition leaves the sum
/// of all its runs. What `work` throws passes through.
///
///   array<std::complex<float>, 1> y;
///   const run_record run = recorded([&] { y = fft(x, {.on = {policy::device, &dev}}); });
PAPILIO_API run_record recorded(function_ref<void()> work);

/// The same of the last operation that this thread has called outside of recorded(): for a program
/// that prints what it has just done. A library asks recorded().
PAPILIO_API run_record last_run();

namespace dispatch_detail {

/// Records a run of the host; its description is made only when asked for. `recipe` may be null.
PAPILIO_API void record_host_run(const char* backend, std::shared_ptr<const void> what,
                                 std::string (*operation)(const void*),
                                 std::string (*recipe)(const void*));
/// Whether the last run is the host's of this very object: there is nothing to record then.
PAPILIO_API bool is_last_host_run(const void* what);
PAPILIO_API void record_run(run_record record);

}  // namespace dispatch_detail
}  // namespace papilio

// Parts of a backend for accelerators. Elements of inputs and outputs are float or complex<float>.
namespace papilio {

/// An array in the memory of an accelerator.
class PAPILIO_API device_tensor {
 public:
  virtual ~device_tensor();
  device_tensor(const device_tensor&) = delete;
  device_tensor& operator=(const device_tensor&) = delete;

  const operand_shape& shape() const { return shape_; }
  /// device_error, in the name of `function`, if it is gone.
  accelerator& on(const char* function) const;

 protected:
  device_tensor(accelerator& on, operand_shape shape);

 private:
  accelerator* on_;
  std::weak_ptr<const void> life_;
  operand_shape shape_;
};
using shared_tensor = std::shared_ptr<device_tensor>;

/// One operand of a run: a tensor where there is one, else an array of the host.
struct device_input {
  shared_tensor tensor;
  untyped_view<const void> host{nullptr, {}, {}};
  bool is_complex = false;  ///< of the array of the host

  device_input(shared_tensor t) : tensor(std::move(t)) {}
  device_input(const untyped_view<const void>& v, bool of_complex)
      : host(v), is_complex(of_complex) {}
};
struct device_output {
  shared_tensor tensor;
  untyped_view<void> host{nullptr, {}, {}};
  bool is_complex = false;

  device_output(shared_tensor t) : tensor(std::move(t)) {}
  device_output(const untyped_view<void>& v, bool of_complex) : host(v), is_complex(of_complex) {}
};

/// What an operation takes on an accelerator: modelled seconds.
struct device_estimate {
  std::string recipe = {};
  std::size_t launches = 1;
  std::size_t tensors_in = 0, tensors_out = 0;
  std::size_t copies_in = 0, copies_out = 0;  ///< of them: 1 where they are gathered into one
  double bytes_in = 0, bytes_out = 0;         ///< of the operands
  double table_bytes = 0;                     ///< constants that stay there
  double launch_seconds = 0, upload_seconds = 0, device_seconds = 0, fetch_seconds = 0;
  double floor_seconds = 0;   ///< of device_seconds, whatever the kernel
  double cold_seconds = 0;    ///< more, where the program was never compiled; with its tables
  double relative_error = 0;  ///< expected, Euclidean norm; 0 where none is stated
  double memory_bytes = 0;    ///< of the accelerator, for operands, tables and what lies between
  std::vector<run_step> steps = {};  ///< of programs that have some

  double seconds() const {
    return launch_seconds + upload_seconds + device_seconds + fetch_seconds;
  }
  /// With operands that are there, and results that stay.
  double resident_seconds() const { return launch_seconds + device_seconds; }
};

/// An operation made ready on an accelerator: its tables lie there.
class PAPILIO_API device_program {
 public:
  virtual ~device_program();
  device_program(const device_program&) = delete;
  device_program& operator=(const device_program&) = delete;

  virtual std::string recipe() const = 0;
  virtual double table_bytes() const = 0;
  virtual double relative_error() const = 0;
  /// One launch. What throws, throws in the name of `function`. Operands have the shapes that
  /// shapes_of says but for axes of theirs: as many elements, row-major, and the same kind; or a
  /// complex tensor for a real operand of twice as many: its real parts, then its imaginary ones.
  /// Host views have any strides; outputs may overlap inputs, and are written when the run has gone
  /// well.
  virtual run_record run(const char* function, std::span<const device_input> in,
                         std::span<const device_output> out) const = 0;

 protected:
  device_program() = default;
};

/// Runs that were captured, to be submitted together.
class PAPILIO_API captured_runs {
 public:
  virtual ~captured_runs();
  /// What throws, throws in the name of `function`.
  virtual run_record submit(const char* function) = 0;
  virtual std::size_t runs() const = 0;
};

/// What execution::backend asks for where an accelerator is wanted.
inline constexpr const char* device_backend_name = "device";

/// What one kind of accelerators does, as plain functions; `on` is always of this kind.
struct device_backend {
  /// The name of what launches and copies on it.
  std::string (*runtime)(const accelerator& on);
  /// Why it cannot do the operation; empty where it can.
  std::string (*refusal)(const operation& what, const precision_options& precision,
                         const accelerator& on);
  /// At least what the operation takes, cold too, without looking for a way to compute it.
  device_estimate (*bound)(const operation& what, const accelerator& on);
  /// By a dry run. Errors as build, those that need no memory to be found.
  device_estimate (*estimate)(const operation& what, const precision_options& precision,
                              const accelerator& on);
  std::shared_ptr<const device_program> (*build)(const operation& what,
                                                 const precision_options& precision,
                                                 accelerator& on);
  shared_tensor (*allocate)(accelerator& on, const operand_shape& shape);
  /// While runs are captured the tensor becomes the array itself.
  run_record (*upload)(device_tensor& to, const untyped_view<const void>& from);
  run_record (*download)(device_tensor& from, const untyped_view<void>& to);
  /// Modelled, of captured runs: one copy of all arrays `in`, one back of all arrays `out`.
  double (*copy_seconds)(const operand_shapes& arrays, const accelerator& on);
  /// From now on, runs on this accelerator are kept instead of run, until `end` (all of them) or
  /// `abandon`.
  void (*begin_capture)(accelerator& on);
  std::unique_ptr<captured_runs> (*end_capture)(accelerator& on);
  void (*abandon_capture)(accelerator& on);
};

/// The functions of an accelerator; device_error in the name of `function` if it has none.
PAPILIO_API const device_backend& backend_of(const char* function, const accelerator& on);

/// The program of an operation on an accelerator, from those that it keeps, or built. device_error
/// with the reason, in the name of `function`, where the accelerator cannot do it.
PAPILIO_API std::shared_ptr<const device_program> program_on(const char* function, accelerator& on,
                                                             const operation& what,
                                                             const precision_options& precision);

/// program_on(...).run(...), recorded for last_run(). invalid_argument where the tensors are not
/// all on `on`.
PAPILIO_API void run_on(const char* function, accelerator& on, const operation& what,
                        const precision_options& precision, std::span<const device_input> in,
                        std::span<const device_output> out);

/// A tensor for a result; it holds nothing yet. device_error, in the name of `function`, where the
/// accelerator's memory does not suffice.
PAPILIO_API shared_tensor new_tensor(accelerator& on, const operand_shape& shape,
                                     const char* function = "device array");

/// Programs and decisions of `automatic` that an accelerator caches, so that each is made once. The
/// least recently used are dropped first; the last one is kept whatever its size.
struct kept_operations {
  static constexpr std::size_t most_programs = 128;
  static constexpr std::size_t most_decisions = 1024;
  static constexpr double most_table_bytes = 2e9;
  /// Limit for programs, and the same again for decisions: bytes of their keys, which are the
  /// operations with their windows, matrices and factors.
  static constexpr double most_key_bytes = 64e6;

  std::size_t programs = 0, decisions = 0;
  double table_bytes = 0;  ///< of the programs, on the accelerator
  double program_key_bytes = 0, decision_key_bytes = 0;
};
PAPILIO_API kept_operations kept_on(const accelerator& on);

/// Operations that were captured, ready to be submitted as one dispatch: all arrays that they read
/// go up in one copy, all results of to_host come back in one. A graph that was moved from has
/// none.
class PAPILIO_API device_graph {
 public:
  /// What was captured; the accelerator must outlive it.
  explicit device_graph(std::unique_ptr<captured_runs> runs, const accelerator& on);

  std::size_t operations() const;
  /// Reads the arrays of to_device, computes, writes those of to_host. May be called again, with
  /// other values in the same arrays. Also last_run(). device_error if the accelerator is gone, or
  /// where an array is read that another graph has yet to write; invalid_argument without
  /// operations.
  run_record submit();

 private:
  std::unique_ptr<captured_runs> runs_;
  std::weak_ptr<const void> life_;
};

/// Calls `body`; operations on device arrays of `on` that it makes are not run but kept, and to_device
/// and to_host move nothing yet. Operations with operands of the host refuse to run on `on` in
/// there (invalid_argument): only arrays named by to_device and to_host are known to last. Results
/// that stay on the device hold nothing before the first submission. Where `body` throws, nothing
/// is kept. All arrays are read before one is written, so that an array of to_host may be one that
/// to_device has read. invalid_argument where nothing was captured, inside another capture, and
/// where an array of to_host shares memory with another one, or with one that to_device reads after
/// it; an array of more than five axes that do not join by their strides has all of it from its
/// first element to its last.
/// Other threads wait for the accelerator while `body` runs: it may not wait for them.
///
///   device_graph g = capture(dev, [&] {
///     to_host(irfft(rfft(to_device(dev, x))), y.view());
///   });
///   g.submit();
PAPILIO_API device_graph capture(accelerator& on, function_ref<void()> body);

namespace dispatch_detail {

/// invalid_argument, in the name of `function`, inside capture(): of operations with operands of
/// the host.
PAPILIO_API void require_no_capture(const char* function, accelerator& on);

/// Captures `body` and submits it at once: one dispatch, for last_run() under `name`. Arrays
/// that it names must last until then. Errors in the name of `function`; inside capture() as
/// require_no_capture.
PAPILIO_API void run_captured(const char* function, accelerator& on, std::string name,
                              function_ref<void()> body);

}  // namespace dispatch_detail

}  // namespace papilio
