// Performance interrupts: when, and how long from the overflow to the handler.

function draw_interrupts() {
  const at = place("skid-charts"), all = run.interrupts;
  if (!at || all.length === 0) return;
  const choices = add(at, "div", "choices"), grid = add(at, "div", "grid");
  // The time in which they were, and a little more.
  const clocks = all.flatMap((t) => t.kept.map((k) => k[0]));
  const first = clocks.reduce((a, b) => Math.min(a, b)), last = clocks.reduce((a, b) => Math.max(a, b));
  const more = Math.max((last - first) / 50, 10);
  const when = Object.assign(clock_axis("clock of the overflow"), { min: Math.max(first - more, 0), max: last + more });
  const stages = ["local APIC has it", "thread accepts it", "handler's first instruction"];
  const skid = chart(add(grid, "div"), true, "skid", {
    type: "scatter",
    data: { datasets: stages.map((s, n) => ({ label: s, data: [], pointRadius: 2, backgroundColor: colour("l" + n), borderWidth: 0 })) },
    options: {
      over_time: true, parsing: false,
      scales: { x: when, y: axis("clocks after the overflow", { beginAtZero: true }) },
      plugins: { tooltip: { callbacks: { label: (i) =>
        "thread " + i.raw.thread + ", overflow at " + exact(i.raw.x) + ": " + i.dataset.label + " after " + exact(i.raw.y) + " clocks" } } },
    },
  });
  const bins = run.skid_bins;
  chart(add(grid, "div"), true, "histogram of the skid", {
    type: "bar",
    data: { labels: bins.map((b) => b.clocks), datasets: [{ data: bins.map((b) => b.interrupts), backgroundColor: colour("l0"), categoryPercentage: 0.95 }] },
    options: {
      scales: { x: axis("clocks from the overflow to the handler", { ticks: {} }), y: axis("interrupts", { beginAtZero: true }) },
      plugins: { legend: { display: false } },
    },
  });
  if (all.length > 1) {
    const most = strongest(all.flatMap((t) => t.kept.map((k) => k[3]))), heat = colour("heat");
    chart(at, true, "interrupts of all threads", {
      type: "scatter",
      data: { datasets: [{ label: "", pointRadius: all.length > 32 ? 1.5 : 3, borderWidth: 0,
        data: all.flatMap((t, n) => t.kept.map((k) => ({ x: k[0], y: n, clocks: k[3] }))),
        backgroundColor: (c) => {
          const share = c.raw ? Math.round(70 + 185 * strength(c.raw.clocks, most)) : 0;
          return heat + share.toString(16).padStart(2, "0");
        } }] },
      options: {
        over_time: true, parsing: false,
        scales: { x: when, y: { min: -0.5, max: all.length - 0.5, reverse: true,
          title: { display: true, text: "thread" }, ticks: { precision: 0, callback: (v) => (all[v] ? all[v].name : "") } } },
        plugins: { legend: { display: false }, tooltip: { callbacks: { label: (i) =>
          "thread " + all[i.raw.y].name + ", overflow at " + exact(i.raw.x) + ": handler after " + exact(i.raw.clocks) + " clocks" } } },
      },
    });
  }
  const show = (some) => {
    skid.data.datasets.forEach((d, stage) => {
      d.data = some.flatMap((t) => t.kept.map((k) => ({ x: k[0], y: k[stage + 1], thread: t.name })));
    });
    skid.update();
  };
  if (all.length === 1) show(all);
  else choice(choices, "Skid of", ["all threads"].concat(all.map((t) => "thread " + t.name)), (n) => show(n ? [all[n - 1]] : all));
}
