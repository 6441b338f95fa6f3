#pragma once

// Pictures: colour maps, axis ticks, spectrograms as PNG.
#include "papilio/render/color_map.hpp"
#include "papilio/render/spectrogram_picture.hpp"
#include "papilio/render/ticks.hpp"
