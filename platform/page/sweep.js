// The chart and the table of a sweep. `run` is the data of the page: axes, heads, rows.

const numbers_only = (values) => values.every((v) => v !== "" && Number.isFinite(Number(v)));

// The columns that have a number in each row that has anything.
function charted_columns() {
  const all = [];
  run.heads.forEach((head, n) => {
    const values = run.rows.map((r) => r[n]).filter((v) => v !== null);
    if (n > run.axes.length && head !== "status" && values.length > 0 && values.every((v) => typeof v === "number")) all.push(n);
  });
  return all;
}

// Where each value is a fixed number of times the one before, a linear scale would hide the first ones.
function is_geometric(values) {
  return values.length > 2 && values[0] > 0 && values.slice(2).every((v, n) => Math.abs(v / values[n + 1] - values[1] / values[0]) < 0.01);
}

function draw_chart(at, x, y) {
  const along = run.axes[x], column = x + 1;
  // Axes that advance with x do not make lines of their own.
  const others = run.axes.map((_, n) => n).filter((n) => n !== x && (along.group === "" || run.axes[n].group !== along.group));
  const places = [...new Set(run.rows.map((r) => r[column]))];
  const by_number = numbers_only(places);
  const lines = new Map();
  for (const r of run.rows) {
    const name = others.map((n) => run.axes[n].key + "=" + r[n + 1]).join(" ");
    if (!lines.has(name)) lines.set(name, []);
    lines.get(name).push({ x: by_number ? Number(r[column]) : r[column], y: r[y] });
  }
  if (by_number) lines.forEach((points) => points.sort((a, b) => a.x - b.x));
  const geometric = by_number && is_geometric(places.map(Number));
  const scale = by_number ? { type: geometric ? "logarithmic" : "linear" } : { type: "category", labels: places };
  const shown = by_number ? places.map(Number) : [];
  return chart(at, true, run.heads[y] + " by " + along.key, {
    type: "line",
    data: {
      datasets: [...lines].map(([name, points], n) => ({
        label: name, data: points, borderColor: colour("l" + n % 8), backgroundColor: colour("l" + n % 8),
        borderWidth: 2, clip: false, borderDash: n < 8 ? [] : [6, 3],
        // Earlier lines are drawn above later ones, whose rings show where both are the same.
        pointRadius: 3 + 2 * Math.min(n, 4), pointBackgroundColor: n === 0 ? colour("l0") : "transparent",
      })),
    },
    options: {
      plugins: { legend: { display: others.length > 0 } },
      scales: {
        x: Object.assign({ title: { display: true, text: along.key } }, scale,
          by_number ? { min: Math.min(...shown), max: Math.max(...shown) } : {},
          by_number && shown.length <= 20 ? {
            ticks: { callback: (v) => v.toLocaleString("en-US") },
            afterBuildTicks: (s) => { s.ticks = shown.map((v) => ({ value: v })); },
          } : {}),
        y: axis(run.heads[y], { beginAtZero: true }),
      },
    },
  });
}

function draw_sweep() {
  const at = place("sweep-chart"), columns = charted_columns();
  if (columns.length === 0) return;
  const first = columns.length > 2 ? 2 : 0;
  let drawn, x = 0, y = columns[first];
  const draw = () => {
    if (drawn) drawn.canvas.parentNode.remove(), drawn.destroy();
    drawn = draw_chart(at, x, y);
  };
  const choices = add(at, "div", "choices");
  // The axis with most values is along.
  const size = (n) => new Set(run.rows.map((r) => r[n + 1])).size;
  run.axes.forEach((_, n) => { if (size(n) > size(x)) x = n; });
  choice(choices, "Shown:", columns.map((n) => run.heads[n]), (n) => { y = columns[n]; if (drawn) draw(); }, first);
  choice(choices, "Along:", run.axes.map((a) => a.key), (n) => { x = n; draw(); }, x);
}

// A click on the head of a column sorts by it, a second one the other way round.
function sort_table() {
  const table = place("runs"), body = table.tBodies[0], heads = [...table.tHead.rows[0].cells];
  const rows = [...body.rows];
  let last = 0, down = false;
  const value = (row, n) => run.rows[rows.indexOf(row)][n];
  const before = (a, b) => {
    if (a === null || b === null) return (a === null) - (b === null);
    if (a !== "" && b !== "" && Number.isFinite(Number(a)) && Number.isFinite(Number(b))) return a - b;
    return String(a).localeCompare(String(b), "en");
  };
  heads.forEach((head, n) => head.addEventListener("click", () => {
    down = n === last && !down;
    last = n;
    heads.forEach((h) => h.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    [...rows].sort((a, b) => (down ? -1 : 1) * before(value(a, n), value(b, n))).forEach((r) => body.appendChild(r));
  }));
}

draw_sweep();
sort_table();
document.documentElement.dataset.charts = charts;
