// WebAuthn: what a step asks, what the browser's authenticator answers, and passkeys that the browser offers in the name's field.
import { t } from "./signin-texts.js";
import { field, form, make, waiting } from "./signin-view.js";

function bytes(base64) {
  return Uint8Array.from(atob(base64.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
}

const utf8 = (text) => new TextEncoder().encode(text);
const descriptor = (item) => ({ type: "public-key", id: new Int8Array(item.id) });

export function fromMetadata(data) {
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
export function fromScript(text) {
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

// Does what the step asks: at once or, if the page asks for a name, when the person chooses a passkey instead.
export function ceremony(page) {
  const isOffer = page.webAuthn.get && page.name && !page.webAuthn.get.allowCredentials.length;
  if (isOffer) offer(page);
  else if (page.webAuthn.create && window.PublicKeyCredential) naming(page);
  else {
    page.button = null;
    form.prepend(waiting(t("signIn.followBrowser")));
    run(page, page.webAuthn);
  }
}

// Asks for the new passkey's name before it is created, so that nobody leaves the page with a passkey that the server does not know.
function naming(page) {
  const name = field("passkey-name", t("signIn.nameKey"), make("input", {
    type: "text", required: true, maxLength: 120, autocomplete: "off", value: t("signIn.standardKeyName"),
  }), { hints: [t("signIn.nameKeyHint")] });
  const create = make("button", { type: "button", id: "create-passkey", className: "first", textContent: t("signIn.createKey"), onclick: go });
  let isAsked = false;
  function go() {
    if (isAsked || !name.reportValidity()) return;
    isAsked = true;
    name.readOnly = create.disabled = true;
    create.replaceWith(waiting(t("signIn.followBrowser")));
    run(page, page.webAuthn, deviceName(name.value));
  }
  name.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    go();
  });
  form.append(create);
  page.button = null;
}

// Two colons in a row separate the parts of the answer; the server takes no control characters.
const deviceName = (text) => text.replace(/[\p{Cc}]/gu, " ").replace(/:{2,}/g, ":").trim();

// Offers passkeys in the list of names (mediation "conditional"), and by a button. A person who types a name continues without one.
function offer(page) {
  const supported = Boolean(window.PublicKeyCredential);
  const skip = () => page.outcome("unsupported");
  let chosen = false;
  let current = null;
  page.beforeSend.push(() => {
    current?.abort();
    if (!chosen) skip();
  });
  page.end.push(() => current?.abort());
  if (!supported) return;
  const take = async (mediation) => {
    current?.abort();
    const mine = current = new AbortController();
    try {
      const credential = await navigator.credentials.get({ publicKey: page.webAuthn.get, signal: mine.signal, mediation });
      if (mine.signal.aborted) return;
      chosen = true;
      current = null;
      page.outcome(assertion(credential));
      // The page asks for a name; the passkey says whose it is.
      page.name(nameIn(credential) || "passkey");
      page.submit();
    } catch (error) {
      // Nothing was chosen, or the person gave up: the form is still there.
      if (!mine.signal.aborted && mediation !== "conditional") conditional();
    }
  };
  const conditional = async () => {
    if (await PublicKeyCredential.isConditionalMediationAvailable?.()) take("conditional");
  };
  form.append(make("button", {
    type: "submit", className: "first", textContent: page.button,
  }), make("button", { type: "button", className: "quiet", id: "passkey", textContent: t("signIn.usePasskey"), onclick: () => take("optional") }));
  page.button = null;
  conditional();
}

// The user's handle holds the name on servers that make it so.
function nameIn(credential) {
  const handle = credential.response.userHandle;
  const name = handle ? text(handle) : "";
  return /^[\x20-\x7e]{1,100}$/.test(name) ? name : null;
}

async function run(page, question, name) {
  const current = new AbortController();
  page.end.push(() => current.abort());
  page.beforeSend.push(() => current.abort());
  let value;
  if (!window.PublicKeyCredential) value = "unsupported";
  else {
    try {
      value = question.create
        ? registration(name, await navigator.credentials.create({ publicKey: question.create, signal: current.signal }))
        : assertion(await navigator.credentials.get({ publicKey: question.get, signal: current.signal }));
    } catch (error) {
      value = JSON.stringify({ error: error.name + ":" + error.message });
    }
  }
  // Another button was pressed meanwhile.
  if (current.signal.aborted) return;
  page.outcome(value);
  page.submit();
}

const signed = (buffer) => new Int8Array(buffer).toString();
const text = (buffer) => new TextDecoder().decode(buffer);

// Returns only the extension result that says whether U2F's AppID was used: others have secrets of the page.
function answer(credential, parts) {
  const usedAppID = credential.getClientExtensionResults().appid === true;
  return JSON.stringify({
    authenticatorAttachment: credential.authenticatorAttachment || undefined,
    clientExtensionResults: usedAppID ? { appid: true } : undefined, legacyData: parts.join("::"),
  });
}

function registration(name, credential) {
  const response = credential.response;
  const parts = [text(response.clientDataJSON), signed(response.attestationObject), credential.id];
  if (name) parts.push(name);
  return answer(credential, parts);
}

function assertion(credential) {
  const response = credential.response;
  const parts = [
    text(response.clientDataJSON), signed(response.authenticatorData), signed(response.signature), credential.id,
  ];
  if (response.userHandle && response.userHandle.byteLength) parts.push(text(response.userHandle));
  return answer(credential, parts);
}
