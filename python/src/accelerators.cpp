// papilio.device: an emulated accelerator, its arrays and graphs, and profiles of kernels.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "accelerated.hpp"
#include "module.hpp"
#include "ndarray.hpp"
#include "papilio/base/error.hpp"
#include "papilio/engine.hpp"
#include "papilio/kernels.hpp"

namespace papilio::python {
namespace {

using base_detail::message;

/// Core whose machine a kernel is modelled on.
const engine::device& core_of(const python_device& device) {
  if (const auto* const group = dynamic_cast<const engine::device_group*>(&device.on()))
    return group->core(0);
  return dynamic_cast<const engine::device&>(device.on());
}

/// A dry run of a kernel of the catalog: the verdict in words, parts of one dispatch in seconds, the
/// profile's numbers as JSON, and the design.
nb::dict profile_on(const python_device& device, const std::string& kernel,
                    const std::vector<std::string>& settings) {
  engine::launch_result r;
  std::string how;
  double expected_error = 0;
  {
    const without_gil released;
    // A device of its own: what is resident on this one does not count.
    const engine::device& core = core_of(device);
    engine::device fresh(core.machine(), core.runtime());
    const kernels::sized_kernel sized =
        kernels::size_kernel(kernels::find_kernel(kernel), settings, fresh.machine());
    std::vector<engine::launch_input> inputs(sized.inputs.begin(), sized.inputs.end());
    std::vector<engine::launch_output> outputs(sized.outputs.begin(), sized.outputs.end());
    const kernels::prepared_kernel prepared(fresh, sized, engine::run_mode::dry_run);
    r = prepared.launch(inputs, outputs);
    how = sized.design.explain();
    expected_error = sized.expected_error;
  }
  nb::dict d;
  d["kernel"] = r.summary.kernel;
  d["machine"] = r.summary.machine;
  d["runtime"] = device.runtime();
  d["verdict"] = r.summary.verdict_text();
  d["summary"] = nb::module_::import_("json").attr("loads")(r.summary.to_json());
  nb::dict dispatch;
  dispatch["compile"] = r.compile_seconds;
  dispatch["launch"] = r.launch_seconds;
  dispatch["copy"] = r.upload.seconds;
  dispatch["fetch"] = r.fetch.seconds;
  dispatch["device"] = r.device_seconds;
  dispatch["total"] = r.total_seconds();
  d["dispatch"] = dispatch;
  d["design"] = how;
  d["expected_error"] = expected_error;
  return d;
}

/// A run as papilio.device.Run; None where nothing has run.
nb::object run_of(const run_record& r) {
  if (r.backend.empty()) return nb::none();
  nb::list steps;
  for (const run_step& s : r.steps)
    steps.append(nb::make_tuple(s.name, s.recipe, s.device_seconds));
  nb::dict d;
  d["operation"] = r.operation;
  d["machine"] = r.machine;
  d["recipe"] = r.recipe;
  d["launches"] = r.launches;
  d["uploads"] = r.uploads;
  d["fetches"] = r.fetches;
  d["upload_bytes"] = r.upload_bytes;
  d["fetch_bytes"] = r.fetch_bytes;
  d["launch_seconds"] = r.launch_seconds;
  d["upload_seconds"] = r.upload_seconds;
  d["device_seconds"] = r.device_seconds;
  d["link_seconds"] = r.link_seconds;
  d["fetch_seconds"] = r.fetch_seconds;
  d["compile_seconds"] = r.compile_seconds;
  d["seconds"] = r.seconds();
  d["asynchronous"] = r.asynchronous;
  d["asynchronous_seconds"] = r.asynchronous_seconds;
  d["wall_seconds"] = r.wall_seconds;
  d["steps"] = nb::tuple(steps);
  d["text"] = r.to_text();
  return nb::module_::import_("papilio.device").attr("Run")(**d);
}

python_device& device_of(nb::handle device) { return *nb::inst_ptr<python_device>(device); }

/// Copies an array to the accelerator. A capture reads it when its graph is submitted.
nb::object uploaded(nb::handle device, nb::handle x) {
  constexpr const char* function = "Device.array";
  python_device& on = device_of(device);
  const ndarray in = ndarray::operand(function, x);
  if (in.type().type != real_type::single_precision || !(on.kept() == nullptr || in.object().is(x)))
    throw nb::type_error(
        message(function, ": x must be ",
                on.kept() == nullptr ? "an array" : "a numpy.ndarray within capture",
                " of float32 or complex64: an accelerator computes in float")
            .c_str());
  if (in.rank() == 0) throw shape_error(message(function, ": x must have at least 1 axis, got 0"));
  shared_tensor tensor;
  call_place place(function, std::nullopt, device);
  place.run([&] {
    const untyped_view<const void> from = in;
    tensor = dispatch_detail::uploaded(
        on.on(), {{in.extents().begin(), in.extents().end()}, in.type().is_complex}, from);
  });
  if (on.kept() != nullptr) on.kept()->push_back(in.object());
  return place.result(std::move(tensor));
}

/// Copies an array back. A capture writes the result when its graph is submitted.
numpy_array downloaded(const python_device_array& x) {
  python_device& on = device_of(x.device());
  const element type{x.shape().is_complex, real_type::single_precision};
  const ndarray out = ndarray::uninitialized(type, x.shape().extents);
  call_place place("DeviceArray.numpy", std::nullopt, x.device());
  place.run([&] { dispatch_detail::downloaded(*x.tensor(), out); });
  if (on.kept() != nullptr) on.kept()->push_back(out.object());
  return out.object();
}

/// A run that was begun, with the objects that it reads and writes.
class python_pending {
 public:
  python_pending(nb::object device, pending_run run, nb::object result, nb::object kept)
      : device_(std::move(device)),
        result_(std::move(result)),
        kept_(std::move(kept)),
        run_(std::move(run)) {}
  python_pending(const python_pending&) = delete;
  python_pending& operator=(const python_pending&) = delete;
  // As that of python_device_array.
  ~python_pending() {
    accelerator& on = device_of(device_).on();
    const nb::gil_scoped_release released;
    const std::lock_guard lock(on.programs().mutex());
    run_ = {};
  }

