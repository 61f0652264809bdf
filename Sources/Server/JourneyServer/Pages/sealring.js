// Runs a journey: asks the server for a step, shows its callbacks, sends them back filled. Scripts that callbacks carry
// are read for what they ask of WebAuthn; they are never executed.
"use strict";

const query = new URLSearchParams(location.search);
const realm = query.get("realm") || "/";
// Of the link to a suspended journey. It is good once, so that starting again is starting anew.
let suspended = query.get("suspendedId");
const journey = query.get("authIndexValue") || query.get("service");
const form = document.getElementById("form");
const title = document.getElementById("title");
const message = document.getElementById("message");
const description = document.getElementById("description");
let ceremony = null;
let timer = null;

function endpoint(resource) {
  const names = realm.split("/").filter((name) => name && name !== "root").map(encodeURIComponent);
  return "../json/realms/root" + names.map((name) => "/realms/" + name).join("") + "/" + resource;
}

async function post(resource, body, version) {
  const answer = await fetch(endpoint(resource), {
    method: "POST", credentials: "same-origin", cache: "no-store",
    headers: { "Content-Type": "application/json", "Accept-API-Version": version },
    body: JSON.stringify(body),
  });
  const json = await answer.json().catch(() => ({}));
  return { status: answer.status, json };
}

async function send(body, first) {
  busy(true);
  let resource = "authenticate";
  if (first && suspended) {
    resource += "?suspendedId=" + encodeURIComponent(suspended);
    suspended = null;
    // It is used up: loading the page again starts anew.
    history.replaceState(null, "", location.pathname + "?realm=" + encodeURIComponent(realm));
  } else if (first && journey) {
    resource += "?authIndexType=service&authIndexValue=" + encodeURIComponent(journey)
      + (query.get("ForceAuth") === "true" ? "&ForceAuth=true" : "");
  }
  try {
    const { status, json } = await post(resource, body, "resource=2.1, protocol=1.0");
    if (json.authId) show(json);
    else if (status === 200) finished(json);
    else failed(json.message || "The server answered " + status + ".");
  } catch (error) {
    failed("The server cannot be reached.");
  }
}

// Elements

