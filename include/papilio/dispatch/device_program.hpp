#pragma once

#include <complex>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/base/parallel_for.hpp"
#include "papilio/base/tensor.hpp"
#include "papilio/base/vocabulary.hpp"
#include "papilio/dispatch/accelerator.hpp"
#include "papilio/dispatch/operation.hpp"

namespace papilio {

/// Named step of a run. Device seconds are modelled, from the step's first instruction to the end
/// of its last: steps may overlap.
struct run_step {
  std::string name = {};  ///< "step 2"
  std::string recipe = {};
  double device_seconds = 0;
};

/// Record of a run. Seconds are modelled, except wall_seconds; for runs of the host they are all 0,
/// since nothing is measured or modelled.
struct run_record {
  std::string operation = {};
  std::string backend = {};  ///< "host", "fftw", "device"; empty: nothing has run yet
  std::string recipe = {};
  std::string machine = {};  ///< the accelerator's name
  std::size_t launches = 0;
  std::size_t uploads = 0, fetches = 0;  ///< tensors copied to the device, and back
  double upload_bytes = 0, fetch_bytes = 0;
  double launch_seconds = 0, upload_seconds = 0, device_seconds = 0, fetch_seconds = 0;
  double link_seconds = 0;  ///< between the cores of a group
  double compile_seconds = 0;
  std::vector<run_step> steps = {};  ///< of an accelerator's program that has some
  bool captured = false;             ///< kept for a graph, not run
  bool asynchronous = false;         ///< the call did not wait for what was begun before
  /// Seconds by which the host's clock moved in asynchronous calls and in waiting for them; the
  /// parts above are of their own steps, which overlap others.
  double asynchronous_seconds = 0;
  double wall_seconds = 0;  ///< measured time of the emulation

  /// Modelled seconds that a user of the machine would have waited, if nothing overlapped.
  double seconds() const {
    return launch_seconds + upload_seconds + device_seconds + link_seconds + fetch_seconds +
           compile_seconds;
  }
  /// Adds a later run: counts, bytes and seconds are summed, steps by their names.
  PAPILIO_API void add(const run_record& later);
  /// Returns lines of text.
  PAPILIO_API std::string to_text() const;
};

/// Calls `work` and returns the record of the last operation in it on this thread that takes an
/// execution; empty if there is none. An operation made of several (an fftn over an axis that is
/// named twice) has the record of the last; a decomposition the sum of its runs. `work` may throw.
///
///   array<std::complex<float>, 1> y;
///   const run_record run = recorded([&] { y = fft(x, {.on = {policy::device, &dev}}); });
PAPILIO_API run_record recorded(function_ref<void()> work);

/// Returns the record of the last operation of this thread outside of recorded(), for a program
/// that prints what it has just done. A library uses recorded().
PAPILIO_API run_record last_run();

namespace dispatch_detail {

/// Records a run of the host; its description is made only when asked for. `recipe` may be null.
PAPILIO_API void record_host_run(const char* backend, std::shared_ptr<const void> what,
                                 std::string (*operation)(const void*),
                                 std::string (*recipe)(const void*));
/// Records a run of the host that has no plan; the name must last as long as the process.
PAPILIO_API void record_host_run(const char* operation);
/// Whether the last run is the host's of this very object, and need not be recorded again.
PAPILIO_API bool is_last_host_run(const void* what);
PAPILIO_API void record_run(run_record record);

}  // namespace dispatch_detail
}  // namespace papilio

// Interface of a backend for accelerators. Elements of inputs and outputs are float or
// complex<float>.
namespace papilio {

/// Array in the memory of an accelerator.
class PAPILIO_API device_tensor {
 public:
  virtual ~device_tensor();
  device_tensor(const device_tensor&) = delete;
  device_tensor& operator=(const device_tensor&) = delete;

  const operand_shape& shape() const { return shape_; }
  /// Returns its accelerator. Throws device_error, in the name of `function`, if it is gone.
  accelerator& on(const char* function) const;

 protected:
  device_tensor(accelerator& on, operand_shape shape);

