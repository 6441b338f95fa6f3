#pragma once

#include "papilio/mpi/plans.hpp"
#include "papilio/mpi/redistribution.hpp"
#include "papilio/mpi/shared_array.hpp"
