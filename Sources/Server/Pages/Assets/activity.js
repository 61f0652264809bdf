// Keeps the list of the last sign-ins up to date.
import { keepUpToDate, say, words } from "./live.js";

const list = document.getElementById("attempts");
const quiet = 20_000;

let unsaid = 0;
let saidAt = 0;

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const apart = (text, attributes = {}) => element("bdi", attributes, text);

// Builds the same row as the page's template.
function row(attempt) {
  const when = element("time", { datetime: attempt.time.iso }, attempt.time.text);
  const first = element("p", {}, element("a", { href: attempt.attemptLink }, when), " · ", apart(attempt.journey));
  if (attempt.account) first.append(" · ", element("a", { href: attempt.accountLink }, apart(attempt.account)));
  const what = element("div", { class: "what" }, first);
  if (attempt.hasMore) what.append(element("p", { class: "muted" }, "…"));
  what.append(element("ol", { class: "path" }, ...attempt.steps.map((step) => element("li", step.isFault ? { class: "fault" } : {},
    element("span", { title: step.type }, apart(step.node)), " ", element("span", { class: "muted" }, apart(step.outcome))))));
  if (attempt.reason) what.append(element("p", { class: "muted" }, apart(attempt.reason)));
  const end = element("p", {}, element("span", { class: `state ${attempt.kind}` }, attempt.state));
  return element("li", { "data-run": attempt.run, "data-version": attempt.version, "data-at": attempt.at }, what, end);
}

// Returns how many of the attempts are new or changed.
function take(attempts) {
  let count = 0;
  for (const attempt of attempts.toReversed()) {
    const rows = [...list.children];
    const known = rows.find((item) => item.dataset.run === attempt.run);
    if (known?.dataset.version === attempt.version) continue;
    known?.remove();
    const made = row(attempt);
    list.insertBefore(made, rows.find((item) => item !== known && Number(item.dataset.at) <= Number(attempt.at)) ?? null);
    made.dispatchEvent(new CustomEvent("sealring:added", { bubbles: true }));
    count += 1;
  }
  while (list.children.length > Number(list.dataset.most)) list.lastElementChild.remove();
  list.hidden = list.children.length === 0;
  document.getElementById("noAttempts").hidden = !list.hidden;
  return count;
}

function tell(findings) {
  document.getElementById("findings")?.replaceChildren(
    ...findings.map((finding) => element("li", finding.isBad ? { class: "bad" } : {}, finding.text)));
}

function sayNews(count) {
  unsaid += count;
  if (unsaid === 0 || Date.now() - saidAt < quiet) {
    if (saidAt === 0) say(words.working);
    return;
  }
  say(`${words.fresh} ${unsaid}`);
  [unsaid, saidAt] = [0, Date.now()];
}

keepUpToDate(list, (news, wasLost) => {
  if (wasLost) saidAt = 0;
  const count = news.attempts ? take(news.attempts) : 0;
  if (news.findings) tell(news.findings);
  sayNews(count);
});
