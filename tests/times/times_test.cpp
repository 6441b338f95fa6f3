// Modelled times and bytes of the runs that times.txt names, in dry runs. The head of that file says
// when one fails, and how it is written anew.
#include <gtest/gtest.h>

#include <fstream>
#include <iostream>
#include <set>
#include <sstream>

#include "kernels/published/catalog.hpp"
#include "kernels/runs.hpp"
#include "times/times_table.hpp"

namespace papilio::test {
namespace {

constexpr const char* path = PAPILIO_TIMES;

std::vector<times_row> table() {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(std::string("cannot read ") + path);
  return read_times(file);
}

/// The words of a run: the kernel, its settings, "cores=8" where it is divided, and the machine.
modelled time_of(const std::string& run) {
  std::istringstream words(run);
  std::string kernel, machine_name;
  words >> kernel;
  std::vector<std::string> settings;
  for (std::string word; words >> word;) settings.push_back(word);
  if (settings.empty()) throw std::runtime_error("no machine: " + run);
  const engine::machine_spec machine = engine::load_machine(settings.back());
  settings.pop_back();
  if (!settings.empty() && settings.back().starts_with("cores=")) {
    const int cores = std::stoi(settings.back().substr(6));
    settings.pop_back();
    const kernels::group_times times = kernels::time_kernel(
        kernels::published::find_any(kernel), settings, cores, machine, engine::sdk_2_24());
    return {std::llround(times.device_seconds * 1e9), 0};
  }
  const engine::profile profile = kernels::test::dry_profile(kernel, settings, machine);
  return {std::llround(profile.value("total_time") * 1e9),
          std::int64_t(profile.value("hbm_read_bytes") + profile.value("hbm_write_bytes"))};
}

std::vector<modelled> times_of(const std::vector<times_row>& rows) {
  std::vector<modelled> made;
  for (const times_row& row : rows) made.push_back(time_of(row.run));
  return made;
}

TEST(times, are_those_of_the_table) {
  const std::vector<times_row> rows = table();
  for (const std::string& fault : faults(rows, times_of(rows))) ADD_FAILURE() << fault;
}

TEST(times, have_a_run_of_each_kernel) {
  std::set<std::string> kernels;
  for (const times_row& row : table()) kernels.insert(row.run.substr(0, row.run.find(' ')));
  for (const kernels::catalog_entry& entry : kernels::published::whole_catalog())
    EXPECT_TRUE(kernels.contains(entry.name)) << "times.txt has no run of " << entry.name;
}

int write() {
  std::vector<times_row> rows = table();
  const std::vector<modelled> made = times_of(rows);
  for (const std::string& move : moves(rows, made)) std::cout << move << '\n';
  renew(rows, made);
  std::ofstream file(path);
  write_times(file, rows);
  if (!file.flush()) throw std::runtime_error(std::string("cannot write ") + path);
  const std::vector<std::string> left = faults(rows, made);
  for (const std::string& fault : left) std::cout << "fails: " << fault << '\n';
  return left.empty() ? 0 : 1;
}

}  // namespace
}  // namespace papilio::test

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--write") try {
      return papilio::test::write();
    } catch (const std::exception& e) {
      std::cerr << "papilio_test_times: " << e.what() << '\n';
      return 1;
    }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
