// What scripts reach through the server: identities, other hosts, cryptography. The server decides each call.

const base64 = (alphabet, padded) => ({
  encode(value) {
    const bytes = typeof value === "string" ? toBytes(value) : Array.from(value, (byte) => byte & 0xff);
    let text = "";
    for (let at = 0; at < bytes.length; at += 3) {
      const [one, two = 0, three = 0] = bytes.slice(at, at + 3);
      const bits = (one << 16) | (two << 8) | three;
      const count = Math.min(3, bytes.length - at) + 1;
      for (let place = 0; place < 4; place++) {
        if (place < count) text += alphabet[(bits >> (18 - 6 * place)) & 63];
        else if (padded) text += "=";
      }
    }
    return text;
  },
  decodeToBytes(value) {
    const digits = Array.from(String(value).replace(/=+$/, ""), (sign) => {
      const digit = alphabet.indexOf(sign);
      if (digit < 0) throw new Error("the text is not valid base64");
      return digit;
    });
    if (digits.length % 4 === 1) throw new Error("the text is not valid base64");
    const bytes = [];
    for (let at = 0; at < digits.length; at += 4) {
      const [one, two, three = 0, four = 0] = digits.slice(at, at + 4);
      const bits = (one << 18) | (two << 12) | (three << 6) | four;
      const count = Math.min(4, digits.length - at) - 1;
      for (let place = 0; place < count; place++) bytes.push((bits >> (16 - 8 * place)) & 255);
    }
    return Uint8Array.from(bytes);
  },
  decode(value) { return toText(this.decodeToBytes(value)); },
});

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const base64Standard = base64(`${letters}+/`, true);
const base64URL = base64(`${letters}-_`, false);

function toBytes(text) {
  const bytes = [];
  for (const sign of String(text)) {
    const code = sign.codePointAt(0);
    if (code < 0x80) bytes.push(code);
    else if (code < 0x800) bytes.push(0xc0 | (code >> 6), 0x80 | (code & 63));
    else if (code < 0x10000) bytes.push(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));
    else {
      bytes.push(
        0xf0 | (code >> 18), 0x80 | ((code >> 12) & 63), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));
    }
  }
  return Uint8Array.from(bytes);
}

function toText(bytes) {
  let text = "";
  const list = Array.from(bytes, (byte) => byte & 0xff);
  for (let at = 0; at < list.length;) {
    const lead = list[at];
    const extra = lead < 0x80 ? 0 : lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : lead >= 0xc0 ? 1 : -1;
    let code = extra <= 0 ? lead : lead & (0x3f >> extra);
    for (let next = 1; next <= extra; next++) code = (code << 6) | ((list[at + next] ?? 0) & 63);
    text += extra < 0 || code > 0x10ffff || at + extra >= list.length ? "\ufffd" : String.fromCodePoint(code);
    at += Math.max(extra, 0) + 1;
  }
  return text;
}

const bytesOf = (value) => (typeof value === "string" ? toBytes(value) : Uint8Array.from(value, (byte) => byte & 0xff));
const sent = (value) => base64Standard.encode(bytesOf(value));
const algorithmName = (value) => String(isObject(value) ? value.hash ?? value.name : value);

const utils = {
  base64: base64Standard,
  base64url: base64URL,
  types: { stringToBytes: toBytes, bytesToString: toText },
  crypto: {
    randomUUID: () => call("uuid"),
    getRandomValues: (array) => {
      array.set(base64Standard.decodeToBytes(call("random", array.length)));
      return array;
    },
    subtle: {
      digest: (algorithm, value) =>
        base64Standard.decodeToBytes(call("digest", algorithmName(algorithm), sent(value))),
      sign: (algorithm, key, value) =>
        base64Standard.decodeToBytes(call("hmac", keyHash(algorithm, key), sent(key.bytes ?? key), sent(value))),
      verify: (algorithm, key, value, signature) =>
        call("verifyHMAC", keyHash(algorithm, key), sent(key.bytes ?? key), sent(value), sent(signature)),
      generateKey: (algorithm) => ({
        bytes: base64Standard.decodeToBytes(call("random", 32)), hash: algorithmName(algorithm),
      }),
      importKey: (format, value, algorithm) => ({ bytes: bytesOf(value), hash: algorithmName(algorithm) }),
    },
  },
};

function keyHash(algorithm, key) {
  const name = algorithmName(algorithm);
  return /^hmac$/i.test(name) ? key.hash && !/^hmac$/i.test(key.hash) ? key.hash : "SHA-256" : name;
}

const fieldsOf = (values) => texts(typeof values === "string" ? values.split(",") : values).filter((each) => each !== "*");
const rev = (value) => (value === null || value === undefined ? null : String(value));

const openidm = {
  read: (resource, parameters, fields) => wrap(call("openidm.read", String(resource), fieldsOf(fields))),
  query: (resource, parameters, fields) => {
    const filter = parameters?._queryFilter ?? (parameters?._queryId === "query-all-ids" ? "true" : undefined);
    if (filter === undefined) throw new Error("openidm.query needs {_queryFilter: …}");
    const wanted = fields ?? parameters._fields;
    const result = call(
      "openidm.query", String(resource), String(filter), fieldsOf(wanted), Number(parameters._pageSize ?? 0));
    return wrap({ result, resultCount: result.length });
  },
  create: (resource, id, content) => wrap(call("openidm.create", String(resource), rev(id), content)),
  update: (resource, revision, content) => wrap(call("openidm.update", String(resource), rev(revision), content)),
  patch: (resource, revision, operations) =>
    wrap(call("openidm.patch", String(resource), rev(revision), Array.from(operations))),
  delete: (resource, revision) => wrap(call("openidm.delete", String(resource), rev(revision))),
  action: (resource) => {
    throw new Error(`openidm.action: there are no actions such as ${String(resource)} here; use a node for it`);
  },
};