function make(tag, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

// Page headers may hold markup; only their text is shown.
function plain(text) {
  return new DOMParser().parseFromString(text || "", "text/html").body.textContent;
}

function heading(text, detail) {
  title.textContent = text;
  document.title = text + " – Sealring";
  description.textContent = detail || "";
  description.hidden = !detail;
}

function busy(isBusy) {
  document.querySelector("main").setAttribute("aria-busy", String(isBusy));
  for (const button of form.querySelectorAll("button")) button.disabled = isBusy;
}

function clear() {
  clearTimeout(timer);
  if (ceremony) ceremony.abort();
  ceremony = null;
  form.replaceChildren();
  form.onsubmit = (event) => event.preventDefault();
  message.hidden = true;
  delete title.dataset.end;
  busy(false);
}

function complain(text) {
  message.textContent = text;
  message.hidden = !text;
}

// Steps

function output(callback, name) {
  const entry = (callback.output || []).find((entry) => entry.name === name);
  return entry ? entry.value : undefined;
}

function standardHeading(step) {
  const types = step.callbacks.map((callback) => callback.type);
  if (step.callbacks.some((callback) => output(callback, "id") === "mfaDeviceRegistration")) return "Add a device";
  return types.every((type) => type === "TextOutputCallback") ? "Before you go on" : "Sign in";
}

function show(step) {
  clear();
  heading(plain(step.header) || standardHeading(step), plain(step.description));
  let sent = false;
  const submit = () => {
    if (sent) return;
    sent = true;
    send({ authId: step.authId, callbacks: step.callbacks });
  };
  const page = { submit, button: "Continue", buttons: 0, webAuthn: null, outcome: null };
  for (const [index, callback] of step.callbacks.entries()) {
    const input = (callback.input || [])[0];
    const set = (value) => { if (input) input.value = value; };
    const draw = drawings[callback.type];
    if (draw) draw(callback, { id: "IDToken" + (index + 1), set, page });
    else if (input) note("This step needs an app that knows " + callback.type + ".");
  }
  form.onsubmit = (event) => {
    event.preventDefault();
    const invalid = form.querySelector(":invalid");
    if (invalid) {
      complain("Fill in what is missing.");
      invalid.focus();
    } else submit();
  };
  if (page.webAuthn && page.outcome) run(page);
  else if (page.button && !page.buttons) form.append(make("button", { type: "submit", textContent: page.button }));
  (form.querySelector("input, select") || title).focus();
}

function note(text, className = "output") {
  const element = make("p", { className, textContent: text });
  form.append(element);
  return element;
}

function field(id, label, control) {
  control.id = id;
  form.append(make("div", {}, make("label", { htmlFor: id, textContent: label }), control));
  return control;
}

function entry(type, autocomplete) {
  return (callback, { id, set }) => {
    const label = output(callback, "prompt") || "Answer";
    const control = field(id, label, make("input", { type, autocomplete, required: true, spellcheck: false }));
    control.autocapitalize = "none";
    control.oninput = () => set(control.value);
    for (const failure of output(callback, "failedPolicies") || []) complain(policy(failure));
  };
}

function policy(failure) {
  try {
    return "Not accepted: " + JSON.parse(failure).policyRequirement + ".";
  } catch (error) {
    return String(failure);
  }
}

const drawings = {
  NameCallback: entry("text", "username webauthn"),
  ValidatedCreateUsernameCallback: entry("text", "username"),
  PasswordCallback: entry("password", "current-password"),
  ValidatedCreatePasswordCallback: entry("password", "new-password"),
  TextInputCallback: entry("text", "off"),
  StringAttributeInputCallback: entry("text", "off"),

  ChoiceCallback(callback, { id, set }) {
    const control = make("select", {});
    (output(callback, "choices") || []).forEach((choice, index) => control.append(new Option(choice, index)));
    control.value = output(callback, "defaultChoice") || 0;
    set(Number(control.value));
    field(id, output(callback, "prompt") || "Choice", control).onchange = () => set(Number(control.value));
  },

  ConfirmationCallback(callback, { set, page }) {
    page.buttons += page.outcome ? 0 : 1;
    (output(callback, "options") || []).forEach((option, index) => {
      const button = make("button", { type: "button", className: "quiet", textContent: option });
      button.onclick = () => {
        set(index);
        page.submit();
      };
      form.append(button);
    });
  },

  TextOutputCallback(callback, { page }) {
    const text = output(callback, "message") || "";
    if (String(output(callback, "messageType")) !== "4") {
      const isList = text.includes("\n") && text.split("\n").every((line) => /^[A-Z0-9-]+$/.test(line));
      if (isList) note("These codes stand in for your device, each once. Keep them where you find them without it.");
      note(text, isList ? "output codes" : "output");
    } else if (text.includes("navigator.credentials.")) page.webAuthn = fromScript(text);
  },

  MetadataCallback(callback, { page }) {
    const data = output(callback, "data") || {};
    if (data._type === "WebAuthn") page.webAuthn = fromMetadata(data);
  },

  HiddenValueCallback(callback, { set, page }) {
    const id = output(callback, "id");
    if (id === "webAuthnOutcome") page.outcome = set;
    else if (id === "mfaDeviceRegistration") {
      const uri = output(callback, "value") || "";
      const picture = make("img", { className: "enrolment", alt: "QR code to scan with the authenticator app", hidden: true });
      form.append(picture);
      draw(uri, picture);
      form.append(make("a", { href: uri, textContent: "Open in the authenticator app on this device" }));
      form.append(make("details", { open: isAddressOpen, ontoggle: (event) => { isAddressOpen = event.target.open; } },
        make("summary", { textContent: "Show the address" }),
        make("p", { className: "output codes", textContent: uri })));
    } else if (id === "pushChallengeNumber") {
      note(output(callback, "value"), "number");
    }
  },

  PollingWaitCallback(callback, { page }) {
    page.button = null;
    note(plain(output(callback, "message")) || "Waiting …", "waiting").setAttribute("role", "status");
    timer = setTimeout(page.submit, Number(output(callback, "waitTime")) || 5000);
  },

  // A browser has no bound key: the journey goes on with what else it offers, if anything.
  DeviceSigningVerifierCallback(callback, { page }) {
    const input = (callback.input || []).find((input) => /clientError$/.test(input.name));
    if (input) input.value = "Unsupported";
    page.button = null;
    note("Looking for another way to confirm …", "waiting").setAttribute("role", "status");
    timer = setTimeout(page.submit, 0);
  },

  // A browser says what it says of itself anyway. Where it is, it is not asked, and it keeps no identifier.
  DeviceProfileCallback(callback, { set }) {
    note(plain(output(callback, "message")) || "The name of your browser, its language and its time zone are sent.");
    const metadata = {
      platform: { locale: navigator.language, timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone },
      browser: { userAgent: navigator.userAgent.slice(0, 512) },
    };
    set(JSON.stringify(output(callback, "metadata") ? { metadata } : {}));
  },

  SuspendedTextOutputCallback(callback) { note(plain(output(callback, "message"))); },
};

// The last address that was drawn: a step that waits comes again and again.
let drawn = { uri: null, source: null };
let isAddressOpen = false;

async function draw(uri, picture) {
  if (drawn.uri !== uri) {
    try {
      const answer = await fetch("qr", {
        method: "POST", credentials: "omit", cache: "no-store",
        headers: { "Content-Type": "application/json", "X-Requested-With": "XMLHttpRequest" },
        body: JSON.stringify({ uri }),
      });
      if (!answer.ok) return;
      drawn = { uri, source: "data:image/svg+xml," + encodeURIComponent(await answer.text()) };
    } catch (error) {
      return;
    }
  }
  picture.src = drawn.source;
  picture.hidden = false;
}

// WebAuthn

function bytes(base64) {
  return Uint8Array.from(atob(base64.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
}

const utf8 = (text) => new TextEncoder().encode(text);
const descriptor = (item) => ({ type: "public-key", id: new Int8Array(item.id) });

function fromMetadata(data) {
  const common = {
    challenge: bytes(data.challenge), timeout: Number(data.timeout), extensions: data.extensions || {},
  };
  if (data._action === "webauthn_registration") {
    return {
      create: {
        ...common,
        rp: { id: data._relyingPartyId || undefined, name: data.relyingPartyName },
        user: { id: utf8(data.userId), name: data.userName, displayName: data.displayName },
        pubKeyCredParams: data._pubKeyCredParams, attestation: data.attestationPreference,
        authenticatorSelection: data._authenticatorSelection,
        excludeCredentials: (data._excludeCredentials || []).map(descriptor),
      },
    };
  }
  return {
    get: {
      ...common, rpId: data._relyingPartyId || undefined, userVerification: data.userVerification,
      allowCredentials: (data._allowCredentials || []).map(descriptor),
    },
  };
}

// Takes the options out of the script that PingAM sends to browsers.
function fromScript(text) {
  const numbers = (list) => Int8Array.from(list.split(",").map(Number));
  const string = (name) => {
    const found = text.match(new RegExp("\\b" + name + ":\\s*(\"(?:[^\"\\\\]|\\\\.)*\")"));
    return found ? JSON.parse(found[1]) : undefined;
  };
  const json = (name) => {
    const found = text.match(new RegExp("\\b" + name + ":\\s*(\\[.*\\]|\\{.*\\}),?\\s*$", "m"));
    return found ? JSON.parse(found[1]) : undefined;
  };
  const credentials = (name) => {
    const found = text.match(new RegExp("\\b" + name + ":\\s*\\[(.*)\\]"));
    const lists = found ? found[1].matchAll(/new Int8Array\(\[([^\]]*)\]\)/g) : [];
    return Array.from(lists, (match) => ({ type: "public-key", id: numbers(match[1]) }));
  };
  const common = {
    challenge: numbers(text.match(/challenge: new Int8Array\(\[([^\]]*)\]\)/)[1]),
    timeout: Number((text.match(/\btimeout: (\d+)/) || [])[1]), extensions: json("extensions") || {},
  };
  if (text.includes("navigator.credentials.create")) {
    const user = text.match(/Uint8Array\.from\(("(?:[^"\\]|\\.)*")/);
    const party = text.match(/\brp: \{([^}]*)\}/)[1];
    const partyID = party.match(/\bid: "([^"]*)"/);
    return {
      create: {
        ...common,
        rp: { id: partyID ? partyID[1] : undefined, name: JSON.parse(party.match(/\bname: ("(?:[^"\\]|\\.)*")/)[1]) },
        user: {
          id: utf8(JSON.parse(user[1])), displayName: string("displayName"),
          name: JSON.parse(text.slice(user.index).match(/\bname: ("(?:[^"\\]|\\.)*")/)[1]),
        },
        pubKeyCredParams: json("pubKeyCredParams"), attestation: string("attestation"),
        authenticatorSelection: json("authenticatorSelection"),
        excludeCredentials: credentials("excludeCredentials"),
      },
    };
  }
  return {
    get: {
      ...common, rpId: string("rpId"), userVerification: string("userVerification"),
      allowCredentials: credentials("allowCredentials"),
    },
  };
}

async function run(page) {
  const waiting = note("Follow what your browser or security key asks.", "waiting");
  waiting.setAttribute("role", "status");
  form.prepend(waiting);
  const current = ceremony = new AbortController();
  let value;
  if (!window.PublicKeyCredential) {
    value = "unsupported";
  } else {
    try {
      value = page.webAuthn.create
        ? registration(await navigator.credentials.create({ publicKey: page.webAuthn.create, signal: current.signal }))
        : assertion(await navigator.credentials.get({ publicKey: page.webAuthn.get, signal: current.signal }));
    } catch (error) {
      value = JSON.stringify({ error: error.name + ":" + error.message });
    }
  }
  // Another button was pressed meanwhile.
  if (current.signal.aborted) return;
  ceremony = null;
  page.outcome(value);
  page.submit();
}

const signed = (buffer) => new Int8Array(buffer).toString();
const text = (buffer) => new TextDecoder().decode(buffer);

function answer(credential, parts) {
  return JSON.stringify({
    authenticatorAttachment: credential.authenticatorAttachment || undefined, legacyData: parts.join("::"),
  });
}

function registration(credential) {
  const response = credential.response;
  return answer(credential, [text(response.clientDataJSON), signed(response.attestationObject), credential.id]);
}

function assertion(credential) {
  const response = credential.response;
  const parts = [
    text(response.clientDataJSON), signed(response.authenticatorData), signed(response.signature), credential.id,
  ];
  if (response.userHandle && response.userHandle.byteLength) parts.push(text(response.userHandle));
  return answer(credential, parts);
}

// Ends

function finished(result) {
  clear();
  const goto = query.get("goto");
  if (result.tokenId && goto) {
    const target = new URL(goto, location.href);
    // Only within this server: elsewhere nobody may send people in its name.
    if (target.origin === location.origin) return location.assign(target);
  }
  title.dataset.end = "success";
  heading("Done", result.tokenId ? "You are signed in." : "The journey has ended well.");
  if (result.tokenId) {
    const button = make("button", { type: "button", className: "quiet", textContent: "Sign out" });
    button.onclick = async () => {
      await post("sessions?_action=logout", {}, "resource=4.0");
      location.reload();
    };
    form.append(button);
  }
  title.focus();
}

function failed(text) {
  clear();
  title.dataset.end = "failure";
  heading("That did not work");
  complain(text === "Login failure" ? "You could not be signed in." : text);
  const button = make("button", { type: "button", textContent: "Start again" });
  button.onclick = () => {
    clear();
    heading("One moment …");
    send({}, true);
  };
  form.append(button);
  title.focus();
}

// Browsers have no passkeys at a numeric address (WebAuthn L3 §5.1.3: the origin's host is a domain).
function adviseOnAddress() {
  if (!/^(127\.|\[::1\]$)/.test(location.hostname)) return;
  const better = new URL(location.href);
  better.hostname = "localhost";
  const note = document.getElementById("address");
  note.append("Passkeys do not work at this address. Use ", make("a", { href: better.href, textContent: better.host }), ".");
  note.hidden = false;
}

adviseOnAddress();
send({}, true);