  bool is_done() {
    const without_gil released;
    return run_.is_done();
  }
  nb::object wait() {
    run_record record;
    {
      const without_gil released;
      record = run_.wait();
    }
    device_of(device_).take(record, false);
    return run_of(record);
  }
  nb::object result() {
    wait();
    return result_;
  }
  /// Leaves a context: an error of the run does not hide one of the context.
  void leave(nb::handle error) {
    try {
      wait();
    } catch (const papilio::error&) {
      if (error.is_none()) throw;
    }
  }

 private:
  nb::object device_, result_, kept_;
  pending_run run_;
};

nb::object pending_of(nb::object device, pending_run run, nb::object result, nb::object kept) {
  return nb::cast(
      new python_pending(std::move(device), std::move(run), std::move(result), std::move(kept)),
      nb::rv_policy::take_ownership);
}

/// Begins a copy back; the result is written by the time it is waited for.
nb::object begin_download(const python_device_array& x) {
  const element type{x.shape().is_complex, real_type::single_precision};
  const ndarray out = ndarray::uninitialized(type, x.shape().extents);
  pending_run run;
  {
    const without_gil released;
    run = dispatch_detail::begin_download(*x.tensor(), out);
  }
  return pending_of(x.device(), std::move(run), out.object(), nb::none());
}

nb::tuple extents_of(const python_device_array& x) {
  nb::list all;
  for (const std::size_t e : x.shape().extents) all.append(e);
  return nb::tuple(all);
}

nb::object dtype_of(const python_device_array& x) {
  return nb::module_::import_("numpy").attr("dtype")(x.shape().is_complex ? "complex64"
                                                                          : "float32");
}

/// Captured operations, with the arrays that they read and write.
class python_graph {
 public:
  python_graph(nb::object device, nb::handle body) : device_(std::move(device)) {
    python_device& on = device_of(device_);
    const without_gil released;
    graph_.emplace(capture(on.on(), [&] {
      const nb::gil_scoped_acquire held;
      struct keeping {
        python_device& on;
        explicit keeping(python_device& device, std::vector<nb::object>& kept) : on(device) {
          on.keep_in(&kept);
        }
        ~keeping() { on.keep_in(nullptr); }
      } const within(on, kept_);
      result_ = body();
    }));
  }

