#pragma once

#include <string>
#include <vector>

#include "cli/json_value.hpp"
#include "papilio/decompose.hpp"
#include "papilio/dispatch/device_program.hpp"
#include "papilio/io.hpp"

namespace papilio::cli {

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

/// io_error if `path` is there and no folder: to be told before the work.
void require_folder(const std::string& path);

/// The files of each method, and manifest.json, in the folder facts.out, which is made if it is not
/// there; facts.files names them then. None appears before all are written. io_error.
template <class T>
void write_parts(const cp_model<T>& model, decompose_facts& facts);
template <class T>
void write_parts(const tucker_model<T>& model, decompose_facts& facts);
template <class T>
void write_parts(const tensor_train<T>& train, decompose_facts& facts);

std::string report_text(const decompose_facts& facts);
/// What the manifest says, `out` and `run`.
json_value report_json(const decompose_facts& facts);

}  // namespace papilio::cli
