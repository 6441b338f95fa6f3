// The steps of a contraction, slice by slice.
#include <algorithm>
#include <utility>

#include "kernels/contraction/program.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {
namespace {

using namespace engine;
using base_detail::message;

// Scratch tensors, used again once they are read for the last time.
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

// to += more, where both lie: the elements of a step's result.
void add_up(core& nc, const contraction_step& step, const hbm_view& to, const hbm_view& more) {
  contraction_step sum{.axes = {},
                       .labels = {},
                       .is_pair = false,
                       .planes = step.planes,
                       .type = engine::dtype::fp32,
                       .plane = {step.plane[2], 0, step.plane[2]},
                       .conjugate = {}};
  for (const step_axis& a : step.axes)
    if (a.is_in(side::out))
      sum.axes.push_back(
          {a.extent, {a.stride(side::out), 0, a.stride(side::out)}, {true, false, true}});
  lane_step_design design = lane_designs(sum, nc.machine()).front();
  design.adds_to_output = true;
  run_lanes(nc, sum, design, {{more, {}, to}});
}

class program_run {
 public:
  program_run(core& nc, const contraction_program& p, const kernel_arguments& t)
      : nc_(nc), p_(p), t_(t), scratch_(nc) {}

  void run() {
    nc_.state_floor(p_.floor_bytes, p_.floor_cycles);
    std::vector<std::int64_t> at(p_.slice_sizes.size(), 0);
    for (bool first = true;; first = false) {
      run_slice(at, first);
      std::size_t i = at.size();
      while (i > 0 && ++at[i - 1] == p_.slice_sizes[i - 1]) at[--i] = 0;
      if (i == 0) return;
    }
  }

 private:
  void run_slice(const std::vector<std::int64_t>& at, bool first) {
    std::vector<hbm_view> values(p_.values.size());
    for (std::size_t v = 0; v < p_.operands; ++v) values[v] = flat(t_.in(v));
    for (std::size_t i = 0; i < p_.steps.size(); ++i) {
      const program_step& s = p_.steps[i];
      const program_value& out = p_.values[s.out];
      std::array<std::int64_t, 3> offsets{};
      for (std::size_t k = 0; k < at.size(); ++k)
        for (std::size_t side = 0; side < 3; ++side)
          offsets[side] += at[k] * s.slice_strides[k][side];
      nc_.step(message("step ", s.of + 1));
      if (s.chained && s.chained->keeps) {
        const chip_value given = std::move(kept_);
        kept_ = kernels_detail::run(nc_, *s.chained, operands_of(values, s, offsets), &given);
        release(values, s, i);
        continue;
      }
      // What is added up over slices is made apart first.
      const bool adds = out.result != no_value && p_.adds_slices && !is_first(at, first);
      values[s.out] = out.result != no_value && !adds ? flat(t_.out(out.result))
                                                      : scratch_.take(p_.planes * out.count);
      const hbm_view to = from(values[s.out], offsets[2]);
      step_tensors tensors = operands_of(values, s, offsets);
      tensors.flat[std::size_t(side::out)] = to;
      if (s.chained) {
        const chip_value given = std::move(kept_);
        kernels_detail::run(nc_, *s.chained, tensors, &given);
      } else {
        kernels_detail::run(nc_, s.choice, tensors);
      }
      if (adds) {
        add_up(nc_, s.loops, from(flat(t_.out(out.result)), offsets[2]), to);
        scratch_.give(values[s.out]);
      }
      release(values, s, i);
    }
  }

  // Those in SBUF have no place in HBM.
  static step_tensors operands_of(const std::vector<hbm_view>& values, const program_step& s,
                                  const std::array<std::int64_t, 3>& offsets) {
    step_tensors tensors;
    if (!values[s.left].empty()) tensors.flat[0] = from(values[s.left], offsets[0]);
    if (s.right != no_value && !values[s.right].empty())
      tensors.flat[1] = from(values[s.right], offsets[1]);
    return tensors;
  }

  // Of the slices that one element of the result is summed over.
  bool is_first(const std::vector<std::int64_t>& at, bool first) const {
    if (first) return true;
    const auto& strides = p_.steps.back().slice_strides;
    for (std::size_t k = 0; k < at.size(); ++k)
      if (strides[k][2] == 0 && at[k] != 0) return false;
    return true;
  }

  void release(std::vector<hbm_view>& values, const program_step& s, std::size_t i) {
    for (const std::size_t v : {s.left, s.right})
      if (v != no_value && v >= p_.operands && p_.values[v].result == no_value &&
          p_.values[v].last_read == i && !values[v].empty()) {
        scratch_.give(values[v]);
        values[v] = {};
      }
  }

  core& nc_;
  const contraction_program& p_;
  const kernel_arguments& t_;
  chip_value kept_;  // by the step before
  scratch_store scratch_;
};

}  // namespace

void run_program(core& nc, const contraction_program& program, const kernel_arguments& tensors) {
  program_run(nc, program, tensors).run();
}

}  // namespace papilio::kernels_detail
