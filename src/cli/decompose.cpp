#include <limits>

#include "cli/outputs.hpp"
#include "cli/progress.hpp"
#include "cli/side_flags.hpp"
#include "papilio/base/atomic_file.hpp"
#include "papilio/decompose.hpp"
#include "papilio/io.hpp"

namespace papilio::cli {
namespace decompose_verb {
namespace {

namespace fs = std::filesystem;

struct arguments {
  std::string method, file, out;
  std::vector<std::size_t> ranks;
  std::optional<double> tolerance;
  std::optional<std::size_t> max_iterations;
  std::optional<std::uint64_t> seed;
  std::string start, mask, precision;
  bool nonnegative = false;
  side_flags where;

  void add_to(command& verb) {
    verb.add(
        {{"METHOD", method, "Decomposition: cp, tucker or tt", one_of({"cp", "tucker", "tt"}),
          flag_trait::required},
         {"FILE", file, "NumPy file of the array, of two or more axes", flag_trait::required},
         {"--rank", ranks,
          "Components of cp; of tucker for all modes or each; of tt the most, of all bonds or each",
          whole_number_from(1, std::uint64_t{1} << 31).called("R[,R...]")},
         {"--tolerance", tolerance,
          "Most relative error of tucker and tt; least change of it in a sweep of cp [1e-6]",
          number_from(0, 0.999)},
         {"-o,--out", out, "Folder for the result; is made if it is not there", not_empty(),
          flag_trait::required},
         {"--max-iterations", max_iterations,
          "Most sweeps of cp [100], or by which tucker is improved (HOOI) [0]",
          whole_number_from(1, 1000000)},
         {"--seed", seed, "Seed of the first factors of cp [0]",
          whole_number_from(0, std::numeric_limits<std::uint64_t>::max())},
         {"--start", start, "First factors of cp [random]", one_of({"random", "svd"})},
         {"--nonnegative", nonnegative, "No factor of cp has a negative element"},
         {"--mask", mask,
          "NumPy file of the same shape, for cp: elements where it is 0 are missing", not_empty()},
         {"--precision", precision, "Precision of the computation and the result [the file's]",
          one_of({"float32", "float64"})}});
    verb.separate_by_commas("--rank", 32);
    where.add_to(verb);
  }
};

void require_only_of_cp(const arguments& args) {
  if (args.method == "cp") return;
  const auto refuse = [&](bool given, const char* flag) {
    if (given) throw usage_error("{} is of cp only, not of {}", flag, args.method);
  };
  refuse(args.seed.has_value(), "--seed");
  refuse(!args.start.empty(), "--start");
  refuse(args.nonnegative, "--nonnegative");
  refuse(!args.mask.empty(), "--mask");
  if (args.method == "tt" && args.max_iterations)
    throw usage_error("--max-iterations: tt does not iterate");
}

void require_usage(const arguments& args) {
  require_only_of_cp(args);
  if (args.method == "cp" && args.ranks.size() != 1)
    throw usage_error("--rank: cp takes one, the number of components");
  if (args.ranks.empty() && !args.tolerance)
    throw usage_error("one of --rank and --tolerance must be given");
  require_named_output("--out", args.out, args.file);
}

// The ranks of each mode: one number is for all.
std::vector<std::size_t> tucker_ranks(const arguments& args,
                                      const std::vector<std::size_t>& extents) {
  if (args.ranks.empty()) return {};
  std::vector<std::size_t> ranks = args.ranks;
  if (ranks.size() == 1) ranks.assign(extents.size(), args.ranks[0]);
  if (ranks.size() != extents.size())
    throw usage_error("--rank: {} modes take one rank or {}, not {}", extents.size(),
                      extents.size(), ranks.size());
  for (std::size_t mode = 0; mode < ranks.size(); ++mode)
    if (ranks[mode] > extents[mode])
      throw usage_error("--rank: mode {} has extent {}, and rank {} is above it", mode,
                        extents[mode], ranks[mode]);
  return ranks;
}

void require_bonds(const arguments& args, std::size_t order) {
  if (args.ranks.size() > 1 && args.ranks.size() + 1 != order)
    throw usage_error("--rank: {} modes take one rank or {}, not {}", order, order - 1,
                      args.ranks.size());
}

// Refuses a tolerance below what the library refuses for any elements, before the file is read.
template <class T>
void require_tolerance(const arguments& args, std::size_t order) {
  if (!args.tolerance) return;
  const double epsilon = std::numeric_limits<T>::epsilon();
  const double least = args.method == "cp" ? epsilon : 8 * static_cast<double>(order) * epsilon;
  if (*args.tolerance < least && !(args.method == "cp" && *args.tolerance == 0))
    throw usage_error("--tolerance: {} in {} gives at least {:.3g}, not {}", args.method,
                      sizeof(T) == 4 ? "float32" : "float64", least, *args.tolerance);
}

/// io_error if `path` is there and no folder: to be told before the work.
void require_folder(const std::string& path) {
  std::error_code failure;
  if (fs::exists(path, failure) && !fs::is_directory(path, failure))
    throw io_error(path, "is no folder");
}

/// Writes and reports a decomposition: weights or a core, and factors, or the cores of a train. All
/// files get their names together, at the end.
template <class T, class Result>
report written(const arguments& args, const npy_description& operand,
               const std::vector<std::size_t>& ranks, const Result& result) {
  const run_record run = last_run();
  make_folder(args.out);
  commit_group together;
  std::vector<npy_region_writer<T>> parts;
  std::vector<std::string> files;
  const auto write = [&](const std::string& name, const auto& values) {
    const auto& extents = values.extents();
    require_plain_path(args.out, name);
    parts.emplace_back(fs::path(args.out) / name,
                       std::vector<std::uint64_t>(extents.begin(), extents.end()));
    parts.back().write(0, values.flat());
    files.push_back(name);
  };
  const auto write_each = [&](const char* name, const auto& arrays) {
    for (std::size_t mode = 0; mode < arrays.size(); ++mode)
      write(fmt::format("{}_{}.npy", name, mode), arrays[mode]);
  };
  if constexpr (requires { result.weights; }) write("weights.npy", result.weights);
  if constexpr (requires { result.core; }) write("core.npy", result.core);
  if constexpr (requires { result.factors; })
    write_each("factor", result.factors);
  else
    write_each("core", result.cores);
  const char* const precision = sizeof(T) == 4 ? "float32" : "float64";
  json_value manifest = json_object(
      "method", args.method, "file", args.file, "shape", operand.extents, "precision", precision,
      "ranks", ranks, "relative_error", result.relative_error, "parameters", result.parameters(),
      "compression_ratio", result.compression_ratio(), "files", files);
  report made;
  made.labels(13)
      .add("out", args.out)
      .line("file", "{}, {}, {}", args.file, fmt::join(operand.extents, " x "),
            operand.element_type)
      .line("method", "{}, {}", args.method, precision)
      .line("ranks", "{}", fmt::join(ranks, " "))
      .line("error", "{:.6g} of the norm", result.relative_error)
      .line("parameters", "{}, {:.4g} times fewer than elements", result.parameters(),
            result.compression_ratio());
  if constexpr (requires { result.iteration; }) {
    const iteration_record& i = result.iteration;
    manifest.add("iterations", i.iterations, "converged", i.converged, "history", i.history);
    made.line("iterations", "{}{}", i.iterations, i.converged ? ", converged" : "");
  }
  const std::string text = json_text(manifest);
  require_plain_path(args.out, "manifest.json");
  atomic_file manifest_file(fs::path(args.out) / "manifest.json");
  manifest_file.write(text.data(), text.size());
  for (npy_region_writer<T>& part : parts) part.commit();
  manifest_file.commit();
  together.finish();
  return add_run(made.add(manifest).line("out", "{}", args.out), run);
}

progress_callback shown_by(progress& bar) {
  return [&bar](const decomposition_progress& p) {
    bar.update(p.iteration);
    return true;
  };
}

template <class T>
tensor<bool> read_mask(const std::string& file) {
  const tensor<T> values = read_npy_as<T>(file);
  tensor<bool> mask(values.extents());
  for (std::size_t i = 0; i < values.size(); ++i) mask.flat()[i] = values.flat()[i] != T(0);
  return mask;
}

template <class T>
report run_cp(const arguments& args, const execution& on, const npy_description& operand) {
  cp_options<T> options{.nonnegative = args.nonnegative, .on = on};
  if (args.max_iterations) options.max_iterations = *args.max_iterations;
  if (args.tolerance) options.tolerance = *args.tolerance;
  if (args.seed) options.seed = *args.seed;
  if (args.start == "svd") options.start = cp_start::svd;
  tensor<bool> mask;
  if (!args.mask.empty()) {
    mask = read_mask<double>(args.mask);
    options.mask = mask.view();
  }
  const tensor<T> x = read_npy_as<T>(args.file);
  progress bar(args.file, options.max_iterations);
  options.progress = shown_by(bar);
  const cp_result<T> result = cp_als(x, args.ranks[0], options);
  return written<T>(args, operand, {result.rank()}, result);
}

template <class T>
report run_tucker(const arguments& args, const execution& on, const npy_description& operand) {
  const auto ranks = tucker_ranks(args, operand.extents);
  const tensor<T> x = read_npy_as<T>(args.file);
  const std::size_t sweeps = args.max_iterations.value_or(0);
  if (sweeps == 0) {
    const auto result = tucker_sthosvd(x, {.ranks = ranks, .tolerance = args.tolerance, .on = on});
    return written<T>(args, operand, result.ranks(), result);
  }
  progress bar(args.file, sweeps);
  const auto result = tucker_hooi(x, {.ranks = ranks,
                                      .tolerance = args.tolerance,
                                      .max_iterations = sweeps,
                                      .on = on,
                                      .progress = shown_by(bar)});
  return written<T>(args, operand, result.ranks(), result);
}

template <class T>
report run_tt(const arguments& args, const execution& on, const npy_description& operand) {
  require_bonds(args, operand.extents.size());
  const tensor<T> x = read_npy_as<T>(args.file);
  const auto result = tt_svd(x, {.max_ranks = args.ranks, .tolerance = args.tolerance, .on = on});
  return written<T>(args, operand, result.ranks(), result);
}

template <class T>
report run_in(const arguments& args, const npy_description& operand) {
  require_tolerance<T>(args, operand.extents.size());
  const side where(args.where);
  return (args.method == "cp"       ? run_cp<T>
          : args.method == "tucker" ? run_tucker<T>
                                    : run_tt<T>)(args, where.on(), operand);
}

report decomposed(const arguments& args) {
  const npy_description operand = describe_npy(args.file);
  require_folder(args.out);
  const bool is_single =
      args.precision.empty() ? operand.floating_type() == "f4" : args.precision == "float32";
  return is_single ? run_in<float>(args, operand) : run_in<double>(args, operand);
}

void run(arguments& args, reporter& out) {
  require_usage(args);
  out.attempt([&] { return decomposed(args); });
}

}  // namespace
}  // namespace decompose_verb

void add_decompose(program& app) {
  command& verb = add_verb(app, "decompose", "Factor a NumPy array: CP, Tucker or a tensor train",
                           decompose_verb::run);
  verb.footer(
      R"(Writes NumPy files into the folder, and manifest.json: of cp weights.npy and factor_0.npy,
factor_1.npy ... (extent x rank), of tucker core.npy and factor_0.npy ..., of tt core_0.npy
... (bond x extent x bond). Files of these names are replaced. An accelerator computes in float32
and is emulated, which takes longer than the host's own code: its times are modelled, and the
wall time of the emulation is printed beside them.)");
  verb.example("papilio decompose tt x.npy --tolerance 1e-3 -o parts",
               "a tensor train with a relative error of 0.001 at most");
}

}  // namespace papilio::cli
