#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "contract/lowered_plan.hpp"
#include "contract/ordered_contraction.hpp"
#include "papilio/base/error.hpp"
#include "papilio/contract/einsum.hpp"

// Contractions that an accelerator runs in one launch.
namespace papilio::contract_detail {

/// Returns the result of `call`; its errors get the number of the contraction.
template <class Call>
auto of_contraction(std::size_t index, const Call& call) {
  const auto named = [&](const error& e) {
    return base_detail::message("contract_many: contraction ", index, ": ", e.what());
  };
  try {
    return call();
  } catch (const shape_error& e) {
    throw shape_error(named(e));
  } catch (const invalid_argument& e) {
    throw invalid_argument(named(e));
  } catch (const device_error& e) {
    throw device_error(named(e));
  }
}

/// Returns the results of the plans, or none where the execution chooses the host. `told` gets the
/// number of steps that ran.
template <class T>
std::vector<tensor<T>> run_joined(std::span<const host_contraction<T>> contractions,
                                  std::span<const std::shared_ptr<const lowered_plan>> plans,
                                  const execution& on, contraction_sharing& told);

}  // namespace papilio::contract_detail
