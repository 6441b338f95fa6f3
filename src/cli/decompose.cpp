#include <fmt/format.h>

#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <system_error>

#include "cli/common.hpp"
#include "cli/outputs.hpp"
#include "cli/progress.hpp"
#include "cli/report.hpp"
#include "cli/side_flags.hpp"
#include "cli/validators.hpp"
#include "papilio/base/atomic_file.hpp"
#include "papilio/base/error.hpp"
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
};

/// What is said of a decomposition that was made.
struct decompose_facts {
  std::string method, file, out, precision;
  npy_description operand = {};
  std::vector<std::size_t> ranks = {};
  double relative_error = 0, compression_ratio = 0;
  std::size_t parameters = 0;
  bool iterates = false;
  iteration_record iteration = {};
  run_record run = {};
  std::vector<std::string> files = {};  ///< in `out`
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

// What the library refuses whatever the elements are.
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

json_value manifest_of(const decompose_facts& facts) {
  json_value manifest = json_object(
      "method", facts.method, "file", facts.file, "shape", facts.operand.extents, "precision",
      facts.precision, "ranks", facts.ranks, "relative_error", facts.relative_error, "parameters",
      facts.parameters, "compression_ratio", facts.compression_ratio, "files", facts.files);
  if (!facts.iterates) return manifest;
  return manifest.add("iterations", facts.iteration.iterations, "converged",
                      facts.iteration.converged, "history", facts.iteration.history);
}

/// Arrays that are written under their names all together, at the end.
template <class T>
class part_writer {
 public:
  explicit part_writer(decompose_facts& facts) : facts_(facts) { make_folder(facts.out); }

  void add(const std::string& name, std::span<const T> values,
           std::span<const std::size_t> extents) {
    parts_.emplace_back(fs::path(facts_.out) / name,
                        std::vector<std::uint64_t>(extents.begin(), extents.end()));
    parts_.back().write(0, values);
    facts_.files.push_back(name);
  }

  void commit() {
    const std::string text = json_text(manifest_of(facts_));
    atomic_file manifest(fs::path(facts_.out) / "manifest.json");
    manifest.write(text.data(), text.size());
    for (npy_region_writer<T>& part : parts_) part.commit();
    manifest.commit();
  }

