#pragma once

// Everything papilio offers; each module also has its own header.
#include "papilio/audio.hpp"
#include "papilio/base.hpp"
#include "papilio/blas.hpp"
#include "papilio/chem.hpp"
#include "papilio/contract.hpp"
#include "papilio/decompose.hpp"
#include "papilio/dispatch.hpp"
#include "papilio/engine.hpp"
#include "papilio/fft.hpp"
#include "papilio/io.hpp"
#include "papilio/kernels.hpp"
#include "papilio/render.hpp"
#include "papilio/signal.hpp"
#include "papilio/transform.hpp"
#include "papilio/version.hpp"
