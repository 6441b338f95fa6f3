"use strict";

// Elements, numbers as people read them, axes, and plots of curves.

/// An element with attributes, listeners (on...) and children; texts stay texts.
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== null && value !== false)
      element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

const minus = (text) => text.replace(/^-/, "\u2212");
const fixed = (value, digits) => minus(value.toFixed(digits));

/// "1.23 kHz", with as many digits as say something.
function hertz(hz) {
  if (hz === null) return "\u2013";
  if (hz >= 1000) return `${(hz / 1000).toFixed(hz >= 10000 ? 2 : 3)} kHz`;
  return `${hz.toFixed(hz >= 100 ? 1 : 2)} Hz`;
}

function decibels(db, unit = "dBFS") {
  return db === null ? "silent" : `${fixed(db, 1)} ${unit}`;
}

/// "1:02:03.5", or seconds below a minute.
function duration(seconds, digits = 2) {
  if (seconds < 60) return `${seconds.toFixed(digits)} s`;
  return clock(seconds, Math.min(digits, 1));
}

function clock(seconds, digits) {
  const unit = 10 ** digits;
  let rest = Math.round(seconds * unit);
  const part = (rest % (60 * unit)) / unit;
  rest = Math.floor(rest / (60 * unit));
  const tail = part.toFixed(digits).padStart(digits ? digits + 3 : 2, "0");
  if (rest < 60) return `${rest}:${tail}`;
  return `${Math.floor(rest / 60)}:${String(rest % 60).padStart(2, "0")}:${tail}`;
}

/// The least of 1, 2 and 5 times a power of ten that is not below.
function niceStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  for (const factor of [1, 2, 5, 10])
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

function niceTimeStep(least) {
  if (least <= 10) return niceStep(least);
  for (const step of [15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200])
    if (step >= least) return step;
  return 86400 * niceStep(least / 86400);
}

function multiples(low, high, step) {
  const all = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; ++i) all.push(i * step);
  return all;
}

const digitsOf = (step) => Math.max(0, Math.ceil(-Math.log10(step) - 1e-9));

/// Axes of one kind: "linear", "time", "hz" (in octaves) or "log". place() is 0 ... 1, value() its
/// inverse; ticks() are no closer than that share of the axis.
function axisOf(kind, low, high) {
  const logarithmic = kind === "hz" || kind === "log";
  const from = logarithmic ? Math.log(low) : low, span = (logarithmic ? Math.log(high) : high) - from;
  const place = (value) => ((logarithmic ? Math.log(value) : value) - from) / span;
  const value = (at) => (logarithmic ? Math.exp(from + at * span) : from + at * span);
  const linearTicks = (least, text, step = niceStep(least * (high - low))) =>
    multiples(low, high, step).map((at) => ({ at, text: text(at, step) }));
  const ticks = (least) => {
    if (kind === "time") {
      const step = niceTimeStep(least * (high - low));
      const text = (at) => (high < 60 ? fixed(at, digitsOf(step)) : clock(at, digitsOf(step)));
      return linearTicks(least, text, step);
    }
    if (!logarithmic) return linearTicks(least, (at, step) => fixed(at, digitsOf(step)));
    const text = (at) => (kind === "hz" ? (at >= 1000 ? `${+(at / 1000).toPrecision(4)}k` : `${+at.toPrecision(4)}`)
      : at >= 0.001 && at < 100000 ? `${+at.toPrecision(3)}` : at.toExponential(0).replace("e+", "e"));
    if (high / low < 4) return linearTicks(least, text);
    const all = [];
    for (let power = 10 ** Math.floor(Math.log10(low)); power <= high; power *= 10)
      for (const factor of [1, 2, 5]) {
        const at = factor * power;
        if (at < low * 0.999 || at > high * 1.001) continue;
        all.push({ at, text: text(at), major: factor === 1 });
      }
    // Powers of ten first, then what stands clear of them.
    const kept = [];
    for (const tick of [...all.filter((t) => t.major), ...all.filter((t) => !t.major)])
      if (kept.every((k) => Math.abs(place(k.at) - place(tick.at)) >= least * 0.8)) kept.push(tick);
    return kept.sort((a, b) => a.at - b.at);
  };
  return { kind, low, high, place, value, ticks };
}

