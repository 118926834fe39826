// A click on a frame of a flame graph widens it to the whole graph, one on the lowest frame undoes that.

function make_zoomable(graph) {
  const frames = [...graph.querySelectorAll("svg")].map((f) => ({
    at: f, from: parseFloat(f.getAttribute("x")), width: parseFloat(f.getAttribute("width")), y: Number(f.getAttribute("y")),
    text: f.querySelector("text"), name: f.querySelector("title").textContent,
  }));
  const zoom = (to) => {
    for (const f of frames) {
      const caller = f.y > to.y, end = f.from + f.width;
      // Rounded numbers: a callee may begin a little before its caller.
      const inside = f.from >= to.from - 0.002 && end <= to.from + to.width + 0.002;
      const around = caller && f.from <= to.from + 0.002 && end >= to.from + to.width - 0.002;
      f.at.style.display = inside && !caller || around || f === to ? "" : "none";
      f.at.style.opacity = around && f !== to ? "0.5" : "";
      const width = around ? 100 : 100 * f.width / to.width;
      f.at.setAttribute("x", (around ? 0 : 100 * (f.from - to.from) / to.width) + "%");
      f.at.setAttribute("width", width + "%");
      if (!f.text && width >= 1.5) {
        f.text = document.createElementNS("http://www.w3.org/2000/svg", "text");
        f.text.setAttribute("x", "3");
        f.text.setAttribute("y", "13");
        f.text.textContent = f.name.replace(/: \d+ of \d+, .*$/, "");
        f.at.appendChild(f.text);
      }
      if (f.text) f.text.style.display = width >= 1.5 ? "" : "none";
    }
  };
  frames.forEach((f) => f.at.addEventListener("click", () => zoom(f)));
}

function draw_flames() {
  document.querySelectorAll("svg.flame").forEach(make_zoomable);
}
