#pragma once

#include <cstdint>
#include <tuple>

#include "papilio/engine/machine_spec.hpp"
#include "papilio/kernels/fft.hpp"

namespace papilio::kernels_detail {

/// How one transform of n1 n2 points is done by `cores` cores. Between the dispatches each has a
/// buffer [cores, columns, 2, rows]: first part d, column l2, plane, row l1 is column
/// j2 = own columns + l2 at k1 = d rows + l1; after the exchange part c, ... is j2 = c columns + l2 at
/// k1 = own rows + l1. Beyond n1 and n2 it holds zeros and repeated columns, which nobody reads.
struct exchange_plan {
  std::int64_t n1 = 1, n2 = 1;
  int cores = 1;
  std::int64_t columns = 0;  ///< ceil(n2 / cores)
  std::int64_t rows = 0;     ///< ceil(n1 / cores)

  bool alone() const { return n1 == 1; }  ///< no exchange: core 0 does all
  /// Columns that a core transforms; one repeated where none is left for it.
  kernels::index_range columns_of(int core) const;
  /// k1 that a core transforms; none, perhaps.
  kernels::index_range rows_of(int core) const;
  engine::tensor_shape buffer() const { return {{cores, columns, 2, rows}}; }

  auto fields() const { return std::tie(n1, n2, cores, columns, rows); }
};

/// The fastest as timed on one core, of the few nearest to a square that the chip can hold.
exchange_plan plan_exchange(std::int64_t n, int cores, const engine::machine_spec& machine);

/// [2, n1, columns] -> the buffer: transforms over j1, multiplied.
kernels::sized_kernel column_kernel(const exchange_plan& plan, const kernels::index_range& columns,
                                    bool inverse, const engine::machine_spec& machine);

/// The buffer -> [2, n2, count]: transforms over j2 of `count` rows.
kernels::sized_kernel row_kernel(const exchange_plan& plan, std::int64_t count, bool inverse,
                                 double scale, const engine::machine_spec& machine);

}  // namespace papilio::kernels_detail
