// The page's parts, and what every step does to them.
import { t } from "./signin-texts.js";

const main = document.querySelector("main");
export const form = document.getElementById("form");
export const title = document.getElementById("title");
const description = document.getElementById("description");
const message = document.getElementById("message");
const announcer = document.getElementById("announcer");

export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.includes("-") || name === "role") element.setAttribute(name, value);
    else element[name] = value;
  }
  element.append(...children);
  return element;
}

// The value of a callback's output with that name.
export const output = (callback, name) => (callback.output || []).find((entry) => entry.name === name)?.value;

export function heading(text, detail) {
  title.textContent = text;
  document.title = text + " – " + document.querySelector("meta[name=sealring-name]").content;
  description.replaceChildren(detail ?? "");
  description.hidden = !description.textContent;
}

export function busy(isBusy) {
  main.setAttribute("aria-busy", String(isBusy));
  for (const button of form.querySelectorAll("button")) button.disabled = isBusy;
}

export function clear() {
  form.replaceChildren();
  form.onsubmit = (event) => event.preventDefault();
  complain("");
  announce("");
  delete title.dataset.end;
  busy(false);
}

// Shows what is wrong. Screen readers read it at once.
export function complain(text) {
  message.textContent = text;
  message.hidden = !text;
}

// Screen readers read it when they read nothing else.
export function announce(text) { announcer.textContent = text; }

export function note(content, className = "output") {
  const element = make("p", { className }, content);
  form.append(element);
  return element;
}

export function waiting(text) {
  const element = note(text, "waiting");
  element.setAttribute("role", "status");
  return element;
}

// A labelled control with its requirements and faults below it.
export function field(id, label, control, { hints = [], faults = [] } = {}) {
  control.id = id;
  const place = make("div", { className: "field" }, make("label", { htmlFor: id, textContent: label }), control);
  const described = [];
  const add = (className, lines, role) => {
    if (!lines.length) return;
    const list = make("ul", { className, id: id + role }, ...lines.map((line) => make("li", { textContent: line })));
    described.push(list.id);
    place.append(list);
  };
  add("faults", faults, "faults");
  add("hints", hints, "hints");
  if (described.length) control.setAttribute("aria-describedby", described.join(" "));
  if (faults.length) control.setAttribute("aria-invalid", "true");
  form.append(place);
  return control;
}

export function button(text, onclick, className = "quiet") {
  const element = make("button", { type: "button", className, textContent: text, onclick });
  form.append(element);
  return element;
}

// A countdown in its place. Screen readers announce one minute, half a minute and ten seconds.
export class Countdown {
  #element = make("span", { className: "clock", role: "timer" });
  #end = 0;
  #timer = null;
  #last = Infinity;
  #onend;

  constructor(seconds, clock, onend) {
    this.#onend = onend;
    this.clock = clock;
    this.set(seconds);
    this.#timer = setInterval(() => this.#show(), 1000);
    form.append(make("p", { className: "countdown" }, t("signIn.timeLeft") + " ", this.#element));
  }

  // Corrects the end; small differences are the network's.
  set(seconds) {
    const end = Date.now() + seconds * 1000;
    if (Math.abs(end - this.#end) > 2500) this.#end = end;
    this.#show();
  }

  #show() {
    const left = Math.max(0, (this.#end - Date.now()) / 1000);
    this.#element.textContent = this.clock(left);
    for (const mark of [60, 30, 10]) {
      if (this.#last > mark && left <= mark && Number.isFinite(this.#last)) announce(t("signIn.secondsLeft", { seconds: mark }));
    }
    this.#last = left;
    if (left === 0) {
      this.stop();
      this.#onend?.();
    }
  }

  stop() { clearInterval(this.#timer); }
}
