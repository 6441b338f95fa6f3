#pragma once

#include <string>
#include <vector>

namespace papilio::bench {

struct options {
  std::vector<std::string> groups = {}, sizes = {};  ///< empty: all
  bool is_quick = false, check = false, plan_only = false, planning = false, help = false;
  bool measure_roofline = false;
  int threads = 0;  ///< 0: the rows beside FFTW
  double plan_seconds = 60;
  std::string json = {}, wisdom = {};
};

/// std::runtime_error with what is wrong.
options parse(int argc, char** argv);

extern const char* const usage;

}  // namespace papilio::bench