 private:
  accelerator* on_;
  std::weak_ptr<const void> life_;
  operand_shape shape_;
};
using shared_tensor = std::shared_ptr<device_tensor>;

namespace dispatch_detail {

/// Views of arrays of the host, real or complex: `view` and `tensor_view`.
template <class View>
concept host_view =
    requires(const View& v) {
      typename View::value_type;
      v.data();
      v.strides();
    } && (std::is_floating_point_v<typename View::value_type> ||
          std::is_same_v<typename View::value_type, std::complex<float>> ||
          std::is_same_v<typename View::value_type, std::complex<double>>);
template <host_view View>
inline constexpr bool holds_complex = !std::is_floating_point_v<typename View::value_type>;

}  // namespace dispatch_detail

/// Operands of a run, one each: a tensor, or, if that is null, an array of the host, whose view
/// must outlive the run.
struct device_input {
  shared_tensor tensor;
  untyped_view<const void> host{nullptr, {}, {}};
  bool is_complex = false;  ///< of the array of the host

  device_input(shared_tensor t) : tensor(std::move(t)) {}
  template <dispatch_detail::host_view View>
  device_input(const View& v)
      : host(v.data(), v.extents(), v.strides()),
        is_complex(dispatch_detail::holds_complex<View>) {}
  template <dispatch_detail::host_view View>
  device_input(const View&&) = delete;
  device_input(const untyped_view<const void>& v, bool of_complex)
      : host(v), is_complex(of_complex) {}
};
struct device_output {
  shared_tensor tensor;
  untyped_view<void> host{nullptr, {}, {}};
  bool is_complex = false;

  device_output(shared_tensor t) : tensor(std::move(t)) {}
  template <dispatch_detail::host_view View>
  device_output(const View& v)
      : host(v.data(), v.extents(), v.strides()),
        is_complex(dispatch_detail::holds_complex<View>) {}
  template <dispatch_detail::host_view View>
  device_output(const View&&) = delete;
  device_output(const untyped_view<void>& v, bool of_complex) : host(v), is_complex(of_complex) {}
};

/// Estimate of an operation on an accelerator, in modelled seconds.
struct device_estimate {
  std::string recipe = {};
  std::size_t launches = 1;
  std::size_t tensors_in = 0, tensors_out = 0;
  std::size_t copies_in = 0, copies_out = 0;  ///< of them: 1 where they are gathered into one
  double bytes_in = 0, bytes_out = 0;         ///< of the operands
  double table_bytes = 0;                     ///< constants that stay there
  double launch_seconds = 0, upload_seconds = 0, device_seconds = 0, fetch_seconds = 0;
  double link_seconds = 0;    ///< between the cores of a group
  double floor_seconds = 0;   ///< of device_seconds, whatever the kernel
  double cold_seconds = 0;    ///< added if the program is not compiled yet; includes its tables
  double relative_error = 0;  ///< expected, Euclidean norm; 0 where none is stated
  /// From one asynchronous call to the next of many alike, where cores of a group share the work; 0
  /// elsewhere, and if the runtime has no such calls (kernels::asynchronous_seconds).
  double asynchronous_seconds = 0;
  double memory_bytes = 0;  ///< of the accelerator, for operands, tables and what lies between
  std::vector<run_step> steps = {};  ///< of programs that have some
  /// Estimate with device arrays, where another program runs: that of one core, of a group whose
  /// cores share the work otherwise. Null: this one.
  std::shared_ptr<const device_estimate> of_device_arrays = {};

  double seconds() const {
    return launch_seconds + upload_seconds + device_seconds + link_seconds + fetch_seconds;
  }
  /// Returns the estimate with device arrays as operands and results.
  const device_estimate& with_device_arrays() const {
    return of_device_arrays ? *of_device_arrays : *this;
  }
  /// Seconds with device arrays, of which nothing is copied.
  double device_array_seconds() const {
    return with_device_arrays().launch_seconds + with_device_arrays().device_seconds;
  }
};

/// Operation compiled for an accelerator, with its tables there.
class PAPILIO_API device_program {
 public:
  virtual ~device_program();
  device_program(const device_program&) = delete;
  device_program& operator=(const device_program&) = delete;

  virtual std::string recipe() const = 0;
  virtual double table_bytes() const = 0;
  virtual double relative_error() const = 0;
  /// Runs one launch; errors name `function`. Operands have the shapes of shapes_of except for
  /// their axes: as many elements, row-major, and the same kind; or a complex tensor for a real
  /// operand of twice as many: its real plane, then its imaginary one. Host views have any strides;
  /// outputs may overlap inputs, and are written after a run without errors only.
  virtual run_record run(const char* function, std::span<const device_input> in,
                         std::span<const device_output> out) const = 0;

