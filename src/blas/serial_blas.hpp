#pragma once

#include "base/internal.hpp"

namespace papilio::blas_detail {

/// The first time it is called: sets OpenBLAS to one thread, since the blocks are ours, and to
/// kernels that the processor deserves where OpenBLAS does not know it (unless OPENBLAS_CORETYPE
/// says which). No other thread may be inside OpenBLAS then. The environment variable
/// PAPILIO_BLAS_THREADS=keep leaves OpenBLAS as it is; invalid_argument at any other value.
void use_serial_blas();

/// Ends the threads that OpenBLAS starts when it is loaded, one for each further core, and that then
/// wait for 0.1 s of CPU time each before they sleep. For a program, at its beginning: OpenBLAS
/// starts them again only for work that is shared, which use_serial_blas() rules out. Nothing
/// happens where PAPILIO_BLAS_THREADS is set.
PAPILIO_INTERNAL void end_blas_threads();

}  // namespace papilio::blas_detail
