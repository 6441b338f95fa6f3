#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/base/tensor.hpp"
#include "papilio/contract/path.hpp"
#include "papilio/dispatch/execution.hpp"
#include "papilio/dispatch/resident_tensor.hpp"

namespace papilio {

/// One einsum of several.
template <class T>
struct contraction {
  std::string subscripts;
  std::vector<tensor_view<const T>> operands;
  std::vector<bool> conjugate = {};  ///< by operand, as einsum_options says
};

struct contract_many_options {
  path_options path = {};
  execution on = {};
};

/// What contractions had in common.
struct contraction_sharing {
  std::size_t steps = 0;          ///< of all contractions, each for itself
  std::size_t distinct = 0;       ///< that ran
  std::size_t shared_copies = 0;  ///< copies of operands for BLAS that an earlier step had made
  std::size_t grouped = 0;        ///< products of matrices that ran together with others
  /// Batched products that those were: one for all of one shape and layout that are ready at once.
  std::size_t batches = 0;
  bool operator==(const contraction_sharing&) const = default;
};

/// The results of einsum for each contraction, to the bit if each runs alone; T is float, double or
/// one of their complex types. Steps that several contractions have in common (the same operands in
/// memory, the same labels) run once; copies of operands that BLAS needs are made once. Products of
/// matrices that do not depend on each other run together: those of one shape and layout as one
/// batched product, threads over the blocks of all. Steps that are no product of matrices, or that
/// copy for themselves, run side by side where they are small. On the host what is in slices runs
/// for itself.
///
/// An accelerator runs all of them in one launch: operands are copied there once, and all results
/// come back together; under `automatic` the whole is compared. Slices are loops of its program: of
/// contractions in slices, those that are alike as wholes run once. Results of common steps are
/// held until the last that needs them. Errors as einsum's, the contraction named by its index,
/// before anything runs.
template <class T>
PAPILIO_API std::vector<tensor<T>> contract_many(std::span<const contraction<T>> contractions,
                                                 const contract_many_options& options = {},
                                                 contraction_sharing* told = nullptr);

/// One einsum of several, of operands that lie on an accelerator.
template <resident_element T>
struct resident_contraction {
  std::string subscripts;
  std::vector<resident_tensor<T>> operands;
  std::vector<bool> conjugate = {};  ///< by operand, as einsum_options says
};

/// The same where the operands lie, whatever the policy, in one launch: results, of at least one
/// axis each, stay there, and equal ones are one. Of `told` steps and distinct. invalid_argument
/// for operands on two accelerators, and where the execution names another; shape_error for a
/// result without axes; device_error for an empty resident or one whose accelerator is gone, and
/// for a precision that it has not; the contraction named by its index, before anything runs.
template <class T>
PAPILIO_API std::vector<resident_tensor<T>> contract_many(
    std::span<const resident_contraction<T>> contractions,
    const contract_many_options& options = {}, contraction_sharing* told = nullptr);

}  // namespace papilio
