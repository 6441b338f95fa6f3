#pragma once

/// The files beside this one, as the build makes constants of them.
namespace papilio::cli::page {

extern const char* const page_html;
extern const char* const page_css;
extern const char* const chart_js;
extern const char* const zoom_js;
extern const char* const spectrogram_js;
extern const char* const engines_js;
extern const char* const sound_js;
extern const char* const gallery_js;
extern const char* const page_js;

}  // namespace papilio::cli::page
