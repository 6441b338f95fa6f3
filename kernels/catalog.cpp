#include "papilio/kernels/catalog.hpp"

#include <algorithm>
#include <charconv>

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

void check_value(const catalog_entry& entry, const kernel_parameter& parameter,
                 const std::string& value) {
  const std::string where = entry.name + ": " + parameter.name;
  if (!parameter.choices.empty()) {
    if (std::ranges::find(parameter.choices, value) == parameter.choices.end())
      throw invalid_argument(message(where, " must be one of ",
                                     listed(parameter.choices, [](const auto& c) { return c; }),
                                     ", got \"", value, "\""));
    return;
  }
  std::int64_t number = 0;
  const char* const end = value.data() + value.size();
  const auto [stopped, fault] = std::from_chars(value.data(), end, number);
  if (fault != std::errc() || stopped != end || value.empty())
    throw invalid_argument(message(where, " must be a whole number, got \"", value, "\""));
  if (number < parameter.least)
    throw invalid_argument(message(where, " must be at least ", parameter.least, ", got ", number));
}

}  // namespace

std::span<const catalog_entry> catalog() {
  static const std::vector<catalog_entry> entries = {
      kernels_detail::batched_gemm_entry(),
      kernels_detail::butterfly_fft_entry(),
      kernels_detail::complex_gemm_entry(),
      kernels_detail::complex_linear_entry(),
      kernels_detail::complex_mask_entry(),
      kernels_detail::dft_entry(),
      kernels_detail::fft_entry(),
      kernels_detail::fftn_entry(),
      kernels_detail::gemm_entry(),
      kernels_detail::istft_entry(),
      kernels_detail::stft_entry(),
      kernels_detail::published_ao_to_mo_entry(),
      kernels_detail::published_batched_gemm_slice_entry(),
      kernels_detail::published_bmm_entry(),
      kernels_detail::published_butterfly_stage_entry(),
      kernels_detail::published_complex_gemm_entry(),
      kernels_detail::published_complex_linear_entry(),
      kernels_detail::published_complex_mask_entry(),
      kernels_detail::published_fused_mp2_entry(),
      kernels_detail::published_gemm_entry(),
      kernels_detail::published_matmul_entry(),
      kernels_detail::mp2_energy_entry(),
      kernels_detail::published_stockham_stage_entry()};
  return entries;
}

const catalog_entry& find_kernel(std::string_view name) {
  const auto found = std::ranges::find(catalog(), name, &catalog_entry::name);
  if (found == catalog().end())
    throw invalid_argument(message("kernel \"", name, "\" is unknown; there are ",
                                   listed(catalog(), [](const auto& e) { return e.name; })));
  return *found;
}

sized_kernel size_kernel(const catalog_entry& entry, std::span<const std::string> settings,
                         const engine::machine_spec& machine) {
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
    check_value(entry, *parameter, setting.substr(equals + 1));
    values[name] = setting.substr(equals + 1);
  }
  for (const kernel_parameter& p : entry.parameters) values.try_emplace(p.name, p.preset);
  sized_kernel sized = entry.size(values, machine);
  for (const engine::tensor_shape& shape : sized.inputs) shape.bytes();
  for (const engine::tensor_shape& shape : sized.outputs) shape.bytes();
  return sized;
}

std::int64_t number_of(const parameter_values& values, std::string_view name) {
  const std::string& text = values.find(name)->second;
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace papilio::kernels
