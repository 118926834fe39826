"use strict";
// What the parts of the page share: the data of the run, elements, colours, charts.

const run = JSON.parse(document.getElementById("data").textContent);

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

function place(id) {
  return document.getElementById(id);
}

function add(parent, tag, name, text) {
  const made = document.createElement(tag);
  if (name) made.className = name;
  if (text !== undefined) made.textContent = text;
  parent.appendChild(made);
  return made;
}

// A select box with a label. `names`: what it offers; `chosen(n)` is called now and on each change.
function choice(parent, label, names, chosen, first) {
  const box = add(add(parent, "label", "", label + " "), "select");
  names.forEach((n) => add(box, "option", "", n));
  box.selectedIndex = first || 0;
  box.addEventListener("change", () => chosen(box.selectedIndex));
  chosen(box.selectedIndex);
  return box;
}

const exact = (n) => n.toLocaleString("en-US");
const short = new Intl.NumberFormat("en-US", { notation: "compact", maximumSignificantDigits: 3 }).format;
const four = (n) => Number(n.toPrecision(4)).toLocaleString("en-US", { maximumSignificantDigits: 4 });
const sum = (a) => a.reduce((s, n) => s + n, 0);
// Microseconds of a clock.
const time_of = (clock) => four(clock * 1e6 / run.clock_hz) + " µs";

// What stronger values have too: the 95th percentile, so that one thread does not hide the others.
function strongest(values) {
  const some = values.filter((v) => v > 0).sort((a, b) => a - b);
  return some.length === 0 ? 0 : some[Math.ceil(some.length * 0.95) - 1];
}
const strength = (value, most) => (most > 0 && value > 0 ? Math.min(value / most, 1) : 0);

// The firmware's marks as vertical lines, in charts over time.
const marks = {
  id: "marks",
  afterDatasetsDraw(chart) {
    const x = chart.scales.x, area = chart.chartArea, c = chart.ctx;
    if (!chart.options.over_time) return;
    c.save();
    c.strokeStyle = c.fillStyle = colour("soft");
    c.setLineDash([4, 3]);
    c.font = "10px system-ui, sans-serif";
    let free = -1;
    for (const m of run.marks) {
      const at = x.getPixelForValue(m.clock);
      if (at < area.left || at > area.right) continue;
      c.beginPath();
      c.moveTo(at, area.top);
      c.lineTo(at, area.bottom);
      c.stroke();
      if (at < free) continue;
      c.fillText(m.number, at + 2, area.top + 9);
      free = at + 2 + c.measureText(m.number).width;
    }
    c.restore();
  },
};

Chart.register(marks);
Chart.defaults.animation = false;
Chart.defaults.maintainAspectRatio = false;
Chart.defaults.color = colour("soft");
Chart.defaults.borderColor = colour("line");
Chart.defaults.font.family = "system-ui, sans-serif";
Chart.defaults.font.size = 11;
Chart.defaults.plugins.legend.labels.boxWidth = 12;

function axis(text, options) {
  return Object.assign({ title: { display: text !== "", text: text }, ticks: { callback: short } }, options);
}

function clock_axis(text) {
  return axis(text, { type: "linear", min: 0, max: run.clocks, ticks: { callback: short, maxTicksLimit: 8, includeBounds: false, align: "inner" } });
}

let charts = 0;

function chart(parent, tall, title, config) {
  const box = add(parent, "div", tall ? "chart tall" : "chart");
  const canvas = add(box, "canvas");
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", title + " of " + run.image);
  ++charts;
  return new Chart(canvas, config);
}
