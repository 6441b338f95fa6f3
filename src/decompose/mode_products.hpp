#pragma once

#include <cstddef>
#include <span>

#include "papilio/base/array.hpp"

namespace papilio::decompose_detail {

/// The products of an array's unfoldings with the Khatri-Rao products of all other factors (MTTKRP)
/// as alternating least squares asks for them: mode 0, 1, ..., order - 1, 0, ..., each factor
/// changing right after its product was used.
template <class T>
class mode_products {
 public:
  virtual ~mode_products() = default;

  /// [rank, extent] of mode `position` modulo order; `factors` are [rank, extent] by mode.
  /// Positions are to be asked for in turn, from 0.
  virtual const T* at(std::size_t position, std::span<const array<T, 2>> factors) = 0;
};

}  // namespace papilio::decompose_detail
