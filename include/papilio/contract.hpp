#pragma once

#include "papilio/contract/contract_many.hpp"
#include "papilio/contract/contraction_cache.hpp"
#include "papilio/contract/contraction_plan.hpp"
#include "papilio/contract/einsum.hpp"
#include "papilio/contract/einsum_options.hpp"
#include "papilio/contract/expression.hpp"
#include "papilio/contract/gemm.hpp"
#include "papilio/contract/network.hpp"
#include "papilio/contract/path.hpp"
