#include "cli/decompose_output.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <span>
#include <system_error>

#include "cli/common.hpp"
#include "cli/side_flags.hpp"
#include "papilio/base/atomic_file.hpp"
#include "papilio/base/error.hpp"
#include "papilio/io.hpp"

namespace papilio::cli {
namespace {

namespace fs = std::filesystem;

json_value manifest_of(const decompose_facts& facts) {
  json_value manifest{{"method", facts.method},
                      {"file", facts.file},
                      {"shape", facts.operand.extents},
                      {"precision", facts.precision},
                      {"ranks", facts.ranks},
                      {"relative_error", facts.relative_error},
                      {"parameters", facts.parameters},
                      {"compression_ratio", facts.compression_ratio},
                      {"files", facts.files}};
  if (!facts.iterates) return manifest;
  manifest["iterations"] = facts.iteration.iterations;
  manifest["converged"] = facts.iteration.converged;
  manifest["history"] = facts.iteration.history;
  return manifest;
}

void make_folder(const std::string& path) {
  std::error_code failure;
  fs::create_directories(path, failure);
  if (failure) throw io_error(path, failure.message());
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

template <class T>
void add_factors(const std::vector<array<T, 2>>& factors, part_writer<T>& out) {
  for (std::size_t mode = 0; mode < factors.size(); ++mode)
    out.add(fmt::format("factor_{}.npy", mode), factors[mode].flat(), factors[mode].extents());
}

}  // namespace

void require_folder(const std::string& path) {
  std::error_code failure;
  if (fs::exists(path, failure) && !fs::is_directory(path, failure))
    throw io_error(path, "is no folder");
}

template <class T>
void write_parts(const cp_model<T>& model, decompose_facts& facts) {
  part_writer<T> out(facts);
  out.add("weights.npy", model.weights.flat(), model.weights.extents());
  add_factors(model.factors, out);
  out.commit();
}

template <class T>
void write_parts(const tucker_model<T>& model, decompose_facts& facts) {
  part_writer<T> out(facts);
  out.add("core.npy", model.core.flat(), model.core.extents());
  add_factors(model.factors, out);
  out.commit();
}

template <class T>
void write_parts(const tensor_train<T>& train, decompose_facts& facts) {
  part_writer<T> out(facts);
  for (std::size_t mode = 0; mode < train.order(); ++mode)
    out.add(fmt::format("core_{}.npy", mode), train.cores[mode].flat(),
            train.cores[mode].extents());
  out.commit();
}

std::string report_text(const decompose_facts& facts) {
  std::string text =
      fmt::format("file         {}, {}, {}\n", printable(facts.file),
                  fmt::join(facts.operand.extents, " x "), facts.operand.element_type);
  text += fmt::format("method       {}, {}\n", facts.method, facts.precision);
  text += fmt::format("ranks        {}\n", fmt::join(facts.ranks, " "));
  text += fmt::format("error        {:.6g} of the norm\n", facts.relative_error);
  text += fmt::format("parameters   {}, {:.4g} times fewer than elements\n", facts.parameters,
                      facts.compression_ratio);
  if (facts.iterates)
    text += fmt::format("iterations   {}{}\n", facts.iteration.iterations,
                        facts.iteration.converged ? ", converged" : "");
  text += fmt::format("out          {}\n", printable(facts.out));
  return text + run_text(facts.run, 13);
}

json_value report_json(const decompose_facts& facts) {
  json_value report = manifest_of(facts);
  report["out"] = facts.out;
  report["run"] = run_json(facts.run);
  return report;
}

#define PAPILIO_INSTANTIATE(T)                                         \
  template void write_parts(const cp_model<T>&, decompose_facts&);     \
  template void write_parts(const tucker_model<T>&, decompose_facts&); \
  template void write_parts(const tensor_train<T>&, decompose_facts&)
PAPILIO_INSTANTIATE(float);
PAPILIO_INSTANTIATE(double);
#undef PAPILIO_INSTANTIATE

}  // namespace papilio::cli
