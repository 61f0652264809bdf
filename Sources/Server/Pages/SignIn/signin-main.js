// The sign-in page: the person's language, then the journey.
import { handOver } from "./signin-desktop.js";
import { redraw, resume, start } from "./signin-journey.js";
import { comeBack } from "./signin-providers.js";
import { language, load, t } from "./signin-texts.js";
import { make } from "./signin-view.js";

// Browsers have no passkeys at a numeric address (WebAuthn L3 §5.1.3: the origin's host is a domain).
function adviseOnAddress() {
  if (!/^(127\.|\[::1\]$)/.test(location.hostname)) return;
  const better = new URL(location.href);
  better.hostname = "localhost";
  const note = document.getElementById("address");
  const [before, after] = t("signIn.numericAddress").split("{link}");
  note.replaceChildren(before, make("a", { href: better.href, textContent: better.host }), after ?? "");
  note.hidden = false;
}

function words() {
  document.getElementById("restart").textContent = t("signIn.startAgain");
  for (const link of document.querySelectorAll("#languages a")) {
    if (link.lang === language) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
  adviseOnAddress();
}

// The page stays: the step continues in the other language, with what was typed.
document.getElementById("languages").addEventListener("click", async (event) => {
  const link = event.target.closest("a[lang]");
  if (!link) return;
  event.preventDefault();
  try {
    await load(link.lang);
  } catch {
    return;
  }
  words();
  redraw();
});

async function begin() {
  try {
    await load();
  } catch {
    // Without texts nothing can be said; the page itself has a sentence.
    document.getElementById("broken").hidden = false;
    return;
  }
  words();
  const saved = comeBack();
  if (saved === null || handOver()) return;
  if (saved) resume(saved);
  else start();
}

begin();
