// The spectrogram: a picture of one pixel a level, with axes, zoom and the level under the pointer.

/// The part of a sound that is shown, as shares of time and of the frequency axis. Those who listen
/// are told of every change.
class View {
  constructor() {
    this.listeners = [];
    this.whole();
  }
  get isWhole() { return this.time[1] - this.time[0] > 0.9999 && this.frequency[1] - this.frequency[0] > 0.9999; }
  whole() { this.show([0, 1], [0, 1]); }
  show(time, frequency) {
    const within = ([low, high], least) => {
      const span = Math.min(Math.max(high - low, least), 1);
      const from = Math.min(Math.max((low + high - span) / 2, 0), 1 - span);
      return [from, from + span];
    };
    this.time = within(time, 0.002);
    this.frequency = within(frequency, 0.02);
    this.listeners.forEach((listener) => listener(this));
  }
  /// Larger by that factor about a point, which stays where it is.
  zoom(factor, time = (this.time[0] + this.time[1]) / 2, frequency = (this.frequency[0] + this.frequency[1]) / 2) {
    const about = ([low, high], at) => [at - (at - low) / factor, at + (high - at) / factor];
    this.show(about(this.time, time), about(this.frequency, frequency));
  }
  /// By shares of what is shown.
  move(time, frequency) {
    const by = ([low, high], share) => {
      const step = Math.min(Math.max(share * (high - low), -low), 1 - high);
      return [low + step, high + step];
    };
    this.show(by(this.time, time), by(this.frequency, frequency));
  }
}

class SpectrogramPlot {
  constructor(sound, palette, view) {
    this.of = sound.spectrogram;
    this.start = sound.start_seconds;
    this.seconds = sound.duration_seconds;
    this.palette = palette;
    this.view = view;
    this.canvas = make("canvas", { "aria-hidden": "true" });
    this.picture = make("div");
    this.over = make("div", { class: "over" });
    this.read = readOut();
    this.image = make("img", { src: this.of.png, alt: "" });
    this.element = make("div", {
      class: "plot image", tabindex: 0, role: "img", "aria-label": this.label(),
      onpointerdown: (event) => this.press(event), onpointermove: (event) => this.move(event),
      onpointerup: (event) => this.release(event), onpointercancel: () => this.cancel(),
      onpointerleave: () => this.point(null), onblur: () => this.point(null),
      ondblclick: () => view.whole(), onkeydown: (event) => this.key(event),
    }, this.picture, this.canvas, this.over, this.read.element);
    this.element.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    view.listeners.push(() => this.draw());
    this.image.decode().then(() => this.draw(), () => this.draw());
    drawnToWidth(this);
  }

  label() {
    const { low_hz, high_hz, floor_db, ceiling_db } = this.of;
    return `Spectrogram, ${duration(this.seconds)}, ${hertz(low_hz)} to ${hertz(high_hz)}, levels from ` +
      `${decibels(floor_db)} to ${decibels(ceiling_db)}. Plus and minus zoom, arrow keys move, 0 shows all.`;
  }

