#pragma once

#include "papilio/signal/cepstrum.hpp"
#include "papilio/signal/decibel.hpp"
#include "papilio/signal/mask.hpp"
#include "papilio/signal/mel.hpp"
#include "papilio/signal/peaks.hpp"
#include "papilio/signal/pooled_spectrogram.hpp"
#include "papilio/signal/spectral_features.hpp"
#include "papilio/signal/spectral_gate.hpp"
#include "papilio/signal/stft.hpp"
#include "papilio/signal/welch.hpp"
#include "papilio/signal/window.hpp"
