#include "cli/path.hpp"

#include <cmath>
#include <limits>
#include <unordered_map>

#include "cli/report.hpp"

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

namespace path_verb {
namespace {

struct arguments {
  std::string file, name, search = "auto";
  double seconds = 2;
  std::size_t seed = 0;
  std::optional<std::size_t> memory_limit;

  void add_to(command& verb) {
    verb.add({{"FILE", file, "JSON file of networks", not_empty(), flag_trait::required},
              {"--name", name, "Only the networks of this name", not_empty()},
              {"--search", search, "auto, optimal, greedy or random_greedy",
               exactly_one_of({"auto", "optimal", "greedy", "random_greedy"})},
              {"--seconds", seconds, "Time limit of the search for each network, in seconds",
               number_from(1e-3, 1e6)},
              {"--memory-limit", memory_limit,
               "Largest intermediate, in elements; labels are sliced until all fit",
               whole_number_from(1, std::numeric_limits<std::int64_t>::max())},
              {"--seed", seed, "Seed of a random search",
               whole_number_from(0, std::numeric_limits<std::uint64_t>::max())}});
  }
};

contraction_path path_for(const arguments& args, const named_network& network) {
  try {
    return find_path(network.network, {.search = path_search_of(args.search),
                                       .seconds = args.seconds,
                                       .seed = args.seed,
                                       .largest_intermediate = args.memory_limit.value_or(0)});
  } catch (const error& e) {
    throw bad_file(args.file, "network \"{}\": {}", printable(network.name), e.what());
  }
}

std::string amount(double value) {
  return value < 1e6 ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

// Costs are whole numbers, as long as those are exact.
json_value number_json(double value) {
  constexpr double exact = 9007199254740992.0;  // 2^53
  if (value <= exact && value == std::floor(value)) return static_cast<std::uint64_t>(value);
  return value;
}

void add_row(table_rows& rows, const named_network& of, const contraction_path& path) {
  json_value sliced = json_value::array();
  for (const int label : path.sliced)
    sliced.push_back(of.network.names[static_cast<std::size_t>(label)]);
  rows.add(of.name, path.pairs, of.network.inputs.size(), of.network.sizes.size(),
           amount(path.flops), number_json(path.flops), amount(path.largest),
           number_json(path.largest), amount(path.slices), path.seconds, number_json(path.macs),
           number_json(path.slices), sliced, to_string(path.search),
           of.best_flops ? fmt::format("{:.4f}", path.flops / *of.best_flops) : "-");
}

report found_orders(const arguments& args) {
  table_rows rows;
  for (const named_network& network : read_networks(args.file))
    if (args.name.empty() || network.name == args.name)
      add_row(rows, network, path_for(args, network));
  if (rows.empty() && !args.name.empty())
    throw usage_error("--name: {} has no network \"{}\"", args.file, args.name);
  return report().table("networks", "",
                        {{"name", "{}", "network"},
                         {"path", ""},
                         {"", "  {}", "operands"},
                         {"", "  {}", "labels"},
                         {"", "  {}", "flops"},
                         {"flops", ""},
                         {"", "  {}", "largest"},
                         {"largest", ""},
                         {"", "  {}", "slices"},
                         {"seconds", "  {:.4f}", "seconds"},
                         {"macs", ""},
                         {"slices", ""},
                         {"sliced", ""},
                         {"search", "  {}", "search"},
                         {"", "  {}", "of best"}},
                        rows);
}

void run(arguments& args, reporter& out) { out.print(found_orders(args)); }

}  // namespace
}  // namespace path_verb

void add_path(program& app) {
  command& verb =
      add_verb(app, "path", "Find orders in which to contract networks of tensors, and their costs",
               path_verb::run);
  verb.footer(
      R"(FILE holds one network or a list "networks". A network is an object with "inputs" (a list of
labels for each operand), "output" (a list of labels), "sizes" (extent of each label), and, if
wanted, "name" and "best_flops", with which the result is compared. An order is a list of pairs
of positions: both operands are taken out of the list, and their product is appended. A step
takes the product of its labels' sizes in multiplications, and twice that in flops if it sums.)");
  verb.example("papilio path network.json --search greedy", "an order and its cost");
}

}  // namespace papilio::cli
