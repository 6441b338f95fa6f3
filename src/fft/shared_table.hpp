#pragma once

#include <memory>
#include <string>

#include "papilio/base/array.hpp"
#include "papilio/base/parallel_for.hpp"

namespace papilio::fft_detail {

template <class T>
using shared_table = std::shared_ptr<const array<T, 1>>;

/// A table that depends on neither direction nor scale, which `key` tells apart from all others of
/// T: that of a living plan, or what `make` returns. Plans and their adjoints share it so, and it is
/// freed with the last of them.
template <class T>
shared_table<T> table_shared_as(const std::string& key, function_ref<array<T, 1>()> make);

extern template shared_table<float> table_shared_as(const std::string&,
                                                    function_ref<array<float, 1>()>);
extern template shared_table<double> table_shared_as(const std::string&,
                                                     function_ref<array<double, 1>()>);
extern template shared_table<long double> table_shared_as(const std::string&,
                                                          function_ref<array<long double, 1>()>);

}  // namespace papilio::fft_detail
