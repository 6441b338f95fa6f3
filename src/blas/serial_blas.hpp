#pragma once

namespace papilio::blas_detail {

/// The first time it is called: sets OpenBLAS to one thread, since the blocks are ours, and to
/// kernels that the processor deserves where OpenBLAS does not know it (unless OPENBLAS_CORETYPE
/// says which). No other thread may be inside OpenBLAS then. The environment variable
/// PAPILIO_BLAS_THREADS=keep leaves OpenBLAS as it is; invalid_argument at any other value.
void use_serial_blas();

}  // namespace papilio::blas_detail
