// papilio::core alone: arrays, threads, errors, a file that appears whole.
#include <cstdio>
#include <filesystem>
#include <papilio/base.hpp>
#include <papilio/dispatch.hpp>

int main() {
  papilio::array<double, 2> table({3, 4});
  papilio::parallel_for(table.extent(0), 2, [&](std::size_t i) { table(i, i) = 1.0 + double(i); });
  const std::filesystem::path name = "core.bin";
  papilio::atomic_file file(name);
  file.write(table.data(), table.size() * sizeof(double));
  const bool early = std::filesystem::exists(name);
  file.commit();
  const auto bytes = std::filesystem::file_size(name);
  std::filesystem::remove(name);
  const std::string problem = papilio::to_string(papilio::fft_problem{.extents = {1024}});
  try {
    papilio::thread_count(-1);
  } catch (const papilio::invalid_argument&) {
    std::printf("core: table(2, 2) = %g, %zu bytes, %s\n", table(2, 2), std::size_t(bytes),
                problem.c_str());
    return table(2, 2) == 3.0 && !early && bytes == 96 && !problem.empty() ? 0 : 1;
  }
  return 1;
}
