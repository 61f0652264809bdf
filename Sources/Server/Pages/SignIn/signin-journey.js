// Runs a journey: asks the server for a step, shows its callbacks, and sends them back filled.
import { draw, touch } from "./signin-callbacks.js";
import { marked, plain } from "./signin-markup.js";
import { destination, journey, post, query, realm, signOut } from "./signin-server.js";
import { failure, language, localized, t } from "./signin-texts.js";
import { busy, button, clear, complain, form, heading, make, output, title } from "./signin-view.js";

// The id in the link to a suspended journey. It is valid once, so starting again begins a new journey.
let suspended = query.get("suspendedId");
// What the page shows now: a step with its controls, or an end.
let page = null;
// The number of the last request. Answers to earlier ones are not shown.
let turn = 0;
let steps = 0;
// What was typed, kept for a restart of the journey; never secrets.
const typed = new Map();
// Who the steps are about, as far as the page knows: the name that was typed first, else the one who is signed in.
let user = document.querySelector("meta[name=sealring-user]").content;
let redrawEnd = null;
const restartButton = document.getElementById("restart");
const person = document.getElementById("person");

export function start(event, complaint = "") {
  leave();
  steps = 0;
  send({}, { first: true, complaint });
}

// Continues after an identity provider, with its answer.
export function resume(saved) {
  send({ authId: saved.step.authId, callbacks: saved.step.callbacks }, { parameters: saved.answer });
}

// Shows the same again in another language.
export function redraw() {
  if (page) show(page.step, true);
  else redrawEnd?.();
}

function leave() {
  page?.end.forEach((end) => end());
  page = null;
  redrawEnd = null;
}

function resource(first, parameters) {
  const choices = new URLSearchParams(parameters);
  choices.set("locale", language);
  if (first && suspended) {
    choices.set("suspendedId", suspended);
    suspended = null;
    // The id is used up: loading the page again begins a new journey.
    history.replaceState(null, "", location.pathname + "?realm=" + encodeURIComponent(realm));
  } else if (first) {
    if (journey) {
      choices.set("authIndexType", "service");
      choices.set("authIndexValue", journey);
    }
    for (const name of ["ForceAuth", "sessionUser"]) {
      if (query.get(name) === "true") choices.set(name, "true");
    }
  }
  return "authenticate?" + choices;
}

async function send(body, { first = false, parameters = "", attempt = 0, complaint = "" } = {}) {
  const mine = ++turn;
  const waits = page?.waits;
  if (!waits) busy(true);
  const address = resource(first, parameters);
  let answer;
  try {
    answer = await post(address, body, "resource=2.1, protocol=1.0");
  } catch {
    if (mine === turn) unreachable(() => send(body, { first, parameters, attempt: attempt + 1, complaint }), attempt);
    return;
  }
  if (mine !== turn) return;
  const { status, json, retryAfter } = answer;
  if (json.authId) {
    show(json);
    if (complaint) complain(complaint);
  }
  else if (status === 200) succeeded(json);
  else if (status === 429 || status === 503) {
    unreachable(() => send(body, { first, parameters, attempt: attempt + 1, complaint }), attempt, retryAfter);
  } else if (["110", "alreadyAnswered"].includes(json.detail?.errorCode)) expired();
  else failed(json.message);
}

// The network is down, or the server is overloaded. A waiting step tries again by itself. What was filled in stays and can be sent again.
function unreachable(again, attempt, seconds) {
  const text = seconds ? t("signIn.tooMany", { seconds }) : t("signIn.unreachable");
  if (page?.waits) {
    complain(t("signIn.tryingAgain"));
    page.retry(again, seconds ?? Math.min(15, 2 ** attempt));
  } else if (page) {
    busy(false);
    page.sent = false;
    complain(text);
  } else {
    end("failure", () => t("signIn.notWorking"), () => {
      complain(text);
      button(t("signIn.startAgain"), start, "");
    });
  }
}

// MARK: Steps

