#include <algorithm>
#include <cmath>
#include <complex>
#include <span>

#include "cli/side_flags.hpp"
#include "papilio/contract/einsum.hpp"
#include "papilio/io.hpp"

namespace papilio::cli {
namespace einsum_verb {
namespace {

struct arguments {
  std::string subscripts;
  std::vector<std::string> files;
  std::string out, search = "auto", cost = "flops";
  double seconds = 1;
  std::optional<std::size_t> memory_limit;
  side_flags where;
  std::vector<std::size_t> conjugate;
  bool explain = false;

  void add_to(command& verb) {
    verb.add(
        {{"SUBSCRIPTS", subscripts, "As of numpy.einsum: \"ij,jk->ik\"", flag_trait::required},
         {"FILE", files, "NumPy file of each operand", flag_trait::required},
         {"-o,--out", out, "NumPy file to write: the result", not_empty()},
         {"--explain", explain, "Print the order of the steps, and what each costs"},
         {"--conjugate", conjugate,
          "Operand whose complex conjugate is taken, counted from 0; may be repeated",
          whole_number_from(0, 1u << 20).called("OPERAND")},
         {"--search", search, "Search for the order in which several operands are contracted",
          one_of({"auto", "optimal", "greedy", "random_greedy"})},
         {"--cost", cost, "Cost that the order makes least", one_of({"flops", "device_seconds"})},
         {"--seconds", seconds, "Time limit of the search, in seconds", number_from(1e-3, 1e6)},
         {"--memory-limit", memory_limit,
          "Bytes that no intermediate exceeds: labels are looped over until it holds",
          whole_number_from(1, std::uint64_t{1} << 62)}});
    where.add_to(verb);
    where.add_cores_to(verb);
  }
};

/// Up to so many elements are shown one by one.
inline constexpr std::size_t most_shown_elements = 100;

void require_usage(const arguments& args) {
  for (const std::size_t operand : args.conjugate)
    if (operand >= args.files.size())
      throw usage_error("--conjugate: there is no operand {}; they are counted from 0", operand);
  if (!args.out.empty())
    for (const std::string& file : args.files) require_named_output("--out", args.out, file);
}

template <class T>
einsum_options options_of(const arguments& args, const execution& on) {
  einsum_options options;
  options.path.search = path_search_of(args.search);
  options.path.cost = args.cost == "flops" ? path_cost::flops : path_cost::device_seconds;
  options.path.seconds = args.seconds;
  options.on = on;
  options.conjugate.resize(args.files.size());
  for (const std::size_t operand : args.conjugate) options.conjugate[operand] = true;
  if (!args.memory_limit) return options;
  options.path.largest_intermediate = *args.memory_limit / sizeof(T);
  if (options.path.largest_intermediate == 0)
    throw usage_error("--memory-limit: an element takes {}", counted(sizeof(T), "byte"));
  return options;
}

template <class T>
void require_room(const arguments& args, std::span<const std::uint64_t> extents) {
  double bytes = sizeof(T);
  for (const std::uint64_t extent : extents) bytes *= static_cast<double>(extent);
  if (args.memory_limit && bytes > static_cast<double>(*args.memory_limit))
    throw resource_error(fmt::format("--memory-limit: the result alone takes {:.0f} bytes, got {}",
                                     bytes, *args.memory_limit));
}

std::string shape_text(std::span<const std::size_t> extents) {
  return extents.empty() ? "one number" : fmt::format("{}", fmt::join(extents, " x "));
}

template <class R>
std::string number_text(R value) {
  return fmt::format("{:.6g}", value);
}
template <class R>
std::string number_text(const std::complex<R>& value) {
  return fmt::format("{:.6g}{:+.6g}i", value.real(), value.imag());
}

template <class R>
json_value number_json(R value) {
  return std::isfinite(value) ? json_value(value) : json_value();
}
template <class R>
json_value number_json(const std::complex<R>& value) {
  return std::pair(number_json(value.real()), number_json(value.imag()));
}

bool is_finite(double value) { return std::isfinite(value); }
bool is_finite(const std::complex<double>& value) {
  return std::isfinite(value.real()) && std::isfinite(value.imag());
}

struct summary {
  std::size_t not_finite = 0;
  double largest = 0;           ///< magnitude
  double root_mean_square = 0;  ///< both of the finite elements; 0 if there are none
};

// Squares are of magnitudes over the largest, so that none overflows.
template <class T>
summary summary_of(const tensor<T>& values) {
  using wide = std::conditional_t<std::is_floating_point_v<T>, double, std::complex<double>>;
  summary s;
  const auto each_finite = [&](auto&& take) {
    for (const T& v : values.flat())
      if (is_finite(wide(v))) take(std::abs(wide(v)));
  };
  std::size_t count = 0;
  each_finite([&](double magnitude) {
    s.largest = std::max(s.largest, magnitude);
    ++count;
  });
  s.not_finite = values.size() - count;
  if (s.largest == 0) return s;
  double sum = 0;
  each_finite([&](double magnitude) { sum += std::pow(magnitude / s.largest, 2); });
  s.root_mean_square = s.largest * std::sqrt(sum / static_cast<double>(count));
  return s;
}

/// "[1, 0, :, :]" of the matrix that begins at element `at`.
std::string matrix_label(std::span<const std::size_t> extents, std::size_t at) {
  std::string text = ":, :";
  at /= extents[extents.size() - 1] * extents[extents.size() - 2];
  for (std::size_t axis = extents.size() - 2; axis-- > 0; at /= extents[axis])
    text.insert(0, fmt::format("{}, ", at % extents[axis]));
  return fmt::format("[{}]\n", text);
}

report facts_report(const arguments& args, const std::vector<npy_description>& operands_there,
                    const char* type, const contraction_plan& plan) {
  report made;
  json_value operands = json_value::array(), steps = json_value::array();
  for (std::size_t k = 0; k < args.files.size(); ++k) {
    const npy_description& operand = operands_there[k];
    made.line(k == 0 ? "operands" : "", "{}, {}, {}{}", args.files[k], shape_text(operand.extents),
              operand.element_type, operand.fortran_order ? " in Fortran order" : "");
    operands.push_back(json_object("file", args.files[k], "shape", operand.extents, "type",
                                   operand.element_type, "fortran_order", operand.fortran_order));
  }
  for (const contraction_step& step : plan.steps())
    steps.push_back(json_object("expression", step.expression, "kind", step.kind, "how", step.how,
                                "flops", step.flops, "bytes", step.bytes, "elements", step.elements,
                                "host_seconds", step.host_seconds, "device_seconds",
                                step.device_seconds, "backend", step.backend));
  const contraction_path& path = plan.path();
  return made
      .fields("subscripts", args.subscripts, "operands", operands, "shape", plan.extents(), "type",
              type)
      .line("result", "{}, {}", shape_text(plan.extents()), type)
      .add("out", args.out.empty() ? json_value() : json_value(args.out), "out", "{}")
      .fields("path",
              json_object("search", to_string(path.search), "pairs", path.pairs, "slices",
                          path.slices, "flops", path.flops, "largest_elements", path.largest,
                          "search_seconds", path.seconds),
              "steps", steps, "workspace_bytes", plan.workspace_bytes());
}

/// The elements, or of more than most_shown_elements a summary.
template <class T>
std::string values_text(const tensor<T>& result, const summary& s) {
  if (result.empty()) return {};
  if (result.size() > most_shown_elements)
    return fmt::format("values    root mean square {:.6g}, largest magnitude {:.6g}{}\n",
                       s.root_mean_square, s.largest,
                       s.not_finite > 0 ? fmt::format(", {} not finite", s.not_finite) : "");
  std::vector<std::string> numbers;
  for (const T& v : result.flat()) numbers.push_back(number_text(v));
  const std::size_t width =
      std::ranges::max(numbers, {}, [](const std::string& n) { return n.size(); }).size();
  const std::size_t row = result.rank() > 0 ? result.extents().back() : 1;
  const std::size_t matrix = result.rank() > 2 ? row * result.extent(result.rank() - 2) : 0;
  std::string text = "values\n";
  for (std::size_t at = 0; at < numbers.size(); ++at) {
    if (matrix > 0 && at % matrix == 0) text += matrix_label(result.extents(), at);
    text += fmt::format("  {:>{}}", numbers[at], width);
    if ((at + 1) % row == 0) text += '\n';
  }
  return text;
}

/// For programs: complex numbers are pairs, those that are not finite null.
template <class T>
void add_values(report& made, const tensor<T>& result, const summary& s) {
  json_value values;
  if (result.size() <= most_shown_elements) {
    values = json_value::array();
    for (const T& v : result.flat()) values.push_back(number_json(v));
  }
  made.fields("root_mean_square", number_json(s.root_mean_square), "largest_magnitude", s.largest,
              "not_finite", s.not_finite, "values", values);
}

/// Nothing appears at --out before the result is there.
template <class T>
report contract(const arguments& args, const std::vector<npy_description>& there, const char* type,
                std::span<const std::uint64_t> extents) {
  const side where = side(args.where);
  const einsum_options options = options_of<T>(args, where.on());
  require_room<T>(args, extents);
  std::optional<npy_region_writer<T>> out;  // what cannot be written is told before the work
  if (!args.out.empty())
    out.emplace(args.out, std::vector<std::uint64_t>(extents.begin(), extents.end()));
  std::vector<tensor<T>> tensors;
  for (const std::string& file : args.files) tensors.push_back(read_npy_as<T>(file));
  std::vector<tensor_view<const T>> operands;
  for (const tensor<T>& t : tensors) operands.push_back(t.view());
  const std::span<const tensor_view<const T>> views(operands);
  const contraction_plan plan =
      with_usage("", [&] { return plan_contraction(args.subscripts, views, options); });
  const tensor<T> result = plan.execute<T>(operands);
  const run_record run = last_run();
  if (out) {
    out->write(0, result.flat());
    out->commit();
  }
  report made = facts_report(args, there, type, plan);
  add_run(made, run);
  if (args.explain) made.lines(plan.report());
  const summary found = summary_of(result);
  if (args.out.empty()) made.lines(values_text(result, found));
  add_values(made, result, found);
  return made;
}

/// In the smallest type that holds all operands.
report contracted(const arguments& args) {
  std::vector<npy_description> there;
  std::vector<std::vector<std::size_t>> extents;
  bool is_complex = false, is_double = false;
  for (const std::string& file : args.files) {
    there.push_back(describe_npy(file));
    extents.push_back(there.back().extents);
    const std::string type = there.back().floating_type();
    is_complex = is_complex || type[0] == 'c';
    is_double = is_double || type == "f8" || type == "c16";
  }
  const contraction_network network =
      with_usage("", [&] { return parse_einsum(args.subscripts, extents); }).network;
  std::vector<std::uint64_t> result;
  for (const int label : network.output)
    result.push_back(network.sizes[static_cast<std::size_t>(label)]);
  if (is_complex)
    return is_double ? contract<std::complex<double>>(args, there, "complex128", result)
                     : contract<std::complex<float>>(args, there, "complex64", result);
  return is_double ? contract<double>(args, there, "float64", result)
                   : contract<float>(args, there, "float32", result);
}

void run(arguments& args, reporter& out) {
  require_usage(args);
  out.attempt([&] { return contracted(args); });
}

}  // namespace
}  // namespace einsum_verb

void add_einsum(program& app) {
  command& verb = add_verb(
      app, "einsum", "Contract NumPy arrays by subscripts, as numpy.einsum does", einsum_verb::run);
  verb.footer(
      R"(Elements are computed in the smallest of float32, float64, complex64 and complex128 that
holds those of all operands (float64 of integers of 32 and 64 bits). Without --out a result
of up to 100 elements is printed, a larger one summed up. A file of --out's name is
replaced. An accelerator is emulated, which takes longer than the host's own code: its times
are modelled, and the wall time of the emulation is printed beside them.)");
  verb.example("papilio einsum \"ij,jk->ik\" a.npy b.npy -o c.npy", "a product of matrices");
}

}  // namespace papilio::cli
