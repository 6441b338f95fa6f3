#pragma once

#include "papilio/dispatch/accelerator.hpp"
#include "papilio/dispatch/candidate.hpp"
#include "papilio/dispatch/execution.hpp"
#include "papilio/dispatch/fft_problem.hpp"
