#pragma once

#include <memory>

#include "papilio/signal/stft.hpp"

namespace papilio::signal_detail {

/// Parts of a plan that functions of this module take from it.
template <class T>
struct plan_parts {
  static const std::shared_ptr<const segment_transform<T>>& transform(const stft_plan<T>& plan) {
    return plan.transform_;
  }
};

}  // namespace papilio::signal_detail
