#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace papilio::cli {

/// A member of an object. A template, so that vectors of it may be named before values are complete.
template <class Value>
struct json_member {
  std::string name;
  Value value;
};

/// A JSON value, null at first. Objects keep their members in the order in which they are added.
class json_value {
 public:
  using member = json_member<json_value>;

  json_value() = default;
  /// The content is copied first: where memory ends while a variant of texts and vectors copies
  /// itself, GCC 12's variant destroys a member that it does not hold.
  json_value(const json_value& other);
  json_value(json_value&&) = default;
  json_value& operator=(const json_value& other) { return *this = json_value(other); }
  json_value& operator=(json_value&&) = default;
  ~json_value() = default;
  json_value(std::nullptr_t) {}
  template <std::same_as<bool> Truth>
  json_value(Truth truth) : value_(truth) {}
  template <std::signed_integral Number>
  json_value(Number number) : value_(std::int64_t{number}) {}
  template <std::unsigned_integral Number>
    requires(!std::same_as<Number, bool>)
  json_value(Number number) : value_(std::uint64_t{number}) {}
  template <std::floating_point Number>
  json_value(Number number) : value_(double{number}) {}
  json_value(std::string text) : value_(std::move(text)) {}
  json_value(std::string_view text) : value_(std::string(text)) {}
  json_value(const char* text) : value_(std::string(text)) {}
  /// An array; of a map, an object.
  template <class Range>
    requires(!std::same_as<Range, json_value> && std::ranges::input_range<const Range> &&
             !std::convertible_to<const Range&, std::string_view>)
  json_value(const Range& range);
  /// An array of two.
  template <class First, class Second>
  json_value(const std::pair<First, Second>& pair);
  /// Null where there is none.
  template <class Value>
  json_value(const std::optional<Value>& value) {
    if (value) *this = json_value(*value);
  }

  static json_value array() { return json_value(kind(elements())); }
  static json_value object() { return json_value(kind(members())); }

  bool is_null() const { return is<std::monostate>(); }
  bool is_boolean() const { return is<bool>(); }
  bool is_string() const { return is<std::string>(); }
  bool is_array() const { return is<elements>(); }
  bool is_object() const { return is<members>(); }
  bool is_number() const { return is<double>() || is_number_integer(); }
  bool is_number_integer() const { return is<std::int64_t>() || is_number_unsigned(); }
  bool is_number_unsigned() const { return is<std::uint64_t>(); }

  // The caller has asked for the type before: another one throws std::bad_variant_access.
  bool truth() const { return std::get<bool>(value_); }
  const std::string& text() const { return std::get<std::string>(value_); }
  std::uint64_t whole() const { return std::get<std::uint64_t>(value_); }
  double number() const;  ///< of any kind of number

  /// The member of that name; null, or nullptr, if it is no object or has none.
  const json_value& operator[](std::string_view name) const;
  const json_value* find(std::string_view name) const;
  bool contains(std::string_view name) const { return find(name) != nullptr; }
  /// The member of that name, which is added if there is none; null becomes an object.
  json_value& operator[](std::string_view name);
  /// Sets a member, and those whose names and values follow.
  template <class Value, class... Rest>
  json_value& add(std::string_view name, Value&& value, Rest&&... rest) {
    (*this)[name] = json_value(std::forward<Value>(value));
    if constexpr (sizeof...(rest) > 0) add(std::forward<Rest>(rest)...);
    return *this;
  }
  /// Sets the members of another object.
  void update(const json_value& other);
  /// Members of an object.
  const std::vector<member>& items() const { return std::get<members>(value_); }
  std::vector<member>& items() { return std::get<members>(value_); }

  /// Elements of an array; null becomes one.
  void push_back(json_value element);
  json_value& back() { return std::get<elements>(value_).back(); }
  auto begin() const { return std::get<elements>(value_).begin(); }
  auto end() const { return std::get<elements>(value_).end(); }

  /// Numbers are equal by value, objects whatever the order of their members.
  friend bool operator==(const json_value& a, const json_value& b);

 private:
  friend struct json_conversion;
  using elements = std::vector<json_value>;
  using members = std::vector<member>;
  using kind = std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string,
                            elements, members>;

  explicit json_value(kind value) : value_(std::move(value)) {}
  template <class Kind>
  bool is() const {
    return std::holds_alternative<Kind>(value_);
  }

  kind value_;
};

template <class Range>
  requires(!std::same_as<Range, json_value> && std::ranges::input_range<const Range> &&
           !std::convertible_to<const Range&, std::string_view>)
json_value::json_value(const Range& range) {
  if constexpr (requires { typename Range::mapped_type; }) {
    members& all = value_.emplace<members>();
    for (const auto& [name, value] : range) all.push_back({std::string(name), value});
  } else {
    elements& all = value_.emplace<elements>();
    for (const auto& each : range) all.emplace_back(each);
  }
}

template <class First, class Second>
json_value::json_value(const std::pair<First, Second>& pair) : value_(elements()) {
  elements& both = std::get<elements>(value_);
  both.emplace_back(pair.first);
  both.emplace_back(pair.second);
}

/// An object of members: a name and its value, the next name and its value, and so on.
template <class... Members>
json_value json_object(Members&&... members) {
  json_value object = json_value::object();
  object.add(std::forward<Members>(members)...);
  return object;
}

/// How the members of objects follow each other.
enum class member_order { by_name, as_added };

/// Indented lines, the last one ended. Bytes that are no UTF-8 become U+FFFD.
std::string json_text(const json_value& value, member_order order = member_order::by_name);
/// One line of ASCII, not ended.
std::string json_line(const json_value& value);

/// Parses JSON; the last of several members of one name counts. Nothing if the text is no JSON.
std::optional<json_value> parse_json(std::string_view text,
                                     member_order order = member_order::by_name);

/// The object that a JSON file holds; io_error if it holds none, or as of `read_json_text`.
json_value read_json_object(const std::string& path, std::size_t most_bytes);

}  // namespace papilio::cli
