#pragma once

#include "papilio/contract/contraction_plan.hpp"
#include "papilio/contract/einsum.hpp"
#include "papilio/contract/expression.hpp"
#include "papilio/contract/path.hpp"
