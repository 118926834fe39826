// Other metrics for the map of threads and for the picture of the ring.

function colour_map() {
  const at = place("heat-choices");
  if (!at) return;
  const fields = document.querySelectorAll("#heat rect");
  choice(at, "Colour:", run.heat.map((m) => m.name + ", " + m.meaning), (n) => {
    const m = run.heat[n], most = strongest(m.values);
    fields.forEach((f, k) => {
      const v = m.values[k];
      f.setAttribute("fill-opacity", strength(v, most).toFixed(3));
      f.firstChild.textContent = f.firstChild.textContent.replace(/:.*/, ": " + (v === null ? "none" : Number.isInteger(v) ? exact(v) : four(v)));
    });
    place("heat-said").textContent = m.name + ": " + m.meaning + "; the strongest colour: " + four(most) + " and above";
  });
}

const channels = ["data", "addresses", "acknowledgements"];

function colour_ring() {
  const at = place("ring-choices");
  if (!at) return;
  const links = document.querySelectorAll("#ring-picture path.load"), tiles = document.querySelectorAll("#ring-picture rect.heat");
  choice(at, "Links: the rings for", channels, (c) => {
    const loads = run.ring.loads.map((l) => l[c]), most = Math.max(...loads);
    links.forEach((l, n) => l.setAttribute("stroke-width", (loads[n] > 0 ? 0.5 + 7.5 * loads[n] / most : 0).toFixed(2)));
    place("ring-said").textContent = "The widest link carries " + four(most) + " % of what it can.";
  });
  choice(at, "Tiles:", run.ring.tiles.map((m) => m.name), (n) => {
    const m = run.ring.tiles[n], most = strongest(m.values);
    tiles.forEach((t, k) => t.setAttribute("fill-opacity", strength(m.values[k], most).toFixed(3)));
    place("tiles-said").textContent = "Tiles: " + m.name + "; the strongest colour: " + four(most) + " and above.";
  });
}
