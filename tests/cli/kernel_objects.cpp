// Shared objects of which papilio profile must say what is wrong with them: FAULT says which.
#include <stdexcept>

#include "papilio/kernels.hpp"

namespace {

[[maybe_unused]] std::vector<papilio::kernels::catalog_entry> listed() {
  if (FAULT == 1) throw std::runtime_error("no list today");
  if (FAULT == 2) return {};
  return {{.name = "a", .summary = "", .parameters = {}, .size = {}}};
}

}  // namespace

#if FAULT == 4  // as an object of another version has it
#undef PAPILIO_VERSION
#define PAPILIO_VERSION "0.1.0"
#endif
#if FAULT != 5
PAPILIO_KERNEL_OBJECT(listed)
#endif
