// Verifies an export of the evidence ledger, or the proof of one entry, in the browser, as docs/evidence-format.md describes them: the chain,
// the tree, the signatures of devices and of the ledger. The server is asked for nothing.
const utf8 = new TextEncoder();
const strict = new TextDecoder("utf-8", { fatal: true });
const suffixLength = ',"hash":""}'.length + 43;
const longestLine = 1 << 20;
const longestProof = 3 << 20;
// How far the clocks of device and server may be apart, in milliseconds.
const skew = 3600000;
const proofStart = '{"sealring":"evidence-inclusion"';

class Fault extends Error {
  constructor(message, entry = null) {
    super(message);
    this.entry = entry;
  }
}

function demand(condition, message, entry = null) {
  if (!condition) throw new Fault(message, entry);
}

function joined(parts) {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

async function sha256(...parts) {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", joined(parts)));
}

export function encode(bytes) {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function decode(text, length = null) {
  demand(typeof text === "string" && /^[A-Za-z0-9_-]*$/.test(text), "a value is not base64url");
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/") + "=".repeat((4 - (text.length % 4)) % 4));
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  demand(encode(bytes) === text && (length === null || bytes.length === length), "a value is not base64url of the right length");
  return bytes;
}

function parse(bytes) {
  const value = JSON.parse(typeof bytes === "string" ? bytes : strict.decode(bytes));
  demand(value !== null && typeof value === "object" && !Array.isArray(value), "a line is not an object");
  return value;
}

// Algorithms are ES256 or, for devices, RS256 to RS512 (RFC 7518 §3.3, §3.4).
async function verifySignature(key, algorithm, signature, message) {
  const hash = { name: "SHA-" + algorithm.slice(2) };
  let imported, method;
  if (key.kty === "EC") {
    demand(algorithm === "ES256" && key.crv === "P-256" && signature.length === 64, "a token is not signed with ES256");
    imported = { name: "ECDSA", namedCurve: "P-256" };
    method = { name: "ECDSA", hash };
  } else {
    demand(key.kty === "RSA" && ["RS256", "RS384", "RS512"].includes(algorithm), "a token has another algorithm than its key");
    imported = { name: "RSASSA-PKCS1-v1_5", hash };
    method = { name: "RSASSA-PKCS1-v1_5" };
  }
  // Only the members of the key itself are taken. Others, such as its use, do not matter here.
  const members = key.kty === "EC" ? ["kty", "crv", "x", "y"] : ["kty", "n", "e"];
  const jwk = Object.fromEntries(members.map((name) => [name, key[name]]));
  const publicKey = await crypto.subtle.importKey("jwk", jwk, imported, false, ["verify"]);
  return crypto.subtle.verify(method, publicKey, signature, message);
}

async function claimsOf(jws, key, whose, type = null) {
  const parts = String(jws).split(".");
  demand(parts.length === 3, `the token of ${whose} is not a signed token`);
  const header = parse(decode(parts[0]));
  demand(!("crit" in header) && (type === null || header.typ === type), `the token of ${whose} has another type`);
  const isRight = await verifySignature(key, String(header.alg), decode(parts[2]), utf8.encode(`${parts[0]}.${parts[1]}`));
  demand(isRight, `the signature of ${whose} is wrong`);
  return { header, claims: parse(decode(parts[1])) };
}

async function sealed(line, tag) {
  const body = line.subarray(0, line.length - suffixLength);
  const digest = await sha256(utf8.encode(tag + "\n"), body);
  const end = strict.decode(line.subarray(line.length - suffixLength));
  demand(line.length > suffixLength && end === `,"hash":"${encode(digest)}"}`, "a byte is not as it was hashed");
  return { object: parse(line), digest };
}

// The challenge of a transaction (docs/transactions.md); null when a device could not have shown it.
async function challengeOf(fields, nonce) {
  const known = ["amount", "currency", "payee", "account", "text"];
  const names = Object.keys(fields ?? {});
  if (!names.length || names.some((name) => !known.includes(name) || typeof fields[name] !== "string") || nonce.length !== 32) return null;
  const form = [utf8.encode("sealring.transaction.v1\0")];
  for (const name of known.filter((known) => names.includes(known))) {
    for (const part of [utf8.encode(name), utf8.encode(fields[name])]) {
      const length = new Uint8Array(4);
      new DataView(length.buffer).setUint32(0, part.length);
      form.push(length, part);
    }
  }
  return btoa(String.fromCharCode(...(await sha256(...form, nonce))));
}

// The transaction that the signature covers; null when there is none.
async function checkTransaction(entry, claims) {
  const transaction = entry.transaction ?? {};
  if (!("fields" in transaction) || !("nonce" in transaction)) {
    demand(!("txn" in claims), "its signature approves a transaction that is not here");
    return null;
  }
  const challenge = await challengeOf(transaction.fields, decode(transaction.nonce));
  demand(entry.kind === "sign" && transaction.version === 1 && challenge !== null && claims.challenge === challenge, "its transaction is not the signed one");
  if ("txn" in claims || transaction.plainProofs !== true) {
    demand(claims.txn === transaction.id, "its signature does not say that the transaction was shown");
  }
  return transaction;
}

// The account's universal id, which devices sign as `sub`.
function userIdOf(username, realm) {
  if (realm.toLowerCase() === "root") return `id=${username},ou=user,ou=am-config`;
  const realms = realm.split("/").reverse().map((name) => `,o=${name}`);
  return `id=${username},ou=user${realms.join("")},ou=services,ou=am-config`;
}

// What the page shows of the signer is what the device has signed.
function checkSigner(entry, header, claims) {
  demand(["bind", "sign", "certify"].includes(entry.kind), "it is of no known kind");
  const isUser = claims.sub === entry.userId && claims.sub === userIdOf(String(entry.username), String(entry.realm));
  const isKey = (entry.key.kid ?? header.kid) === header.kid && (entry.key.alg ?? header.alg) === header.alg;
  demand(isUser && isKey && header.kid === entry.device, "the device signed for another user or device");
  const isBound = ["kty", "crv", "x", "y", "n", "e"].every((name) => header.jwk?.[name] === entry.key[name]);
  demand(entry.kind !== "bind" || isBound, "the device has bound another key");
  const starts = ["iat", "nbf"].filter((name) => name in claims).map((name) => claims[name]);
  const isInTime = entry.time <= claims.exp * 1000 + skew && starts.every((start) => start * 1000 <= entry.time + skew);
  demand(isInTime, "the device signed at another time than the entry's");
}

async function entryOf(line, tokens) {
  const { object: entry, digest } = await sealed(line, "sealring evidence entry 1");
  const { header, claims } = await claimsOf(entry.jws, entry.key, "the device");
  checkSigner(entry, header, claims);
  const transaction = await checkTransaction(entry, claims);
  const token = encode(await sha256(utf8.encode(entry.jws.slice(0, entry.jws.lastIndexOf(".")))));
  demand(!tokens.has(token), "an earlier entry has the same signed token");
  tokens.add(token);
  return { number: entry.number, previous: entry.previous, digest, isRemoved: false, record: entry, header, claims, transaction };
}

function removedOf(line) {
  const entry = parse(line);
  demand(Object.keys(entry).join() === "removed,hash", "a line is not an entry");
  return { number: entry.removed, previous: null, digest: decode(entry.hash, 32), isRemoved: true };
}

function* linesOf(bytes) {
  let start = 0;
  while (start < bytes.length) {
    const end = bytes.indexOf(10, start);
    demand(end >= 0, "the export ends in the middle of a line");
    demand(end - start <= longestLine, "a line is too long");
    yield bytes.subarray(start, end);
    start = end + 1;
  }
}

async function ledgerOf(line, fingerprint) {
  const { object: header, digest: ledger } = await sealed(line, "sealring evidence ledger 1");
  demand(header.sealring === "evidence" && header.version === 1, "the first line is not a ledger's");
  demand(!fingerprint || fingerprint === encode(ledger), "it is another ledger than the one whose fingerprint you noted");
  return { header, ledger };
}

async function checkpointOf(jws, header, ledger) {
  const { claims } = await claimsOf(jws, header.key, "the ledger", "sealring-evidence-checkpoint");
  demand(claims.ledger === encode(ledger), "the checkpoint is another ledger's");
  return claims;
}

// The root to which a path leads from a leaf (RFC 9162 §2.1.3.2). Sizes may be beyond 32 bits, so nothing is shifted.
async function rootOf(leaf, index, size, path) {
  demand(Number.isSafeInteger(index) && Number.isSafeInteger(size) && index >= 0 && index < size, "the entry is not one of those that the checkpoint counts");
  demand(Array.isArray(path) && path.length <= 64, "the proof is not a list of at most 64 hashes");
  let [at, last, top] = [index, size - 1, leaf];
  const up = () => { [at, last] = [Math.floor(at / 2), Math.floor(last / 2)]; };
  for (const sibling of path.map((text) => decode(text, 32))) {
    demand(last > 0, "the proof is too long");
    if (at % 2 === 1 || at === last) {
      top = await sha256(Uint8Array.of(1), sibling, top);
      while (at !== 0 && at % 2 === 0) up();
    } else {
      top = await sha256(Uint8Array.of(1), top, sibling);
    }
    up();
  }
  demand(last === 0, "the proof is too short");
  return encode(top);
}

// Verifies the file of a proof of inclusion. Throws a Fault.
export async function verifyProof(bytes, fingerprint = "") {
  demand(bytes.length <= longestProof, "the file is too long");
  const file = parse(bytes);
  const known = ["sealring", "version", "header", "entry", "index", "path", "checkpoint"];
  const isProof = Object.keys(file).every((name) => known.includes(name)) && file.sealring === "evidence-inclusion" && file.version === 1;
  demand(isProof && [file.header, file.entry].every((line) => typeof line === "string"), "the file does not have the form of a proof");
  const { header, ledger } = await ledgerOf(utf8.encode(file.header), fingerprint);
  const claims = await checkpointOf(file.checkpoint, header, ledger);
  const entry = await entryOf(utf8.encode(file.entry), new Set());
  const root = await rootOf(await sha256(Uint8Array.of(0), entry.digest), file.index ?? entry.number - 1, claims.count, file.path);
  demand(root === claims.root, "the proof does not lead to the root that the ledger has signed", entry.number);
  return { entry, count: claims.count, fingerprint: encode(ledger), root, time: claims.time };
}

function isCheckpoint(line) {
  return strict.decode(line.subarray(0, 15)) === '{"checkpoint":"';
}

// Verifies the bytes of an export. Throws a Fault, which names the entry if it is about one.
export async function verifyExport(bytes, fingerprint = "", progress = () => {}) {
  const lines = linesOf(bytes);
  const first = lines.next();
  demand(!first.done, "the export is empty");
  const { header, ledger } = await ledgerOf(first.value, fingerprint);
  const tokens = new Set();
  const ends = new Map();
  let peaks = [];
  let [count, removed, head, last] = [0, 0, ledger, 0];
  for (const line of lines) {
    if (isCheckpoint(line)) {
      const claims = await checkpointOf(parse(line).checkpoint, header, ledger);
      let root = peaks.length ? peaks[peaks.length - 1].top : await sha256();
      for (const peak of peaks.slice(0, -1).reverse()) root = await sha256(Uint8Array.of(1), peak.top, root);
      const lanes = [...ends.entries()].sort((one, other) => one[0] - other[0]);
      const expected = lanes.some(([lane]) => lane !== 0)
        ? lanes.map(([lane, end]) => ({ lane, number: end.number, head: encode(end.digest) })) : [];
      demand(claims.count >= count, "there are entries that no checkpoint counts", last);
      demand(claims.count === count, "entries at the end are missing", last + 1);
      demand(claims.head === encode(head) && (claims.root ?? encode(root)) === encode(root), "the chain is whole, but not the one that was signed", last);
      demand(JSON.stringify(claims.lanes ?? []) === JSON.stringify(expected) && (claims.removed ?? 0) === removed, "the checkpoint is not that of these entries");
      demand(lines.next().done, "something follows the checkpoint");
      return { count, removed, fingerprint: encode(ledger), head: claims.head, root: encode(root), time: claims.time };
    }
    let entry;
    try {
      entry = strict.decode(line.subarray(0, 11)) === '{"removed":' ? removedOf(line) : await entryOf(line, tokens);
    } catch (error) {
      throw new Fault(error.message, last + 1);
    }
    const number = entry.number;
    demand(Number.isSafeInteger(number) && number > 0, "it has no number", last + 1);
    removed += entry.isRemoved ? 1 : 0;
    demand(!entry.isRemoved || removed === count + 1, "its content was removed, and that of one before was not", number);
    const lane = number >= 2 ** 40 ? number % 64 : 0;
    const before = ends.get(lane) ?? { number: lane, digest: ledger };
    demand(number > before.number && (lane !== 0 || number === before.number + 1), `it does not follow on entry ${before.number}`, number);
    demand(entry.isRemoved || entry.previous === encode(before.digest), `it does not follow on entry ${before.number}`, number);
    ends.set(lane, { number, digest: entry.digest });
    head = entry.digest;
    last = number;
    count += 1;
    let next = { top: await sha256(Uint8Array.of(0), entry.digest), size: 1 };
    while (peaks.length && peaks[peaks.length - 1].size === next.size) {
      next = { top: await sha256(Uint8Array.of(1), peaks.pop().top, next.top), size: 2 * next.size };
    }
    peaks.push(next);
    if (count % 100 === 0) progress(count);
  }
  throw new Fault("the export ends without a checkpoint", last + 1);
}

const result = globalThis.document?.getElementById("result");

// A random challenge says nothing to people (docs/transactions.md).
const isRandom = (challenge) => /^[A-Za-z0-9+/]{43}=$/.test(challenge);

// All other claims are an application's own.
const protocolClaims = new Set(["sub", "iss", "exp", "nbf", "iat", "challenge", "platform", "txn"]);

function addedClaims(claims) {
  const own = Object.entries(claims).filter(([name]) => !protocolClaims.has(name));
  return own.map(([name, value]) => `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`).join(", ");
}

// Who signed what, when, where, with which key and device, by the names of the page's rows.
async function factsOf(entry) {
  const { record, claims, transaction } = entry;
  const { kty, crv, x, y, e, n } = record.key;
  const key = encode(await sha256(utf8.encode(JSON.stringify(kty === "EC" ? { crv, kty, x, y } : { e, kty, n }))));
  const { amount, currency, payee, account, text } = transaction?.fields ?? {};
  const words = result.dataset;
  const sum = amount && `${amount} ${currency ?? ""}`.trim();
  const challenge = String(claims.challenge ?? "");
  const isCertificate = record.kind === "certify";
  const isText = isCertificate || (!transaction && record.kind === "sign" && challenge && !isRandom(challenge));
  const to = payee ?? account;
  let what = record.kind === "bind" ? words.binding : isCertificate ? words.certified : isText ? words.signedText : words.signIn;
  if (transaction) {
    const [before, after] = words.amountTo.split("{amount}").map((part) => part.replaceAll("{payee}", () => to));
    what = sum && to ? `${before}${sum}${after}` : (sum ?? to ?? text);
  }
  return {
    what, amount: sum, payee, account, message: isText ? challenge : text, added: addedClaims(claims),
    by: `${record.username} (${record.realm})`, when: new Date(record.time).toLocaleString(document.documentElement.lang, { dateStyle: "long", timeStyle: "long" }),
    journey: record.journey, application: claims.iss, device: `${record.device}, ${record.attestation ? words.attested : words.unattested}`,
    key: `${key}, ${entry.header.alg}`, shown: transaction && ("txn" in claims ? words.shown : words.unshown),
  };
}

function fill(facts) {
  for (const place of document.querySelectorAll("[data-fact]")) {
    const text = facts?.[place.dataset.fact];
    const value = place.querySelector("bdi") ?? place;
    value.textContent = text ?? "";
    place.hidden = !text;
    if (place.previousElementSibling?.localName === "dt") place.previousElementSibling.hidden = !text;
  }
  document.getElementById("statement").hidden = !facts;
}

const isProof = (bytes) => new TextDecoder().decode(bytes.subarray(0, proofStart.length)) === proofStart;

async function show(read) {
  const detail = document.getElementById("detail");
  const words = result.dataset;
  result.className = "";
  detail.textContent = "";
  result.textContent = words.working;
  fill(null);
  let bytes;
  try {
    bytes = await read();
  } catch {
    result.className = "problem";
    result.textContent = words.load;
    return;
  }
  try {
    const noted = document.getElementById("fingerprint").value.trim();
    const found = isProof(bytes) ? await verifyProof(bytes, noted)
      : await verifyExport(bytes, noted, (count) => { result.textContent = `${words.working} ${count}`; });
    if (found.entry) fill(await factsOf(found.entry));
    document.getElementById("unnoted").hidden = noted !== "";
    result.className = "notice";
    // Nothing is known of entries without content but their hashes.
    const gone = found.removed ? `. ${words.gone} ${found.removed}` : "";
    result.textContent = found.entry ? words.right.replace("{number}", found.entry.number).replace("{count}", found.count)
      : `${words.good} ${found.count - found.removed}${gone}`;
    detail.textContent = found.fingerprint;
  } catch (error) {
    result.className = "problem";
    const place = error.entry ? `${words.entry} ${error.entry}: ` : "";
    result.textContent = `${words.bad} ${place}${error.message}`;
  }
}

if (result) {
  const button = document.getElementById("verifyServer");
  button?.addEventListener("click", () => show(async () => {
    const answer = await fetch(button.dataset.export, { headers: { Accept: "application/jsonl" } });
    if (!answer.ok) throw new Error("refused");
    return new Uint8Array(await answer.arrayBuffer());
  }));
  document.getElementById("exportChoice").addEventListener("change", (event) => {
    const file = event.target.files[0];
    if (file) show(async () => new Uint8Array(await file.arrayBuffer()));
  });
}
