#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "kernels/transform/element_places.hpp"
#include "kernels/transform/groups.hpp"
#include "kernels/transform/patterns.hpp"

namespace papilio::kernels_detail {

/// An element with its address in a tile, and its column: its place in an operand, whose pieces are
/// `array_rows` places apart, or among results. Results that are mirror images of rows that a group
/// reads, and numbers that are mirrored in HBM, come last.
struct placed_element {
  transform_element what = {};
  std::int64_t at = 0, column = 0;
  bool mirrored = false;
};

/// Adjacent groups that share a product with a block-diagonal matrix.
struct group_bundle {
  std::vector<placed_element> in = {}, out = {};
  std::vector<std::int64_t> groups = {};  // their numbers, ascending
  std::vector<operand_piece> pieces = {};
  std::vector<partition_run> loads = {}, stores = {};
  std::vector<std::int64_t> sums_at = {};  // where results go in which lines are added up
  std::int64_t columns = 0, slots = 1;     // of a product; products, or parts of a sum
  std::int64_t matrix = 0;
};

/// Compiles one stage; `returns`: the stage sums the last digit there and back.
class stage_compiler {
 public:
  stage_compiler(const transform_formula& f, const stage_options& o,
                 const engine::machine_spec& machine, int t, bool returns = false);

  /// `places` has the addresses of the elements that the stage before wrote, and gets those that
  /// this stage writes.
  transform_stage compile(element_places& places);

 private:
  // One matrix of the table: its rows with the places in pieces, its columns.
  struct stage_matrix {
    std::vector<placed_element> rows = {}, columns = {};
    std::vector<std::int64_t> piece_rows = {};
    std::int64_t column = 0, width = 0;  // width: of a piece
  };
  using by_group = std::vector<std::pair<std::int64_t, transform_element>>;

  // groups.cpp: groups and places
  std::int64_t orbit_of(std::int64_t k) const;
  bool is_own_image(std::int64_t orbit) const;
  std::int64_t group_of(const transform_element& e) const;
  by_group sorted(int t, bool whole) const;
  void make_bundles();
  void put_outside(std::vector<placed_element>& elements, bool bins) const;
  void place(group_bundle& b, element_places& before, element_places& next);
  void place_results(group_bundle& b, element_places& next);
  void place_sums(group_bundle& b) const;
  void cut_operand(group_bundle& b) const;

  // stage_tables.cpp: matrices
  std::int64_t matrix_of(const group_bundle& b, std::int64_t& columns);
  kernels::constant_table table(const transform_stage& stage);

  // product_units.cpp: units
  void share_points(transform_stage& stage) const;
  std::vector<result_copy> copies_of(const group_bundle& b, std::int64_t first,
                                     std::int64_t count) const;
  bool alike(const group_bundle& a, const group_bundle& b) const;
  void make_units(transform_stage& stage);
  product_unit unit_of(transform_stage& stage, std::span<const group_bundle> bundles,
                       bool is_continued) const;
  void add_unit(transform_stage& stage, std::span<const group_bundle> bundles, std::int64_t at,
                std::int64_t columns);
  void add_point_unit(transform_stage& stage, std::span<const group_bundle> bundles,
                      std::int64_t slot, std::int64_t slots);
  void add_ordered(product_unit& u, std::span<const std::vector<partition_run>> runs,
                   std::span<const std::vector<placed_element>* const> elements) const;
  void add_slots(transform_stage& stage, const group_bundle& b) const;
  void add_copies(product_unit& u, std::span<const group_bundle> bundles, std::int64_t at) const;

  const transform_formula& f_;
  const stage_options& o_;
  const engine::machine_spec& machine_;
  const int t_;
  const std::int64_t array_rows_, bank_;
  const std::int64_t before_, radix_, left_;  // R_t, r_{t+1}, n / R_{t+1}
  const bool returns_, reads_points_, reads_bins_, is_last_;
  const bool loads_points_, stores_points_;  // with points on partitions
  const bool overlaps_;                      // lines are added up
  const std::int64_t line_reals_;
  std::vector<std::int64_t> filled_;  // of each line's numbers
  std::int64_t slots_ = 0;            // of the bundles that have been placed
  std::vector<group_bundle> bundles_;
  std::vector<stage_matrix> matrices_;
  std::map<std::vector<std::int64_t>, std::size_t> numbers_;
};

}  // namespace papilio::kernels_detail
