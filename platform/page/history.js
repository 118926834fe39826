// Counters over time: lines for the card or a core; a map of cores and time.

const history_metrics = [
  { name: "instructions per clock of a core", of: (p) => p.instructions / p.clocks / p.cores },
  { name: "clocks per instruction (CPI)", cut: true, of: (p) => (p.instructions ? p.unhalted / p.instructions : null) },
  { name: "L1 data misses per 1000 clocks", of: (p) => 1000 * p.l1 / p.clocks },
  { name: "L2 read misses per 1000 clocks", of: (p) => 1000 * p.l2 / p.clocks },
  { name: "lines from other cores' L2 per 1000 clocks", of: (p) => 1000 * p.remote / p.clocks },
  { name: "threads awake", of: (p) => p.awake / p.clocks },
  { name: "memory, GB/s", card: true, sets: [
    { name: "read", of: (p) => 64e-9 * p.reads * run.clock_hz / p.clocks },
    { name: "written", of: (p) => 64e-9 * p.writes * run.clock_hz / p.clocks }] },
  { name: "ring load, % of the slots for data", card: true,
    of: (p) => 100 * p.ring_busy / p.clocks / run.history.ring_slots },
];

// The pieces of time of one row: the increase of each count.
function pieces(ends, row, cores) {
  return ends.map((to, n) => {
    const p = { from: n ? ends[n - 1] : 0, to: to, cores: cores };
    p.clocks = to - p.from;
    for (const count in row) p[count] = row[count][n];
    return p;
  });
}

function draw_history() {
  const at = place("history-charts"), h = run.history;
  if (!at || h.ends.length === 0) return;
  const choices = add(at, "div", "choices"), grid = add(at, "div", "grid"), drawn = [];
  const card = pieces(h.ends, h.card, h.cores.length);
  const cores = h.cores.map((c) => pieces(h.core_ends, c, 1));
  const lines = (all, of, name, n) => ({
    label: name, stepped: true, pointRadius: 0, borderWidth: 1.3, borderColor: colour("l" + n % 8), backgroundColor: colour("l" + n % 8),
    // A value holds from the beginning of its piece to the end.
    data: all.map((p) => ({ x: p.from, y: of(p) })).concat([{ x: all[all.length - 1].to, y: of(all[all.length - 1]) }]),
  });
  for (const m of history_metrics) {
    const box = add(grid, "div");
    const c = chart(box, false, m.name, {
      type: "line",
      data: { datasets: [] },
      options: {
        over_time: true, parsing: false, normalized: true,
        interaction: { mode: "nearest", axis: "x", intersect: false },
        scales: { x: clock_axis(""), y: axis("", { beginAtZero: true, ticks: { callback: short, maxTicksLimit: 6 } }) },
        plugins: {
          title: { display: true, text: m.name, align: "start", padding: { bottom: 4 }, font: { size: 12.5 }, color: colour("text") },
          legend: { display: false, align: "end" },
          tooltip: { callbacks: {
            title: (items) => (items.length ? "from clock " + exact(items[0].parsed.x) + ", " + time_of(items[0].parsed.x) : ""),
            label: (i) => (i.dataset.label ? i.dataset.label + ": " : "") + four(i.parsed.y) } },
        },
      },
    });
    drawn.push({ metric: m, box: box, chart: c });
  }
  const names = ["the card"].concat(cores.length > 1 && cores.length <= 8 ? ["every core"] : [])
    .concat(cores.length > 1 ? h.cores.map((c, n) => "core " + n) : []);
  choice(choices, "Show", names, (n) => {
    const every = names[n] === "every core", one = n > 0 && !every ? n - (names.length - cores.length) : -1;
    for (const d of drawn) {
      const sets = d.metric.sets || [{ name: "", of: d.metric.of }];
      d.box.hidden = n > 0 && Boolean(d.metric.card);
      if (d.box.hidden) continue;
      d.chart.data.datasets = every
        ? cores.map((c, k) => lines(c, d.metric.of, "core " + k, k))
        : sets.map((s, k) => lines(one < 0 ? card : cores[one], s.of, s.name, k));
      if (d.metric.cut) {
        // A thread that waits for long has a few values that would hide the others.
        const values = d.chart.data.datasets.flatMap((s) => s.data.map((p) => p.y)), most = strongest(values);
        const high = values.reduce((a, b) => Math.max(a, b), 0) > 4 * most;
        d.chart.options.scales.y.max = high ? Number((2 * most).toPrecision(1)) : undefined;
        d.chart.options.plugins.title.text = d.metric.name + (high ? ", higher values are cut" : "");
      }
      d.chart.options.plugins.legend.display = d.chart.data.datasets.length > 1;
      d.chart.update();
    }
  });
  add(choices, "span", "", "across: clocks; dashed: marks of the firmware");
  const awake = cores.map((c, n) => ({ core: n, pieces: c })).filter((c) => c.pieces.some((p) => p.awake));
  if (cores.length > 8) draw_history_map(at, awake);
}

// A row for each core that was ever awake, a column for each piece of time.
function draw_history_map(at, rows) {
  if (rows.length === 0) return;
  const scale = 2, height = scale * Math.max(7, Math.min(24, Math.round(300 / rows.length)));
  add(at, "h3", "", "Cores over time");
  const choices = add(at, "div", "choices"), canvas = add(at, "canvas", "map"), said = add(at, "p", "note");
  const metrics = history_metrics.filter((m) => !m.card);
  canvas.width = 1280 * scale;
  canvas.height = rows.length * height;
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", "cores over time of " + run.image);
  let of, text;
  ++charts;
  choice(choices, "Colour:", metrics.map((m) => m.name), (n) => {
    of = metrics[n].of;
    text = metrics[n].name;
    const most = strongest(rows.flatMap((r) => r.pieces.map(of)));
    const c = canvas.getContext("2d");
    const across = (clock) => Math.round(canvas.width * clock / run.clocks);
    c.clearRect(0, 0, canvas.width, canvas.height);
    c.fillStyle = colour("heat");
    rows.forEach((r, row) => r.pieces.forEach((p) => {
      c.globalAlpha = strength(of(p), most);
      c.fillRect(across(p.from), row * height, across(p.to) - across(p.from), height - scale);
    }));
    said.textContent = "Down: the cores that were awake, " + rows[0].core + " to " + rows[rows.length - 1].core +
      "; across: clocks. The strongest colour: " + four(most) + " and above.";
  });
  canvas.addEventListener("mousemove", (e) => {
    const box = canvas.getBoundingClientRect();
    const row = rows[Math.floor((e.clientY - box.top) / box.height * rows.length)];
    const clock = (e.clientX - box.left) / box.width * run.clocks;
    const piece = row && row.pieces.find((p) => clock <= p.to);
    if (!piece) return;
    const value = of(piece);
    said.textContent = "core " + row.core + ", clocks " + exact(piece.from) + " to " + exact(piece.to) + ": " +
      (value === null ? "no" : four(value)) + " " + text;
  });
}
