#pragma once

// Includes the headers of the installed components that run on the host; each module also has its
// own header. The accelerator and its kernels are in papilio/device.hpp.
#include "papilio/base.hpp"
#include "papilio/dispatch.hpp"
#include "papilio/fft.hpp"
#include "papilio/transform.hpp"
#include "papilio/version.hpp"

// papilio::signal
#if __has_include("papilio/signal.hpp")
#include "papilio/signal.hpp"
#endif

// papilio::sound
#if __has_include("papilio/audio.hpp")
#include "papilio/audio.hpp"
#include "papilio/io.hpp"
#include "papilio/render.hpp"
#endif

// papilio::tensor
#if __has_include("papilio/contract.hpp")
#include "papilio/blas.hpp"
#include "papilio/chem.hpp"
#include "papilio/contract.hpp"
#include "papilio/decompose.hpp"
#include "papilio/layers.hpp"
#endif