/** One person's record: reads go to the server at once, changes with `store()`. */
function identity(name) {
  const changes = [];
  const me = {
    getName: () => name,
    getUniversalId: () => call("identity.id", name),
    getAttributeValues: (attribute) => List.of(call("identity.read", name, String(attribute))),
    setAttribute: (attribute, values) => { changes.push(["set", String(attribute), texts(values)]); return me; },
    addAttribute: (attribute, value) => { changes.push(["add", String(attribute), [String(value)]]); return me; },
    removeAttribute: (attribute) => { changes.push(["set", String(attribute), []]); return me; },
    store: () => {
      call("identity.store", name, changes.splice(0));
    },
  };
  return me;
}

const idRepository = {
  getIdentity: (name) => {
    const found = call("identity.name", String(name));
    return found === null ? null : identity(found);
  },
  // The legacy form.
  getAttribute: (name, attribute) => List.of(call("identity.read", String(name), String(attribute))),
  setAttribute: (name, attribute, values) =>
    call("identity.store", String(name), [["set", String(attribute), texts(values)]]),
  addAttribute: (name, attribute, value) =>
    call("identity.store", String(name), [["add", String(attribute), [String(value)]]]),
};

function response({ status, reason, headers, body }) {
  return {
    status, statusText: reason, ok: status >= 200 && status < 300, headers: wrap(headers),
    text: () => body, json: () => wrap(parse(body)),
    formData: () => wrap(Object.fromEntries(body.split("&").map((pair) => pair.split("=").map(formText)))),
    // The legacy form.
    getStatus: () => ({ getCode: () => status, getReasonPhrase: () => reason }),
    getEntity: () => ({ getString: () => body, getJson: () => wrap(parse(body)) }),
    getHeaders: () => wrap(headers),
  };
}

const formText = (text) => decodeURIComponent(String(text).replaceAll("+", " "));
const formPair = (pair) => pair.map((part) => encodeURIComponent(part)).join("=");

const httpClient = {
  send: (target, options = {}) => {
    const { url, method = "GET", headers = {}, form, token, body } = isObject(target)
      ? { url: target.uri, method: target.method, headers: target.headers, body: target.entity } : { url: target, ...options };
    const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]));
    let text = body === undefined || body === null ? null : typeof body === "string" ? body : stringify(plain(body));
    if (form) {
      text = Object.entries(form).map(formPair).join("&");
      named["content-type"] ??= "application/x-www-form-urlencoded";
    } else if (text !== null) {
      named["content-type"] ??= "application/json";
    }
    if (token) named.authorization ??= `Bearer ${token}`;
    const answer = call("http", String(url), String(method), named, text);
    return { get: () => response(answer), getOrThrow: () => response(answer) };
  },
};

const jwtAssertion = { generateJwt: (data) => call("jwt.sign", data) };
const jwtValidator = {
  // The token stands before the data, or in them.
  validateJwtClaims: (one, other) =>
    wrap(typeof one === "string" ? call("jwt.verify", one, other) : call("jwt.verify", String(one.jwt ?? one.token ?? other), one)),
};

function typed(value, type) {
  switch (String(type ?? "").replace("java.lang.", "").toLowerCase()) {
    case "integer": case "int": case "long": case "double": case "float": case "number": {
      const number = Number(value);
      if (Number.isNaN(number)) throw new Error(`${value} is not a number`);
      return number;
    }
    case "boolean": return String(value).toLowerCase() === "true";
    case "object": case "array": case "map": case "list": return wrap(parse(value));
    default: return value;
  }
}

const systemEnv = {
  getProperty: (name, preset = null, type) => {
    const value = call("env", String(name));
    return value === null ? preset : typed(value, type);
  },
};

/** A person by name or as `idRepository` has one, or what the platform's REST interface takes: ssoToken, jwt or claims. */
const policySubject = (subject) => {
  if (typeof subject?.getName === "function") return { name: String(subject.getName()) };
  return isObject(subject) ? subject : { name: String(subject ?? "") };
};
const listOf = (value) => {
  if (value === null || value === undefined) return [];
  return texts(typeof value === "string" || !value[Symbol.iterator] ? [value] : value);
};

const policy = {
  evaluate: (subject, application, resources, environment) =>
    wrap(call(
      "policy.evaluate", policySubject(subject), rev(application), listOf(resources),
      Object.fromEntries(Object.entries(environment ?? {}).map(([name, value]) => [name, listOf(value)])))),
};

const modules = new Map();

/** A library script of the journey's file, by its name. */
function require(name) {
  const key = String(name);
  if (modules.has(key)) return modules.get(key).exports;
  if (!Object.hasOwn(run.libraries, key)) throw new Error(`There is no library script named ${key}`);
  const module = { exports: {} };
  modules.set(key, module);
  new Function("exports", "module", "require", `${run.libraries[key]}\n//# sourceURL=${key}`)(
    module.exports, module, require);
  return module.exports;
}