// Whether a step says what the last one did, apart from how long it lasts.
function isSame(old, step) {
  const timeless = (step) => JSON.stringify(
    [step.header, step.description, step.callbacks.map((callback) => [
      callback.type, (callback.output || []).filter((entry) => !isTime(callback, entry)),
    ])]);
  return timeless(old) === timeless(step);
}

const isTime = (callback, entry) =>
  entry.name === "waitTime" || entry.name === "expiresIn" || /SecondsLeft$/.test(output(callback, "id") ?? "");

export function show(step, again = false) {
  if (!again && page?.waits && isSame(page.step, step)) {
    complain("");
    page.sent = false;
    page.step = step;
    page.refresh();
    return;
  }
  const focused = again ? document.activeElement?.id : null;
  leave();
  clear();
  if (!again) {
    steps += 1;
    // The browser's back button then leads to the beginning, and not out of the page.
    if (steps === 2) history.pushState({ journey: true }, "");
    if (steps === 1) refill(step);
  }
  const stage = readStage(step.stage);
  heading(plain(step.header) || standardHeading(step), marked(step.description));
  page = {
    step, user, sent: false, waits: false, button: localized(stage.submitButtonText) || t("signIn.continue"), buttons: 0,
    end: [], refreshers: [], webAuthn: null, outcome: null, timer: null, beforeSend: [],
    submit() {
      if (this.sent) return;
      this.sent = true;
      clearTimeout(this.timer);
      this.beforeSend.forEach((act) => act());
      remember(this.step);
      send({ authId: this.step.authId, callbacks: this.step.callbacks });
    },
    wait(milliseconds) {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.submit(), milliseconds);
    },
    retry(again, seconds) {
      const go = () => {
        removeEventListener("online", go);
        clearTimeout(this.timer);
        if (page === this) again();
      };
      addEventListener("online", go, { once: true });
      this.timer = setTimeout(go, seconds * 1000);
      this.end.push(() => removeEventListener("online", go));
    },
    refresh() { this.refreshers.forEach((act) => act()); },
  };
  page.end.push(() => clearTimeout(page?.timer));
  draw(page);
  form.onsubmit = (event) => {
    event.preventDefault();
    const invalid = form.querySelector(":invalid:not(fieldset)");
    if (invalid) {
      complain(t("signIn.missing"));
      invalid.setAttribute("aria-invalid", "true");
      invalid.focus();
    } else page?.submit();
  };
  if (page.button && !page.buttons) form.append(make("button", { type: "submit", textContent: page.button }));
  const footer = localized(stage.pageFooter);
  if (footer) form.append(make("div", { className: "muted" }, marked(footer)));
  showPerson();
  const place = (focused && document.getElementById(focused)) || form.querySelector("[aria-invalid=true]")
    || form.querySelector("input:not([hidden]), select") || title;
  place.focus();
}

// Shows who the later steps are about, and the way out for somebody else.
function showPerson() {
  const name = steps > 1 ? user : "";
  restartButton.hidden = steps < 2;
  restartButton.textContent = name ? t("signIn.notYou") : t("signIn.startAgain");
  person.hidden = !name;
  person.textContent = name ? t("signIn.asUser", { name }) : "";
}

// A page's stage may be JSON with texts.
function readStage(stage) {
  if (!stage?.startsWith("{")) return {};
  try {
    return JSON.parse(stage) ?? {};
  } catch {
    return {};
  }
}

function standardHeading(step) {
  const types = step.callbacks.map((callback) => callback.type);
  const adds = (callback) => output(callback, "id") === "mfaDeviceRegistration"
    || output(callback, "data")?._action === "webauthn_registration";
  if (step.callbacks.some(adds)) return t("signIn.addDevice");
  if (types.includes("SuspendedTextOutputCallback")) return t("signIn.checkMail");
  if (types.includes("TermsAndConditionsCallback")) return t("signIn.terms");
  return types.every((type) => type === "TextOutputCallback") ? t("signIn.beforeYouGoOn") : t("signIn.signIn");
}

