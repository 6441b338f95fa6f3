// papilio.device: profiles of kernels, and transforms, on an emulated accelerator.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "module.hpp"
#include "ndarray.hpp"
#include "papilio/engine.hpp"
#include "papilio/kernels.hpp"

namespace papilio::python {
namespace {

/// An emulated device, by the names or the files of its machine and its runtime.
class accelerator_of {
 public:
  accelerator_of(const std::string& machine, const std::string& runtime)
      : machine_(machine),
        runtime_(runtime),
        device_(std::make_unique<engine::device>(engine::load_machine(machine),
                                                 engine::load_runtime(runtime))) {}

  const std::string& machine() const { return machine_; }
  const std::string& runtime() const { return runtime_; }
  engine::device& device() { return *device_; }

  /// A dry run of a kernel of the catalog: the verdict in words, parts of one dispatch in seconds,
  /// the profile's numbers as JSON, and what was designed.
  nb::dict profile(const std::string& kernel, const std::vector<std::string>& settings) {
    engine::launch_result r;
    std::string how;
    double expected_error = 0;
    {
      const without_gil released;
      // A device of its own: what is resident on this one does not count.
      engine::device fresh(device_->machine(), device_->runtime());
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
    d["runtime"] = runtime_;
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

 private:
  std::string machine_, runtime_;
  std::unique_ptr<engine::device> device_;
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
  nb::class_<accelerator_of>(m, "Device")
      .def(nb::init<const std::string&, const std::string&>(), nb::arg("machine") = "trainium1",
           nb::arg("runtime") = "sdk_2_24")
      .def("profile", &accelerator_of::profile, nb::arg("kernel"), nb::arg("settings"))
      .def_prop_ro("machine", &accelerator_of::machine)
      .def_prop_ro("runtime", &accelerator_of::runtime);
  m.def("kernels", &catalog);
}

}  // namespace papilio::python
