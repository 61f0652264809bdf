// Keeps a part of a page up to date: asks the server again and again for what is new, while somebody can see it.
const longest = 60_000;
const state = document.getElementById("liveState");
const button = document.getElementById("livePause");

// What the page can say, in its language.
export const words = state.dataset;

// The status is read out whenever it changes, so it does not change all the time.
export function say(text) {
  if (state.textContent !== text) state.textContent = text;
}

// The part says what to ask (data-live, data-mark) and how often in seconds (data-every), and where the page itself is (data-again).
// `take` shows what is new, and hears whether the server could not be reached before.
export function keepUpToDate(part, take) {
  const usual = Number(part.dataset.every) * 1000;
  let mark = part.dataset.mark;
  let wait = usual;
  let timer = null;
  let asking = null;
  let isPaused = false;
  let isOver = false;

  // No more requests: whoever is to see the page loads it again, and signs in where that is needed.
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
    // The part stands still under whoever is in it with the keyboard.
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
