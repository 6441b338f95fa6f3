// A folder: a table of sounds with pictures, to sort and to search.

const galleryColumns = [
  { key: "name", text: "Name" },
  { key: "duration_seconds", text: "Duration", show: (v) => duration(v) },
  { key: "level_dbfs", text: "Level", show: (v) => decibels(v) },
  { key: "peak_dbfs", text: "Peak", show: (v) => decibels(v) },
  { key: "integrated_lufs", text: "LUFS", show: (v) => (v === null ? "\u2013" : v.toFixed(1)) },
  { key: "peak_hz", text: "Strongest", show: hertz },
  { key: "centroid_hz", text: "Centroid", show: hertz },
  { key: "flatness", text: "Flatness", show: (v) => (v === null ? "\u2013" : v.toPrecision(2)) },
  { key: "rate_hz", text: "Rate", show: (v) => `${+(v / 1000).toPrecision(4)} kHz` },
];

/// Compares two rows by a column; missing values come last in either order.
function compared(a, b, key, sign) {
  const [x, y] = [a.figures[key], b.figures[key]];
  if (x === null || y === null) return (x === null) - (y === null);
  return sign * (key === "name" ? x.localeCompare(y, undefined, { numeric: true }) : x - y);
}

class Gallery {
  constructor(index, part) {
    this.sort = { key: "name", sign: 1 };
    this.rows = index.sounds.map((figures, i) => ({ figures, i, row: null }));
    // Pictures are made when they come near what is looked at.
    const show = (image) => {
      if (!image.src) image.src = part(+image.dataset.part).spectrogram.png;
    };
    this.seen = new IntersectionObserver((entries) => entries.forEach((entry) => {
      if (!entry.isIntersecting) return;
      show(entry.target);
      this.seen.unobserve(entry.target);
    }), { rootMargin: "300px" });
    this.filter = make("input", { type: "search", placeholder: "Filter by name", "aria-label": "Filter by name", oninput: () => this.draw() });
    this.count = make("span", { class: "soft", role: "status" });
    this.heads = galleryColumns.map((column) => make("th", { scope: "col", class: column.show ? "number" : undefined },
      make("button", { type: "button", onclick: () => this.sortBy(column.key) }, column.text)));
    this.body = make("tbody");
    this.element = make("div", {}, make("section", { class: "card", "aria-label": "Sounds" },
      make("div", { class: "tools" }, this.filter, this.count),
      make("table", { class: "gallery" }, make("thead", {}, make("tr", {}, make("th", { class: "thumb", scope: "col" }, "Spectrogram"), ...this.heads)), this.body)), this.failures(index.failures));
    for (const each of this.rows) each.row = this.row(each);
    window.addEventListener("beforeprint", () => this.body.querySelectorAll("img").forEach(show));
    this.draw();
  }

  failures(all) {
    if (all.length === 0) return null;
    return card(`Not shown: ${all.length}`, [], make("ul", { class: "failures" }, ...all.map((text) => make("li", {}, text))));
  }

  row({ figures, i }) {
    const image = make("img", { alt: "", "data-part": i });
    this.seen.observe(image);
    const address = `#sound-${i + 1}`;
    return make("tr", { onclick: (event) => { if (!event.target.closest("a")) location.hash = address; } },
      make("td", { class: "thumb" }, image),
      ...galleryColumns.map(({ key, text, show }) => (show
        ? make("td", { class: "number", "data-label": text }, show(figures[key]))
        : make("td", {}, make("a", { href: address }, figures[key])))));
  }

  sortBy(key) {
    this.sort = { key, sign: this.sort.key === key ? -this.sort.sign : 1 };
    this.draw();
  }

  draw() {
    const wanted = this.filter.value.trim().toLowerCase(), { key, sign } = this.sort;
    const shown = this.rows.filter(({ figures }) => figures.name.toLowerCase().includes(wanted));
    shown.sort((a, b) => compared(a, b, key, sign) || a.i - b.i);
    this.order = shown.map(({ i }) => i);
    this.body.replaceChildren(...shown.map(({ row }) => row));
    this.heads.forEach((head, c) => {
      if (galleryColumns[c].key === key) head.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
      else head.removeAttribute("aria-sort");
    });
    const seconds = shown.reduce((sum, { figures }) => sum + figures.duration_seconds, 0);
    this.count.textContent = `${shown.length === this.rows.length ? "" : `${shown.length} of `}${this.rows.length} ` +
      `sound${this.rows.length === 1 ? "" : "s"}, ${duration(seconds, 0)}`;
  }
}
