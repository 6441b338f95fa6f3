#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/checks.hpp"
#include "papilio/base/parallel_for.hpp"
#include "papilio/engine/device_group.hpp"
#include "papilio/kernels/group_split.hpp"

// One label of a computation divided among the cores of a group: a batch, an axis, segments, the
// digits of a long line. Two divisions may have an exchange between them.
namespace papilio::kernels_detail {

/// A computation divided among the cores of a group, whose memories have its tables.
struct divided_work {
  std::string recipe = {};
  double relative_error = 0, table_bytes = 0;
  std::vector<engine::tensor_shape> inputs = {}, outputs = {};
  /// Runs on operands of these shapes: arrays of the host, or in a dry run shapes alone. The
  /// group's report has the run's phases afterwards.
  std::function<void(const std::vector<engine::launch_input>&,
                     const std::vector<engine::launch_output>&)>
      run = {};
  std::shared_ptr<const engine::device_group> cores = {};  ///< kept alive, if it is the work's own
};

/// Modelled times of work on a new group, by a dry run.
kernels::group_times times_of(int cores, const engine::machine_spec& machine,
                              const engine::runtime_spec& runtime,
                              const engine::group_options& options,
                              const std::function<divided_work(engine::device_group&)>& work_on);

/// How the boxes of cores follow each other in an operand: along `axis`, `step` elements for each
/// value of the label or, `by_core`, for each core. They are whole along other axes.
struct divided_axis {
  std::size_t axis = 0;
  std::int64_t step = 1;
  bool by_core = false;
};

/// An operand of a divided computation. Without an axis every core takes all of it.
struct divided_operand {
  engine::tensor_shape whole = {};
  std::optional<divided_axis> along = divided_axis{};
};

/// A label of a computation.
struct division {
  std::string name = {};  ///< of the program
  std::string how = {};   ///< a line on how it is divided, which is part of the design
  std::vector<kernels::index_range> ranges = {};  ///< of cores 0, 1 ...; empty: idle
  std::vector<divided_operand> inputs = {}, outputs = {};
  bool is_one_for_each = false;  ///< kernels depend on the core; else ranges of one size share one
  std::function<kernels::sized_kernel(const kernels::index_range&)> kernel_of = {};
};

kernels::group_split divided_by(const division& what, const engine::machine_spec& machine);

/// A split, or two with an all-to-all between them. Results of the first are buffers with a piece
/// for each core along their first axis: of core c's, piece d becomes piece c of core d's, from
/// which the second begins.
class exchanged_split {
 public:
  /// The group must outlive it. Errors as prepared_split. Idle cores have buffers, too.
  exchanged_split(engine::device_group& on, kernels::group_split alone, engine::run_mode mode);
  exchanged_split(engine::device_group& on, kernels::group_split first, kernels::group_split second,
                  const engine::tensor_shape& buffer, engine::run_mode mode);

  const kernels::group_split& first() const { return first_.what(); }
  const kernels::group_split& last() const { return second_ ? second_->what() : first(); }
  std::string explain() const;
  double expected_error() const;
  double table_bytes() const;

  /// Whole operands, arrays of the host or shapes in a dry run; or results that stay on the cores.
  void run(const engine::launch_input& in, const engine::launch_output& out) const;
  void run_apart(const engine::launch_input& in,
                 const std::vector<std::vector<engine::launch_output>>& out) const;

 private:
  engine::device_group* on_;
  engine::run_mode mode_;
  kernels::prepared_split first_;
  std::optional<kernels::prepared_split> second_ = {};
  std::vector<engine::device_buffer> sent_ = {}, received_ = {};  // of each core
};

/// The work of such splits.
divided_work work_of(exchanged_split splits);

/// A tensor that every core holds whole: one piece of each core, which they exchange (all_gather).
class gathered_tensor {
 public:
  /// Buffers on the group's cores. A core that is alone has nothing to exchange.
  gathered_tensor(engine::device_group& on, const engine::tensor_shape& piece);

  /// A core's own piece, which is to be written before gather().
  const std::vector<engine::device_buffer>& pieces() const { return pieces_; }
  /// Pieces one after the other along the first axis.
  const std::vector<engine::device_buffer>& of_cores() const { return whole_; }
  const engine::tensor_shape& shape() const { return whole_[0].shape(); }

  void gather(engine::run_mode mode) const;
  /// Copies an array of the host, or a shape in a dry run, in pieces to the cores, and gathers them:
  /// its elements row by row, then zeros.
  void distribute(const engine::launch_input& array, engine::run_mode mode) const;

 private:
  engine::device_group* on_;
  std::vector<engine::device_buffer> pieces_, whole_;  // of each core
};

/// Pieces of a tensor that every core takes, if it comes to all of them sooner in pieces than by a
/// copy to each core.
std::optional<gathered_tensor> gathered_if_faster(engine::device_group& on,
                                                  const engine::tensor_shape& tensor);

/// Runs, and returns the phases of the group that are the run's.
engine::group_report phases_of(const engine::device_group& on, function_ref<void()> run);

/// Checks whole operands, which are arrays of the host, or shapes. Throws invalid_argument for
/// another number of them than `shapes`; else as require_of_host.
template <class Operand>
void require_all_of_host(const std::string& name, const char* role,
                         const std::vector<Operand>& given,
                         const std::vector<engine::tensor_shape>& shapes) {
  require(given.size() == shapes.size(), name, ": takes ", shapes.size(), " ", role, "s, got ",
          given.size());
  for (std::size_t i = 0; i < given.size(); ++i)
    require_of_host(base_detail::message(name, ": ", role, " ", i), given[i], shapes[i]);
}

/// Parts of whole operands that each core takes; nothing if it is idle.
template <class Operand>
std::vector<std::vector<Operand>> boxes_of(
    const std::vector<Operand>& whole, const kernels::group_split& split,
    std::vector<kernels::tensor_part> kernels::core_share::*parts) {
  std::vector<std::vector<Operand>> all;
  for (const kernels::core_share& share : split.shares) {
    all.emplace_back();
    for (std::size_t i = 0; share.kernel >= 0 && i < (share.*parts).size(); ++i)
      all.back().push_back(whole[i].part((share.*parts)[i].first, (share.*parts)[i].extents));
  }
  return all;
}

/// A list for each core.
template <class Operand>
std::vector<std::vector<Operand>> lists_of(const std::vector<engine::device_buffer>& buffers) {
  std::vector<std::vector<Operand>> all;
  for (const engine::device_buffer& b : buffers) {
    all.emplace_back();
    if (!b.empty()) all.back().emplace_back(b);
  }
  return all;
}

}  // namespace papilio::kernels_detail
