#include <array>
#include <string>
#include <utility>

#include "papilio/base/error.hpp"
#include "papilio/signal/stft.hpp"

namespace papilio {
namespace {

template <class Value, std::size_t Count>
using name_table = std::array<std::pair<Value, std::string_view>, Count>;

constexpr name_table<edge_padding, 3> paddings{{{edge_padding::zero, "zero"},
                                                {edge_padding::reflect, "reflect"},
                                                {edge_padding::edge, "edge"}}};
constexpr name_table<stft_sides, 2> sides_names{
    {{stft_sides::one, "one"}, {stft_sides::two, "two"}}};
constexpr name_table<stft_scaling, 5> scalings{{{stft_scaling::none, "none"},
                                                {stft_scaling::magnitude, "magnitude"},
                                                {stft_scaling::psd, "psd"},
                                                {stft_scaling::orthonormal, "orthonormal"},
                                                {stft_scaling::dbfs, "dbfs"}}};

template <class Value, std::size_t Count>
std::string_view name_of(const char* what, const name_table<Value, Count>& table, Value value) {
  for (const auto& [known, name] : table)
    if (known == value) return name;
  throw invalid_argument(
      base_detail::message("to_string: no ", what, " has the value ", static_cast<int>(value)));
}

template <class Value, std::size_t Count>
Value value_of(const char* what, const name_table<Value, Count>& table, std::string_view text) {
  std::string choices;
  for (const auto& [value, name] : table) {
    if (name == text) return value;
    choices.append(choices.empty() ? "" : ", ").append(name);
  }
  throw invalid_argument(
      base_detail::message(what, " must be one of ", choices, "; got \"", text, "\""));
}

}  // namespace

std::string_view to_string(edge_padding padding) {
  return name_of("edge padding", paddings, padding);
}
std::string_view to_string(stft_sides value) { return name_of("sides", sides_names, value); }
std::string_view to_string(stft_scaling scaling) { return name_of("scaling", scalings, scaling); }

edge_padding parse_edge_padding(std::string_view name) {
  return value_of("edge padding", paddings, name);
}
stft_sides parse_stft_sides(std::string_view name) { return value_of("sides", sides_names, name); }
stft_scaling parse_stft_scaling(std::string_view name) {
  return value_of("scaling", scalings, name);
}

}  // namespace papilio
