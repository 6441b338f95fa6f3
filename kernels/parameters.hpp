#pragma once

#include <concepts>
#include <functional>
#include <initializer_list>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/internal.hpp"
#include "papilio/dispatch/operation.hpp"
#include "papilio/kernels/catalog.hpp"

// Settings of a kernel of the catalog. Each is a parameter of the command line together with the
// member of a request that it fills; a request is the problem, its options, or a struct of both.
namespace papilio::kernels_detail {

template <class Request>
struct setting {
  kernels::kernel_parameter parameter;
  std::function<void(Request&, const kernels::parameter_values&)> assign;

  setting(kernels::kernel_parameter p,
          std::function<void(Request&, const kernels::parameter_values&)> a)
      : parameter(std::move(p)), assign(std::move(a)) {}
  /// A setting of a base of the request is one of the request.
  template <class Base>
    requires(std::derived_from<Request, Base> && !std::same_as<Request, Base>)
  setting(const setting<Base>& s) : parameter(s.parameter), assign(s.assign) {}
};

/// Holds the settings of a kernel in the order of its help, and makes functions of their values.
template <class Request>
class settings {
 public:
  settings(std::initializer_list<setting<Request>> all) : all_(all) {}

  template <class Base>
  settings with(const settings<Base>& more) const {
    settings both = *this;
    for (const setting<Base>& s : more) both.all_.emplace_back(s);
    return both;
  }
  settings with(std::initializer_list<setting<Request>> more) const { return with(settings(more)); }
  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }

  std::vector<kernels::kernel_parameter> parameters() const {
    std::vector<kernels::kernel_parameter> all;
    for (const setting<Request>& s : all_) all.push_back(s.parameter);
    return all;
  }
  /// Returns a function of values, and what follows them, that calls `function` with the request.
  template <class Function>
  auto reading(Function function) const {
    return [all = all_, function](const kernels::parameter_values& values, const auto&... more) {
      Request request{};
      for (const setting<Request>& s : all) s.assign(request, values);
      return function(request, more...);
    };
  }
  /// Returns the entry of a kernel that make(request, machine) makes, or of a problem and its
  /// options make(request, machine, request).
  template <class Make>
  kernels::catalog_entry entry(std::string name, std::string summary, Make make) const {
    return {.name = std::move(name),
            .summary = std::move(summary),
            .parameters = parameters(),
            .size = reading([make](const Request& of, const engine::machine_spec& machine) {
              if constexpr (std::invocable<Make, Request, const engine::machine_spec&>)
                return make(of, machine);
              else
                return make(of, machine, of);
            })};
  }

 private:
  std::vector<setting<Request>> all_;
};

/// Reads a whole number; one beyond what the member holds becomes the largest that it holds.
template <class Request, class Number>
setting<Request> number_setting(const char* name, Number Request::*member, const char* preset,
                                const std::string& help, std::int64_t least = 1) {
  return {{.name = name, .preset = preset, .help = help, .least = least},
          [=](Request& of, const kernels::parameter_values& values) {
            const std::int64_t number = kernels::number_of(values, name);
            of.*member =
                std::in_range<Number>(number) ? Number(number) : std::numeric_limits<Number>::max();
          }};
}

/// Reads a decimal number of at least `least`.
template <class Request, class Number>
setting<Request> decimal_setting(const char* name, Number Request::*member, const char* preset,
                                 const std::string& help, std::int64_t least) {
  return {{.name = name, .preset = preset, .help = help, .least = least, .decimal = true},
          [=](Request& of, const kernels::parameter_values& values) {
            of.*member = Number(kernels::decimal_of(values, name));
          }};
}

/// Reads a factor of any sign.
template <class Request, class Number>
setting<Request> factor_setting(const char* name, Number Request::*member, const char* preset,
                                const std::string& help) {
  return decimal_setting(name, member, preset, help, -(1 << 30));
}

/// Takes text as it is; the kernel reads it.
template <class Request>
setting<Request> text_setting(const char* name, std::string Request::*member, const char* preset,
                              const std::string& help) {
  return {{.name = name, .preset = preset, .help = help, .text = true},
          [=](Request& of, const kernels::parameter_values& values) {
            of.*member = values.find(name)->second;
          }};
}

template <class Value>
using named_values = std::vector<std::pair<std::string, Value>>;

/// Reads one of some words, each with its value. The first is the default unless there is a preset.
template <class Request, class Value>
setting<Request> choice_setting(const char* name, Value Request::*member, const std::string& help,
                                std::type_identity_t<named_values<Value>> words,
                                const char* preset = nullptr) {
  kernels::kernel_parameter p{
      .name = name, .preset = preset != nullptr ? preset : words.front().first, .help = help};
  for (const auto& [word, value] : words) p.choices.push_back(word);
  return {std::move(p), [=](Request& of, const kernels::parameter_values& values) {
            for (const auto& [word, value] : words)
              if (word == values.find(name)->second) of.*member = value;
          }};
}

template <class Request>
setting<Request> yes_setting(const char* name, bool Request::*member, const std::string& help) {
  return choice_setting(name, member, help, {{"no", false}, {"yes", true}});
}

PAPILIO_INTERNAL named_values<engine::dtype> named_dtypes(
    std::initializer_list<engine::dtype> types);

/// Reads the dtype of a product's operands; by default it is any that the array multiplies.
template <class Request>
setting<Request> product_dtype_setting(engine::dtype Request::*member, const std::string& help,
                                       std::initializer_list<engine::dtype> types = {
                                           engine::dtype::fp32, engine::dtype::bf16,
                                           engine::dtype::fp16, engine::dtype::tf32,
                                           engine::dtype::fp8_e4m3, engine::dtype::fp8_e5m2}) {
  return choice_setting("dtype", member, help, named_dtypes(types));
}

named_values<precision> named_modes(std::initializer_list<precision> modes);

/// Reads one of some precision modes, into the mode or into precision_options that begin with it.
template <class Request, class Mode>
setting<Request> mode_setting(Mode Request::*member, const std::string& help,
                              std::initializer_list<precision> modes) {
  named_values<Mode> words;
  for (const auto& [word, mode] : named_modes(modes)) words.emplace_back(word, Mode{mode});
  return choice_setting("precision", member, help, std::move(words));
}

template <class Request>
setting<Request> direction_setting(direction Request::*member,
                                   const std::string& help = "Sign of the exponent") {
  return choice_setting("direction", member, help,
                        {{"forward", direction::forward}, {"inverse", direction::inverse}});
}

/// Returns m, k and n of a product.
PAPILIO_INTERNAL settings<gemm_problem> product_sizes(const char* preset);

}  // namespace papilio::kernels_detail
