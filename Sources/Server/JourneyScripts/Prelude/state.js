// What every script finds: texts and lists as Java has them, the log, and the state of the journey.
//
// All files of this folder are one function of `host` and `tell`, the only ways out of the worker, which no script gets. `host` waits
// for the server's answer, `tell` does not. What a script does to the built-in objects changes this run's result and nothing else: the
// server reads it as bytes from outside.

for (const name of ["WebAssembly", "SharedArrayBuffer", "Atomics"]) delete globalThis[name];

const { parse, stringify } = JSON;
let run = {};

/** The bindings of legacy scripts; `null` until one has begun. */
let legacy = null;

/** Calls the server; what it refuses is thrown as an Error. */
const call = (name, ...values) => parse(host(stringify([name, ...values.map(plain)])));

/** A copy of `value` that JSON can express. */
function plain(value) {
  const text = stringify(value === undefined ? null : value);
  if (text === undefined) throw new TypeError("a function cannot be kept or sent");
  return parse(text);
}

/** An array with the methods of java.util.List and Set. */
class List extends Array {
  static get [Symbol.species]() { return Array; }
  static of(values) { return Object.setPrototypeOf(Array.from(values), List.prototype); }
  get(index) {
    if (!(index >= 0 && index < this.length)) throw new RangeError(`Index ${index} out of bounds for length ${this.length}`);
    return this[index];
  }
  size() { return this.length; }
  isEmpty() { return this.length === 0; }
  contains(value) { return this.includes(value); }
  add(value) { this.push(value); return true; }
  addAll(values) { for (const value of values) this.push(value); return true; }
  set(index, value) { const old = this.get(index); this[index] = value; return old; }
  remove(value) {
    const index = typeof value === "number" ? value : this.indexOf(value);
    return index >= 0 && index < this.length ? this.splice(index, 1)[0] : false;
  }
  toArray() { return Array.from(this); }
  iterator() {
    let next = 0;
    return { hasNext: () => next < this.length, next: () => this.get(next++) };
  }
}

/** Methods of java.util.Map for objects, whose members stay readable as such. */
class JavaMap {
  get(name) { return Object.hasOwn(this, name) ? this[name] : null; }
  put(name, value) { const old = this.get(name); setMember(this, name, value); return old; }
  putAll(values) { for (const [name, value] of Object.entries(values)) setMember(this, name, value); }
  getOrDefault(name, value) { return Object.hasOwn(this, name) ? this[name] : value; }
  containsKey(name) { return Object.hasOwn(this, name); }
  remove(name) { const old = this.get(name); delete this[name]; return old; }
  keySet() { return List.of(Object.keys(this)); }
  values() { return List.of(Object.values(this)); }
  entrySet() {
    return List.of(Object.entries(this).map(([key, value]) => ({ getKey: () => key, getValue: () => value, key, value })));
  }
  size() { return Object.keys(this).length; }
  isEmpty() { return Object.keys(this).length === 0; }
}

function setMember(object, name, value) {
  Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}

/** Gives the lists and objects in `value`, which is the script's own copy, Java's methods. */
function wrap(value) {
  if (value === null || typeof value !== "object") return value;
  for (const name of Object.keys(value)) wrap(value[name]);
  return Object.setPrototypeOf(value, Array.isArray(value) ? List.prototype : JavaMap.prototype);
}

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

function merged(one, other) {
  const result = plain(one);
  for (const [name, value] of Object.entries(other)) {
    const old = Object.hasOwn(result, name) ? result[name] : undefined;
    setMember(result, name, isObject(old) && isObject(value) ? merged(old, value) : value);
  }
  return result;
}

// The log. Each line goes out at once, so that it is there however the run ends.

let logged = 0;

function log(level, message, values) {
  if (logged > run.logBytes) return;
  let text = String(message);
  for (const value of values) {
    text = text.includes("{}") ? text.replace("{}", () => String(value)) : `${text} ${String(value)}`;
  }
  logged += text.length + 16;
  if (logged > run.logBytes) [level, text] = ["warning", "the script logs too much; the rest is left out"];
  tell(stringify({ level, text }));
}

const logger = {};
for (const [name, level] of Object.entries({
  trace: "trace", debug: "debug", message: "debug", info: "info", warn: "warning", warning: "warning", error: "error",
})) {
  logger[name] = (message, ...values) => log(level, message, values);
  logger[`${name}Enabled`] = () => true;
  logger[`is${name[0].toUpperCase()}${name.slice(1)}Enabled`] = () => true;
}

// The state.

const shared = new Map();
const transient = new Map();
const changed = { shared: new Set(), transient: new Set(), removed: new Set() };
const parts = { shared, transient };

function put(part, name, value) {
  const key = String(name);
  parts[part].set(key, plain(value));
  changed[part].add(key);
}

function remove(name) {
  const key = String(name);
  const old = lookUp(key);
  for (const part of ["shared", "transient"]) {
    parts[part].delete(key);
    changed[part].delete(key);
  }
  changed.removed.add(key);
  return old;
}

const lookUp = (key) => (transient.has(key) ? transient.get(key) : shared.has(key) ? shared.get(key) : null);

function lookUpObject(key) {
  const [low, high] = [shared.get(key), transient.get(key)];
  return isObject(low) && isObject(high) ? merged(low, high) : lookUp(key);
}

function merge(part, values) {
  for (const [name, value] of Object.entries(plain(values))) {
    const old = parts[part].get(name);
    put(part, name, isObject(old) && isObject(value) ? merged(old, value) : value);
  }
}

const keys = () => List.of(new Set([...shared.keys(), ...transient.keys()]));

const nodeState = {
  get: (name) => asFound(lookUp(String(name))),
  getObject: (name) => asFound(lookUpObject(String(name))),
  isDefined: (name) => shared.has(String(name)) || transient.has(String(name)),
  keys,
  remove: (name) => asFound(remove(name)),
};
for (const [name, change] of Object.entries({
  putShared: (key, value) => put("shared", key, value),
  putTransient: (key, value) => put("transient", key, value),
  mergeShared: (values) => merge("shared", values),
  mergeTransient: (values) => merge("transient", values),
})) {
  nodeState[name] = (...values) => { change(...values); return nodeState; };
}

/** What `get` hands out: the value, and for legacy scripts one that is asked `asString()` and so on. */
function asFound(value) {
  if (value === null || value === undefined) return null;
  return run.legacy ? new legacy.JsonValue(plain(value)) : wrap(plain(value));
}

/** `sharedState` and `transientState` of legacy scripts. */
const stateMap = (part) => ({
  get: (name) => (parts[part].has(String(name)) ? wrap(plain(parts[part].get(String(name)))) : null),
  put: (name, value) => put(part, name, value),
  putAll: (values) => { for (const [name, value] of Object.entries(plain(values))) put(part, name, value); },
  remove: (name) => {
    const old = parts[part].get(String(name));
    parts[part].delete(String(name));
    changed[part].delete(String(name));
    changed.removed.add(String(name));
    return old === undefined ? null : wrap(plain(old));
  },
  containsKey: (name) => parts[part].has(String(name)),
  keySet: () => List.of(parts[part].keys()),
  size: () => parts[part].size,
  isEmpty: () => parts[part].size === 0,
  toString: () => stringify(Object.fromEntries(parts[part])),
});
