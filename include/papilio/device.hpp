#pragma once

// papilio::device: the emulated accelerator and its kernels.
#include "papilio/engine.hpp"
#include "papilio/kernels.hpp"