const escaped = (text) =>
  String(text).replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);

/// The rectangle of a plot in a picture of that size.
function plotArea(width, height, left = width < 500 ? 44 : 56) {
  return { left, top: 22, width: width - left - 14, height: height - 22 - 38, all: width, tall: height };
}

/// The height of a plot, less on paper.
const tall = (height) => (matchMedia("print").matches ? Math.round(height * 0.66) : height);

/// Grid, ticks and labels, as SVG.
function axesMarkup(area, x, y, titles) {
  const { left, top, width, height } = area, bottom = top + height;
  let text = "";
  for (const tick of x.ticks(64 / width)) {
    const at = left + x.place(tick.at) * width;
    text += `<path class="grid" d="M${at.toFixed(1)},${top}V${bottom}"/>` +
      `<path class="tick" d="M${at.toFixed(1)},${bottom}v4"/>` +
      `<text x="${at.toFixed(1)}" y="${bottom + 17}" text-anchor="middle">${escaped(tick.text)}</text>`;
  }
  for (const tick of y.ticks(30 / height)) {
    const at = bottom - y.place(tick.at) * height;
    text += `<path class="grid" d="M${left},${at.toFixed(1)}H${left + width}"/>` +
      `<text x="${left - 8}" y="${(at + 4).toFixed(1)}" text-anchor="end">${escaped(tick.text)}</text>`;
  }
  text += `<rect class="frame" x="${left}" y="${top}" width="${width}" height="${height}"/>`;
  text += `<text x="${left + width / 2}" y="${bottom + 34}" text-anchor="middle">${escaped(titles.x)}</text>`;
  return text + `<text x="0" y="12">${escaped(titles.y)}</text>`;
}

/// The label beside a pointer that reads out the values under it or under the arrow keys' mark.
function readOut() {
  const element = make("output", { class: "read", hidden: true });
  return {
    element,
    show(text, x, y, width) {
      element.textContent = text;
      element.hidden = false;
      const half = element.offsetWidth / 2;
      element.style.left = `${Math.min(Math.max(x, half), width - half)}px`;
      element.style.top = `${Math.max(y, 44)}px`;
    },
    hide() { element.hidden = true; },
  };
}

/// Draws a plot as soon as it is in the page, and again for every other width.
function drawnToWidth(plot) {
  let width = 0;
  const draw = () => {
    if (plot.element.clientWidth === width) return;
    width = plot.element.clientWidth;
    plot.draw();
  };
  setTimeout(draw);
  new ResizeObserver(() => requestAnimationFrame(draw)).observe(plot.element);
}

const timeTitle = (axis) => (axis.high < 60 ? "Time (s)" : axis.high < 3600 ? "Time (m:ss)" : "Time (h:mm:ss)");

/// Curves over one axis. `of`: label, height, titles {x, y}, x {kind, low, high, values}, y {kind,
/// low, high}, curves [{name, values, color, area}], read(index) for the text under the pointer.
class CurvePlot {
  constructor(of) {
    this.of = of;
    this.picture = make("div");
    this.read = readOut();
    this.element = make("div", {
      class: "plot", tabindex: 0, role: "img", "aria-label": of.label,
      onpointermove: (event) => this.pointAt(event.clientX), onpointerleave: () => this.pointAt(null),
      onblur: () => this.pointAt(null), onkeydown: (event) => this.step(event),
    }, this.picture, this.read.element);
    this.at = null;
    this.range = null;
    drawnToWidth(this);
  }

  /// Shows part of the x axis: of a sound that is zoomed.
  zoom(low, high) {
    this.range = [low, high];
    this.draw();
  }

  draw() {
    const width = this.element.clientWidth;
    if (width === 0) return;
    const { x, y, curves, titles } = this.of;
    this.area = plotArea(width, tall(this.of.height));
    this.x = axisOf(x.kind, ...(this.range || [x.low, x.high]));
    this.y = axisOf(y.kind || "linear", y.low, y.high);
    const { left, top, width: w, height: h } = this.area;
    const clip = `clip${CurvePlot.count = (CurvePlot.count || 0) + 1}`;
    const drawn = curves.map((curve) => this.curveMarkup(curve)).join("");
    this.picture.innerHTML = `<svg viewBox="0 0 ${width} ${this.area.tall}" aria-hidden="true">` +
      `<clipPath id="${clip}"><rect x="${left}" y="${top}" width="${w}" height="${h}"/></clipPath>` +
      axesMarkup(this.area, this.x, this.y, { x: x.kind === "time" ? timeTitle(this.x) : titles.x, y: titles.y }) +
      `<g clip-path="url(#${clip})">${drawn}</g>` + (this.of.points ?? []).map((point) => this.pointMarkup(point)).join("") +
      `<g class="mark"></g></svg>`;
    this.mark = this.picture.querySelector(".mark");
  }

