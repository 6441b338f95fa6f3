#pragma once

// Sound in and out, whole and block by block, and at other sample rates.

#include "papilio/audio/raw_pcm.hpp"
#include "papilio/audio/resample.hpp"
#include "papilio/audio/sound_file.hpp"
#include "papilio/audio/sound_writer.hpp"
