// What the clocks of cores and threads were used for, as stacked bars.

function draw_stacks() {
  const at = place("stack-charts"), s = run.stack;
  if (!at || s.cores.length === 0) return;
  const choices = add(at, "div", "choices"), grid = add(at, "div");
  // Clocks, in percent or per instruction.
  const value = (row, part, unit) => (unit === 0 ? 100 * row.clocks[part] / sum(row.clocks)
    : row.instructions && part !== s.halted ? row.clocks[part] / row.instructions : 0);
  // A few bars lie, many stand.
  const most_lying = 16;
  const draw = (title, parts, bars) => {
    add(grid, "h3", "", title);
    const lying = bars <= most_lying, names = lying ? "y" : "x";
    const made = chart(grid, true, title, {
      type: "bar",
      data: { labels: [], datasets: parts.map((p) => ({ label: s.parts[p], part: p, data: [], backgroundColor: colour("s" + s.colours[p]),
        maxBarThickness: 46, categoryPercentage: 0.92, barPercentage: 0.96 })) },
      options: {
        indexAxis: names,
        scales: { [names]: { stacked: true, grid: { display: false } },
          [lying ? "x" : "y"]: axis("", { stacked: true, beginAtZero: true, ticks: { callback: short, align: lying ? "inner" : "center" } }) },
        interaction: { mode: "index", axis: names, intersect: false },
        plugins: {
          legend: { position: "right", reverse: true },
          tooltip: { itemSort: (a, b) => b.datasetIndex - a.datasetIndex, callbacks: { label: (i) => {
            const row = i.chart.rows[i.dataIndex], n = row.clocks[i.dataset.part];
            return i.dataset.label + ": " + exact(n) + " clocks, " + four(lying ? i.parsed.x : i.parsed.y) + (unit === 0 ? " %" : " per instruction");
          } } },
        },
      },
    });
    if (lying) made.canvas.parentNode.style.height = Math.max(70 + 26 * bars, 170) + "px";
    made.values = lying ? "x" : "y";
    return made;
  };
  let unit = 0, threads_of = 0, sorted = 0;
  const fill = (c, rows) => {
    c.rows = rows.slice();
    const first = (r) => sum(c.data.datasets.map((d) => (d.part === s.halted ? 0 : value(r, d.part, unit))));
    if (sorted === 1) c.rows.sort((a, b) => first(b) - first(a));
    c.data.labels = c.rows.map((r) => r.name);
    c.data.datasets.forEach((d) => { d.data = c.rows.map((r) => value(r, d.part, unit)); });
    c.options.scales[c.values].max = unit === 0 ? 100 : undefined;
    c.options.scales[c.values].title = { display: true, text: unit === 0 ? "% of the run's clocks" : "clocks per instruction" };
    c.update();
  };
  const few = s.threads.length <= 32, core_names = [...new Set(s.threads.map((t) => t.core))];
  const cores = draw("Cores", s.core_parts, s.cores.length);
  const threads = draw("Threads", s.thread_parts, few ? s.threads.length : 4);
  const update = () => {
    fill(cores, s.cores);
    fill(threads, few ? s.threads : s.threads.filter((t) => t.core === core_names[threads_of]));
  };
  choice(choices, "Bars:", ["share of the clocks", "clocks per instruction"], (n) => { unit = n; update(); });
  choice(choices, "Order:", ["by number", "longest first"], (n) => { sorted = n; update(); });
  if (!few) {
    // The core that executed most.
    const most = s.cores.reduce((a, b) => (b.instructions > a.instructions ? b : a)).core;
    choice(choices, "Threads of core", core_names, (n) => { threads_of = n; update(); }, core_names.indexOf(most));
  }
}
