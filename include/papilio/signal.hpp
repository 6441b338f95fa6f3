#pragma once

#include "papilio/signal/decibel.hpp"
#include "papilio/signal/istft.hpp"
#include "papilio/signal/istft_stream.hpp"
#include "papilio/signal/peaks.hpp"
#include "papilio/signal/pooled_spectrogram.hpp"
#include "papilio/signal/stft.hpp"
#include "papilio/signal/stft_options.hpp"
#include "papilio/signal/stft_stream.hpp"
#include "papilio/signal/window.hpp"
