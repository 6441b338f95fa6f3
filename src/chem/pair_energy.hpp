#pragma once

#include <cstddef>
#include <vector>

#include "chem/energy_pass.hpp"
#include "chem/orbital_rows.hpp"
#include "chem/orbital_set.hpp"
#include "chem/pair_blocks.hpp"
#include "papilio/dispatch/operation.hpp"

namespace papilio::chem_detail {

/// Sum over pairs of occupied orbitals, in blocks that may run in any order.
/// - closed_shell sums over i, j and j, i of both spins.
/// - same_spin sums over i < j, differences only.
/// - opposite_spin sums over i of one set and j of the other, squares only.
template <class T>
class pair_energy {
 public:
  /// Refers to the sets, which are the same one unless the kind is opposite_spin.
  pair_energy(pair_spins kind, const orbital_set<T>& rows, const orbital_set<T>& columns);

  std::size_t block_count() const { return blocks_.size(); }
  std::size_t pairs_of(std::size_t block) const { return blocks_[block].pairs(); }
  /// Returns the multiply-additions of a block.
  double work_of(std::size_t block) const;
  /// Returns the elements of T that a block needs as workspace.
  std::size_t workspace_elements() const;
  std::size_t list_bytes() const {
    return blocks_.size() * (sizeof(pair_block) + sizeof(pair_sums));
  }

  void run(std::size_t block, T* workspace);
  /// Sums of a block that has run.
  const pair_sums& sums_of(std::size_t block) const { return sums_[block]; }

 private:
  struct memory;
  memory split(T* workspace) const;
  std::size_t pitch() const;
  std::size_t block_rows() const { return cut_.most_rows * cut_.tile_rows; }
  std::size_t block_columns() const { return cut_.most_columns * cut_.tile_columns; }
  bool has_exchange_tile() const;
  void multiply(const orbital_range& rows, const orbital_range& columns, const memory& at,
                T* to) const;
  void add_tile(const pair_block& block, std::size_t a, std::size_t b, const memory& at,
                pair_sums& sums) const;
  void add_pair(const pair_tile<T>& tile, bool is_same, pair_sums& sums) const;

  pair_spins kind_;
  const orbital_set<T>& rows_;
  const orbital_set<T>& columns_;
  pair_cut cut_;
  bool copies_rows_ = false, copies_columns_ = false;
  std::vector<pair_block> blocks_;
  std::vector<pair_sums> sums_;
};

}  // namespace papilio::chem_detail
