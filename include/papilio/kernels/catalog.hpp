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

// Kernels by name, with their sizes as text: what a program offers to its user.
namespace papilio::kernels {

/// A size or choice of a kernel. Whole numbers or powers of them ("4096", "2^12"), decimal ones
/// where `decimal`, one of `choices` where there are some, or any `text`.
struct kernel_parameter {
  std::string name;
  std::string preset;  ///< where the user says nothing
  std::string help;
  std::int64_t least = 1;
  std::vector<std::string> choices = {};
  bool decimal = false;
  bool text = false;  ///< anything: the entry's size() reads it
};

/// The parameters of one run: every one that the kernel has.
using parameter_values = std::map<std::string, std::string, std::less<>>;

struct catalog_entry {
  std::string name;
  std::string summary;  ///< one line
  std::vector<kernel_parameter> parameters;
  /// For complete and valid parameters.
  std::function<sized_kernel(const parameter_values&, const engine::machine_spec&)> size;
  /// For complete and valid parameters: how long so many cores of a group take together, in a dry
  /// run. Empty for kernels that are not split.
  std::function<group_times(const parameter_values&, int cores, const engine::machine_spec&,
                            const engine::runtime_spec&, const engine::group_options&)>
      time_on_cores = {};
  /// For complete and valid parameters: runs the kernel, on no more data than it needs, and says
  /// what error it reaches, where the parameters ask for a certain one. Empty for kernels that are
  /// not asked so.
  std::function<std::optional<measured_error>(const parameter_values&, const engine::machine_spec&)>
      measure = {};
};

/// All kernels, by name.
PAPILIO_API std::span<const catalog_entry> catalog();

/// invalid_argument that lists the names if there is no such kernel.
PAPILIO_API const catalog_entry& find_kernel(std::string_view name);

/// The entry at the sizes of `settings`, each "name=value"; others have their preset.
/// invalid_argument for a setting without '=', one given twice, an unknown name (the known ones are
/// listed), a value that is no (whole) number, below its least, or none of the choices;
/// resource_error where a tensor's bytes overflow. Nothing is allocated.
PAPILIO_API sized_kernel size_kernel(const catalog_entry& entry,
                                     std::span<const std::string> settings,
                                     const engine::machine_spec& machine);

/// entry.time_on_cores at the sizes of `settings`. Errors as size_kernel's; invalid_argument for a
/// kernel that is not split, with those that are, and for cores < 1.
PAPILIO_API group_times time_kernel(const catalog_entry& entry,
                                    std::span<const std::string> settings, int cores,
                                    const engine::machine_spec& machine,
                                    const engine::runtime_spec& runtime,
                                    const engine::group_options& options = {});

/// entry.measure at the sizes of `settings`; nothing for kernels without, and where no error was
/// asked for. Errors as size_kernel's.
PAPILIO_API std::optional<measured_error> measure_kernel(const catalog_entry& entry,
                                                         std::span<const std::string> settings,
                                                         const engine::machine_spec& machine);

/// Whole number of a parameter that has been checked.
PAPILIO_API std::int64_t number_of(const parameter_values& values, std::string_view name);
/// The same of one that is at least 0.
PAPILIO_API std::size_t size_of(const parameter_values& values, std::string_view name);
/// Decimal number of a parameter that has been checked.
PAPILIO_API double decimal_of(const parameter_values& values, std::string_view name);

}  // namespace papilio::kernels
