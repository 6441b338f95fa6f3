#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/engine/device_group.hpp"
#include "papilio/kernels/group_split.hpp"
#include "papilio/kernels/mp2_energy.hpp"

namespace papilio::kernels {

/// What of one spin's orbitals the energies need: B [nocc, nvir, naux] (or as the shape's layout
/// says), and energies [nocc] and [nvir]. Arrays of the host, or shapes in dry runs.
struct mp2_group_operands {
  engine::launch_input b, occupied, virtuals;
};

/// mp2_energy_kernel's energies by all cores of a group.
///
/// Each core gets ceil(nocc / p) occupied orbitals of B from the host, brings naux to the front,
/// and gets those of the others over the links (all_gather). Of all pairs, in the order of i, then
/// j, each has a part; parts differ by at most one pair. Energies of parts come back and are added
/// in double, in the order of the cores: they depend on the shape, the machine and the number of
/// cores, on nothing else. Cores beyond the pairs stay idle. Two dispatches.
class PAPILIO_API sharded_mp2 {
 public:
  /// The group must outlive it. invalid_argument for parts of the pairs; else as mp2_energy_kernel.
  sharded_mp2(engine::device_group& on, const mp2_energy_shape& shape,
              engine::run_mode mode = engine::run_mode::execute);
  ~sharded_mp2();
  sharded_mp2(sharded_mp2&&) noexcept;
  sharded_mp2& operator=(sharded_mp2&&) noexcept;

  const mp2_energy_shape& shape() const;
  std::string explanation() const;

  /// Two energies or one, as mp2_spins says; zeros in dry runs. `other`: of opposite_spin alone
  /// (invalid_argument). shape_error for operands of other shapes, invalid_argument of buffers.
  std::vector<double> energies(const mp2_group_operands& orbitals,
                               const std::optional<mp2_group_operands>& other = {}) const;

 private:
  struct members;
  std::unique_ptr<members> members_;
};

/// Modelled times on a new group, operands copied from the host. Errors as those of sharded_mp2,
/// and of device_group.
PAPILIO_API group_times time_sharded_mp2(const mp2_energy_shape& shape, int cores,
                                         const engine::machine_spec& machine,
                                         const engine::runtime_spec& runtime,
                                         const engine::group_options& options = {});

}  // namespace papilio::kernels
