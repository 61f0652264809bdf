// Verifies an export of the evidence ledger in the browser, as docs/audit.md describes it: the chain, the tree, the signatures of devices and
// of the ledger. Nothing of it is asked of the server.
const utf8 = new TextEncoder();
const strict = new TextDecoder("utf-8", { fatal: true });
const suffixLength = ',"hash":""}'.length + 43;
const longestLine = 1 << 20;

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

// ES256, or as devices may have it RS256 to RS512 (RFC 7518 §3.3, §3.4).
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
  // Only what makes the key: its use is not the browser's affair.
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

async function checkTransaction(entry, claims) {
  const transaction = entry.transaction ?? {};
  if (!("fields" in transaction) || !("nonce" in transaction)) {
    return demand(!("txn" in claims), "its signature approves a transaction that is not here");
  }
  const challenge = await challengeOf(transaction.fields, decode(transaction.nonce));
  demand(entry.kind === "sign" && challenge !== null && claims.challenge === challenge, "its transaction is not the signed one");
  if (!("txn" in claims) && transaction.plainProofs === true) return;
  demand(claims.txn === transaction.id, "its signature does not say that the transaction was shown");
}

async function entryOf(line, tokens) {
  const { object: entry, digest } = await sealed(line, "sealring evidence entry 1");
  const whose = "the device";
  const { header, claims } = await claimsOf(entry.jws, entry.key, whose);
  demand(claims.sub === entry.userId && header.kid === entry.device, "the device signed for another user or device");
  await checkTransaction(entry, claims);
  const token = encode(await sha256(utf8.encode(entry.jws.slice(0, entry.jws.lastIndexOf(".")))));
  demand(!tokens.has(token), "an earlier entry has the same signed token");
  tokens.add(token);
  return { number: entry.number, previous: entry.previous, digest, isRemoved: false };
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

function isCheckpoint(line) {
  return strict.decode(line.subarray(0, 15)) === '{"checkpoint":"';
}

// Verifies the bytes of an export. Throws a Fault, which names the entry if it is about one.
export async function verifyExport(bytes, fingerprint = "", progress = () => {}) {
  const lines = linesOf(bytes);
  const first = lines.next();
  demand(!first.done, "the export is empty");
  const { object: header, digest: ledger } = await sealed(first.value, "sealring evidence ledger 1");
  demand(header.sealring === "evidence" && header.version === 1, "the first line is not a ledger's");
  demand(!fingerprint || fingerprint === encode(ledger), "it is another ledger than the one whose fingerprint you noted");
  const tokens = new Set();
  const ends = new Map();
  let peaks = [];
  let [count, removed, head, last] = [0, 0, ledger, 0];
  for (const line of lines) {
    if (isCheckpoint(line)) {
      const { claims } = await claimsOf(parse(line).checkpoint, header.key, "the ledger", "sealring-evidence-checkpoint");
      demand(claims.ledger === encode(ledger), "the checkpoint is another ledger's");
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
      return { count, fingerprint: encode(ledger), head: claims.head, root: encode(root), time: claims.time };
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

async function show(read) {
  const detail = document.getElementById("detail");
  const words = result.dataset;
  result.className = "";
  detail.textContent = "";
  result.textContent = words.working;
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
    const found = await verifyExport(bytes, noted, (count) => { result.textContent = `${words.working} ${count}`; });
    result.className = "notice";
    result.textContent = `${words.good} ${found.count}`;
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