 private:
  decompose_facts& facts_;
  std::vector<npy_region_writer<T>> parts_;
};

/// Weights or a core, and factors; or the cores of a train.
template <class Model>
void write_parts(const Model& model, decompose_facts& facts) {
  const auto write = [&](auto& arrays, const char* each) {
    part_writer<std::remove_cvref_t<decltype(*arrays.front().data())>> out(facts);
    if constexpr (requires { model.weights; })
      out.add("weights.npy", model.weights.flat(), model.weights.extents());
    if constexpr (requires { model.core; })
      out.add("core.npy", model.core.flat(), model.core.extents());
    for (std::size_t mode = 0; mode < arrays.size(); ++mode)
      out.add(fmt::format("{}_{}.npy", each, mode), arrays[mode].flat(), arrays[mode].extents());
    out.commit();
  };
  if constexpr (requires { model.factors; })
    write(model.factors, "factor");
  else
    write(model.cores, "core");
}

progress_callback shown_by(progress& bar) {
  return [&bar](const decomposition_progress& p) {
    bar.update(p.iteration);
    return true;
  };
}

template <class Result>
void take_facts(const Result& result, decompose_facts& facts) {
  facts.run = last_run();
  facts.relative_error = result.relative_error;
  facts.parameters = result.parameters();
  facts.compression_ratio = result.compression_ratio();
  if constexpr (requires { result.iteration; }) {
    facts.iterates = true;
    facts.iteration = result.iteration;
  }
  write_parts(result, facts);
}

template <class T>
tensor<bool> read_mask(const std::string& file) {
  const tensor<T> values = read_npy_as<T>(file);
  tensor<bool> mask(values.extents());
  for (std::size_t i = 0; i < values.size(); ++i) mask.flat()[i] = values.flat()[i] != T(0);
  return mask;
}

template <class T>
void run_cp(const arguments& args, const execution& on, decompose_facts& facts) {
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
  facts.ranks = {result.rank()};
  take_facts(result, facts);
}

template <class T>
void run_tucker(const arguments& args, const execution& on, decompose_facts& facts) {
  const auto ranks = tucker_ranks(args, facts.operand.extents);
  const tensor<T> x = read_npy_as<T>(args.file);
  const std::size_t sweeps = args.max_iterations.value_or(0);
  if (sweeps == 0) {
    const auto result = tucker_sthosvd(x, {.ranks = ranks, .tolerance = args.tolerance, .on = on});
    facts.ranks = result.ranks();
    return take_facts(result, facts);
  }
  progress bar(args.file, sweeps);
  const auto result = tucker_hooi(x, {.ranks = ranks,
                                      .tolerance = args.tolerance,
                                      .max_iterations = sweeps,
                                      .on = on,
                                      .progress = shown_by(bar)});
  facts.ranks = result.ranks();
  take_facts(result, facts);
}

template <class T>
void run_tt(const arguments& args, const execution& on, decompose_facts& facts) {
  require_bonds(args, facts.operand.extents.size());
  const tensor<T> x = read_npy_as<T>(args.file);
  const auto result = tt_svd(x, {.max_ranks = args.ranks, .tolerance = args.tolerance, .on = on});
  facts.ranks = result.ranks();
  take_facts(result, facts);
}

template <class T>
void run_in(const arguments& args, decompose_facts& facts) {
  require_tolerance<T>(args, facts.operand.extents.size());
  const side where(args.where);
  if (args.method == "cp") return run_cp<T>(args, where.on(), facts);
  if (args.method == "tucker") return run_tucker<T>(args, where.on(), facts);
  run_tt<T>(args, where.on(), facts);
}

report report_of(const decompose_facts& facts) {
  report made;
  made.labels(13)
      .add(manifest_of(facts))
      .add("out", facts.out)
      .line("file", "{}, {}, {}", facts.file, fmt::join(facts.operand.extents, " x "),
            facts.operand.element_type)
      .line("method", "{}, {}", facts.method, facts.precision)
      .line("ranks", "{}", fmt::join(facts.ranks, " "))
      .line("error", "{:.6g} of the norm", facts.relative_error)
      .line("parameters", "{}, {:.4g} times fewer than elements", facts.parameters,
            facts.compression_ratio);
  if (facts.iterates)
    made.line("iterations", "{}{}", facts.iteration.iterations,
              facts.iteration.converged ? ", converged" : "");
  made.line("out", "{}", facts.out);
  return add_run(made, facts.run);
}

report decomposed(const arguments& args) {
  decompose_facts facts{
      .method = args.method, .file = args.file, .out = args.out, .precision = args.precision};
  facts.operand = describe_npy(args.file);
  require_folder(args.out);
  if (facts.precision.empty())
    facts.precision = facts.operand.floating_type() == "f4" ? "float32" : "float64";
  facts.precision == "float32" ? run_in<float>(args, facts) : run_in<double>(args, facts);
  return report_of(facts);
}

void add_options(command& verb, arguments& args) {
  verb.add(
      {{"METHOD", args.method, "What to make of it", one_of({"cp", "tucker", "tt"}),
        flag_trait::required},
       {"FILE", args.file, "NumPy file of the array, of two or more axes", flag_trait::required},
       {"--rank", args.ranks,
        "Components of cp; of tucker for all modes or each; of tt the most, of all bonds or each",
        whole_number_from(1, std::uint64_t{1} << 31).called("R[,R...]")},
       {"--tolerance", args.tolerance,
        "Most relative error of tucker and tt; least change of it in a sweep of cp [1e-6]",
        number_from(0, 0.999)},
       {"-o,--out", args.out, "Folder for the result; is made if it is not there", not_empty(),
        flag_trait::required},
       {"--max-iterations", args.max_iterations,
        "Most sweeps of cp [100], or by which tucker is improved (HOOI) [0]",
        whole_number_from(1, 1000000)},
       {"--seed", args.seed, "Of cp: of the first factors [0]",
        whole_number_from(0, std::numeric_limits<std::uint64_t>::max())},
       {"--start", args.start, "Of cp: the first factors [random]", one_of({"random", "svd"})},
       {"--nonnegative", args.nonnegative, "Of cp: no factor has a negative element"},
       {"--mask", args.mask,
        "Of cp: NumPy file of the same shape; where it is 0 the element is missing", not_empty()},
       {"--precision", args.precision, "Of the computation and the result [the file's]",
        one_of({"float32", "float64"})}});
  verb.separate_by_commas("--rank", 32);
  args.where.add_to(verb);
}

}  // namespace
}  // namespace decompose_verb

void add_decompose(program& app) {
  using namespace decompose_verb;
  auto args = std::make_shared<arguments>();
  command& verb =
      app.add_command("decompose", "Factor a NumPy array: CP, Tucker or a tensor train");
  add_options(verb, *args);
  verb.footer(
      R"(Writes NumPy files into the folder, and manifest.json: of cp weights.npy and factor_0.npy,
factor_1.npy ... (extent x rank), of tucker core.npy and factor_0.npy ..., of tt core_0.npy
... (bond x extent x bond). Files of these names are replaced. An accelerator computes in float32
and is emulated, which takes longer than the host's own code: its times are modelled, and the
wall time of the emulation is printed beside them.)");
  verb.example("papilio decompose tt x.npy --tolerance 1e-3 -o parts",
               "a tensor train with a relative error of 0.001 at most");
  verb.reports([args](reporter& out) {
    require_usage(*args);
    out.attempt([&] { return decomposed(*args); });
  });
}

}  // namespace papilio::cli
