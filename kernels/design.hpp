#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <variant>

#include "base/internal.hpp"
#include "kernels/fields.hpp"
#include "papilio/kernels/sized_kernel.hpp"

// The struct of a family as a kernel_design. It has
//   auto fields() const            std::tie of all its fields
//   std::string describe() const   lines of text; or a function describe(const S&)
// and may have
//   S without_batch() const        without what grows with the number of rows, lines, segments
//   std::vector<kernels::design_part> parts() const
namespace papilio::kernels_detail {

/// Appends values to a key, so that different ones never give the same text.
class PAPILIO_INTERNAL key_writer {
 public:
  const std::string& text() const { return text_; }

  void add(std::string_view text);
  void add(double value);
  void add(std::int64_t value);
  void add(const kernels::kernel_design& design) { add(std::string_view(design.key())); }
  void open() { text_ += '('; }
  void close() { text_ += ')'; }

 private:
  std::string text_;
};

template <class T>
void add_value(key_writer& to, const T& v);

template <class Tuple>
void add_each(key_writer& to, const Tuple& fields) {
  to.open();
  std::apply([&](const auto&... field) { (add_value(to, field), ...); }, fields);
  to.close();
}

template <class T>
struct is_optional : std::false_type {};
template <class T>
struct is_optional<std::optional<T>> : std::true_type {};
template <class T>
struct is_variant : std::false_type {};
template <class... Ts>
struct is_variant<std::variant<Ts...>> : std::true_type {};

template <class T>
void add_value(key_writer& to, const T& v) {
  if constexpr (requires { v.fields(); }) {
    add_each(to, v.fields());
  } else if constexpr (std::is_same_v<T, kernels::kernel_design>) {
    to.add(v);
  } else if constexpr (std::is_floating_point_v<T>) {
    to.add(static_cast<double>(v));
  } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
    to.add(static_cast<std::int64_t>(v));
  } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    to.add(std::string_view(v));
  } else if constexpr (is_optional<T>::value) {
    to.open();
    if (v) add_value(to, *v);
    to.close();
  } else if constexpr (is_variant<T>::value) {
    to.add(static_cast<std::int64_t>(v.index()));
    std::visit([&](const auto& held) { add_value(to, held); }, v);
  } else if constexpr (requires { v.real(); }) {
    to.add(static_cast<double>(v.real()));
    to.add(static_cast<double>(v.imag()));
  } else if constexpr (std::ranges::range<T>) {
    to.open();
    for (const auto& element : v) add_value(to, element);
    to.close();
  } else {
    add_each(to, v);  // a pair or a tuple
  }
}

template <class Struct>
class design_value final : public kernels::kernel_design::value {
 public:
  explicit design_value(Struct what) : what_(std::move(what)) {}
  const Struct& what() const { return what_; }

  std::string key() const override {
    key_writer to;
    to.add(std::string_view(typeid(Struct).name()));
    add_value(to, what_);
    return to.text();
  }
  std::string explain() const override {
    if constexpr (requires { what_.describe(); })
      return what_.describe();
    else
      return describe(what_);
  }
  std::vector<kernels::design_part> parts() const override {
    if constexpr (requires { what_.parts(); })
      return what_.parts();
    else
      return {};
  }
  kernels::kernel_design without_batch() const override {
    if constexpr (requires { what_.without_batch(); })
      return kernels::kernel_design(std::make_shared<design_value>(what_.without_batch()));
    else
      return kernels::kernel_design(std::make_shared<design_value>(what_));
  }

 private:
  Struct what_;
};

template <class Struct>
kernels::kernel_design design_of(Struct what) {
  return kernels::kernel_design(std::make_shared<design_value<Struct>>(std::move(what)));
}

/// The struct of a design; null if it is of another family.
template <class Struct>
const Struct* design_as(const kernels::kernel_design& design) {
  const auto* held = dynamic_cast<const design_value<Struct>*>(design.get());
  return held == nullptr ? nullptr : &held->what();
}

}  // namespace papilio::kernels_detail
