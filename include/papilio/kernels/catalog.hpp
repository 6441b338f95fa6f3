#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/kernels/group_split.hpp"
#include "papilio/kernels/measured_error.hpp"
#include "papilio/kernels/sized_kernel.hpp"
#include "papilio/version.hpp"

// Kernels by name, with their sizes as text: what a program offers to its user.
namespace papilio {
struct device_estimate;
class accelerator;
}  // namespace papilio

namespace papilio::kernels {

/// Describes a size or choice of a kernel: a whole number or a power ("4096", "2^12"), a decimal
/// number if `decimal`, one of `choices` if there are any, or free text if `text`.
struct kernel_parameter {
  std::string name;
  std::string preset;  ///< default value
  std::string help;
  std::int64_t least = 1;
  std::vector<std::string> choices = {};
  bool decimal = false;
  bool text = false;  ///< free text that the entry's size() reads
};

/// Holds the parameters of one run: all that the kernel has.
using parameter_values = std::map<std::string, std::string, std::less<>>;

/// Describes a kernel of the catalog.
struct catalog_entry {
  std::string name;
  std::string summary;  ///< one line
  std::vector<kernel_parameter> parameters;
  /// Makes the kernel from complete and valid parameters, whole numbers written out ("2^10" given is
  /// "1024" here; presets are as they stand).
  std::function<sized_kernel(const parameter_values&, const engine::machine_spec&)> size;
  /// Models a dry run on so many cores of a group, from complete and valid parameters. Empty for
  /// kernels that are not split.
  std::function<group_times(const parameter_values&, int cores, const engine::machine_spec&,
                            const engine::runtime_spec&, const engine::group_options&)>
      time_on_cores = {};
  /// Runs the kernel, from complete and valid parameters, on no more data than needed and returns
  /// the error that it reaches; nothing unless the parameters ask for an error, or (fft) for a
  /// precision. Empty for kernels without such a parameter.
  std::function<std::optional<measured_error>(const parameter_values&, const engine::machine_spec&)>
      measure = {};
};

/// Returns all kernels.
PAPILIO_API std::span<const catalog_entry> catalog();

/// Returns the kernel of a name, of the catalog or of one's own list. Throws invalid_argument that
/// lists the names if there is none.
PAPILIO_API const catalog_entry& find_kernel(std::string_view name,
                                             std::span<const catalog_entry> among = catalog());

/// Makes the entry's kernel at the sizes of `settings`, each "name=value"; others take their
/// default. Nothing is allocated.
/// Throws invalid_argument for a setting without '=', one given twice, an unknown name (the known
/// ones are listed), a value that is no (whole) number, below its least, or none of the choices;
/// resource_error if a tensor's bytes overflow.
PAPILIO_API sized_kernel size_kernel(const catalog_entry& entry,
                                     std::span<const std::string> settings,
                                     const engine::machine_spec& machine);

/// Runs entry.time_on_cores at the sizes of `settings`.
/// Throws as size_kernel, and invalid_argument for a kernel that is not split, listing those that
/// are, and for cores < 1.
PAPILIO_API group_times time_kernel(const catalog_entry& entry,
                                    std::span<const std::string> settings, int cores,
                                    const engine::machine_spec& machine,
                                    const engine::runtime_spec& runtime,
                                    const engine::group_options& options = {});

/// Returns the modelled seconds from one asynchronous call of an operation to the next where many
/// alike follow one another: the slowest of submission, copies up, run and copies back; with device
/// arrays, of submission and run. Cores of a group that share the work run as long as the slowest,
/// with the links between them; an upload into buffers that stay on the cores waits for the run
/// before. A synchronous call takes seconds_in(e, s). Empty: the accelerator is null; its runtime
/// has no asynchronous calls; core 0 alone cannot do it with device arrays; or the arrays of all
/// steps do not fit on the cores at once.
PAPILIO_API std::optional<double> asynchronous_seconds(const device_estimate& e,
                                                       bool has_device_arrays,
                                                       const accelerator* on);

/// Runs entry.measure at the sizes of `settings`; nothing for kernels without it and if no error
/// was asked for. Throws as size_kernel.
PAPILIO_API std::optional<measured_error> measure_kernel(const catalog_entry& entry,
                                                         std::span<const std::string> settings,
                                                         const engine::machine_spec& machine);

/// Returns the whole number of a checked parameter.
PAPILIO_API std::int64_t number_of(const parameter_values& values, std::string_view name);
/// Returns that of a checked parameter that is at least 0.
PAPILIO_API std::size_t size_of(const parameter_values& values, std::string_view name);
/// Returns the decimal number of a checked parameter.
PAPILIO_API double decimal_of(const parameter_values& values, std::string_view name);

}  // namespace papilio::kernels

/// Makes a shared object one with kernels of one's own, for `papilio profile FILE.so NAME`. `list` is
/// a function without arguments that returns a std::vector<papilio::kernels::catalog_entry>; it is
/// called once, and may throw. Used once in an object, outside of namespaces. The object must be
/// compiled with the headers of exactly the program's version, and a compiler whose library has the
/// same layout of types; it links papilio::device.
#define PAPILIO_KERNEL_OBJECT(list)                                                              \
  extern "C" PAPILIO_API const char* papilio_kernel_object_version() { return PAPILIO_VERSION; } \
  extern "C" PAPILIO_API void papilio_kernel_object(                                             \
      std::vector<papilio::kernels::catalog_entry>& into) {                                      \
    into = list();                                                                               \
  }
