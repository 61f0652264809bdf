// Keeps the plots up to date. A plot is drawn again only when it has changed.
import { keepUpToDate, say, words } from "./live.js";

const part = document.getElementById("plots");

const maker = (make) => (name, attributes, ...children) => {
  const made = make(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
};
const html = maker((name) => document.createElement(name));
const svg = maker((name) => document.createElementNS("http://www.w3.org/2000/svg", name));

// Builds the same drawing as the page's template.
function drawing({ title, grid, bars, lines, dots, labels }) {
  return svg("svg", { class: "plot", viewBox: "0 0 720 180", role: "img", "aria-label": title, "font-family": "sans-serif", "font-size": 11 },
    ...grid.flatMap(({ y, text, textY }) => [
      svg("line", { class: "grid", x1: 48, x2: 712, y1: y, y2: y }),
      svg("text", { class: "axis", "text-anchor": "end", x: 42, y: textY }, text)]),
    ...bars.map(({ series, x, y, width, height, hover }) =>
      svg("rect", { class: `bar ${series}`, x, y, width, height }, svg("title", {}, hover))),
    ...lines.map(({ series, path }) => svg("path", { class: `line ${series}`, d: path })),
    ...dots.map(({ series, x, y, hover }) =>
      svg("circle", { class: `dot ${series}`, cx: x, cy: y, r: 3 }, svg("title", {}, hover))),
    ...labels.map(({ x, text, anchor }) => svg("text", { class: "axis", "text-anchor": anchor, x, y: 172 }, text)));
}

function legend(entries) {
  return html("ul", { class: "legend" }, ...entries.map(({ series, name, total }) => html("li", {},
    html("span", { class: `swatch ${series}`, "aria-hidden": "true" }), html("bdi", {}, name), total ? `: ${total}` : "")));
}

function figure(plot) {
  const made = html("figure", { class: "card", "data-version": plot.version },
    html("figcaption", {}, html("h2", {}, plot.title)));
  if (plot.isEmpty) made.append(html("p", { class: "muted" }, part.dataset.empty));
  else made.append(drawing(plot), legend(plot.legend));
  return made;
}

keepUpToDate(part, ({ plots = [], figures = [] }) => {
  say(words.working);
  const shown = document.querySelectorAll(".figures dd");
  figures.forEach(({ figure, figureLink }, index) => {
    shown[index]?.replaceChildren(figureLink ? html("a", { href: figureLink }, figure) : figure);
  });
  plots.forEach((plot, index) => {
    const old = part.children[index];
    if (old?.dataset.version === plot.version) return;
    if (old) old.replaceWith(figure(plot));
    else part.append(figure(plot));
  });
});
