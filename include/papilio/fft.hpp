#pragma once

#include "papilio/fft/dct_plan.hpp"
#include "papilio/fft/distribution.hpp"
#include "papilio/fft/fft_plan.hpp"
#include "papilio/fft/fftn_plan.hpp"
#include "papilio/fft/network_model.hpp"
#include "papilio/fft/options.hpp"
#include "papilio/fft/recipe.hpp"
#include "papilio/fft/rfft_plan.hpp"
#include "papilio/fft/wisdom.hpp"
