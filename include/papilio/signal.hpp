#pragma once

#include "papilio/signal/chroma.hpp"
#include "papilio/signal/constant_q.hpp"
#include "papilio/signal/host_signals.hpp"
#include "papilio/signal/istft.hpp"
#include "papilio/signal/mask.hpp"
#include "papilio/signal/mel.hpp"
#include "papilio/signal/spectral_features.hpp"
#include "papilio/signal/spectral_gate.hpp"
#include "papilio/signal/spectrogram.hpp"
#include "papilio/signal/stft.hpp"
#include "papilio/signal/welch.hpp"
#include "papilio/signal/window.hpp"
