#pragma once

#include <complex>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "papilio/fft/recipe.hpp"
#include "transform/host_executors.hpp"
#include "transform/recipe_cost.hpp"
#include "transform/typed_rank.hpp"

namespace papilio::transform_detail {

/// What the executors of the host have in common: the recipes of their plans.
class host_executor : public fft_executor {
 public:
  std::string recipe() const override { return text_; }
  std::size_t table_bytes() const override { return table_bytes_; }

 protected:
  host_executor(const std::vector<papilio::recipe>& designs, std::size_t real_bytes) {
    double points = 0;
    for (const papilio::recipe& r : designs) {
      text_.append(text_.empty() ? "" : " ").append(to_string(r));
      points += cost_of(r).table_points;
    }
    table_bytes_ = static_cast<std::size_t>(points) * 2 * real_bytes;
  }

 private:
  std::string text_;
  std::size_t table_bytes_ = 0;
};

/// An Executor<T> for the problem's T.
template <template <class> class Executor, class... Arguments>
std::unique_ptr<const fft_executor> make_executor(const fft_problem& problem,
                                                  const Arguments&... arguments) {
  switch (problem.type) {
    case real_type::single_precision:
      return std::make_unique<Executor<float>>(problem, arguments...);
    case real_type::double_precision:
      return std::make_unique<Executor<double>>(problem, arguments...);
    case real_type::extended_precision:
      break;
  }
  return std::make_unique<Executor<long double>>(problem, arguments...);
}

}  // namespace papilio::transform_detail
