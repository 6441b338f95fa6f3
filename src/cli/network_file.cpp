#include "cli/network_file.hpp"

#include <fmt/format.h>

#include <limits>
#include <unordered_map>

#include "cli/common.hpp"
#include "cli/json_value.hpp"
#include "papilio/base/error.hpp"

namespace papilio::cli {
namespace {

class network_reader {
 public:
  network_reader(const std::string& path, const json_value& object, std::string name)
      : path_(path), object_(object), name_(std::move(name)) {}

  named_network read() {
    if (!object_.is_object()) fail("it must be an object");
    if (object_.contains("name")) {
      const json_value& name = object_["name"];
      if (!name.is_string()) fail("\"name\" must be a text");
      name_ = name.text();
    }
    read_sizes();
    read_inputs();
    network_.output = labels_of(list("output", object_), "\"output\"");
    try {
      validate(network_);
    } catch (const error& e) {
      fail(e.what());
    }
    return {.name = name_, .network = std::move(network_), .best_flops = best_flops()};
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw bad_file(path_, "network \"{}\": {}", printable(name_), printable(what));
  }

  const json_value& list(const char* key, const json_value& object) const {
    if (!object.contains(key)) fail(fmt::format("\"{}\" is missing", key));
    if (!object[key].is_array()) fail(fmt::format("\"{}\" must be a list", key));
    return object[key];
  }

  void read_sizes() {
    if (!object_.contains("sizes")) fail("\"sizes\" is missing");
    const json_value& sizes = object_["sizes"];
    if (!sizes.is_object()) fail("\"sizes\" must be an object");
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    for (const auto& [label, size] : sizes.items()) {
      if (!size.is_number_unsigned() || size.whole() > most)
        fail(fmt::format("\"sizes\": that of \"{}\" must be a whole number from 0 to {}, got {}",
                         label, most, shown(size)));
      numbers_.emplace(label, static_cast<int>(network_.sizes.size()));
      network_.names.push_back(label);
      network_.sizes.push_back(size.whole());
    }
  }

  void read_inputs() {
    for (const json_value& operand : list("inputs", object_)) {
      const std::string field = fmt::format("\"inputs\", operand {}", network_.inputs.size());
      if (!operand.is_array()) fail(fmt::format("{} must be a list of labels", field));
      network_.inputs.push_back(labels_of(operand, field));
    }
    if (network_.inputs.empty()) fail("\"inputs\" must have at least one operand");
  }

  std::vector<int> labels_of(const json_value& labels, const std::string& field) const {
    std::vector<int> numbers;
    for (const json_value& label : labels) {
      if (!label.is_string() && !label.is_number_integer())
        fail(fmt::format("{}: labels are texts or whole numbers, got {}", field, shown(label)));
      const auto at = numbers_.find(label.is_string() ? label.text() : json_line(label));
      if (at == numbers_.end())
        fail(fmt::format("{}: \"sizes\" has no label {}", field, shown(label)));
      numbers.push_back(at->second);
    }
    return numbers;
  }

  std::optional<double> best_flops() const {
    if (!object_.contains("best_flops") || object_["best_flops"].is_null()) return {};
    const json_value& best = object_["best_flops"];
    if (!best.is_number() || !(best.number() > 0))
      fail(fmt::format("\"best_flops\" must be a positive number, got {}", shown(best)));
    return best.number();
  }

  static std::string shown(const json_value& value) {
    constexpr std::size_t most = 40;
    const std::string text = json_line(value);
    return text.size() > most ? text.substr(0, most).append("...") : text;
  }

  const std::string& path_;
  const json_value& object_;
  std::string name_;
  contraction_network network_;
  std::unordered_map<std::string, int> numbers_;
};

}  // namespace

std::vector<named_network> read_networks(const std::string& path) {
  constexpr std::size_t most_bytes = std::size_t{1} << 26;
  const json_value file = read_json_object(path, most_bytes);
  std::vector<named_network> networks;
  if (!file.contains("networks")) {
    if (!file.contains("inputs"))
      throw io_error(path, "it has neither \"networks\" nor \"inputs\"");
    networks.push_back(network_reader(path, file, "network 1").read());
    return networks;
  }
  if (!file["networks"].is_array()) throw io_error(path, "\"networks\" must be a list");
  for (const json_value& network : file["networks"])
    networks.push_back(
        network_reader(path, network, fmt::format("network {}", networks.size() + 1)).read());
  return networks;
}

}  // namespace papilio::cli