  draw() {
    const width = this.element.clientWidth;
    if (width === 0) return;
    const area = this.area = plotArea(width, tall(width < 500 ? 310 : 430));
    const { time, frequency } = this.view, octaves = axisOf("hz", this.of.low_hz, this.of.high_hz);
    this.x = axisOf("time", this.start + time[0] * this.seconds, this.start + time[1] * this.seconds);
    this.y = axisOf("hz", octaves.value(frequency[0]), octaves.value(frequency[1]));
    this.picture.innerHTML = `<svg viewBox="0 0 ${width} ${area.tall}" aria-hidden="true">` +
      axesMarkup(area, this.x, this.y, { x: timeTitle(this.x), y: "Hz" }) + `</svg>`;
    const share = (part, whole) => `${(100 * part) / whole}%`;
    Object.assign(this.canvas.style, {
      left: share(area.left, area.all), width: share(area.width, area.all),
      top: share(area.top, area.tall), height: share(area.height, area.tall),
    });
    const ratio = Math.max(window.devicePixelRatio || 1, 1);
    this.canvas.width = Math.round(area.width * ratio);
    this.canvas.height = Math.round(area.height * ratio);
    const { columns, rows } = this.of, context = this.canvas.getContext("2d");
    const cells = [(time[1] - time[0]) * columns, (frequency[1] - frequency[0]) * rows];
    // Who zooms wants to see the cells; smaller ones would be of uneven sizes.
    context.imageSmoothingEnabled = this.view.isWhole || this.canvas.width / cells[0] < 3;
    context.imageSmoothingQuality = "high";
    if (this.image.naturalWidth > 0)
      context.drawImage(this.image, time[0] * columns, (1 - frequency[1]) * rows, cells[0], cells[1],
        0, 0, this.canvas.width, this.canvas.height);
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

  /// Shares of the plot under the pointer, clamped to it.
  place(event) {
    const box = this.canvas.getBoundingClientRect(), clamp = (v) => Math.min(Math.max(v, 0), 1);
    return { x: clamp((event.clientX - box.left) / box.width), y: clamp(1 - (event.clientY - box.top) / box.height) };
  }

  /// The same as shares of the whole sound.
  inSound({ x, y }) {
    const at = ([low, high], share) => low + share * (high - low);
    return [at(this.view.time, x), at(this.view.frequency, y)];
  }

  point(place) {
    if (!place || !this.area || this.image.naturalWidth === 0) {
      this.over.replaceChildren();
      this.read.hide();
      return;
    }
    const { left, top, width, height, all, tall } = this.area;
    const x = left + place.x * width, y = top + (1 - place.y) * height;
    const band = this.from
      ? `<rect class="band" x="${left + Math.min(place.x, this.from.x) * width}" y="${top + (1 - Math.max(place.y, this.from.y)) * height}"` +
        ` width="${Math.abs(place.x - this.from.x) * width}" height="${Math.abs(place.y - this.from.y) * height}"/>` : "";
    this.over.innerHTML = `<svg viewBox="0 0 ${all} ${tall}">${band}<path class="cross" d="M${x},${top}v${height}M${left},${y}h${width}"/></svg>`;
    const [time, frequency] = this.inSound(place), level = this.level(time, frequency);
    const text = level === null ? `below ${decibels(this.of.floor_db)}` : decibels(level);
    this.read.show(`${duration(this.x.value(place.x), 3)} \u00b7 ${hertz(this.y.value(place.y))} \u00b7 ${text}`, x, y, all);
  }

  press(event) {
    if (event.button !== 0) return;
    this.from = this.place(event);
    this.element.setPointerCapture(event.pointerId);
  }
  move(event) { this.point(this.place(event)); }
  release(event) {
    const from = this.from, to = this.place(event);
    this.cancel();
    if (!from || Math.abs(from.x - to.x) * this.area.width < 6) return;
    // A flat band is of all the frequencies that are shown.
    const flat = Math.abs(from.y - to.y) * this.area.height < 12;
    const a = this.inSound({ x: Math.min(from.x, to.x), y: flat ? 0 : Math.min(from.y, to.y) });
    const b = this.inSound({ x: Math.max(from.x, to.x), y: flat ? 1 : Math.max(from.y, to.y) });
    this.view.show([a[0], b[0]], [a[1], b[1]]);
  }
  cancel() {
    this.from = null;
    this.point(null);
  }

  /// The page scrolls as ever, until the picture is clicked or a key says otherwise.
  wheel(event) {
    if (!(event.ctrlKey || event.metaKey || document.activeElement === this.element)) return;
    if (this.view.isWhole && event.deltaY > 0) return;
    event.preventDefault();
    const place = this.place(event);
    if (event.shiftKey) this.view.move(Math.sign(event.deltaY || event.deltaX) * 0.1, 0);
    else this.view.zoom(event.deltaY < 0 ? 1.25 : 0.8, ...this.inSound(place));
    this.point(place);
  }

  key(event) {
    const act = {
      "+": () => this.view.zoom(1.5), "=": () => this.view.zoom(1.5), "-": () => this.view.zoom(1 / 1.5),
      "0": () => this.view.whole(), Escape: () => this.view.whole(),
      ArrowLeft: () => this.view.move(-0.1, 0), ArrowRight: () => this.view.move(0.1, 0),
      ArrowUp: () => this.view.move(0, 0.1), ArrowDown: () => this.view.move(0, -0.1),
    }[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && this.view.isWhole) return;
    event.preventDefault();
    event.stopPropagation();
    act();
    this.point({ x: 0.5, y: 0.5 });
  }
}

/// The card of the spectrogram: heading, buttons, picture, and what the colours mean.
function spectrogramCard(sound, palette, view) {
  const plot = new SpectrogramPlot(sound, palette, view);
  const button = (text, label, act) => make("button", { type: "button", "aria-label": label, title: label, onclick: act }, text);
  const all = button("All", "Show all", () => view.whole());
  const update = () => { all.disabled = view.isWhole; };
  view.listeners.push(update);
  update();
  const hex = (color) => `#${color.toString(16).padStart(6, "0")}`;
  const stops = [0, 1, 2, 3, 4, 5, 6, 7, 8].map((i) => hex(palette[Math.round((i * (palette.length - 1)) / 8)]));
  const bar = make("span", { class: "bar" }, decibels(sound.spectrogram.floor_db, ""),
    make("i", { style: `background:linear-gradient(90deg,${stops.join(",")})` }), decibels(sound.spectrogram.ceiling_db));
  const buttons = make("span", { class: "buttons" },
    button("\u2190", "Earlier", () => view.move(-0.25, 0)), button("\u2192", "Later", () => view.move(0.25, 0)),
    button("\u2212", "Zoom out", () => view.zoom(1 / 1.5)), button("+", "Zoom in", () => view.zoom(1.5)), all);
  return card("Spectrogram", [buttons], make("figure", {}, plot.element, make("figcaption", {}, bar,
    make("span", { class: "hint" }, "drag to zoom, double click to see all; click, then wheel, + \u2212 0 and arrow keys"),
    make("span", {}, sound.spectrogram.text))));
}
