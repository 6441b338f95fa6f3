// A canvas with axes, of which one shows a part: by the wheel, by dragging, by buttons and by keys.

/// The part of a picture that is shown, as shares of time and of the vertical axis. Those who listen
/// are called at every change.
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

/// A plot that a pointer zooms and moves. Subclasses draw: layOut() sets the area and the axes,
/// paint(context, width, height) the pixels, textAt(place) gives the text under the pointer.
class ZoomPlot {
  constructor(view, label, height) {
    this.view = view;
    this.height = height;
    this.canvas = make("canvas", { "aria-hidden": "true" });
    this.picture = make("div");
    this.over = make("div", { class: "over" });
    this.read = readOut();
    this.element = make("div", {
      class: "plot image", tabindex: 0, role: "img", "aria-label": `${label}. Plus and minus zoom, arrow keys move, 0 shows all.`,
      onpointerdown: (event) => this.press(event), onpointermove: (event) => this.move(event),
      onpointerup: (event) => this.release(event), onpointercancel: () => this.cancel(),
      onpointerleave: () => this.point(null), onblur: () => this.point(null),
      ondblclick: () => view.whole(), onkeydown: (event) => this.key(event),
    }, this.picture, this.canvas, this.over, this.read.element);
    this.element.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    view.listeners.push(() => this.draw());
    drawnToWidth(this);
  }

  draw() {
    const width = this.element.clientWidth;
    if (width === 0) return;
    const area = this.area = plotArea(width, tall(this.height(width)), this.left);
    this.picture.innerHTML = `<svg viewBox="0 0 ${width} ${area.tall}" aria-hidden="true">` +
      axesMarkup(area, ...this.layOut()) + `</svg>`;
    const share = (part, whole) => `${(100 * part) / whole}%`;
    Object.assign(this.canvas.style, {
      left: share(area.left, area.all), width: share(area.width, area.all),
      top: share(area.top, area.tall), height: share(area.height, area.tall),
    });
    const ratio = Math.max(window.devicePixelRatio || 1, 1);
    this.canvas.width = Math.round(area.width * ratio);
    this.canvas.height = Math.round(area.height * ratio);
    this.paint(this.canvas.getContext("2d"), this.canvas.width, this.canvas.height);
  }

  /// Shares of the plot under the pointer, clamped to it.
  place(event) {
    const box = this.canvas.getBoundingClientRect(), clamp = (v) => Math.min(Math.max(v, 0), 1);
    return { x: clamp((event.clientX - box.left) / box.width), y: clamp(1 - (event.clientY - box.top) / box.height) };
  }

  /// Maps shares of the visible part to shares of the whole picture.
  inWhole({ x, y }) {
    const at = ([low, high], share) => low + share * (high - low);
    return [at(this.view.time, x), at(this.view.frequency, y)];
  }

  point(place) {
    const shown = place && this.area ? this.textAt(place) : null;
    if (!shown) {
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
    this.read.show(shown, x, y, all);
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
    // A flat band is of all that is shown of the vertical axis.
    const flat = Math.abs(from.y - to.y) * this.area.height < 12;
    const a = this.inWhole({ x: Math.min(from.x, to.x), y: flat ? 0 : Math.min(from.y, to.y) });
    const b = this.inWhole({ x: Math.max(from.x, to.x), y: flat ? 1 : Math.max(from.y, to.y) });
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
    else this.view.zoom(event.deltaY < 0 ? 1.25 : 0.8, ...this.inWhole(place));
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

/// Buttons that move and zoom.
function zoomButtons(view) {
  const button = (text, label, act) => make("button", { type: "button", "aria-label": label, title: label, onclick: act }, text);
  const all = button("All", "Show all", () => view.whole());
  const update = () => { all.disabled = view.isWhole; };
  view.listeners.push(update);
  update();
  return make("span", { class: "buttons" },
    button("\u2190", "Earlier", () => view.move(-0.25, 0)), button("\u2192", "Later", () => view.move(0.25, 0)),
    button("\u2212", "Zoom out", () => view.zoom(1 / 1.5)), button("+", "Zoom in", () => view.zoom(1.5)), all);
}

const zoomHint = () => make("span", { class: "hint" },
  "drag to zoom, double click to see all; click, then wheel, + \u2212 0 and arrow keys");
