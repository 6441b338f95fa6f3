#include "cli/molecule_files.hpp"

#include <algorithm>

#include "cli/common.hpp"
#include "papilio/chem.hpp"
#include "papilio/io.hpp"

namespace papilio::cli {
namespace {

std::string shape_of(std::span<const std::size_t> extents) {
  return fmt::format("{}", fmt::join(extents, " x "));
}

/// Energies of so many occupied and virtual orbitals, in that order.
template <class T>
void read_energies(const molecule_files& files, std::size_t nocc, std::size_t nvir,
                   spin_arrays<T>& spin) {
  const std::string name = "eps" + spin.suffix + ".npy";
  const tensor<double> energies = files.read<double>(name, 1, "[nmo]");
  if (energies.size() != nocc + nvir)
    throw bad_file(files.path(name),
                   "must have the energies of {} occupied and {} virtual orbitals, has {}", nocc,
                   nvir, energies.size());
  const auto split = energies.flat().begin() + static_cast<std::ptrdiff_t>(nocc);
  spin.eps_occupied.assign(energies.flat().begin(), split);
  spin.eps_virtual.assign(split, energies.flat().end());
}

template <class T>
molecule<T> read_molecular(const molecule_files& files) {
  molecule<T> result;
  const bool is_open =
      !files.has("B_iaQ.npy") && (files.has("Ba_iaQ.npy") || files.has("Bb_iaQ.npy"));
  if (is_open) {
    result.integrals = {"Ba_iaQ.npy", "Bb_iaQ.npy"};
    files.require({"Ba_iaQ.npy", "Bb_iaQ.npy", "eps_a.npy", "eps_b.npy"});
  } else {
    result.integrals = {"B_iaQ.npy"};
    files.require({"B_iaQ.npy", "eps.npy"}, "Ba_iaQ.npy and Bb_iaQ.npy");
  }
  for (std::size_t s = 0; s < result.integrals.size(); ++s) {
    spin_arrays<T> spin;
    if (is_open) spin.suffix = s == 0 ? "_a" : "_b";
    spin.b = files.read<T>(result.integrals[s], 3, "[nocc, nvir, naux]");
    read_energies(files, spin.b.extent(0), spin.b.extent(1), spin);
    result.spins.push_back(std::move(spin));
  }
  if (is_open && result.spins[0].b.extent(2) != result.spins[1].b.extent(2))
    throw bad_file(files.path("Bb_iaQ.npy"),
                   "must have the {} auxiliary functions of Ba_iaQ.npy, has {}",
                   result.spins[0].b.extent(2), result.spins[1].b.extent(2));
  return result;
}

struct atomic_arrays {
  std::string name;
  tensor<double> integrals;  ///< [nbf, nbf, naux], or of the rows m >= n
  tensor<double> metric;
};

std::size_t whole_number(const molecule_files& files, const json_value& manifest, const char* key) {
  const json_value& value = manifest[key];
  if (!value.is_number_unsigned())
    throw bad_file(files.path("manifest.json"), "\"{}\" must be a whole number", key);
  return value.whole();
}

occupation occupied_orbitals(const molecule_files& files, const molecule_source& source,
                             bool is_open) {
  if (source.occupied) return *source.occupied;
  const json_value manifest = files.manifest();
  const char* const keys[] = {is_open ? "nocc_a" : "nocc", is_open ? "nocc_b" : "nocc"};
  if (manifest.contains(keys[0]) && manifest.contains(keys[1]))
    return {whole_number(files, manifest, keys[0]), whole_number(files, manifest, keys[1])};
  const std::string names[] = {is_open ? "Ba_iaQ.npy" : "B_iaQ.npy",
                               is_open ? "Bb_iaQ.npy" : "B_iaQ.npy"};
  if (files.has(names[0]) && files.has(names[1])) {
    const auto alpha = describe_npy(files.path(names[0])),
               beta = describe_npy(files.path(names[1]));
    if (alpha.extents.size() == 3 && beta.extents.size() == 3)
      return {alpha.extents[0], beta.extents[0]};
  }
  throw bad_file(files.path("manifest.json"),
                 "\"{}\" is missing: how many orbitals are occupied? --occupied tells", keys[0]);
}

atomic_arrays read_atomic_arrays(const molecule_files& files,
                                 const std::vector<std::string>& others) {
  atomic_arrays result;
  const bool is_triangle = !files.has("AO_mnQ.npy") && files.has("AO_tril_Q.npy");
  result.name = is_triangle ? "AO_tril_Q.npy" : "AO_mnQ.npy";
  std::vector<std::string> names{result.name, "metric_PQ.npy"};
  names.insert(names.end(), others.begin(), others.end());
  files.require(names, is_triangle ? "" : "AO_tril_Q.npy");
  result.integrals = is_triangle ? files.read<double>(result.name, 2, "[nbf (nbf + 1) / 2, naux]")
                                 : files.read<double>(result.name, 3, "[nbf, nbf, naux]");
  result.metric = files.read<double>("metric_PQ.npy", 2, "[naux, naux]");
  const std::size_t naux = result.integrals.extents().back();
  if (result.metric.extent(0) != naux || result.metric.extent(1) != naux)
    throw bad_file(files.path("metric_PQ.npy"), "must be {} x {} for {}, is {}", naux, naux,
                   result.name, shape_of(result.metric.extents()));
  return result;
}

array<double, 3> transformed(const atomic_arrays& atomic, view<const double, 2> c, std::size_t nocc,
                             const molecule_source& source) {
  const view<const double, 2> occupied = c.slice(1, 0, nocc),
                              virtuals = c.slice(1, nocc, c.extent(1) - nocc);
  const ao_to_mo_options options{.metric = atomic.metric.as<2>(),
                                 .memory_bytes = source.memory_bytes,
                                 .on = {.where = policy::host, .threads = source.threads}};
  return atomic.integrals.rank() == 3
             ? ao_to_mo(atomic.integrals.as<3>(), occupied, virtuals, options)
             : ao_to_mo(atomic.integrals.as<2>(), occupied, virtuals, options);
}

// Integrals on an accelerator, which the transformations of both spins read.
struct atomic_on_device {
  device_array<float, 3> integrals;  // [naux, nbf, nbf]
  device_array<float, 2> root;
};

array<float, 2> rounded(view<const double, 2> matrix) {
  array<float, 2> result(matrix.extents());
  for (std::size_t i = 0; i < matrix.extent(0); ++i)
    for (std::size_t k = 0; k < matrix.extent(1); ++k)
      result(i, k) = static_cast<float>(matrix(i, k));
  return result;
}

// nbf (nbf + 1) / 2 rows.
std::size_t basis_of_triangle(std::size_t rows) {
  std::size_t nbf = 0;
  while (nbf * (nbf + 1) / 2 < rows) ++nbf;
  return nbf;
}

atomic_on_device to_device(accelerator& on, const atomic_arrays& atomic) {
  const bool is_full = atomic.integrals.rank() == 3;
  const std::size_t rows = atomic.integrals.extent(0), naux = atomic.integrals.extents().back(),
                    nbf = is_full ? rows : basis_of_triangle(rows);
  array<float, 3> first({naux, nbf, nbf});
  const double* const from = atomic.integrals.data();
  for (std::size_t m = 0; m < nbf; ++m)
    for (std::size_t n = 0; n < nbf; ++n) {
      const std::size_t row =
          is_full ? m * nbf + n : std::max(m, n) * (std::max(m, n) + 1) / 2 + std::min(m, n);
      for (std::size_t p = 0; p < naux; ++p)
        first(p, m, n) = static_cast<float>(from[row * naux + p]);
    }
  const array<double, 2> root = inverse_square_root(atomic.metric.as<2>());
  return {papilio::to_device(on, first), papilio::to_device(on, rounded(root.view()))};
}

template <class T>
spin_arrays<T> read_spin(const molecule_files& files, const atomic_arrays& atomic,
                         const std::optional<atomic_on_device>& there, const std::string& suffix,
                         std::size_t nocc, const molecule_source& source) {
  spin_arrays<T> spin;
  spin.suffix = suffix;
  const std::string name = "C" + suffix + ".npy";
  const tensor<double> c = files.read<double>(name, 2, "[nbf, nmo]");
  const std::size_t nbf = c.extent(0), rows = atomic.integrals.extent(0);
  const bool is_full = atomic.integrals.rank() == 3;
  if (is_full ? nbf != rows : nbf > (std::size_t{1} << 31) || nbf * (nbf + 1) / 2 != rows)
    throw bad_file(files.path(name), "is {}, but {} is {}, which is not of {} basis functions",
                   shape_of(c.extents()), atomic.name, shape_of(atomic.integrals.extents()), nbf);
  if (nocc > c.extent(1))
    throw bad_file(files.path(name), "has {} orbitals, of which {} cannot be occupied", c.extent(1),
                   nocc);
  read_energies(files, nocc, c.extent(1) - nocc, spin);
  if (there) {
    const auto columns = [&](std::size_t first, std::size_t count) {
      return papilio::to_device(*source.device, rounded(c.as<2>().slice(1, first, count)));
    };
    spin.b_on_device = ao_to_mo(there->integrals, columns(0, nocc),
                                columns(nocc, c.extent(1) - nocc), there->root);
    return spin;
  }
  const array<double, 3> b = transformed(atomic, c.as<2>(), nocc, source);
  spin.b = tensor<T>(b.extents(), uninitialized);
  std::ranges::transform(b, spin.b.data(), [](double x) { return static_cast<T>(x); });
  return spin;
}

template <class T>
molecule<T> read_atomic(const molecule_files& files, const molecule_source& source) {
  const bool is_open = !files.has("C.npy") && (files.has("C_a.npy") || files.has("C_b.npy"));
  const atomic_arrays atomic = read_atomic_arrays(
      files, is_open ? std::vector<std::string>{"C_a.npy", "C_b.npy", "eps_a.npy", "eps_b.npy"}
                     : std::vector<std::string>{"C.npy", "eps.npy"});
  const occupation occupied = occupied_orbitals(files, source, is_open);
  molecule<T> result;
  result.integrals = {atomic.name};
  std::optional<atomic_on_device> there;
  if (source.device != nullptr) there = to_device(*source.device, atomic);
  result.spins.push_back(
      read_spin<T>(files, atomic, there, is_open ? "_a" : "", occupied.alpha, source));
  if (is_open)
    result.spins.push_back(read_spin<T>(files, atomic, there, "_b", occupied.beta, source));
  return result;
}

}  // namespace

void molecule_files::require(const std::vector<std::string>& names,
                             const std::string& other) const {
  std::error_code none;
  if (!std::filesystem::is_directory(folder_, none))
    throw io_error(folder_, "there is no such folder");
  std::string missing;
  for (const std::string& name : names) {
    if (has(name)) continue;
    if (!missing.empty()) missing += ", ";
    missing += name;
    if (&name == &names.front() && !other.empty()) missing += fmt::format(" (nor {})", other);
  }
  if (!missing.empty()) throw io_error(folder_, fmt::format("there is no {}", missing));
}

template <class T>
tensor<T> molecule_files::read(const std::string& name, std::size_t rank, const char* axes) const {
  const npy_description description = describe_npy(path(name));
  if (description.extents.size() != rank)
    throw io_error(path(name), fmt::format("must have {} axes {}, has {}", rank, axes,
                                           description.extents.size()));
  return read_npy_as<T>(path(name));
}

json_value molecule_files::manifest() const {
  constexpr std::size_t most_bytes = std::size_t{1} << 24;
  if (!has("manifest.json")) return json_value::object();
  return read_json_object(path("manifest.json"), most_bytes);
}

template <class T>
molecule<T> read_molecule(const molecule_files& files, const molecule_source& source) {
  return source.from_ao ? read_atomic<T>(files, source) : read_molecular<T>(files);
}

template molecule<float> read_molecule(const molecule_files&, const molecule_source&);
template molecule<double> read_molecule(const molecule_files&, const molecule_source&);

}  // namespace papilio::cli
