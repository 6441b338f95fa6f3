#pragma once

#include "papilio/kernels/catalog.hpp"
#include "papilio/kernels/contraction.hpp"
#include "papilio/kernels/elementwise.hpp"
#include "papilio/kernels/fft.hpp"
#include "papilio/kernels/gemm.hpp"
#include "papilio/kernels/group_split.hpp"
#include "papilio/kernels/measured_error.hpp"
#include "papilio/kernels/mp2.hpp"
#include "papilio/kernels/rearrange.hpp"
#include "papilio/kernels/sized_kernel.hpp"
#include "papilio/kernels/stft.hpp"
#include "papilio/kernels/triangular.hpp"
