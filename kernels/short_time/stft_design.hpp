#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/array_operands.hpp"
#include "kernels/design.hpp"
#include "kernels/parameters.hpp"
#include "kernels/precision_choice.hpp"
#include "kernels/table.hpp"
#include "kernels/transform/formula.hpp"
#include "kernels/transform/precision.hpp"
#include "papilio/base/vocabulary.hpp"
#include "papilio/dispatch/operation.hpp"
#include "papilio/kernels/sized_kernel.hpp"

// Declarations that short-time transforms and their inverses share.
namespace papilio::kernels_detail {

/// The precision mode that holds operands so.
inline precision_options mode_of(const array_operands& operands) {
  if (operands.is_fp32()) return {};
  if (operands.parts == 1) return {.mode = precision::bf16};
  return {.mode = precision::split_bf16, .parts = operands.parts};
}

/// A short-time transform's design: the body, which decides the instructions, and the values of its
/// tables, which do not, so that all windows share one program.
template <class Body>
struct windowed {
  Body body = {};
  std::vector<float> window = {}, mel = {};
  bool halved_ends = false;  // of the problem

  auto fields() const { return std::tie(body, window, mel, halved_ends); }
  std::string describe() const { return body.describe(); }
  windowed without_batch() const { return {body.without_batch(), window, mel, halved_ends}; }
};

/// stft_kernel for a checked problem with `adjoint`: see istft_adjoint.cpp.
kernels::sized_kernel istft_adjoint(const stft_problem& s, const engine::machine_spec& machine,
                                    const precision_options& precision);

/// Throws invalid_argument, naming the first value that is not finite.
void require_finite(const char* what, std::span<const float> values);

/// Throws resource_error for values above `most`, up to which sizes do not overflow.
void require_most(const char* name, std::size_t value, std::size_t most);

/// Returns the entry of a short-time transform: a request is a Problem and precision_options, and
/// request.problem(machine) is what `kernel` makes.
template <class Request, class Problem>
kernels::catalog_entry short_time_entry(const char* name, const char* summary,
                                        kernels::sized_kernel (*kernel)(const Problem&,
                                                                        const engine::machine_spec&,
                                                                        const precision_options&),
                                        std::initializer_list<setting<Request>> own) {
  using r = Request;
  const settings<r> all =
      settings<r>{number_setting("samples", &r::samples, "16000", "Samples of each channel"),
                  number_setting("n_fft", &r::n_fft, "512", "Points of a segment"),
                  number_setting("hop", &r::hop, "256", "Samples between segments"),
                  number_setting("channels", &r::channels, "1", "Signals")}
          .with(own)
          .with(product_precision_settings());
  kernels::catalog_entry entry =
      all.entry(name, summary, [=](const r& request, const engine::machine_spec& machine) {
        check_precision(name, request);
        return kernel(request.problem(machine), machine, request);
      });
  entry.measure = all.reading(
      [=](const r& request,
          const engine::machine_spec& machine) -> std::optional<kernels::measured_error> {
        check_precision(name, request);
        if (request.target_error == 0) return std::nullopt;
        return kernels::measure_error(request.problem(machine), machine, request);
      });
  return entry;
}

/// The periodic Hann window, which named runs use.
std::vector<float> hann(std::int64_t n);

}  // namespace papilio::kernels_detail
