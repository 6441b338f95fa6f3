#pragma once

#include "papilio/kernels/catalog.hpp"
#include "papilio/kernels/gemm.hpp"
#include "papilio/kernels/prepared_kernel.hpp"
#include "papilio/kernels/published/butterfly.hpp"
#include "papilio/kernels/published/complex_products.hpp"
#include "papilio/kernels/published/published_run.hpp"
#include "papilio/kernels/published/stockham.hpp"
#include "papilio/kernels/published_mp2_energy.hpp"
#include "papilio/kernels/sized_kernel.hpp"
