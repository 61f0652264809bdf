// Keeps the list of the last sign-ins up to date: asks the server what is new since the mark that the page has, while somebody can see it.
const list = document.getElementById("attempts");
const state = document.getElementById("liveState");
const button = document.getElementById("livePause");
const words = state.dataset;
const usual = 5_000;
const longest = 60_000;
const quiet = 20_000;

let mark = list.dataset.mark;
let wait = usual;
let timer = null;
let asking = null;
let isPaused = false;
let isOver = false;
let unsaid = 0;
let saidAt = 0;

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const apart = (text, attributes = {}) => element("bdi", attributes, text);

// As the page's template has it.
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

// How many of them the page did not have as they are.
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

// The status is read out whenever it changes, so it does not change all the time.
function say(text) {
  if (state.textContent !== text) state.textContent = text;
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

// No more requests: whoever is to see the page loads it again, and signs in where that is needed.
function end() {
  isOver = true;
  button.hidden = true;
  state.replaceChildren(`${words.ended} `, element("a", { href: list.dataset.again }, words.again));
}

async function ask() {
  timer = null;
  if (isOver || isPaused || document.hidden) return;
  // The list stands still under whoever is in it with the keyboard.
  if (list.contains(document.activeElement)) return later();
  const address = new URL(list.dataset.live, location.href);
  address.searchParams.set("after", mark);
  asking = new AbortController();
  const patience = setTimeout(() => asking?.abort(), 30_000);
  try {
    const answer = await fetch(address, { redirect: "manual", cache: "no-store", signal: asking.signal });
    if (answer.type === "opaqueredirect" || answer.status === 401 || answer.status === 403) return end();
    if (!answer.ok) throw new Error(String(answer.status));
    const news = await answer.json();
    if (wait !== usual) saidAt = 0;
    wait = usual;
    const count = news.attempts ? take(news.attempts) : 0;
    if (news.findings) tell(news.findings);
    mark = news.mark;
    sayNews(count);
  } catch {
    if (document.hidden || isPaused) return;
    wait = Math.min(wait * 2, longest);
    say(words.lost);
  } finally {
    clearTimeout(patience);
    asking = null;
  }
  later();
}

function later(milliseconds = wait) {
  if (timer === null && !isOver && !isPaused && !document.hidden) timer = setTimeout(ask, milliseconds);
}

function stop() {
  clearTimeout(timer);
  timer = null;
  asking?.abort();
}

document.addEventListener("visibilitychange", () => (document.hidden ? stop() : later(0)));
addEventListener("online", () => {
  stop();
  later(0);
});

button.addEventListener("click", () => {
  isPaused = !isPaused;
  button.textContent = isPaused ? words.go : words.pause;
  say(isPaused ? words.paused : words.working);
  if (isPaused) stop();
  else later(0);
});

button.hidden = false;
say(words.working);
later();