 protected:
  device_program() = default;
};

/// Asynchronous run that was begun, as its backend has it.
class PAPILIO_API run_under_way {
 public:
  virtual ~run_under_way();
  virtual bool is_done() const = 0;
  /// Waits. Throws what the run failed with.
  virtual run_record wait() = 0;
};

/// Captured runs, to be submitted together.
class PAPILIO_API captured_runs {
 public:
  virtual ~captured_runs();
  /// Submits the runs. Errors name `function`.
  virtual run_record submit(const char* function) = 0;
  /// Begins a submission. Throws device_error if there are no asynchronous calls.
  virtual std::shared_ptr<run_under_way> submit_async(const char* function) = 0;
  virtual std::size_t runs() const = 0;
};

/// Name for execution::backend that selects an accelerator.
inline constexpr const char* device_backend_name = "device";

/// Backend of one kind of accelerators, as plain functions; `on` is always of this kind.
struct device_backend {
  /// Returns the name of the runtime that launches and copies on it.
  std::string (*runtime)(const accelerator& on);
  /// Returns why it cannot do the operation; empty if it can.
  std::string (*refusal)(const operation& what, const precision_options& precision,
                         const accelerator& on);
  /// Returns a lower bound of the operation's time, cold too, without planning it.
  device_estimate (*bound)(const operation& what, const accelerator& on);
  /// Estimates by a dry run. Throws as build, except for errors of memory.
  device_estimate (*estimate)(const operation& what, const precision_options& precision,
                              const accelerator& on);
  std::shared_ptr<const device_program> (*build)(const operation& what,
                                                 const precision_options& precision,
                                                 accelerator& on);
  shared_tensor (*allocate)(accelerator& on, const operand_shape& shape);
  /// Copies an array up; while runs are captured the tensor only refers to the array.
  run_record (*upload)(device_tensor& to, const untyped_view<const void>& from);
  run_record (*download)(device_tensor& from, const untyped_view<void>& to);
  /// Begins such a copy. Throws device_error if there are no asynchronous calls.
  std::shared_ptr<run_under_way> (*begin_download)(device_tensor& from,
                                                   const untyped_view<void>& to);
  /// Returns the modelled seconds of the copies of captured runs, one up and one back.
  double (*copy_seconds)(const operand_shapes& arrays, const accelerator& on);
  /// Begins to keep runs on this accelerator, until they are ended or abandoned.
  void (*begin_capture)(accelerator& on);
  std::unique_ptr<captured_runs> (*end_capture)(accelerator& on);
  void (*abandon_capture)(accelerator& on);
};

/// Returns the accelerator's backend. Throws device_error, naming `function`, if it has none.
PAPILIO_API const device_backend& backend_of(const char* function, const accelerator& on);

/// Returns the program of an operation on an accelerator, from its cache, or built.
/// Throws invalid_argument for a malformed operation, device_error with the reason if the
/// accelerator cannot do it, both in the name of `function`.
PAPILIO_API std::shared_ptr<const device_program> program_on(const char* function, accelerator& on,
                                                             const operation& what,
                                                             const precision_options& precision);

/// Runs program_on(...).run(...), recorded for last_run().
/// Throws also invalid_argument if the tensors are not all on `on`.
PAPILIO_API void run_on(const char* function, accelerator& on, const operation& what,
                        const precision_options& precision, std::span<const device_input> in,
                        std::span<const device_output> out);
inline void run_on(const char* function, accelerator& on, const operation& what,
                   const precision_options& precision, std::initializer_list<device_input> in,
                   std::initializer_list<device_output> out) {
  run_on(function, on, what, precision, std::span(in.begin(), in.size()),
         std::span(out.begin(), out.size()));
}

/// Allocates a tensor for a result, uninitialised. Throws device_error, in the name of `function`,
/// if the accelerator's memory does not suffice.
PAPILIO_API shared_tensor new_tensor(accelerator& on, const operand_shape& shape,
                                     const char* function = "device array");

/// Runs an operation, whose results are new tensors: of `results`, which have the elements of its
/// outputs. Throws as run_on and new_tensor.
PAPILIO_API std::vector<shared_tensor> run_to_new(const char* function, accelerator& on,
                                                  const operation& what,
                                                  const precision_options& precision,
                                                  const std::vector<device_input>& in,
                                                  const std::vector<operand_shape>& results);

/// Counts of the programs and of the decisions of `automatic` that an accelerator caches. The least
/// recently used are dropped first; the last one is kept whatever its size.
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
/// Returns the counts of an accelerator.
PAPILIO_API kept_operations kept_on(const accelerator& on);

/// Asynchronous run of device_graph::submit_async or to_host_async. Copies are the same run. The
/// accelerator may be used by other threads meanwhile.
class PAPILIO_API pending_run {
 public:
  pending_run() = default;  ///< no run
  explicit pending_run(std::shared_ptr<run_under_way> run, const accelerator& on,
                       std::string operation);

