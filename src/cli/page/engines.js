// A run on the accelerator: what each engine did when, and the run under the machine's roofs.

/// A view of the timeline: time is zoomed, the rows of engines always all show.
class TimeView extends View {
  show(time) { super.show(time, [0, 1]); }
}

const laneColors = ["--c0", "--c1", "--c2", "--c3", "--soft", "--accent", "--c4"];

class TimelinePlot extends ZoomPlot {
  constructor(run, view, index) {
    super(view, `Timeline of ${run.lanes.length} engines and queues over ${index.microseconds} microseconds`,
      () => 70 + 22 * run.lanes.length);
    this.run = run;
    this.left = 84;
    this.element.classList.add("lanes");
  }

  layOut() {
    const [from, to] = this.view.time.map((share) => (share * this.run.end_ns) / 1000), { lanes } = this.run;
    this.x = axisOf("linear", from, to);
    const ticks = () => lanes.map((lane, i) => ({ at: lanes.length - 0.5 - i, text: lane.name }));
    return [this.x, { place: (at) => at / lanes.length, ticks }, { x: "Time (us)", y: "" }];
  }

  paint(context, width, height) {
    const { lanes } = this.run, style = getComputedStyle(document.documentElement), row = height / lanes.length;
    const left = this.x.low * 1000, scale = width / ((this.x.high - this.x.low) * 1000);
    lanes.forEach(({ spans, color }, i) => {
      context.fillStyle = style.getPropertyValue(laneColors[color]);
      for (let s = 0; s < spans.length; s += 3) {
        const x = (spans[s] - left) * scale, w = Math.max(spans[s + 1] * scale, 0.5);
        if (x + w >= 0 && x <= width) context.fillRect(x, (i + 0.12) * row, w > 3 ? w - 0.6 : w, row * 0.76);
      }
    });
  }

  /// The last span of a lane that has begun at that time, if it has not ended.
  textAt(place) {
    const lanes = this.run.lanes, at = this.x.value(place.x), ns = at * 1000;
    const lane = lanes[Math.min(Math.floor((1 - place.y) * lanes.length), lanes.length - 1)], { spans } = lane;
    const slack = (2 * (this.x.high - this.x.low) * 1000) / this.area.width;
    let text = "idle";
    for (let s = 0; s < spans.length && spans[s] <= ns + slack; s += 3)
      if (spans[s] + spans[s + 1] + slack >= ns) text = `${this.run.opcodes[spans[s + 2]]}, ${+(spans[s + 1] / 1000).toPrecision(4)} us`;
    return `${+at.toPrecision(6)} us \u00b7 ${lane.name} \u00b7 ${text}`;
  }
}

function timelineCard(run, index) {
  const view = new TimeView(), plot = new TimelinePlot(run, view, index);
  new MutationObserver(() => plot.draw()).observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  const joined = run.joined ? make("span", {}, "a long run: neighbouring instructions lie together") : null;
  return card("Timeline", [zoomButtons(view)], make("figure", {}, plot.element, make("figcaption", {}, zoomHint(), joined)));
}

function rooflineCard(run) {
  const colors = ["--c0", "--c2", "--c3"];
  const curves = run.roofs.map((roof, i) => ({ name: roof.name, values: roof.y, color: colors[i % colors.length] }));
  const point = { x: run.intensity, y: run.tflops, color: "--c1" };
  const all = [...run.roofs.flatMap((roof) => roof.y), run.tflops];
  const plot = new CurvePlot({
    label: `Roofline: ${run.tflops} TFLOP/s at ${run.intensity} FLOP per byte`, height: 440,
    titles: { x: "Operational intensity (FLOP per byte of HBM)", y: "TFLOP/s" },
    x: { kind: "log", low: run.x[0], high: run.x[run.x.length - 1], values: run.x },
    y: { kind: "log", low: Math.min(...all) / 1.3, high: Math.max(...all) * 1.6 }, curves, points: [point],
    read: (i) => `${+run.x[i].toPrecision(3)} FLOP/B \u00b7 at most ${+Math.max(...run.roofs.map((roof) => roof.y[i])).toPrecision(3)} TFLOP/s`,
  });
  return card("Roofline", [legend([...curves, { name: `this run: ${run.tflops} TFLOP/s at ${run.intensity} FLOP/B`, color: "--c1" }])], plot.element);
}

function deviceView(index, run) {
  const verdict = card("Verdict", [], make("p", { class: "verdict" }, index.verdict.trim()));
  return make("div", { class: "sound" }, verdict, index.kind === "timeline" ? timelineCard(run, index) : rooflineCard(run));
}
