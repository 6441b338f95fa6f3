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

/// What `call` gives; errors say which contraction they are of.
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

/// The results of the plans; empty where the execution has them on the host. `told`: how many steps
/// ran.
template <class T>
std::vector<tensor<T>> run_joined(std::span<const host_contraction<T>> contractions,
                                  std::span<const std::shared_ptr<const lowered_plan>> plans,
                                  const execution& on, contraction_sharing& told);

}  // namespace papilio::contract_detail
