#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/engine/core.hpp"
#include "papilio/engine/dtype.hpp"
#include "papilio/engine/operand.hpp"

namespace papilio::engine {

/// Extents (row-major) and element type of a tensor in device memory.
struct PAPILIO_API tensor_shape {
  std::vector<std::int64_t> extents;
  dtype type = dtype::fp32;

  int rank() const { return int(extents.size()); }
  /// shape_error unless there are 1 to hbm_view::dims_max extents, each at least 1; resource_error
  /// where the product does not fit 64 bits. Nothing is allocated.
  std::int64_t elements() const;
  std::int64_t bytes() const;
  /// "[128, 64] bf16", as messages name it.
  std::string describe() const;

  bool operator==(const tensor_shape&) const = default;
};

/// The tensors that a launch gives to a kernel, in the order of the launch.
class PAPILIO_API kernel_arguments {
 public:
  kernel_arguments() = default;
  kernel_arguments(std::vector<hbm_view> in, std::vector<hbm_view> out)
      : in_(std::move(in)), out_(std::move(out)) {}

  /// invalid_argument beyond the launch's operands.
  const hbm_view& in(std::size_t index) const;
  const hbm_view& out(std::size_t index) const;
  std::size_t inputs() const { return in_.size(); }
  std::size_t outputs() const { return out_.size(); }

 private:
  std::vector<hbm_view> in_, out_;
};

/// A program of one core: `body` issues its instructions. It must issue the same ones whenever
/// name, parameters and the shapes of its operands are the same: by those a device keeps programs.
/// It must write every element of every output and may not write an input. The cores of a group
/// call it at the same time from several threads of the host.
///
///   const kernel twice{.name = "twice", .body = [](core& nc, const kernel_arguments& t) {
///     const tile x = nc.sbuf(128, t.in(0).extent(1));
///     nc.issue(dma_copy{.out = x.whole(), .in = t.in(0)});
///     nc.issue(tensor_tensor{.out = x, .left = x, .right = x});
///     nc.issue(dma_copy{.out = t.out(0), .in = x.whole()});
///   }};
struct kernel {
  std::string name = {};
  /// What the body depends on besides its operands, as text: "k=4".
  std::string parameters = {};
  std::function<void(core&, const kernel_arguments&)> body = {};
};

}  // namespace papilio::engine
