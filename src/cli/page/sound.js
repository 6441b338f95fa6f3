// One sound: figures, spectrogram, levels, features, spectrum, peaks, facts.

const featureTexts = {
  rms: ["RMS", "full scale = 1", (v) => v.toPrecision(3)],
  centroid_hz: ["Spectral centroid", "Hz", hertz],
  bandwidth_hz: ["Bandwidth", "Hz", hertz],
  rolloff_hz: ["Rolloff (85 %)", "Hz", hertz],
  flatness: ["Flatness", "0 tone, 1 noise", (v) => v.toPrecision(3)],
  zero_crossings: ["Zero crossings", "share of samples", (v) => v.toPrecision(3)],
};

/// Times of the middles of so many equal parts of a sound.
function middles(sound, count) {
  return Array.from({ length: count }, (_, i) => sound.start_seconds + ((i + 0.5) * sound.duration_seconds) / count);
}

const timeAxis = (sound, count) => ({
  kind: "time", low: sound.start_seconds, high: sound.start_seconds + sound.duration_seconds, values: middles(sound, count),
});

/// A plot over time follows the spectrogram's zoom.
function following(plot, sound, view) {
  view.listeners.push(() => plot.zoom(...view.time.map((share) => sound.start_seconds + share * sound.duration_seconds)));
  return plot.element;
}

function known(values) { return values.filter((value) => value !== null); }

function levelsCard(sound, view) {
  const { peak_db, rms_db } = sound.levels;
  const top = Math.max(0, ...known(peak_db)), low = Math.max(-100, Math.min(-20, ...known(rms_db)));
  const curves = [
    { name: "Peak", values: peak_db, color: "--c1" },
    { name: "RMS", values: rms_db, color: "--c0", area: true },
  ];
  const x = timeAxis(sound, peak_db.length);
  const plot = new CurvePlot({
    label: `Levels over time: peak at most ${decibels(sound.figures.peak_dbfs)}, mean level ${decibels(sound.figures.level_dbfs)}`,
    height: 220, titles: { y: "dBFS" }, x, y: { low: 10 * Math.floor(low / 10), high: top + 2 }, curves,
    read: (i) => `${duration(x.values[i], 3)} \u00b7 peak ${decibels(peak_db[i])} \u00b7 RMS ${decibels(rms_db[i])}`,
  });
  return card("Levels", [legend(curves)], following(plot, sound, view),
    make("p", { class: "soft" }, "A full-scale sine reads 0 dBFS, as peak and as RMS."));
}

function featuresCard(sound, view) {
  const names = Object.keys(sound.features), place = make("div"), facts = make("span", { class: "soft" });
  const choice = make("select", { "aria-label": "Feature", onchange: () => show(choice.value) },
    ...names.map((name) => make("option", { value: name }, featureTexts[name]?.[0] ?? name)));
  let current = null;
  const show = (name) => {
    const feature = sound.features[name], [title, unit, text] = featureTexts[name] ?? [name, "", String];
    const values = known(feature.values), high = Math.max(...values, 1e-12);
    const x = timeAxis(sound, feature.values.length);
    facts.textContent = feature.mean === null ? ""
      : `minimum ${text(feature.minimum)}, mean ${text(feature.mean)}, maximum ${text(feature.maximum)}`;
    current = new CurvePlot({
      label: `${title} over time, ${facts.textContent}`, height: 220, titles: { y: unit }, x,
      y: { low: 0, high: high * 1.06 }, curves: [{ name: title, values: feature.values, color: "--c0" }],
      read: (i) => `${duration(x.values[i], 3)} \u00b7 ${feature.values[i] === null ? "\u2013" : text(feature.values[i])}`,
    });
    place.replaceChildren(current.element);
    follow();
  };
  const follow = () => current.zoom(...view.time.map((share) => sound.start_seconds + share * sound.duration_seconds));
  view.listeners.push(follow);
  choice.value = names.includes("centroid_hz") ? "centroid_hz" : names[0];
  show(choice.value);
  return card("Features", [facts, choice], place, make("p", { class: "soft" }, sound.features_text));
}

function spectrumCard(sound) {
  const { hz, db, bin_hz } = sound.spectrum, values = known(db);
  const top = values.length ? Math.max(...values) : 0, low = values.length ? Math.max(Math.min(...values), top - 120) : -120;
  const last = hz[hz.length - 1], x = { kind: "hz", low: Math.max(bin_hz, last / 2000) , high: Math.max(last, 2 * bin_hz), values: hz };
  const plot = new CurvePlot({
    label: `Power spectral density from ${hertz(x.low)} to ${hertz(last)}; highest ${decibels(top, "dBFS/Hz")}`,
    height: 372, titles: { x: "Frequency (Hz)", y: "dBFS/Hz" }, x,
    y: { low: 10 * Math.floor(low / 10), high: 10 * Math.ceil((top + 1) / 10) },
    curves: [{ name: "Density", values: db, color: "--c0", area: true }],
    read: (i) => `${hertz(hz[i])} \u00b7 ${decibels(db[i], "dBFS/Hz")}`,
  });
  return card("Spectrum", [make("span", { class: "soft" }, sound.spectrum_text)], plot.element);
}

function peaksCard(sound) {
  if (sound.peaks.length === 0) return card("Peaks", [], make("p", { class: "soft" }, "None: digital silence."));
  const rows = sound.peaks.map(([hz, db]) => make("tr", {},
    make("td", { class: "number" }, hertz(hz)), make("td", { class: "number" }, decibels(db)),
    make("td", { class: "number" }, fixed(db - sound.peaks[0][1], 1))));
  return card("Peaks", [], make("table", { class: "peaks" }, make("thead", {}, make("tr", {},
    ...["Frequency", "Level", "Relative, dB"].map((text) => make("th", { class: "number", scope: "col" }, text)))),
  make("tbody", {}, ...rows)));
}

function factsCard(sound) {
  return card("File", [], make("table", { class: "facts" }, make("tbody", {}, ...sound.facts.map(([name, text]) =>
    make("tr", {}, make("th", { scope: "row" }, name.charAt(0).toUpperCase() + name.slice(1)), make("td", {}, text))))));
}

function figuresList(figures) {
  const all = [
    ["Duration", duration(figures.duration_seconds)], ["Level", decibels(figures.level_dbfs)],
    ["Peak", decibels(figures.peak_dbfs)], ...(figures.integrated_lufs === null ? [] : [["Loudness", `${figures.integrated_lufs.toFixed(1)} LUFS`]]),
    ["Strongest", hertz(figures.peak_hz)],
    ["Centroid", hertz(figures.centroid_hz)], ["Flatness", figures.flatness === null ? "\u2013" : figures.flatness.toPrecision(2)],
    ["Rate", `${+(figures.rate_hz / 1000).toPrecision(4)} kHz`], ["Channels", String(figures.channels)],
  ];
  return make("ul", { class: "figures" }, ...all.map(([name, text]) =>
    make("li", {}, make("b", {}, text), make("span", {}, name))));
}

/// All that is known of a sound, as elements.
function soundView(sound, palette) {
  const view = new View();
  const warnings = sound.warnings.length
    ? make("ul", { class: "warnings" }, ...sound.warnings.map((text) => make("li", {}, text))) : null;
  return make("div", { class: "sound" }, figuresList(sound.figures), warnings, spectrogramCard(sound, palette, view),
    levelsCard(sound, view), featuresCard(sound, view),
    make("div", { class: "two" }, make("div", {}, spectrumCard(sound)), make("div", {}, peaksCard(sound))),
    factsCard(sound));
}
