#pragma once

#include "papilio/kernels/catalog.hpp"
#include "papilio/kernels/fft.hpp"
#include "papilio/kernels/gemm.hpp"
#include "papilio/kernels/prepared_kernel.hpp"
#include "papilio/kernels/published/ao_to_mo.hpp"
#include "papilio/kernels/published/batched_gemm_slice.hpp"
#include "papilio/kernels/published/bmm.hpp"
#include "papilio/kernels/published/fused_mp2.hpp"
#include "papilio/kernels/published/gemm.hpp"
#include "papilio/kernels/published/matmul.hpp"
#include "papilio/kernels/published/mp2_energy.hpp"
#include "papilio/kernels/sized_kernel.hpp"
