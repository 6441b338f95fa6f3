#pragma once

// Everything papilio offers; each module also has its own header.
#include "papilio/base.hpp"
#include "papilio/version.hpp"
#if __has_include("papilio/io.hpp")
#include "papilio/io.hpp"
#endif
#if __has_include("papilio/audio.hpp")
#include "papilio/audio.hpp"
#endif
#if __has_include("papilio/render.hpp")
#include "papilio/render.hpp"
#endif
#if __has_include("papilio/fft.hpp")
#include "papilio/fft.hpp"
#endif
#if __has_include("papilio/signal.hpp")
#include "papilio/signal.hpp"
#endif
