#include "cli/json_value.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "papilio/base/atomic_file.hpp"
#include "papilio/base/error.hpp"

namespace papilio::cli {

json_value::json_value(const json_value& other) {
  std::visit(
      [this](const auto& held) {
        auto copy = held;
        value_.emplace<decltype(copy)>(std::move(copy));
      },
      other.value_);
}

double json_value::number() const {
  if (const auto* const whole = std::get_if<std::uint64_t>(&value_))
    return static_cast<double>(*whole);
  if (const auto* const whole = std::get_if<std::int64_t>(&value_))
    return static_cast<double>(*whole);
  return std::get<double>(value_);
}

const json_value* json_value::find(std::string_view name) const {
  const auto* const all = std::get_if<members>(&value_);
  if (all == nullptr) return nullptr;
  const auto found = std::ranges::find(*all, name, &member::name);
  return found == all->end() ? nullptr : &found->value;
}

const json_value& json_value::operator[](std::string_view name) const {
  static const json_value null;
  const json_value* const found = find(name);
  return found == nullptr ? null : *found;
}

json_value& json_value::operator[](std::string_view name) {
  if (is_null()) *this = object();
  members& all = items();
  const auto found = std::ranges::find(all, name, &member::name);
  if (found != all.end()) return found->value;
  all.push_back({std::string(name), json_value()});
  return all.back().value;
}

void json_value::update(const json_value& other) {
  for (const auto& [name, value] : other.items()) (*this)[name] = value;
}

void json_value::push_back(json_value element) {
  if (is_null()) *this = array();
  std::get<elements>(value_).push_back(std::move(element));
}

/// To the library's values and from them.
struct json_conversion {
  template <class Json>
  static Json to(const json_value& value) {
    return std::visit(
        [](const auto& held) -> Json {
          using held_type = std::decay_t<decltype(held)>;
          if constexpr (std::same_as<held_type, std::monostate>) {
            return nullptr;
          } else if constexpr (std::same_as<held_type, json_value::elements>) {
            Json all = Json::array();
            for (const json_value& each : held) all.push_back(to<Json>(each));
            return all;
          } else if constexpr (std::same_as<held_type, json_value::members>) {
            Json all = Json::object();
            for (const auto& [name, each] : held) all[name] = to<Json>(each);
            return all;
          } else {
            return held;
          }
        },
        value.value_);
  }

  template <class Json>
  static json_value from(const Json& value) {
    switch (value.type()) {
      case Json::value_t::boolean:
        return value.template get<bool>();
      case Json::value_t::number_integer:
        return value.template get<std::int64_t>();
      case Json::value_t::number_unsigned:
        return value.template get<std::uint64_t>();
      case Json::value_t::number_float:
        return value.template get<double>();
      case Json::value_t::string:
        return value.template get<std::string>();
      case Json::value_t::array: {
        json_value::elements all;
        all.reserve(value.size());
        for (const Json& each : value) all.push_back(from(each));
        return json_value(json_value::kind(std::move(all)));
      }
      case Json::value_t::object: {
        json_value::members all;
        all.reserve(value.size());
        for (const auto& [name, each] : value.items()) all.push_back({name, from(each)});
        return json_value(json_value::kind(std::move(all)));
      }
      default:
        return {};
    }
  }
};

namespace {

template <class Json>
std::string written(const json_value& value, int indent, bool ascii) {
  return json_conversion::to<Json>(value).dump(indent, ' ', ascii, Json::error_handler_t::replace);
}

template <class Json>
std::optional<json_value> parsed(std::string_view text) {
  const Json value = Json::parse(text, nullptr, false);
  if (value.is_discarded()) return std::nullopt;
  return json_conversion::from(value);
}

}  // namespace

bool operator==(const json_value& a, const json_value& b) {
  return json_conversion::to<nlohmann::json>(a) == json_conversion::to<nlohmann::json>(b);
}

std::string json_text(const json_value& value, member_order order) {
  return (order == member_order::by_name ? written<nlohmann::json>(value, 2, false)
                                         : written<nlohmann::ordered_json>(value, 2, false)) +
         "\n";
}

std::string json_line(const json_value& value) { return written<nlohmann::json>(value, -1, true); }

std::optional<json_value> parse_json(std::string_view text, member_order order) {
  return order == member_order::by_name ? parsed<nlohmann::json>(text)
                                        : parsed<nlohmann::ordered_json>(text);
}

json_value read_json_object(const std::string& path, std::size_t most_bytes) {
  std::optional<json_value> parsed = parse_json(read_json_text(path, most_bytes));
  if (!parsed || !parsed->is_object()) throw io_error(path, "it is no JSON object");
  return *std::move(parsed);
}

}  // namespace papilio::cli