// MARK: What was typed

const remembered = new Set([
  "NameCallback", "ValidatedCreateUsernameCallback", "TextInputCallback", "StringAttributeInputCallback",
  "NumberAttributeInputCallback", "BooleanAttributeInputCallback", "ChoiceCallback",
]);
const place = (callback, index) => [callback.type, output(callback, "name"), index].join(" ");

function remember(step) {
  step.callbacks.forEach((callback, index) => {
    // Only the first step's values are kept: later names may be codes.
    if (steps !== 1 || !remembered.has(callback.type)) return;
    typed.set(place(callback, index), callback.input?.[0]?.value);
    if (callback.type === "NameCallback") user = String(callback.input?.[0]?.value ?? user);
  });
}

function refill(step) {
  step.callbacks.forEach((callback, index) => {
    const value = typed.get(place(callback, index));
    if (value !== undefined && callback.input?.[0]) {
      callback.input[0].value = value;
      touch(callback);
    }
  });
}

// MARK: Ends

function end(kind, text, drawRest, detail) {
  leave();
  const drawEnd = () => {
    clear();
    title.dataset.end = kind;
    heading(text(), detail?.());
    drawRest();
    restartButton.hidden = true;
    person.hidden = true;
    title.focus();
  };
  drawEnd();
  redrawEnd = drawEnd;
}

function succeeded(result) {
  typed.clear();
  const target = result.tokenId ? destination() : null;
  if (target) {
    location.replace(target);
    return;
  }
  end("success", () => t("signIn.done"), () => {
    if (!result.tokenId) return;
    if (query.has("goto")) complain(t("signIn.foreignDestination"));
    const account = document.querySelector("meta[name=sealring-account]")?.content;
    if (account) form.append(make("a", { className: "button", href: account, textContent: t("signIn.myAccount") }));
    button(t("signIn.signOut"), async () => {
      busy(true);
      try {
        await signOut();
        location.reload();
      } catch {
        busy(false);
        complain(t("signIn.unreachable"));
      }
    });
  }, () => (result.tokenId ? t("signIn.signedIn") : t("signIn.endedWell")));
}

const knownFailures = {
  "Login failure": "signIn.refused", "User Locked Out.": "signIn.lockedOut", "Session has timed out": "signIn.expiredText",
};

function failed(message = "") {
  // Most often the name or password is wrong: the form comes again, and says so there.
  if (message === "Login failure" && steps === 1 && page?.step.callbacks.some((callback) => callback.type === "PasswordCallback")) {
    start(null, t("signIn.wrongPassword"));
    return;
  }
  const isLink = message.includes("SuspendedAuthSessionException");
  const key = isLink ? "signIn.linkUsed" : Object.hasOwn(knownFailures, message) ? knownFailures[message] : null;
  end("failure", () => t("signIn.notWorking"), () => {
    complain(key ? t(key) : failure(message) ?? (plain(message) || t("signIn.unreachable")));
    // A journey that could not begin would not begin the next time either.
    if (steps) button(t("signIn.startAgain"), start, "");
    // For the person who is signed in already, the realm's own journey would not do what this one does.
    if (journey && query.get("sessionUser") !== "true") otherWay();
  });
}

// Offers the realm's own journey, with the same destination.
function otherWay() {
  const address = new URL(location.href);
  for (const name of ["service", "authIndexType", "authIndexValue"]) address.searchParams.delete(name);
  form.append(make("a", { className: "button quiet", href: address.href, textContent: t("signIn.ownJourney") }));
}

// The step came too late, or was answered elsewhere. What was typed comes back, except secrets.
function expired() {
  if (page) remember(page.step);
  end("expired", () => t("signIn.expired"), () => {
    complain(t("signIn.expiredText"));
    button(t("signIn.startOver"), start, "");
  });
}

restartButton.onclick = start;
addEventListener("popstate", () => start());
// The browser shows the page again from its cache. The journey may have ended long ago.
addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
