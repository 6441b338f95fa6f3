#include "papilio/engine/instruction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <string>
#include <type_traits>
#include <vector>

#include "base/suggestion.hpp"
#include "engine/checker.hpp"
#include "engine/isa/choices.hpp"
#include "papilio/base/error.hpp"
#include "papilio/engine/instruction_text.hpp"

namespace papilio::engine {

// Programs have millions of instructions. Each is a few hundred bytes, copied and then dropped, so
// that it must not own memory.
static_assert(std::is_trivially_copyable_v<instruction>);

namespace {

struct anything {
  template <class T>
  operator T() const;
};

template <class One, std::size_t... Is>
constexpr bool takes(std::index_sequence<Is...>) {
  return requires { One{(static_cast<void>(Is), anything{})...}; };
}

template <class... One>
constexpr bool all_are_described(const std::variant<One...>*) {
  return ((takes<One>(std::make_index_sequence<std::size(One::fields)>()) &&
           !takes<One>(std::make_index_sequence<std::size(One::fields) + 1>())) &&
          ...);
}

static_assert(all_are_described(static_cast<const instruction*>(nullptr)),
              "an instruction has as many members as `fields`");

template <class Enum>
const char* name_of(Enum value) {
  const auto all = engine_detail::choices<Enum>();
  return std::size_t(value) < all.size() ? all[std::size_t(value)] : "?";
}

}  // namespace

const char* to_string(unit e) { return name_of(e); }
const char* to_string(role e) { return name_of(e); }
const char* to_string(alu_op e) { return name_of(e); }
const char* to_string(activation_function e) { return name_of(e); }
const char* to_string(collective_kind e) { return name_of(e); }
const char* to_string(reduce_command e) { return name_of(e); }

const char* opcode(const instruction& i) {
  return std::visit([](const auto& one) { return std::decay_t<decltype(one)>::opcode; }, i);
}

namespace instruction_text {

using base_detail::message;
using engine_detail::choices;

template <class... One>
std::vector<std::string> opcodes_of(const std::variant<One...>*) {
  return {One::opcode...};
}

// Calls use(instruction) with a default instruction of the given name.
template <class Use>
auto with_instruction(const char* function, std::string_view name, const Use& use) {
  const std::vector<std::string> names = instruction_names();
  const auto found = std::ranges::find(names, name);
  if (found == names.end())
    throw invalid_argument(message(function, ": there is no instruction ", name,
                                   base_detail::suggestion(name, names)));
  using made = decltype(use(matmul()));
  static constexpr auto table = []<class... One>(const std::variant<One...>*) {
    return std::array{+[](const Use& f) -> made { return f(One()); }...};
  }(static_cast<const instruction*>(nullptr));
  return table[std::size_t(found - names.begin())](use);
}

/// Is thrown for a value that a field refuses. `expected` states what the value must be.
struct refused {
  std::string expected;
};

template <class Number>
Number number_from(std::string_view text) {
  Number value{};
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size())
    throw refused{std::is_integral_v<Number> ? "must be an integer" : "must be a number"};
  return value;
}

std::vector<std::int64_t> integers_from(std::string_view text) {
  std::vector<std::int64_t> all;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    all.push_back(number_from<std::int64_t>(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return all;
}

template <class Type>
std::string type_name() {
  if constexpr (std::is_same_v<Type, tile_view>) return "tile";
  if constexpr (std::is_same_v<Type, hbm_view>) return "tensor";
  if constexpr (std::is_same_v<Type, dma_operand>) return "tile or tensor";
  if constexpr (std::is_same_v<Type, scalar_operand>) return "number or tile";
  if constexpr (std::is_same_v<Type, engine_register>) return "register";
  if constexpr (std::is_same_v<Type, semaphore>) return "semaphore";
  if constexpr (std::is_same_v<Type, affine_pattern>) return "pattern";
  if constexpr (std::is_same_v<Type, bool>) return "boolean";
  if constexpr (std::is_integral_v<Type>) return "integer";
  if constexpr (std::is_floating_point_v<Type>) return "number";
  if constexpr (std::is_enum_v<Type>) return "choice";
  return "integers";
}

template <class Enum>
bool is_allowed(Enum value, const field_rules& rules) {
  if constexpr (std::is_same_v<Enum, alu_op>)
    return engine_detail::checker::allows(rules.choice, value);
  if constexpr (std::is_same_v<Enum, unit>)
    return rules.units == 0 || (rules.units >> unsigned(value) & 1) != 0;
  if constexpr (std::is_same_v<Enum, reduce_command>)
    return rules.commands == 0 || (rules.commands >> unsigned(value) & 1) != 0;
  return true;
}

template <class Enum>
std::vector<std::string> allowed(const field_rules& rules) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < choices<Enum>().size(); ++i)
    if (is_allowed(Enum(i), rules)) names.push_back(choices<Enum>()[i]);
  return names;
}

// Settings have a text form; operands have none.
template <class Type>
std::string text_of(const Type& value) {
  if constexpr (std::is_same_v<Type, bool>)
    return value ? "true" : "false";
  else if constexpr (std::is_arithmetic_v<Type>)
    return fmt::format("{}", value);
  else if constexpr (std::is_same_v<Type, scalar_operand>)
    return fmt::format("{}", value.value);
  else if constexpr (std::is_enum_v<Type>)
    return choices<Type>()[std::size_t(value)];
  else
    return {};
}

template <class Type>
void put_text(Type& to, std::string_view text, const field_rules& rules) {
  if constexpr (std::is_same_v<Type, bool>) {
    if (text != "true" && text != "false") throw refused{"must be true or false"};
    to = text == "true";
  } else if constexpr (std::is_arithmetic_v<Type>) {
    to = number_from<Type>(text);
    if (!engine_detail::checker::holds(rules, double(to)))
      throw refused{engine_detail::checker::expected(rules)};
  } else if constexpr (std::is_same_v<Type, scalar_operand>) {
    put_text(to.value, text, rules);
  } else if constexpr (std::is_enum_v<Type>) {
    const auto all = choices<Type>();
    const auto place = std::size_t(std::ranges::find(all, text) - all.begin());
    if (place == all.size() || !is_allowed(Type(place), rules))
      throw refused{fmt::format("must be one of {}", fmt::join(allowed<Type>(rules), ", "))};
    to = Type(place);
  } else if constexpr (std::is_same_v<Type, affine_pattern>) {
    const std::vector<std::int64_t> all = integers_from(text);
    const std::size_t levels = all.size() / 2 - 1;
    if (all.size() % 2 != 0 || all.size() < 2 || levels > to.levels.size())
      throw refused{message("must be a base, a step and up to ", to.levels.size(),
                            " pairs of extent and stride")};
    to = {.base = all[0], .partition_step = all[1]};
    for (std::size_t i = 0; i < levels; ++i)
      to.levels[to.levels.size() - levels + i] = {all[2 * i + 2], all[2 * i + 3]};
  } else if constexpr (requires { to.fill(0); }) {
    const std::vector<std::int64_t> all = integers_from(text);
    const bool are_bytes = std::ranges::all_of(all, [](auto n) { return n >= 0 && n <= 255; });
    if (all.size() != to.size() || !are_bytes)
      throw refused{message("must be ", to.size(), " integers in [0, 255]")};
    std::ranges::transform(all, to.begin(), [](auto n) { return std::uint8_t(n); });
  } else {
    throw refused{"must be a " + type_name<Type>()};
  }
}

template <class Type>
void put(Type& to, const field_value& value, const field_rules& rules) {
  std::visit(
      [&]<class Given>(const Given& given) {
        if constexpr (std::is_same_v<Given, std::string_view>)
          put_text(to, given, rules);
        else if constexpr (std::is_convertible_v<const Given&, Type>)
          to = given;
        else
          throw refused{"must be a " + type_name<Type>()};
      },
      value);
}

std::string shown(const field_value& value) {
  const auto* const text = std::get_if<std::string_view>(&value);
  return text != nullptr ? std::string(*text) : "another operand";
}

std::string in_quotes(std::string_view text) { return fmt::format("\"{}\"", text); }

std::string list_of(const std::vector<std::string>& names) {
  return fmt::format("[\"{}\"]", fmt::join(names, "\", \""));
}

// Names and texts contain no character that JSON escapes.
std::string json_of(const described_field& f) {
  const field_rules& rules = f.what.rules;
  std::string all = fmt::format("\"name\": {}, \"role\": {}, \"type\": {}", in_quotes(f.what.name),
                                in_quotes(to_string(f.what.does)), in_quotes(f.type));
  const auto add = [&](const char* name, bool says, const std::string& value) {
    if (says) all += fmt::format(", \"{}\": {}", name, value);
  };
  const auto add_text = [&](const char* name, const char* text) {
    if (text != nullptr && *text != '\0') add(name, true, in_quotes(text));
  };
  const auto add_number = [&](const char* name, bool says, double number) {
    add(name, says, fmt::format("{}", number));
  };
  add("optional", rules.optional, "true");
  add_text("preset", f.preset.c_str());
  add("choices", !f.choices.empty(), list_of(f.choices));
  add_number("least", std::isfinite(rules.least), rules.least);
  add_number("most", std::isfinite(rules.most), rules.most);
  add_text("like", rules.like);
  add_text("rows_of", rules.rows_of);
  add_text("columns_of", rules.columns_of);
  add_number("rows", rules.rows > 0, double(rules.rows));
  add_number("columns", rules.columns > 0, double(rules.columns));
  add_text("type_of", rules.type_of);
  add_text("scales_of", rules.scales_of);
  add_text("elements", choices<element_kind>()[std::size_t(rules.elements)]);
  add_text("memory", choices<residence>()[std::size_t(rules.memory)]);
  add_text("one_in_sbuf", rules.one_in_sbuf);
  return "{" + all + "}";
}

}  // namespace instruction_text

