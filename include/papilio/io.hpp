#pragma once

// Files: NPY, read and written, and CSV, written; whole or not at all.

#include "papilio/io/csv.hpp"
#include "papilio/io/npy.hpp"
#include "papilio/io/npy_regions.hpp"
#include "papilio/io/npy_tensor.hpp"
