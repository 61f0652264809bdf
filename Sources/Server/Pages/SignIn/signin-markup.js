import { said } from "./signin-words.js";

// Markup in what journeys say. The browser's parser reads it into a document without scripts and pictures; what is shown is built anew from the
// elements below, so nothing else of it gets into the page.

// The one use of the policy: an inert document.
const policy = window.trustedTypes?.createPolicy("sealring", { createHTML: (text) => text });

const kept = new Set(["B", "STRONG", "I", "EM", "U", "BR", "P", "UL", "OL", "LI", "CODE"]);
const dropped = new Set([
  "SCRIPT", "STYLE", "TEMPLATE", "IFRAME", "OBJECT", "EMBED", "NOSCRIPT", "TITLE", "SVG", "MATH", "TEXTAREA", "SELECT",
]);
const deepest = 16;

function parsed(text) {
  const limited = String(said(text) ?? "").slice(0, 20000);
  return new DOMParser().parseFromString(policy ? policy.createHTML(limited) : limited, "text/html").body;
}

// The text without its markup, on one line.
export const plain = (text) => rebuilt(parsed(text)).textContent.trim();

// The text with what is allowed of its markup.
export const marked = (text) => rebuilt(parsed(text));

function rebuilt(source, depth = 0) {
  const fragment = document.createDocumentFragment();
  for (const node of source.childNodes) {
    if (node.nodeType === Node.TEXT_NODE) fragment.append(node.data);
    else if (node.nodeType === Node.ELEMENT_NODE && depth < deepest && !dropped.has(node.nodeName.toUpperCase())) {
      const inner = rebuilt(node, depth + 1);
      if (kept.has(node.nodeName)) {
        const element = document.createElement(node.nodeName);
        element.append(inner);
        fragment.append(element);
      } else if (node.nodeName === "A" && isSafe(node.getAttribute("href"))) {
        const link = document.createElement("a");
        link.href = node.getAttribute("href");
        link.rel = "noopener noreferrer";
        link.target = "_blank";
        link.append(inner);
        fragment.append(link);
      } else fragment.append(inner);
    }
  }
  return fragment;
}

// Only whole addresses are safe: a relative one would seem to be this server's.
const isSafe = (address) => /^(https:\/\/|mailto:)/i.test(address ?? "");
