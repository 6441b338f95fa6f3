// Times the rows of the published tables, and writes them as JSON and as a page.
#include <cblas.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "device_side.hpp"
#include "fftw_peer.hpp"
#include "host_side.hpp"
#include "papilio/contract.hpp"
#include "papilio/dispatch/host_model.hpp"
#include "papilio/transform/candidate.hpp"
#include "papilio/version.hpp"
#include "results_page.hpp"

namespace papilio::bench {
namespace {

constexpr const char* usage = R"(usage: bench/run [OPTION...]

Every row of the published tables that this library has: the host measured through the public API,
beside FFTW and plain cblas where they do the same; the device modelled. Writes
docs/benchmark_results/v<version>-<date>.json, and docs/benchmarks.md from the newest file there.

  --page          only the page
  --check-page    only look whether the page is what the newest file makes; exit 1 if not
  --json FILE     the results to FILE, and no page
  --rows TEXT     only rows whose operation or shape contains TEXT; needs --json
  --seconds S     for each row and side; 0.5
  --plan-seconds S  FFTW's limit for one size; 20
  --most-flops F  rows beyond are not run on the emulated device for their error; 3e9
  --machine NAME  trainium1, trainium2 or a JSON file; trainium1
  --runtime NAME  sdk_2_24, sdk_2_29, sdk_2_29_trn2 or a JSON file; sdk_2_24
  --help          this text
)";

const std::filesystem::path folder = "docs/benchmark_results", page_path = "docs/benchmarks.md";

struct run_options {
  bool page = false, check_page = false, help = false;
  std::string json = {}, rows = {}, machine = "trainium1", runtime = "sdk_2_24";
  double seconds = 0.5, plan_seconds = 20, most_flops = 3e9;
};

double number(const std::string& flag, const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(value >= 0) || value > 1e15)
    throw std::invalid_argument(flag + ": not a number of at least 0: " + text);
  return value;
}

run_options parse(int argc, char** argv) {
  run_options o;
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    if (flag == "--page") o.page = true;
    if (flag == "--check-page") o.check_page = true;
    if (flag == "--help" || flag == "-h") o.help = true;
    if (o.help || flag == "--page" || flag == "--check-page") continue;
    const std::string value = i + 1 < argc ? argv[i + 1] : "";
    if (flag == "--json")
      o.json = value;
    else if (flag == "--rows")
      o.rows = value;
    else if (flag == "--machine")
      o.machine = value;
    else if (flag == "--runtime")
      o.runtime = value;
    else if (flag == "--seconds")
      o.seconds = number(flag, value);
    else if (flag == "--plan-seconds")
      o.plan_seconds = number(flag, value);
    else if (flag == "--most-flops")
      o.most_flops = number(flag, value);
    else
      throw std::invalid_argument("no such option: " + flag);
    if (value.empty()) throw std::invalid_argument(flag + " needs a value");
    ++i;
  }
  if (!o.rows.empty() && o.json.empty())
    throw std::invalid_argument("--rows needs --json: a file of some rows makes no page");
  return o;
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm day{};
  localtime_r(&now, &day);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", &day);
  return text;
}

// "OpenBLAS 0.3.21" of a line that goes on.
std::string blas_version() {
  const std::string config = openblas_get_config();
  return config.substr(0, config.find(' ', config.find(' ') + 1));
}

// papilio may choose other kernels at its first product.
std::string blas_core() {
  const array<float, 2> one({1, 1});
  gemm(one, one, {.on = {.where = policy::host}});
  return openblas_get_corename();
}

result_file described(const device_side& device) {
  const host_model host = current_host();
  const char* const asked = std::getenv("OPENBLAS_CORETYPE");
  double load = 0;
  if (getloadavg(&load, 1) != 1) load = 0;
  return {.version = PAPILIO_VERSION,
          .build = build_info(),
          .date = today(),
          .processor = host.processor,
          .instruction_set = host.instruction_set,
          .host_model = to_string(host),
          .cores = static_cast<std::size_t>(host.cores),
          .load = std::max(0.0, load),
          .blas = blas_version(),
          .blas_core = blas_core(),
          .blas_core_asked = asked == nullptr ? "" : asked,
          .machine = device.on().machine().name,
          .runtime = device.on().runtime().name};
}

void add_host(const run_options& o, const page_row& row, wisdom_file& wisdom, result_row& to) {
  if (row.iterations > 1) return;
  const host_times t = measured_host(row, o.seconds, o.plan_seconds, wisdom);
  to.host_one = t.one;
  to.host_all = t.all;
  to.peer = t.peer;
  to.peer_one = t.peer_one;
  to.peer_all = t.peer_all;
  to.is_quiet = t.is_quiet;
}

result_row run_row(const run_options& o, const page_row& row, device_side& device,
                   wisdom_file& wisdom) {
  result_row to{.table = row.table,
                .op = row.op,
                .shape = row.shape,
                .flops = row.flops,
                .published_device = row.published_device,
                .published_host = row.published_host,
                .published_note = row.published_note};
  add_host(o, row, wisdom, to);
  device.model(row, to);
  to.error = device.executed_error(row, o.most_flops);
  std::printf("%-28s %-38s device %9s  host %9s %9s  peer %9s %9s%s\n", to.op.c_str(),
              to.shape.c_str(), time_text(to.device_warm).c_str(), time_text(to.host_one).c_str(),
              time_text(to.host_all).c_str(), time_text(to.peer_one).c_str(),
              time_text(to.peer_all).c_str(), to.is_quiet ? "" : " ~");
  std::fflush(stdout);
  return to;
}

std::string newest_page() {
  const std::filesystem::path newest = newest_results(folder);
  return results_page(read_results(newest), newest.filename().string());
}

int write_page() {
  write_text(page_path, newest_page());
  std::printf("%s\n", page_path.c_str());
  return 0;
}

int check_page() {
  if (read_text(page_path) == newest_page()) return 0;
  std::fprintf(stderr, "bench/run: %s is not what the newest results make; bench/run --page\n",
               page_path.c_str());
  return 1;
}

int measure(const run_options& o) {
  device_side device(o.machine, o.runtime);
  wisdom_file wisdom(cache_folder() / "fftw_wisdom.txt");
  result_file results = described(device);
  for (const page_row& row : page_rows())
    if ((row.op + ' ' + row.shape).find(o.rows) != std::string::npos)
      results.rows.push_back(run_row(o, row, device, wisdom));
  const std::filesystem::path to =
      o.json.empty() ? folder / file_name_of(results) : std::filesystem::path(o.json);
  write_text(to, to_json(results));
  std::printf("%s\n", to.c_str());
  return o.json.empty() ? write_page() : 0;
}

}  // namespace
}  // namespace papilio::bench

int main(int argc, char** argv) {
  using namespace papilio::bench;
  run_options o;
  try {
    o = parse(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench/run: %s\n%s", e.what(), usage);
    return 2;
  }
  if (o.help) {
    std::fputs(usage, stdout);
    return 0;
  }
  try {
    if (o.page) return write_page();
    return o.check_page ? check_page() : measure(o);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench/run: %s\n", e.what());
    return 1;
  }
}
