#pragma once

#include "papilio/kernels/catalog.hpp"
#include "papilio/kernels/gemm.hpp"
#include "papilio/kernels/istft.hpp"
#include "papilio/kernels/masked_stft.hpp"
#include "papilio/kernels/prepared_kernel.hpp"
#include "papilio/kernels/published_mp2_energy.hpp"
#include "papilio/kernels/sized_kernel.hpp"
#include "papilio/kernels/stft.hpp"