using namespace instruction_text;

std::string described_instruction::to_json() const {
  std::vector<std::string> each;
  for (const described_field& f : fields) each.push_back(json_of(f));
  return fmt::format("{{\"name\": {}, \"units\": {}, \"fields\": [{}]}}", in_quotes(name),
                     list_of(units), fmt::join(each, ", "));
}

std::vector<std::string> instruction_names() {
  return opcodes_of(static_cast<const instruction*>(nullptr));
}

described_instruction describe_instruction(std::string_view name) {
  return with_instruction("describe_instruction", name, []<class One>(const One& one) {
    described_instruction all{One::opcode, {}, {}};
    unsigned units = 0;
    bool anywhere = false;
    for_each_field(one, [&]<class Place, class Type>(Place, const Type& preset) {
      constexpr field what = One::fields[Place::value];
      described_field f{what, type_name<Type>(), {}, {}};
      if constexpr (std::is_enum_v<Type>) f.choices = allowed<Type>(what.rules);
      if (what.does == role::setting || std::is_same_v<Type, scalar_operand>)
        f.preset = text_of(preset);
      if constexpr (std::is_same_v<Type, scalar_operand>) {
        f.what.rules.optional = true;
        f.what.rules.rows_of = One::fields[0].name;
        f.what.rules.columns = 1;
      }
      if constexpr (std::is_same_v<Type, unit> || std::is_same_v<Type, engine_register>) {
        units |= what.rules.units;
        anywhere = anywhere || what.rules.units == 0;
      }
      all.fields.push_back(std::move(f));
    });
    if (!anywhere && units == 0) units = units_of(one.runs_on());
    for (int u = 0; u < unit_count; ++u)
      if (anywhere || (units >> u & 1) != 0) all.units.emplace_back(to_string(unit(u)));
    return all;
  });
}

instruction make_instruction(std::string_view name, std::span<const named_value> values) {
  return with_instruction("make_instruction", name, [&]<class One>(One one) -> instruction {
    std::size_t used = 0;
    const auto refuse = [&](std::string_view field, const std::string& reason) {
      throw invalid_argument(message("make_instruction: ", One::opcode, ": ", field, ": ", reason));
    };
    for_each_field(one, [&]<class Place>(Place, auto& to) {
      constexpr field what = One::fields[Place::value];
      bool is_given = false;
      for (const named_value& v : values) {
        if (v.name != what.name) continue;
        if (is_given) refuse(v.name, "is given twice");
        is_given = true;
        ++used;
        try {
          put(to, v.value, what.rules);
        } catch (const refused& r) {
          refuse(v.name, r.expected + ", got " + shown(v.value));
        }
      }
    });
    for (const named_value& v : values)
      if (used < values.size() &&
          std::ranges::find(One::fields, v.name, &field::name) == std::end(One::fields)) {
        std::vector<std::string> known;
        for (const field& f : One::fields) known.emplace_back(f.name);
        refuse(v.name,
               message("is no field; there are ", fmt::format("{}", fmt::join(known, ", "))));
      }
    return one;
  });
}

}  // namespace papilio::engine
