// Keeps a part of a page up to date: polls the server for news while the page is visible.
const longest = 60_000;
const state = document.getElementById("liveState");
const button = document.getElementById("livePause");

// The page's texts, in its language.
export const words = state.dataset;

// The status is read out whenever it changes, so it does not change all the time.
export function say(text) {
  if (state.textContent !== text) state.textContent = text;
}

// The part's attributes are the address to ask (data-live, data-mark), the seconds between requests (data-every) and the page's own address
// (data-again). `take` shows the news, and is told whether the server could not be reached before.
export function keepUpToDate(part, take) {
  const usual = Number(part.dataset.every) * 1000;
  let mark = part.dataset.mark;
  let wait = usual;
  let timer = null;
  let asking = null;
  let isPaused = false;
  let isOver = false;

  // Ends the requests. The person loads the page again, and signs in where that is needed.
  function end() {
    isOver = true;
    button.hidden = true;
    const again = document.createElement("a");
    again.href = part.dataset.again;
    again.textContent = words.again;
    state.replaceChildren(`${words.ended} `, again);
  }

  async function ask() {
    timer = null;
    if (isOver || isPaused || document.hidden) return;
    // The part does not change while it has the keyboard focus.
    if (part.contains(document.activeElement)) return later();
    const address = new URL(part.dataset.live, location.href);
    address.searchParams.set("after", mark);
    asking = new AbortController();
    const patience = setTimeout(() => asking?.abort(), 30_000);
    try {
      const answer = await fetch(address, { redirect: "manual", cache: "no-store", signal: asking.signal });
      if (answer.type === "opaqueredirect" || answer.status === 401 || answer.status === 403) return end();
      if (!answer.ok) throw new Error(String(answer.status));
      const news = await answer.json();
      const wasLost = wait !== usual;
      wait = usual;
      take(news, wasLost);
      mark = news.mark;
    } catch {
      if (document.hidden || isPaused) return;
      wait = Math.max(usual, Math.min(wait * 2, longest));
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
}
