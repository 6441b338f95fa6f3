#pragma once

#include "papilio/kernels/batched_gemm.hpp"
#include "papilio/kernels/catalog.hpp"
#include "papilio/kernels/complex_gemm.hpp"
#include "papilio/kernels/complex_linear.hpp"
#include "papilio/kernels/complex_mask.hpp"
#include "papilio/kernels/gemm.hpp"
#include "papilio/kernels/prepared_kernel.hpp"
#include "papilio/kernels/published_mp2_energy.hpp"
#include "papilio/kernels/sized_kernel.hpp"