  pixel(index, value) {
    const { left, top, width, height } = this.area;
    return [left + this.x.place(this.of.x.values[index]) * width,
      top + height - Math.min(Math.max(this.y.place(value), -0.2), 1.2) * height];
  }

  curveMarkup(curve) {
    let path = "", pen = false, first = null, last = null;
    curve.values.forEach((value, i) => {
      if (value === null || !(this.of.x.values[i] > 0 || this.of.x.kind === "time")) { pen = false; return; }
      const [x, y] = this.pixel(i, value);
      path += `${pen ? "L" : "M"}${x.toFixed(1)},${y.toFixed(1)}`;
      first = first ?? x; last = x; pen = true;
    });
    if (!path) return "";
    const floor = this.area.top + this.area.height;
    const area = curve.area && !path.slice(1).includes("M")
      ? `<path class="area" style="fill:var(${curve.color})" d="${path}L${last.toFixed(1)},${floor}L${first.toFixed(1)},${floor}Z"/>` : "";
    return area + `<path class="curve" style="stroke:var(${curve.color})" d="${path}"/>`;
  }

  pointMarkup({ x, y, color }) {
    const { left, top, width, height } = this.area;
    return `<circle cx="${left + this.x.place(x) * width}" cy="${top + (1 - this.y.place(y)) * height}" r="6" style="fill:var(${color})"/>`;
  }

  /// The value whose x is nearest.
  nearest(value) {
    const { values } = this.of.x, log = this.of.x.kind === "hz" || this.of.x.kind === "log";
    let low = 0, high = values.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (values[middle] <= value) low = middle; else high = middle;
    }
    const near = log ? value * value < values[low] * values[high] : value - values[low] < values[high] - value;
    return near ? low : high;
  }

  pointAt(clientX) {
    if (clientX === null || !this.area) return this.show(null);
    const box = this.picture.getBoundingClientRect();
    const at = (clientX - box.left - this.area.left) / this.area.width;
    return this.show(at < -0.02 || at > 1.02 ? null : this.nearest(this.x.value(Math.min(Math.max(at, 0), 1))));
  }

  step(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1, PageUp: -20, PageDown: 20 }[event.key];
    if (!by || !this.area) return;
    event.preventDefault();
    const last = this.of.x.values.length - 1;
    const start = this.at ?? this.nearest(this.x.value(0.5)) - by;
    this.show(Math.min(Math.max(start + by, 0), last));
  }

  show(index) {
    this.at = index;
    if (!this.mark) return;
    if (index === null) {
      this.mark.replaceChildren();
      this.read.hide();
      return;
    }
    const { top, height } = this.area;
    const [x] = this.pixel(index, 0);
    let text = `<path class="cross" d="M${x.toFixed(1)},${top}v${height}"/>`;
    for (const curve of this.of.curves) {
      if (curve.values[index] === null) continue;
      const [cx, cy] = this.pixel(index, curve.values[index]);
      text += `<circle cx="${cx.toFixed(1)}" cy="${cy.toFixed(1)}" r="3.5" style="fill:var(${curve.color})"/>`;
    }
    this.mark.innerHTML = text;
    this.read.show(this.of.read(index), x, top + 40, this.area.all);
  }
}

/// Names and colours of curves.
function legend(curves) {
  return make("span", { class: "legend" }, ...curves.map((curve) =>
    make("span", {}, make("i", { style: `background:var(${curve.color})` }), curve.name)));
}

/// A card with a heading, what stands beside it, and content.
function card(title, beside, ...content) {
  return make("section", { class: "card", "aria-label": title },
    make("div", { class: "head" }, make("h2", {}, title), ...beside), ...content);
}
