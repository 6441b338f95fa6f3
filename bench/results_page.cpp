#include "results_page.hpp"

#include <array>
#include <cstdio>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace papilio::bench {
namespace {

std::string digits(double value, const char* format = "%.3g") {
  char text[48];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

// Three digits without an exponent.
std::string three(double value) {
  return digits(value, value < 9.995 ? "%.2f" : value < 99.95 ? "%.1f" : "%.0f");
}

std::string ratio_text(std::optional<double> over, std::optional<double> under) {
  if (!over || !under || *under <= 0) return "-";
  const double ratio = *over / *under;
  return ratio < 0.0995 ? digits(ratio, "%.2g") : three(ratio);
}

std::optional<double> seconds_of(std::optional<double> us) {
  return us ? std::optional(*us * 1e-6) : std::nullopt;
}

std::string flops_text(double flops) {
  if (flops <= 0) return "-";
  if (flops < 1e6) return three(flops * 1e-3) + " k";
  if (flops < 1e9) return three(flops * 1e-6) + " M";
  return flops < 1e12 ? three(flops * 1e-9) + " G" : three(flops * 1e-12) + " T";
}

std::string crossing_text(const std::optional<crossing>& c) {
  if (!c) return "-";
  if (c->device_wins == 0) return "none up to " + std::to_string(c->host_wins);
  if (c->host_wins == 0) return "any size";
  return std::to_string(c->device_wins);
}

std::string error_text(std::optional<double> error) { return error ? digits(*error, "%.1e") : "-"; }

std::string line_of(std::initializer_list<std::string> cells) {
  std::string text = "|";
  for (const std::string& cell : cells) text.append(" ").append(cell).append(" |");
  return text + '\n';
}

struct section {
  const char *table, *title, *text;
};
constexpr std::array<section, 4> sections{
    {{"contractions", "Contractions of tensors", "Peer: plain calls of OpenBLAS (cblas)."},
     {"transforms", "Transforms and complex products",
      "Peer: FFTW planned with MEASURE, on one thread; of products, plain calls of OpenBLAS "
      "(cblas)."},
     {"residency", "Operands that stay on the device",
      "Two matrices go up once, five products are launched, one result comes back."},
     {"energy", "MP2 energies",
      "Energies of pairs of electrons from fitted integrals: integrals and orbital energies go up, "
      "one launch, two energies come\nback. FLOPs are those of the products of pairs i <= j. No "
      "peer is timed here: `bench/` has `papilio_bench_mp2`."}}};

std::vector<const result_row*> rows_of(const result_file& results, std::string_view table) {
  std::vector<const result_row*> rows;
  for (const result_row& row : results.rows)
    if (row.table == table) rows.push_back(&row);
  return rows;
}

std::string times_table(const std::vector<const result_row*>& rows) {
  std::string text =
      "| operation | shape | FLOPs | device | resident | host, 1 thread | host, all | peer, 1 | "
      "peer, all | host / device | host / resident | published device | published host |\n"
      "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n";
  for (const result_row* r : rows) {
    const std::string quiet = r->is_quiet ? "" : " ~";
    text += line_of(
        {r->op, r->shape, flops_text(r->flops),
         r->missing.empty() ? time_text(r->device_warm) : r->missing, time_text(r->device_resident),
         time_text(r->host_one) + quiet, time_text(r->host_all), time_text(r->peer_one),
         time_text(r->peer_all), ratio_text(r->host_best(), r->device_warm),
         ratio_text(r->host_best(), r->device_resident),
         time_text(seconds_of(r->published_device)) + (r->published_note.empty() ? "" : " *"),
         time_text(seconds_of(r->published_host))});
  }
  for (const result_row* r : rows)
    if (!r->published_note.empty())
      text += "\n\\* " + r->op + ' ' + r->shape + ": " + r->published_note + ".\n";
  return text;
}

std::string parts_table(const std::vector<const result_row*>& rows) {
  std::string text =
      "| operation | shape | launch | copies | program | cold | error | expected | device wins "
      "from | resident | grows by |\n|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---|\n";
  for (const result_row* r : rows)
    if (r->device_warm)
      text +=
          line_of({r->op, r->shape, time_text(r->device_launch), time_text(r->device_copies),
                   time_text(r->device_program), time_text(r->device_cold), error_text(r->error),
                   error_text(r->expected_error), crossing_text(r->crossing_warm),
                   crossing_text(r->crossing_resident), r->grows_by.empty() ? "-" : r->grows_by});
  return text;
}

std::string heading(const result_file& f, const std::string& name) {
  const std::string asked =
      f.blas_core_asked.empty() ? "as papilio or it chose" : "as OPENBLAS_CORETYPE asked";
  return "# Benchmarks\n\n"
         "The rows that others published of such an accelerator, here: this library on the "
         "emulated device, **modelled**,\nand on the host, **measured**. Made by `bench/run "
         "--page` from `benchmark_results/" +
         name +
         "`;\ndo not edit. `bench/run` measures anew, `bench/compare A.json B.json` compares two "
         "such files.\n\n"
         "| | |\n|---|---|\n| library | " +
         f.build + ", " + f.date + " |\n| host | " + f.processor + ", " + std::to_string(f.cores) +
         " cores, " + f.instruction_set + " |\n| model of the host (crossovers) | " + f.host_model +
         " |\n| OpenBLAS | " + f.blas + ", kernels of **" + f.blas_core + "**, " + asked +
         " |\n| device | " + f.machine + ", runtime " + f.runtime +
         " |\n\n"
         "*device* is a call from the host and back with the program compiled: launch, copies, "
         "program; *resident* leaves out the\ncopies; *cold* includes compilation. *host* is the "
         "public API, medians of interleaved blocks, CPU time of one thread and\nwall time of all "
         "(~: the computer was not quiet enough). *host / device* is the faster host time over "
         "the modelled one:\nabove 1 the device wins. *published* is what others measured on "
         "trn1.2xlarge, with their kernels and on its host.\nA multiplication and an addition are "
         "two FLOPs; the published pages count them as one for products of matrices.\n*error* is "
         "against the same in double, by one run on the emulated device; *expected* is what the "
         "kernel states.\n*device wins from* is the size at which the verdict turns against the "
         "modelled host, with operands there (resident) or not;\n"
         "it takes all of its cores, and measured rows may disagree with the model.\n"
         "All times are of the version in this table, host's and device's, and of no later one: "
         "`papilio profile` prints what the\nmodel says today, "
         "[model_changes.md](model_changes.md) what has changed in it since 0.1.0, and "
         "[speed.md](speed.md) has\nnewer times of the host.\n";
}

}  // namespace

std::string time_text(std::optional<double> seconds) {
  if (!seconds) return "-";
  if (*seconds < 0.9995e-3) return three(*seconds * 1e6) + " us";
  return *seconds < 0.9995 ? three(*seconds * 1e3) + " ms" : three(*seconds) + " s";
}

std::string results_page(const result_file& results, const std::string& name) {
  std::string text = heading(results, name);
  for (const section& s : sections) {
    const std::vector<const result_row*> rows = rows_of(results, s.table);
    if (rows.empty()) continue;
    text += std::string("\n## ") + s.title + "\n\n" + s.text + "\n\n" + times_table(rows) +
            "\nWhere the device's time goes:\n\n" + parts_table(rows);
  }
  return text + "\n## The reading of it\n\n" + reading_of(results);
}

}  // namespace papilio::bench
