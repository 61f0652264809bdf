// The page's texts, in the person's language. The server sends them, with a theme's in their place.

let texts = {};
// The server's messages for which the page has a text of its own, by their wording in the page's language.
let failures = {};
export let language = document.documentElement.lang || "en";

// The text of that name, with {name} replaced by the value of that name.
export function t(key, values = {}) {
  const text = texts[key.slice("signIn.".length)] ?? key;
  return text.replace(/\{(\w+)\}/g, (found, name) => (Object.hasOwn(values, name) ? String(values[name]) : found));
}

export const failure = (message) => (Object.hasOwn(failures, message) ? t("signIn." + failures[message]) : null);

// Loads the texts: of the person's language, or of the one that they choose, which the server then remembers.
export async function load(chosen) {
  const query = new URLSearchParams();
  const theme = document.querySelector("meta[name=sealring-theme]").content;
  if (theme) query.set("theme", theme);
  if (chosen) query.set("lang", chosen);
  const answer = await fetch("texts?" + query, { credentials: "same-origin" });
  if (!answer.ok) throw new Error("no texts: " + answer.status);
  ({ texts, language, failures = {} } = await answer.json());
  document.documentElement.lang = language;
}

// Time that is left, as on a clock.
export function clock(seconds) {
  const rest = Math.max(0, Math.ceil(seconds));
  return Math.floor(rest / 60) + ":" + String(rest % 60).padStart(2, "0");
}

// One of a journey's texts by language, or the text itself.
export function localized(value) {
  if (typeof value === "string") return value;
  if (!value || typeof value !== "object") return "";
  return value[language] ?? value.en ?? Object.values(value)[0] ?? "";
}
