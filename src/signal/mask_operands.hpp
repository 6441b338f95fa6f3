// Checks and loops that elementwise functions of masks and spectra share.
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <type_traits>

#include "base/share.hpp"
#include "papilio/base/array.hpp"
#include "papilio/base/error.hpp"
#include "papilio/base/overlap.hpp"
#include "papilio/dispatch/device_program.hpp"
#include "papilio/dispatch/placement.hpp"
#include "papilio/signal/host_signals.hpp"
#include "signal/placed_run.hpp"

namespace papilio::signal_detail {

template <class A, class Out, std::size_t Rank>
void require_fit(const char* function, const char* name, view<A, Rank> a, view<Out, Rank> out) {
  for (std::size_t axis = 0; axis < Rank; ++axis)
    if (a.extent(axis) != out.extent(axis))
      throw shape_error(base_detail::message(function, ": ", name, " has ", a.extent(axis),
                                             " elements along axis ", axis, ", out ",
                                             out.extent(axis)));
  const bool same = static_cast<const void*>(a.data()) == static_cast<const void*>(out.data()) &&
                    a.strides() == out.strides() && sizeof(A) == sizeof(Out);
  if (!same && base_detail::reach(a).overlaps(base_detail::reach(out)))
    throw invalid_argument(
        base_detail::message(function, ": out overlaps ", name, " and is not ", name));
}

template <class A, class B, class Out, class Operation>
void each(view<A, 1> a, view<B, 1> b, view<Out, 1> out, const Operation& operation) {
  for (std::size_t i = 0; i < out.extent(0); ++i) out[i] = operation(a[i], b[i]);
}
template <class A, class B, class Out, std::size_t Rank, class Operation>
void each(view<A, Rank> a, view<B, Rank> b, view<Out, Rank> out, const Operation& operation) {
  for (std::size_t i = 0; i < out.extent(0); ++i) each(a[i], b[i], out[i], operation);
}

struct operand_names {
  const char *function, *first, *second;
};

template <class A, class B, class Out, std::size_t Rank>
void require_operands(const operand_names& names, view<A, Rank> a, view<B, Rank> b,
                      view<Out, Rank> out) {
  require_fit(names.function, names.first, a, out);
  require_fit(names.function, names.second, b, out);
  base_detail::require_distinct(names.function, out);
}

template <class A, class B, class Out, std::size_t Rank, class Operation>
void combine(const operand_names& names, view<A, Rank> a, view<B, Rank> b, view<Out, Rank> out,
             int threads, const Operation& operation) {
  require_operands(names, a, b, out);
  const std::size_t rows = out.extent(0);
  const auto run = [&](std::size_t first, std::size_t last, std::size_t) {
    const std::size_t count = last - first;
    each(a.slice(0, first, count), b.slice(0, first, count), out.slice(0, first, count), operation);
  };
  base_detail::share(rows, base_detail::team_of(threads), run);
  record_host_run(names.function);
}

// Multiplies without the tests for infinities that std::complex's product makes.
template <class T>
std::complex<T> product(std::complex<T> a, std::complex<T> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// Returns the accelerator that runs `what`, once `check` has checked its operands, or null for the
// host.
template <class Check>
accelerator* placed(const char* function, const operation& what, const execution& on,
                    const Check& check) {
  if (is_plain_host(on)) return nullptr;
  check();
  return place(function, what, on, host_signals());
}

}  // namespace papilio::signal_detail

// Instantiates functions of masks: BY(T, rank, how it is executed).
#define PAPILIO_FOR_MASKS_OF(BY, T) \
  BY(T, 1, int)                     \
  BY(T, 2, int)                     \
  BY(T, 3, int)                     \
  BY(T, 1, const execution&)        \
  BY(T, 2, const execution&)        \
  BY(T, 3, const execution&)
#define PAPILIO_FOR_MASKS(BY)     \
  PAPILIO_FOR_MASKS_OF(BY, float) \
  PAPILIO_FOR_MASKS_OF(BY, double)
