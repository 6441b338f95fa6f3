#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>

#include "cli/common.hpp"
#include "cli/einsum_report.hpp"
#include "cli/json_value.hpp"
#include "cli/side_flags.hpp"
#include "cli/validators.hpp"
#include "papilio/base/error.hpp"
#include "papilio/contract/einsum.hpp"
#include "papilio/dispatch.hpp"
#include "papilio/io.hpp"

namespace papilio::cli {
namespace einsum_verb {
namespace {

struct arguments {
  std::string subscripts;
  std::vector<std::string> files;
  std::string out, search = "auto", cost = "flops";
  double seconds = 1;
  std::optional<std::uint64_t> memory_limit;
  side_flags where;
  std::vector<std::size_t> conjugate;
  bool explain = false, json = false;
};

/// "f4", "f8", "c8" or "c16": the one that holds all operands.
std::string common_type(const std::vector<npy_description>& operands) {
  bool is_complex = false, is_double = false;
  for (const npy_description& operand : operands) {
    const std::string type = operand.floating_type();
    is_complex = is_complex || type[0] == 'c';
    is_double = is_double || type == "f8" || type == "c16";
  }
  if (is_complex) return is_double ? "c16" : "c8";
  return is_double ? "f8" : "f4";
}

void require_usage(const arguments& args) {
  for (const std::size_t operand : args.conjugate)
    if (operand >= args.files.size())
      throw usage_error(
          fmt::format("--conjugate: there is no operand {}; they are counted from 0", operand));
  if (!args.out.empty())
    for (const std::string& file : args.files) require_named_output("--out", args.out, file);
}

/// usage_error for what the library refuses of the command line.
template <class Work>
auto with_usage(const Work& work) {
  try {
    return work();
  } catch (const invalid_argument& e) {
    throw usage_error(e.what());
  }
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
    throw usage_error(
        fmt::format("--memory-limit: an element takes {}", counted(sizeof(T), "byte")));
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

/// What is to be printed. Nothing appears at --out before the result is there.
template <class T>
std::string contract(const arguments& args, const einsum_facts& facts,
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
      with_usage([&] { return plan_contraction(args.subscripts, views, options); });
  const tensor<T> result = plan.execute<T>(operands);
  const run_record run = last_run();
  if (out) {
    out->write(0, result.flat());
    out->commit();
  }
  if (args.json) {
    json_value report = report_json(facts, plan);
    report["run"] = run_json(run);
    report.update(values_json(result));
    return json_text(report);
  }
  std::string text = report_text(facts, plan) + run_text(run);
  if (args.explain) text += plan.report();
  if (args.out.empty()) text += values_text(result);
  return text;
}

std::string run_all(const arguments& args) {
  einsum_facts facts{.subscripts = args.subscripts, .files = args.files, .out = args.out};
  std::vector<std::vector<std::size_t>> extents;
  for (const std::string& file : args.files) {
    facts.operands.push_back(describe_npy(file));
    extents.push_back(facts.operands.back().extents);
  }
  const contraction_network network =
      with_usage([&] { return parse_einsum(args.subscripts, extents); }).network;
  std::vector<std::uint64_t> result;
  for (const int label : network.output)
    result.push_back(network.sizes[static_cast<std::size_t>(label)]);
  const std::string type = common_type(facts.operands);
  if (type == "f4") {
    facts.type = "float32";
    return contract<float>(args, facts, result);
  }
  if (type == "f8") {
    facts.type = "float64";
    return contract<double>(args, facts, result);
  }
  facts.type = type == "c8" ? "complex64" : "complex128";
  return type == "c8" ? contract<std::complex<float>>(args, facts, result)
                      : contract<std::complex<double>>(args, facts, result);
}

// Faults of the shapes show the subscripts in lines of their own.
int run(const arguments& args) {
  require_usage(args);
  try {
    print(run_all(args));
    return exit_done;
  } catch (const shape_error& e) {
    complain_in_lines(e.what());
    if (args.json) print(json_text({{"error", e.what()}}));
  } catch (const error& e) {
    complain(e.what());
    if (args.json) {
      const json_value report{{"error", e.what()}};
      print(json_text(report));
    }
  }
  return exit_bad_data;
}

void add_options(command& verb, arguments& args) {
  verb.add_option("-o,--out", args.out, "NumPy file to write: the result").check(not_empty());
  verb.add_flag("--explain", args.explain, "Print the order of the steps, and what each costs");
  verb.add_flag("--json", args.json, "Print JSON");
  verb.add_option("--conjugate", args.conjugate,
                  "Operand whose complex conjugate is taken, counted from 0; may be repeated")
      .check(whole_number_from(0, 1u << 20))
      .type_name("OPERAND")
      .repeatable();
  verb.add_option("--search", args.search, "How the order of several operands is looked for")
      .check(one_of({"auto", "optimal", "greedy", "random_greedy"}))
      .show_default();
  verb.add_option("--cost", args.cost, "What of that order is to be least")
      .check(one_of({"flops", "device_seconds"}))
      .show_default();
  verb.add_option("--seconds", args.seconds, "At most so long for the search")
      .check(number_from(1e-3, 1e6))
      .show_default();
  verb.add_option("--memory-limit", args.memory_limit,
                  "Bytes that no intermediate exceeds: labels are looped over until it holds")
      .check(whole_number_from(1, std::uint64_t{1} << 62));
  add_side_options(verb, args.where);
}

}  // namespace
}  // namespace einsum_verb

void add_einsum(program& app) {
  using namespace einsum_verb;
  auto args = std::make_shared<arguments>();
  command& verb =
      app.add_command("einsum", "Contract NumPy arrays by subscripts, as numpy.einsum does");
  verb.add_option("SUBSCRIPTS", args->subscripts, "As of numpy.einsum: \"ij,jk->ik\"").required();
  verb.add_option("FILE", args->files, "NumPy file of each operand").required();
  add_options(verb, *args);
  verb.footer(
      "Elements are computed in the smallest of float32, float64, complex64 and complex128 that\n"
      "holds those of all operands (float64 of integers of 32 and 64 bits). Without --out a "
      "result\n"
      "of up to 100 elements is printed, a larger one summed up. A file of --out's name is\n"
      "replaced. An accelerator is emulated, which takes longer than the host's own code: its "
      "times\n"
      "are modelled, and the wall time of the emulation is printed beside them.");
  verb.example("papilio einsum \"ij,jk->ik\" a.npy b.npy -o c.npy", "a product of matrices");
  verb.run([args] { return run(*args); });
}

}  // namespace papilio::cli
