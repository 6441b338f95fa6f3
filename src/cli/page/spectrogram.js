// The spectrogram: a picture of one pixel a level, and the level under the pointer.

class SpectrogramPlot extends ZoomPlot {
  constructor(sound, palette, view) {
    const { low_hz, high_hz, floor_db, ceiling_db, png } = sound.spectrogram;
    super(view, `Spectrogram, ${duration(sound.duration_seconds)}, ${hertz(low_hz)} to ${hertz(high_hz)}, levels from ` +
      `${decibels(floor_db)} to ${decibels(ceiling_db)}`, (width) => (width < 500 ? 310 : 430));
    this.of = sound.spectrogram;
    this.start = sound.start_seconds;
    this.seconds = sound.duration_seconds;
    this.palette = palette;
    this.image = make("img", { src: png, alt: "" });
    this.image.decode().then(() => this.draw(), () => this.draw());
  }

  layOut() {
    const { time, frequency } = this.view, octaves = axisOf("hz", this.of.low_hz, this.of.high_hz);
    this.x = axisOf("time", this.start + time[0] * this.seconds, this.start + time[1] * this.seconds);
    this.y = axisOf("hz", octaves.value(frequency[0]), octaves.value(frequency[1]));
    return [this.x, this.y, { x: timeTitle(this.x), y: "Hz" }];
  }

  paint(context, width, height) {
    const { columns, rows } = this.of, { time, frequency } = this.view;
    const cells = [(time[1] - time[0]) * columns, (frequency[1] - frequency[0]) * rows];
    // Who zooms wants to see the cells; smaller ones would be of uneven sizes.
    context.imageSmoothingEnabled = this.view.isWhole || width / cells[0] < 3;
    context.imageSmoothingQuality = "high";
    if (this.image.naturalWidth > 0)
      context.drawImage(this.image, time[0] * columns, (1 - frequency[1]) * rows, cells[0], cells[1], 0, 0, width, height);
  }

  /// Steps of the levels, read back from the colours of the picture.
  steps() {
    if (this.grid) return this.grid;
    const { columns, rows } = this.of;
    const sheet = make("canvas", { width: columns, height: rows }), context = sheet.getContext("2d");
    context.drawImage(this.image, 0, 0);
    const pixels = context.getImageData(0, 0, columns, rows).data;
    const known = new Map(this.palette.map((color, step) => [color, step]));
    const nearest = (color) => {
      const parts = (c) => [c >> 16, (c >> 8) & 255, c & 255], [r, g, b] = parts(color);
      let best = 0, least = Infinity;
      this.palette.forEach((candidate, step) => {
        const [pr, pg, pb] = parts(candidate), far = (r - pr) ** 2 + (g - pg) ** 2 + (b - pb) ** 2;
        if (far < least) { least = far; best = step; }
      });
      known.set(color, best);
      return best;
    };
    this.grid = new Uint8Array(columns * rows);
    for (let i = 0; i < this.grid.length; ++i) {
      const color = (pixels[4 * i] << 16) | (pixels[4 * i + 1] << 8) | pixels[4 * i + 2];
      this.grid[i] = known.get(color) ?? nearest(color);
    }
    return this.grid;
  }

  /// The level in dBFS at shares of time and of the frequency axis.
  level(time, frequency) {
    const { columns, rows, floor_db, ceiling_db } = this.of;
    const cell = (at, cells) => Math.min(Math.max(Math.floor(at * cells), 0), cells - 1);
    const step = this.steps()[cell(1 - frequency, rows) * columns + cell(time, columns)];
    return step === 0 ? null : floor_db + ((step + 0.5) * (ceiling_db - floor_db)) / this.palette.length;
  }

  textAt(place) {
    if (this.image.naturalWidth === 0) return null;
    const level = this.level(...this.inWhole(place));
    const text = level === null ? `below ${decibels(this.of.floor_db)}` : decibels(level);
    return `${duration(this.x.value(place.x), 3)} \u00b7 ${hertz(this.y.value(place.y))} \u00b7 ${text}`;
  }
}

/// The card of the spectrogram: heading, buttons, picture, and what the colours mean.
function spectrogramCard(sound, palette, view) {
  const plot = new SpectrogramPlot(sound, palette, view);
  const hex = (color) => `#${color.toString(16).padStart(6, "0")}`;
  const stops = [0, 1, 2, 3, 4, 5, 6, 7, 8].map((i) => hex(palette[Math.round((i * (palette.length - 1)) / 8)]));
  const bar = make("span", { class: "bar" }, decibels(sound.spectrogram.floor_db, ""),
    make("i", { style: `background:linear-gradient(90deg,${stops.join(",")})` }), decibels(sound.spectrogram.ceiling_db));
  return card("Spectrogram", [zoomButtons(view)], make("figure", {}, plot.element, make("figcaption", {}, bar, zoomHint(),
    make("span", {}, sound.spectrogram.text))));
}
