#include "papilio/kernels/catalog.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "base/suggestion.hpp"
#include "kernels/entries.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels {
namespace {

using base_detail::message;

template <class Range, class Name>
std::string listed(const Range& range, const Name& name) {
  std::string text;
  for (const auto& one : range) text += (text.empty() ? "" : ", ") + std::string(name(one));
  return text;
}

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

bool is_too_large(std::string_view text) {
  const base_detail::whole_number number = base_detail::read_whole_number(text);
  return number.fault == base_detail::whole_number::fault_kind::too_large ||
         (number.length == text.size() && number.value > std::uint64_t(most));
}

// A whole number or a power: 4096, 2^12, -1.
std::optional<std::int64_t> whole_number_of(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  const base_detail::whole_number number = base_detail::read_whole_number(text);
  if (number.fault != base_detail::whole_number::fault_kind::none || number.length != text.size() ||
      number.value > std::uint64_t(most))
    return std::nullopt;
  return is_negative ? -std::int64_t(number.value) : std::int64_t(number.value);
}

/// The value as kernels get it: whole numbers are written out.
std::string checked_value(const catalog_entry& entry, const kernel_parameter& parameter,
                          const std::string& value) {
  const std::string where = entry.name + ": " + parameter.name;
  if (!parameter.choices.empty()) {
    if (std::ranges::find(parameter.choices, value) == parameter.choices.end())
      throw invalid_argument(message(where, " must be one of ",
                                     listed(parameter.choices, [](const auto& c) { return c; }),
                                     ", got \"", value, "\""));
    return value;
  }
  if (parameter.text) return value;
  if (parameter.decimal) {
    const char* const end = value.data() + value.size();
    double number = 0;
    const auto [stopped, fault] = std::from_chars(value.data(), end, number);
    if (fault != std::errc() || stopped != end || value.empty())
      throw invalid_argument(message(where, " must be a number, got \"", value, "\""));
    if (!(number >= double(parameter.least)))
      throw invalid_argument(
          message(where, " must be at least ", parameter.least, ", got ", number));
    return value;
  }
  const std::optional<std::int64_t> number = whole_number_of(value);
  if (!number && is_too_large(value))
    throw invalid_argument(message(where, " must be at most ", most, ", got ", value));
  if (!number)
    throw invalid_argument(message(where, " must be a whole number, got \"", value, "\""));
  if (*number < parameter.least)
    throw invalid_argument(
        message(where, " must be at least ", parameter.least, ", got ", *number));
  return std::to_string(*number);
}

parameter_values complete(const catalog_entry& entry, std::span<const std::string> settings) {
  parameter_values values;
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos)
      throw invalid_argument(message(entry.name, ": \"", setting, "\" is not name=value"));
    const std::string name = setting.substr(0, equals);
    const auto parameter = std::ranges::find(entry.parameters, name, &kernel_parameter::name);
    if (parameter == entry.parameters.end())
      throw invalid_argument(
          message(entry.name, " has no parameter \"", name, "\"; it has ",
                  listed(entry.parameters, [](const auto& p) { return p.name; })));
    if (values.contains(name))
      throw invalid_argument(message(entry.name, ": ", name, " is given twice"));
    values[name] = checked_value(entry, *parameter, setting.substr(equals + 1));
  }
  for (const kernel_parameter& p : entry.parameters) values.try_emplace(p.name, p.preset);
  return values;
}

}  // namespace

std::span<const catalog_entry> catalog() {
  static const std::vector<catalog_entry> entries = [] {
    using namespace kernels_detail;
    std::vector<catalog_entry> all = layer_entries();
    for (const auto entry : {adam_entry,          ao_to_mo_entry,     batched_gemm_entry,
                             butterfly_fft_entry, complex_gemm_entry, complex_linear_entry,
                             complex_mask_entry,  contraction_entry,  dft_entry,
                             fft_entry,           fftn_entry,         gemm_entry,
                             irfft_entry,         irfftn_vjp_entry,   istft_entry,
                             istft_vjp_entry,     mp2_energy_entry,   mp2_gradient_entry,
                             rearrange_entry,     rfft_entry,         rfftn_vjp_entry,
                             stft_entry,          symm_entry,         syrk_entry,
                             training_step_entry, trmm_entry,         trsm_entry,
                             vector_entry})
      all.push_back(entry());
    std::ranges::sort(all, {}, [](const catalog_entry& e) { return std::string_view(e.name); });
    return all;
  }();
  return entries;
}

const catalog_entry& find_kernel(std::string_view name, std::span<const catalog_entry> among) {
  const auto found = std::ranges::find(among, name, &catalog_entry::name);
  if (found == among.end()) {
    std::vector<std::string> names;
    for (const catalog_entry& entry : among) names.emplace_back(entry.name);
    const std::string meant = base_detail::suggestion(name, names);
    throw invalid_argument(
        message("kernel \"", name, "\" is unknown",
                meant.empty() ? "; there are " + listed(among, [](const auto& e) { return e.name; })
                              : meant));
  }
  return *found;
}

sized_kernel size_kernel(const catalog_entry& entry, std::span<const std::string> settings,
                         const engine::machine_spec& machine) {
  sized_kernel sized = entry.size(complete(entry, settings), machine);
  sized.machine = machine;
  for (const engine::tensor_shape& shape : sized.inputs) shape.bytes();
  for (const engine::tensor_shape& shape : sized.outputs) shape.bytes();
  return sized;
}

group_times time_kernel(const catalog_entry& entry, std::span<const std::string> settings,
                        int cores, const engine::machine_spec& machine,
                        const engine::runtime_spec& runtime, const engine::group_options& options) {
  if (!entry.time_on_cores) {
    std::vector<catalog_entry> split;
    std::ranges::copy_if(catalog(), std::back_inserter(split),
                         [](const auto& e) { return bool(e.time_on_cores); });
    throw invalid_argument(message(entry.name, ": is not split over cores; those that are: ",
                                   listed(split, [](const auto& e) { return e.name; })));
  }
  return entry.time_on_cores(complete(entry, settings), cores, machine, runtime, options);
}

std::optional<measured_error> measure_kernel(const catalog_entry& entry,
                                             std::span<const std::string> settings,
                                             const engine::machine_spec& machine) {
  const parameter_values values = complete(entry, settings);
  if (!entry.measure) return std::nullopt;
  return entry.measure(values, machine);
}

double decimal_of(const parameter_values& values, std::string_view name) {
  const std::string& value = values.find(name)->second;
  double number = 0;
  std::from_chars(value.data(), value.data() + value.size(), number);
  return number;
}

std::int64_t number_of(const parameter_values& values, std::string_view name) {
  return whole_number_of(values.find(name)->second).value_or(0);
}
std::size_t size_of(const parameter_values& values, std::string_view name) {
  return std::size_t(number_of(values, name));
}

}  // namespace papilio::kernels