  python_graph(const python_graph&) = delete;
  python_graph& operator=(const python_graph&) = delete;
  // As that of python_device_array.
  ~python_graph() {
    accelerator& on = device_of(device_).on();
    const nb::gil_scoped_release released;
    const std::lock_guard lock(on.programs().mutex());
    graph_.reset();
  }

  nb::object submit() {
    run_record record;
    {
      const without_gil released;
      record = graph_->submit();
    }
    device_of(device_).take(record, false);
    return run_of(record);
  }
  pending_run submit_async() {
    const without_gil released;
    return graph_->submit_async();
  }
  const nb::object& device() const { return device_; }
  std::size_t operations() const { return graph_->operations(); }
  const nb::object& result() const { return result_; }

 private:
  nb::object device_, result_;
  std::vector<nb::object> kept_;
  std::optional<device_graph> graph_;
};

nb::list catalog() {
  nb::list all;
  for (const kernels::catalog_entry& entry : kernels::catalog()) {
    nb::list parameters;
    for (const kernels::kernel_parameter& p : entry.parameters) {
      nb::dict d;
      d["name"] = p.name;
      d["preset"] = p.preset;
      d["help"] = p.help;
      d["choices"] = p.choices;
      parameters.append(d);
    }
    nb::dict d;
    d["name"] = entry.name;
    d["summary"] = entry.summary;
    d["parameters"] = parameters;
    all.append(d);
  }
  return all;
}

}  // namespace

void define_accelerators(nb::module_& m) {
  nb::class_<python_device>(m, "Device")
      .def(
          "__init__",
          [](python_device* self, const std::string& machine, const std::string& runtime,
             int cores) {
            new (self)
                python_device(machine, runtime, cores, make_accelerator(machine, runtime, cores));
          },
          nb::arg("machine") = "trainium1", nb::arg("runtime") = "sdk_2_24", nb::arg("cores") = 1)
      .def_prop_ro("machine", &python_device::machine)
      .def_prop_ro("runtime", &python_device::runtime)
      .def_prop_ro("cores", &python_device::cores)
      .def_prop_rw(
          "asynchronous",
          [](const python_device& self) {
            const without_gil released;
            return self.on().is_asynchronous();
          },
          [](const python_device& self, bool asynchronous) {
            const without_gil released;
            self.on().set_asynchronous(asynchronous);
          },
          "Whether calls on device arrays only begin, and overlap in modelled time.")
      .def("synchronize", [](const python_device& self) {
        const without_gil released;
        self.on().synchronize();
      });
  nb::class_<python_pending>(
      m, "Pending",
      "A copy or a graph under way on an accelerator. DeviceArray.numpy_async and\n"
      "Graph.submit_async make one.\n\n"
      "Values are computed as it is made; in modelled time it overlaps what else is under way.\n"
      "As a context it is waited for at the end.\n\n"
      "Example:\n    >>> device = papilio.device.Device('trn2', 'sdk_2_32_trn2')\n"
      "    >>> with device.overlapped():\n"
      "    ...     blocks = [device.array(np.ones((4, 64), np.float32)) for _ in range(3)]\n"
      "    ...     under_way = [papilio.fft.rfft(x).numpy_async() for x in blocks]\n"
      "    >>> under_way[0].done, under_way[0].result[0, 0]\n    (True, np.complex64(64+0j))\n")
      .def("wait", &python_pending::wait,
           "Waits until it is done. Returns its Run, which is also the device's last one; raises\n"
           "what it failed with. It may be called again.")
      .def_prop_ro("done", &python_pending::is_done,
                   "Whether the modelled clock of the host has passed its end.")
      .def_prop_ro("result", &python_pending::result,
                   "The array that was copied back, or the value of the graph's function; waits.")
      .def("__enter__", [](nb::object self) { return self; })
      .def(
          "__exit__",
          [](python_pending& self, nb::handle type, nb::handle, nb::handle) { self.leave(type); },
          nb::arg("type").none(), nb::arg("error").none(), nb::arg("traceback").none());
  nb::class_<python_device_array>(
      m, "DeviceArray",
      "An array in an accelerator's memory, of float32 or complex64.\n\n"
      "Device.array makes one of numpy's. Functions that take `on` take it in the place of an "
      "array,\n"
      "run where it lies, and return device arrays: nothing is copied in between.\n\n"
      "Example:\n    >>> x = papilio.device.Device().array(np.ones((4, 64), np.float32))\n"
      "    >>> spectra = papilio.fft.rfft(x)\n    >>> spectra\n"
      "    DeviceArray(complex64 [4, 33], trainium1)\n    >>> spectra.numpy()[0, 0]\n"
      "    np.complex64(64+0j)\n")
      .def("numpy", &downloaded, "Copies the array back, in one fetch.")
      .def("numpy_async", &begin_download,
           "Begins to copy the array back. Returns a Pending, whose result is the array.\n\n"
           "Raises DeviceError where the runtime has no asynchronous calls, ValueError within\n"
           "capture.")
      .def(
          "__array__",
          [](const python_device_array& x, nb::handle dtype, nb::handle copy) -> nb::object {
            if (!copy.is_none() && !nb::cast<bool>(nb::bool_(nb::borrow(copy))))
              throw nb::value_error("DeviceArray: an array of numpy is a copy of it");
            const nb::object values = downloaded(x);
            return dtype.is_none() ? values : values.attr("astype")(dtype);
          },
          nb::arg("dtype") = nb::none(), nb::arg("copy") = nb::none())
      .def("__len__", [](const python_device_array& x) { return x.shape().extents[0]; })
      .def("__repr__",
           [](const python_device_array& x) {
             std::string shape;
             for (const std::size_t e : x.shape().extents)
               shape += (shape.empty() ? "" : ", ") + std::to_string(e);
             return message("DeviceArray(", x.shape().is_complex ? "complex64" : "float32", " [",
                            shape, "], ", device_of(x.device()).on().name(), ")");
           })
      .def_prop_ro("shape", &extents_of, "Extents of the axes.")
      .def_prop_ro("dtype", &dtype_of, "float32 or complex64.")
      .def_prop_ro(
          "ndim", [](const python_device_array& x) { return x.shape().extents.size(); },
          "Number of axes.")
      .def_prop_ro(
          "size", [](const python_device_array& x) { return x.shape().count(); },
          "Number of elements.")
      .def_prop_ro(
          "device", [](const python_device_array& x) { return x.device(); },
          "The Device in whose memory it lies.");
  nb::class_<python_graph>(
      m, "Graph",
      "Operations that an accelerator runs together, in one dispatch. Device.capture makes one.\n\n"
      "Example:\n    >>> device = papilio.device.Device()\n"
      "    >>> x = np.ones((4, 64), np.float32)\n"
      "    >>> graph = device.capture(lambda: papilio.fft.rfft(device.array(x)).numpy())\n"
      "    >>> run = graph.submit()\n    >>> graph.result[0, 0]\n    np.complex64(64+0j)\n")
      .def("submit", &python_graph::submit,
           "Reads the arrays of Device.array, computes, and writes those of DeviceArray.numpy.\n\n"
           "It may be called again, with other values in the same arrays. Returns a Run.")
      .def(
          "submit_async",
          [](nb::object self) {
            python_graph& graph = *nb::inst_ptr<python_graph>(self);
            return pending_of(graph.device(), graph.submit_async(), graph.result(), self);
          },
          "Begins a submission, which overlaps others. Returns a Pending.\n\n"
          "Arrays that it reads may be changed, and those that it writes be read, after its wait.\n"
          "Raises DeviceError where the runtime has no asynchronous calls.")
      .def_prop_ro("operations", &python_graph::operations, "Number of operations.")
      .def_prop_ro("result", &python_graph::result, "Value of the function that was captured.");
  m.def(
      "capture",
      [](nb::object device, nb::handle body) {
        return nb::cast(new python_graph(std::move(device), body), nb::rv_policy::take_ownership);
      },
      nb::arg("device"), nb::arg("body"));
  m.def(
      "last_run", [](const python_device& device) { return run_of(device.last_run()); },
      nb::arg("device"));
  m.def("array", &uploaded, nb::arg("device"), nb::arg("x"));
  m.def("profile", &profile_on, nb::arg("device"), nb::arg("kernel"), nb::arg("settings"));
  m.def("kernels", &catalog);
}

}  // namespace papilio::python
