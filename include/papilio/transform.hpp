#pragma once

#include "papilio/transform/candidate.hpp"
#include "papilio/transform/convolution.hpp"
#include "papilio/transform/device_run.hpp"
#include "papilio/transform/frequencies.hpp"
#include "papilio/transform/grids.hpp"
#include "papilio/transform/lines.hpp"
#include "papilio/transform/options.hpp"
#include "papilio/transform/run.hpp"
#include "papilio/transform/trigonometric.hpp"
