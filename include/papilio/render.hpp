#pragma once

// Pictures: colour maps, axis ticks, spectrograms and line plots as PNG, SVG and PDF.
#include "papilio/render/color_map.hpp"
#include "papilio/render/line_plot.hpp"
#include "papilio/render/picture_format.hpp"
#include "papilio/render/spectrogram_picture.hpp"
#include "papilio/render/ticks.hpp"
