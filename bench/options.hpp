#pragma once

#include <string>
#include <vector>

#include "cases.hpp"

namespace papilio::bench {

enum class task { rows, plan_only, planning, offsets };

struct options {
  std::vector<std::string> groups = {}, sizes = {};  ///< empty: all
  task what = task::rows;
  bool is_quick = false, check = false, help = false;
  double plan_seconds = 60;
  std::string json = {}, wisdom = {};
};

/// std::runtime_error with what is wrong.
options parse(int argc, char** argv);

/// The rows that --classes and --sizes ask for.
std::vector<bench_case> chosen_cases(const options& o);

extern const char* const usage;

}  // namespace papilio::bench
