// Runs the steps of a contraction's program; steps of a loop run once for each slice.
#include <algorithm>
#include <utility>

#include "kernels/contraction/program.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {
namespace {

using namespace engine;
using base_detail::message;

// Scratch tensors in HBM, whose memory is used again once they were read for the last time.
class scratch_store {
 public:
  explicit scratch_store(core& nc) : nc_(nc) {}

  hbm_view take(std::int64_t elements) {
    const auto fitting = [&](const hbm_view& v) { return v.elements() >= elements; };
    const auto found = std::ranges::find_if(free_, fitting);
    if (found == free_.end()) return nc_.hbm({elements});
    const hbm_view place = *found;
    free_.erase(found);
    return place;
  }
  void give(const hbm_view& place) { free_.push_back(place); }

 private:
  core& nc_;
  std::vector<hbm_view> free_;
};

hbm_view flat(const hbm_view& v) { return v.reshape({v.elements()}); }

hbm_view from(const hbm_view& tensor, std::int64_t offset) {
  return tensor.pattern(offset, {{tensor.elements() - offset, 1}});
}

// to += more, both in the layout of the step's result.
void add_up(core& nc, const contraction_step& step, const hbm_view& to, const hbm_view& more) {
  contraction_step sum{.axes = {},
                       .labels = {},
                       .is_pair = false,
                       .planes = step.planes,
                       .type = engine::dtype::fp32,
                       .plane = {step.plane[2], 0, step.plane[2]},
                       .conjugate = {}};
  for (const step_axis& a : step.axes)
    if (a.is_in(operand_role::out))
      sum.axes.push_back({a.extent,
                          {a.stride(operand_role::out), 0, a.stride(operand_role::out)},
                          {true, false, true}});
  vector_step_design design = vector_designs(sum, nc.machine()).front();
  design.adds_to_output = true;
  run_on_vector(nc, sum, design, {{more, {}, to}});
}

class program_run {
 public:
  program_run(core& nc, const contraction_program& p, const kernel_arguments& t)
      : nc_(nc), p_(p), t_(t), values_(p.values.size()), scratch_(nc) {}

  void run() {
    nc_.state_floor(p_.floor_bytes, p_.floor_cycles);
    for (std::size_t v = 0; v < p_.operands; ++v) values_[v] = flat(t_.in(v));
    std::size_t next = 0;
    for (const program_loop& loop : p_.loops) {
      run_steps(next, loop.first, {});
      run_loop(loop);
      next = loop.last + 1;
    }
    run_steps(next, p_.steps.size(), {});
  }

 private:
  // The slice that runs: the loop's values of the sliced labels. Without a loop, steps run once.
  struct slice {
    const program_loop* loop = nullptr;
    std::vector<std::int64_t> at = {};
    bool is_last = true;
  };

  void run_loop(const program_loop& loop) {
    slice s{.loop = &loop, .at = std::vector<std::int64_t>(loop.sizes.size(), 0)};
    for (;;) {
      s.is_last = std::ranges::equal(s.at, loop.sizes, {}, [](std::int64_t i) { return i + 1; });
      run_steps(loop.first, loop.last + 1, s);
      std::size_t i = s.at.size();
      while (i > 0 && ++s.at[i - 1] == loop.sizes[i - 1]) s.at[--i] = 0;
      if (i == 0) return;
    }
  }

  void run_steps(std::size_t first, std::size_t end, const slice& at) {
    for (std::size_t i = first; i < end; ++i) {
      nc_.step(message("step ", p_.steps[i].of + 1));
      run_step(p_.steps[i], at);
      release(i, at);
    }
  }

  void run_step(const program_step& s, const slice& at) {
    const program_value& out = p_.values[s.out];
    std::array<std::int64_t, 3> offsets{};
    for (std::size_t k = 0; k < at.at.size(); ++k)
      for (std::size_t role = 0; role < 3; ++role)
        offsets[role] += at.at[k] * s.slice_strides[k][role];
    step_tensors tensors = operands_of(s, offsets);
    const chip_value given = std::move(kept_);
    if (s.keeps()) {
      kept_ = kernels_detail::run(nc_, s.parts, tensors, given);
      return;
    }
    // A result that is summed over slices: the first slice writes it, the others write a scratch
    // tensor, which is added to it.
    const bool adds = out.result != no_value && !is_first(s, at);
    values_[s.out] = out.result != no_value && !adds ? flat(t_.out(out.result))
                                                     : scratch_.take(p_.planes * out.count);
    const hbm_view to = from(values_[s.out], offsets[2]);
    tensors.flat[std::size_t(operand_role::out)] = to;
    kernels_detail::run(nc_, s.parts, tensors, given);
    if (!adds) return;
    add_up(nc_, s.loops, from(flat(t_.out(out.result)), offsets[2]), to);
    scratch_.give(values_[s.out]);
    values_[s.out] = flat(t_.out(out.result));
  }

  // The operands in HBM, each from its slice on; one that stays in SBUF has no tensor here.
  step_tensors operands_of(const program_step& s,
                           const std::array<std::int64_t, 3>& offsets) const {
    step_tensors tensors;
    if (!values_[s.left].empty()) tensors.flat[0] = from(values_[s.left], offsets[0]);
    if (s.right != no_value && !values_[s.right].empty())
      tensors.flat[1] = from(values_[s.right], offsets[1]);
    return tensors;
  }

  // Whether this is the first of the slices that the result's elements are summed over.
  static bool is_first(const program_step& s, const slice& at) {
    if (at.loop == nullptr || !at.loop->adds) return true;
    for (std::size_t k = 0; k < at.at.size(); ++k)
      if (s.slice_strides[k][2] == 0 && at.at[k] != 0) return false;
    return true;
  }

  // Frees values that step i was the last to read. A value made before the loop is read again by
  // the next slice, and is kept until the last one.
  void release(std::size_t i, const slice& at) {
    const program_step& s = p_.steps[i];
    for (const std::size_t v : {s.left, s.right})
      if (v != no_value && v >= p_.operands && p_.values[v].result == no_value &&
          p_.values[v].last_read == i && !values_[v].empty() &&
          (at.is_last || v >= p_.operands + at.loop->first)) {
        scratch_.give(values_[v]);
        values_[v] = {};
      }
  }

  core& nc_;
  const contraction_program& p_;
  const kernel_arguments& t_;
  std::vector<hbm_view> values_;
  chip_value kept_;  // result of the step before, in SBUF
  scratch_store scratch_;
};

}  // namespace

void run_program(core& nc, const contraction_program& program, const kernel_arguments& tensors) {
  program_run(nc, program, tensors).run();
}

}  // namespace papilio::kernels_detail
