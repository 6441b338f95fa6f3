#pragma once

#include "papilio/blas/element.hpp"
#include "papilio/blas/factorization.hpp"
#include "papilio/blas/gemm.hpp"
#include "papilio/blas/gemv.hpp"
#include "papilio/blas/symmetric.hpp"
#include "papilio/blas/triangular.hpp"
#include "papilio/blas/vector.hpp"
