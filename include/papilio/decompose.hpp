#pragma once

// Decompositions of arrays of two or more axes into factors: CP, Tucker and tensor trains.
#include "papilio/decompose/cp.hpp"
#include "papilio/decompose/operand.hpp"
#include "papilio/decompose/randomized_svd.hpp"
#include "papilio/decompose/tensor_train.hpp"
#include "papilio/decompose/tucker.hpp"
