// data-chart: draws what the table behind it says, with uPlot (loaded before this file). Time on x where cells are dates.
const styleOf = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const SERIES = ["--v-accent", "--v-partly-false", "--v-altered", "--v-true", "--v-ink-3"];
const plots = new Map();

/** The colour a variable resolves to now: uPlot paints on a canvas, which knows no light-dark(). */
function colour(name) {
  const probe = document.createElement("span");
  probe.hidden = true;
  document.body.append(probe);
  probe.style.color = styleOf(name);
  const resolved = getComputedStyle(probe).color;
  probe.remove();
  return resolved;
}

function read(figure) {
  const table = figure.querySelector("table");
  const labels = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
  const rows = [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.dataset.value));
  const dates = rows.length > 0 && Number.isNaN(Number(rows[0][0]));
  const x = rows.map((row) => (dates ? Date.parse(row[0]) / 1000 : Number(row[0])));
  const series = labels.slice(1).map((_, i) => rows.map((row) => (row[i + 1] === "" ? null : Number(row[i + 1]))));
  return { labels, dates, data: [x, ...series] };
}

function draw(figure) {
  const canvas = figure.querySelector(".plot-canvas");
  plots.get(figure)?.destroy();
  const { labels, dates, data } = read(figure);
  if (data[0].length < 2) return;
  const bars = figure.dataset.chart === "bars";
  const ink = colour("--v-ink-3");
  const axis = { stroke: ink, grid: { stroke: colour("--v-line"), width: 1 }, ticks: { show: false }, font: "12px Inter" };
  const series = labels.slice(1).map((label, i) => {
    const stroke = colour(SERIES[i % SERIES.length]);
    const fill = stroke.replace("rgb(", "rgba(").replace(")", bars ? ", 0.75)" : ", 0.1)");
    // A dash per series: lines are told apart without colour.
    return { label, stroke, width: 2, fill: bars || i === 0 ? fill : undefined, dash: i ? [8 - i, 3 + i] : undefined,
      paths: bars ? globalThis.uPlot.paths.bars({ size: [0.7, 48] }) : undefined, points: { show: false } };
  });
  plots.set(figure, new globalThis.uPlot(
    { width: canvas.clientWidth, height: 224, scales: { x: { time: dates } }, axes: [axis, { ...axis, size: 56 }],
      series: [{}, ...series], legend: { show: labels.length > 2, live: false } },
    data, canvas));
}

const figures = [...document.querySelectorAll("[data-chart]")];
const drawAll = () => figures.forEach(draw);
drawAll();
new ResizeObserver(drawAll).observe(document.body);
new MutationObserver(drawAll).observe(document.documentElement, { attributeFilter: ["data-bs-theme"] });