  bool empty() const { return run_ == nullptr; }
  /// Returns whether the host's modelled clock has passed the run's end, so that wait would take no
  /// time. Throws invalid_argument if empty, device_error if the accelerator is gone.
  bool is_done() const;
  /// Waits until the run is done, and returns its record, which is also last_run()'s: its parts are
  /// those of its own steps, asynchronous_seconds is what the host has spent on it. May be called
  /// again. Throws what the run failed with; invalid_argument if empty; device_error if the
  /// accelerator is gone.
  run_record wait();

 private:
  const accelerator& there(const char* function) const;

  std::shared_ptr<run_under_way> run_;
  const accelerator* on_ = nullptr;
  std::weak_ptr<const void> life_;
  std::string operation_;
};

/// Graph of captured operations, submitted as one dispatch: all arrays that they read are copied up
/// in one copy, all results of to_host are copied back in one. Moved from, it is empty.
class PAPILIO_API device_graph {
 public:
  /// Takes captured runs; the accelerator must outlive them.
  explicit device_graph(std::unique_ptr<captured_runs> runs, const accelerator& on);

  std::size_t operations() const;
  /// Reads the arrays of to_device, computes, and writes those of to_host. It may be called again
  /// with other values in the same arrays. The record is also last_run()'s.
  /// Throws device_error if the accelerator is gone, or an array is read that another graph has yet
  /// to write; invalid_argument if the graph is empty.
  run_record submit();
  /// Begins a submission and returns before it is done: that of another graph, or of this one with
  /// other contents of its arrays, overlaps with it in modelled time. The arrays may be changed and
  /// read after pending_run::wait. Throws as submit, and device_error if the runtime has no
  /// asynchronous calls; errors of the run itself are thrown by wait.
  ///
  ///   pending_run one = first.submit_async(), two = second.submit_async();  // copied up meanwhile
  ///   one.wait();
  pending_run submit_async();

 private:
  captured_runs& runs_for(const char* function) const;

  std::unique_ptr<captured_runs> runs_;
  const accelerator* on_;
  std::weak_ptr<const void> life_;
};

/// Captures the operations that `body` calls on device arrays of `on` into a graph. They are not
/// run yet, and to_device and to_host copy nothing yet; device arrays of the results hold nothing
/// before the first submission. All arrays are read before one is written, so that an array of
/// to_host may be one that to_device has read. If `body` throws, the capture is dropped. Other
/// threads wait for the accelerator while `body` runs: it may not wait for them.
///
///   device_graph g = capture(dev, [&] {
///     to_host(irfft(rfft(to_device(dev, x))), y.view());
///   });
///   g.submit();
///
/// Throws invalid_argument if nothing was captured, inside another capture, for operations in
/// `body` with operands of the host (only arrays named by to_device and to_host are known to last),
/// and if an array of to_host shares memory with another one, or with one that to_device reads
/// after it. For that, an array of more than five axes that do not join by their strides takes all
/// memory from its first element to its last.
PAPILIO_API device_graph capture(accelerator& on, function_ref<void()> body);

namespace dispatch_detail {

/// Throws invalid_argument, in the name of `function`, inside capture(), for operations with
/// operands of the host.
PAPILIO_API void require_no_capture(const char* function, accelerator& on);

/// Captures `body` and submits it at once: one dispatch, recorded for last_run() under `name`.
/// Arrays that it names must last until then. Throws as require_no_capture.
PAPILIO_API void run_captured(const char* function, accelerator& on, std::string name,
                              function_ref<void()> body);

}  // namespace dispatch_detail

}  // namespace papilio
