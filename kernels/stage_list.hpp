#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "papilio/dispatch/operation.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/kernels/sized_kernel.hpp"

// Kernels one after the other in one program, with what lies between them in HBM.
namespace papilio::kernels_detail {

/// A tensor of a list, or elements of it.
struct stage_tensor {
  enum class role : std::uint8_t { input, output, between } of = role::between;
  std::size_t index = 0;
  std::int64_t first = 0, count = 0;

  auto fields() const { return std::tie(of, index, first, count); }
  /// Elements [from, from + size), in the order of memory.
  stage_tensor part(std::int64_t from, std::int64_t size) const {
    return {of, index, first + from, size};
  }
};

struct stage {
  std::string name;
  kernels::kernel_design design;
  std::vector<stage_tensor> in, out;

  auto fields() const { return std::tie(name, design, in, out); }
};

struct stage_list_design {
  std::vector<stage> stages;

  auto fields() const { return std::tie(stages); }
  std::string describe() const;
};

/// Steps on operands whose axes have these labels; the results of all are the problem's.
contraction_problem labelled_contraction(std::vector<std::size_t> sizes,
                                         const std::vector<std::vector<int>>& operands,
                                         std::vector<contraction_problem::step> steps,
                                         bool is_complex = false);

class stage_list {
 public:
  explicit stage_list(const char* name) { sized_.program.name = name; }

  stage_tensor input(const engine::tensor_shape& shape, kernels::input_range range = {});
  stage_tensor output(const engine::tensor_shape& shape);
  stage_tensor between(std::int64_t elements);
  /// A kernel of contiguous operands, each with as many elements as its tensor here, in fp32. Its
  /// tables become the list's.
  void add(const char* name, kernels::sized_kernel kernel, std::vector<stage_tensor> in,
           std::vector<stage_tensor> out);
  /// The kernel of the whole list; every element of its outputs is a stage's. Its expected error is
  /// that of all stages, in squares.
  kernels::sized_kernel kernel(const engine::machine_spec& machine) const;

 private:
  kernels::sized_kernel sized_;
  std::vector<std::int64_t> between_;
  std::vector<stage> stages_;
  std::vector<kernels::sized_kernel> kernels_;
};

}  // namespace papilio::kernels_detail
