#pragma once

#include <string>
#include <string_view>

#include "papilio/base/export.hpp"

namespace papilio {

/// Wisdom is the recipes that effort::measure found fastest, kept by the process for each element
/// type and length of a complex transform. (The direction does not matter: the same passes run with
/// re and im exchanged. The complex part of a real transform is looked up by that part's length;
/// where two steps are the fastest, it takes the estimate's.) A plan of effort::measure takes a
/// remembered recipe without any timing; one of effort::estimate never looks. All functions here, and
/// planning, may be called from any number of threads at once.
///
/// As text, wisdom is a header line, a line for each entry, and a line that marks the end:
///
///   papilio-wisdom format=1 version=0.1.0 cpu=GenuineIntel-6-207-AVX3
///   complex float 1000 (stockham 1000 8 5 5 5)
///   complex double 1009 (rader 1009 (stockham 1008 16 7 3 3))
///   end entries=2 checksum=e7d5c90c2e8a8b2f
///
/// Times measured on one machine mean little on another: only text that this version wrote on this
/// processor with this instruction set is accepted.

/// Returns all wisdom as text, the entries sorted by type and length.
PAPILIO_API std::string export_wisdom();

/// Adds the entries of a wisdom text, replacing those of the same type and length.
/// Throws invalid_argument, with the line, what was expected and what was found, if the text is not
/// whole or was written elsewhere; then none of its entries has been added.
PAPILIO_API void import_wisdom(std::string_view text);

/// Writes export_wisdom() to a file, which appears whole or not at all (see atomic_file).
/// Throws io_error if it cannot be written; an existing file is then unchanged.
PAPILIO_API void save_wisdom(const std::string& path);

/// Adds the wisdom of a file of at most 16 MiB, as import_wisdom.
/// Throws io_error with the path and import_wisdom's reason, or the system's.
PAPILIO_API void load_wisdom(const std::string& path);

/// Forgets all wisdom. Plans that exist keep their recipes.
PAPILIO_API void forget_wisdom();

}  // namespace papilio
