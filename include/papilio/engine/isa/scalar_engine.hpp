#pragma once

#include "papilio/engine/isa/operands.hpp"

namespace papilio::engine {

/// Selects a function of the scalar engine. It is computed in double from fp32 arguments and
/// rounded once, where the hardware has piece-wise polynomials. From exp on, except relu, sign and
/// abs, it is that of the host's C library, so one result in many millions may differ in its last
/// bit between hosts. An argument outside a function's valid range (machine_spec::activation) gives
/// NaN, since the hardware's output is not specified there.
enum class activation_function : std::uint8_t {
  copy,
  square,
  sqrt,
  rsqrt,
  reciprocal,
  exp,
  log,
  sin,
  arctan,
  tanh,
  sigmoid,
  relu,
  gelu,
  silu,
  softplus,
  mish,
  erf,
  sign,
  abs
};
PAPILIO_API const char* to_string(activation_function function);

/// Computes out = function(in * scale + bias). scale is a constant or a (P, 1) tile, bias a (P, 1)
/// tile or absent. Scalar engine; SBUF or PSUM. `command` adds the results, before they are rounded
/// to out's type, to the engine's reduce registers, which keep their sums from one instruction to
/// the next; `reduced`, a (P, 1) tile, receives the registers afterwards. Cost max(64, N), scale
/// and bias free; + 64 with `reduced`, which a second instruction writes [I:activation,
/// K:activation, A1].
struct PAPILIO_API activation {
  static constexpr const char* opcode = "activation";
  static constexpr field fields[] = {
      {"out", role::write},
      {"reduced", role::write, column_of("in", true)},
      {"in", role::read, {.like = "out"}},
      {"function"},
      {"scale"},
      {"scale_tile", role::read, column_of("out", true)},
      {"bias", role::read, column_of("out", true)},
      {"command",
       role::setting,
       {.commands = commands_of(reduce_command::idle, reduce_command::reset, reduce_command::reduce,
                                reduce_command::reset_reduce)}}};
  tile_view out;
  tile_view reduced = {};
  tile_view in;
  activation_function function = activation_function::copy;
  float scale = 1;
  tile_view scale_tile = {};  ///< instead of `scale`, where given
  tile_view bias = {};
  reduce_command command = reduce_command::idle;

  unit runs_on() const { return unit::scalar; }
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::instruction_run& run) const;
};

/// Computes out = function(in * scale + bias), as activation, and reduced[p] = the sum of partition
/// p's results: of the fp32 values before they are rounded to out's type, in the order of every
/// reduction along the free axis (16 interleaved sums, then a tree over them). reduced is a (P, 1)
/// tile; the reduce registers keep the sums. It is activation with reset_reduce
/// [K:activation_reduce]. Scalar engine. Cost max(64, N) + 64: a second instruction reads the
/// accumulator [I:activation_reduce, A1].
struct PAPILIO_API activation_reduce {
  static constexpr const char* opcode = "activation_reduce";
  static constexpr field fields[] = {{"out", role::write},
                                     {"reduced", role::write, column_of("in")},
                                     {"in", role::read, {.like = "out"}},
                                     {"function"},
                                     {"scale"},
                                     {"scale_tile", role::read, column_of("out", true)},
                                     {"bias", role::read, column_of("out", true)}};
  static constexpr reduce_command command = reduce_command::reset_reduce;
  tile_view out, reduced, in;
  activation_function function = activation_function::copy;
  float scale = 1;
  tile_view scale_tile = {};  ///< instead of `scale`, where given
  tile_view bias = {};

  unit runs_on() const { return unit::scalar; }
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::instruction_run& run) const;
};

/// Computes out = function((in op0 operand0) op1 operand1). (op0, op1) is (multiply, add),
/// (multiply, subtract), (multiply, bypass), (add, bypass), (subtract, bypass) or (bypass, bypass);
/// with `reverse0` and `reverse1` the scalar is the left operand of its operation, which is then
/// not bypass. `slope` is relu's, which is slope * x below 0, PReLU. `command` and `reduced` as
/// activation, by `reduce_op` (magnitudes for the absolute ones). From NeuronCore-v4 on
/// [K:activate2]. Scalar engine; SBUF or PSUM. No cost is documented; ours: activation's.
struct PAPILIO_API activate2 {
  static constexpr const char* opcode = "activate2";
  static constexpr field fields[] = {
      {"out", role::write},
      {"reduced", role::write, column_of("in", true)},
      {"in", role::read, {.like = "out"}},
      {"function"},
      {"op0", role::setting, {.choice = operations::arithmetic}},
      {"operand0", role::read},
      {"reverse0"},
      {"op1", role::setting, {.choice = operations::arithmetic}},
      {"operand1", role::read},
      {"reverse1"},
      {"slope", role::read},
      {"reduce_op", role::setting, {.choice = operations::extreme_reduction}},
      {"command",
       role::setting,
       {.commands = commands_of(reduce_command::idle, reduce_command::reset, reduce_command::reduce,
                                reduce_command::reset_reduce)}}};
  tile_view out;
  tile_view reduced = {};
  tile_view in;
  activation_function function = activation_function::copy;
  alu_op op0 = alu_op::bypass;
  scalar_operand operand0 = {};
  bool reverse0 = false;
  alu_op op1 = alu_op::bypass;
  scalar_operand operand1 = {};
  bool reverse1 = false;
  scalar_operand slope = {};
  alu_op reduce_op = alu_op::add;
  reduce_command command = reduce_command::idle;

  unit runs_on() const { return unit::scalar; }
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::instruction_run& run) const;
};

}  // namespace papilio::engine
