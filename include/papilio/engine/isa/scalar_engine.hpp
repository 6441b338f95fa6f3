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
/// tile or absent. Scalar engine; SBUF or PSUM. Cost max(64, N), scale and bias free
/// [I:activation].
struct PAPILIO_API activation {
  static constexpr const char* opcode = "activation";
  static constexpr field fields[] = {{"out", role::write},
                                     {"in", role::read, {.like = "out"}},
                                     {"function"},
                                     {"scale"},
                                     {"scale_tile", role::read, column_of("out", true)},
                                     {"bias", role::read, column_of("out", true)}};
  tile_view out, in;
  activation_function function = activation_function::copy;
  float scale = 1;
  tile_view scale_tile = {};  ///< instead of `scale`, where given
  tile_view bias = {};

  unit runs_on() const { return unit::scalar; }
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::instruction_run& run) const;
};

/// Computes out = function(in * scale + bias), as activation, and reduced[p] = the sum of partition
/// p's results: of the fp32 values before they are rounded to out's type, in the order of every
/// reduction along the free axis (16 interleaved sums, then a tree over them). reduced is a (P, 1)
/// tile. Scalar engine. Cost max(64, N) + 64: a second instruction reads the accumulator
/// [I:activation_reduce, A1].
struct PAPILIO_API activation_reduce {
  static constexpr const char* opcode = "activation_reduce";
  static constexpr field fields[] = {{"out", role::write},
                                     {"reduced", role::write, column_of("in")},
                                     {"in", role::read, {.like = "out"}},
                                     {"function"},
                                     {"scale"},
                                     {"scale_tile", role::read, column_of("out", true)},
                                     {"bias", role::read, column_of("out", true)}};
  tile_view out, reduced, in;
  activation_function function = activation_function::copy;
  float scale = 1;
  tile_view scale_tile = {};  ///< instead of `scale`, where given
  tile_view bias = {};

  unit runs_on() const { return unit::scalar; }
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::instruction_run& run) const;
};

}  // namespace papilio::engine
