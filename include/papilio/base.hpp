#pragma once

#include "papilio/base/array.hpp"
#include "papilio/base/atomic_file.hpp"
#include "papilio/base/error.hpp"
#include "papilio/base/frequency_axis.hpp"
#include "papilio/base/parallel_for.hpp"
#include "papilio/base/tensor.hpp"
