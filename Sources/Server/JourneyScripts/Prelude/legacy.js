// Java, as far as published legacy scripts use it: classes by their simple names, found through `Packages`, `org`, `javax` and so on.
//
// Made for legacy scripts only, because the others need none of it.
function makeLegacy() {
  class JsonValue {
    constructor(value) { Object.defineProperty(this, "held", { value: value ?? null, writable: true }); }
    getObject() { return wrap(plain(this.held)); }
    // Only what the value itself holds: every object of JavaScript has a `constructor`, and a list a `length`.
    get(name) {
      const isHeld = isObject(this.held) || (Array.isArray(this.held) && name !== "length");
      return new JsonValue(isHeld && Object.hasOwn(this.held, name) ? this.held[name] : null);
    }
    isNull() { return this.held === null; }
    isNotNull() { return this.held !== null; }
    isString() { return typeof this.held === "string"; }
    isNumber() { return typeof this.held === "number"; }
    isBoolean() { return typeof this.held === "boolean"; }
    isMap() { return isObject(this.held); }
    isList() { return Array.isArray(this.held); }
    isCollection() { return Array.isArray(this.held); }
    isDefined(name) { return isObject(this.held) && Object.hasOwn(this.held, name); }
    defaultTo(value) { return this.held === null ? new JsonValue(value) : this; }
    asString() { return this.as("string"); }
    asBoolean() { return this.as("boolean"); }
    asInteger() { return this.as("number"); }
    asLong() { return this.as("number"); }
    asDouble() { return this.as("number"); }
    asMap() { if (this.held !== null && !isObject(this.held)) throw new TypeError("the value is not a map"); return this.getObject(); }
    asList() { if (this.held !== null && !Array.isArray(this.held)) throw new TypeError("the value is not a list"); return this.getObject(); }
    as(type) {
      if (this.held !== null && typeof this.held !== type) throw new TypeError(`the value is not a ${type}`);
      return this.held;
    }
    keys() { return List.of(Object.keys(this.held ?? {})); }
    size() { return Object.keys(this.held ?? {}).length; }
    put(name, value) { setMember(this.held, name, plain(value)); return this; }
    toString() { return typeof this.held === "string" ? this.held : stringify(this.held); }
    toJSON() { return this.held; }
    equals(other) { return stringify(this) === stringify(other); }
    static json(value) { return new JsonValue(plain(value)); }
    // As in Java these are a map, its entries and a list; json() makes a JsonValue of them.
    static field(key, value) {
      const [name, held] = [String(key), plain(value)];
      return { key: name, value: held, getKey: () => name, getValue: () => wrap(plain(held)) };
    }
    static fieldIfNotNull(key, value) { return plain(value) === null ? null : JsonValue.field(key, value); }
    static object(...fields) {
      const map = {};
      for (const entry of fields) {
        // fieldIfNotNull makes null of a field without a value, which is left out.
        if (entry !== null && entry !== undefined) setMember(map, entry.key, plain(entry.value));
      }
      return wrap(map);
    }
    static array(...values) { return wrap(plain(values)); }
    static set(...values) { return List.of(JsonValue.array(...values).filter((value, at, all) => all.indexOf(value) === at)); }
  }

  /** `javax.security.auth.callback.NameCallback` and the like: made by a script, or answered by the client. */
  function callbackClass(make, methods = {}) {
    class Callback {
      constructor(...values) { Object.assign(this, make(...values)); this.reply = {}; }
      static answered(each) { return Object.assign(Object.create(this.prototype), each); }
      getType() { return this.type; }
      getPrompt() { return output(this, "prompt") ?? ""; }
    }
    for (const [name, method] of Object.entries(methods)) {
      Object.defineProperty(Callback.prototype, name, { value: method, writable: true, configurable: true });
    }
    return Callback;
  }

  const reads = (suffix = "") => function () { return this.reply[suffix] ?? null; };
  const shows = (name) => function () { return output(this, name) ?? null; };
  const validatedReads = {
    validateOnly: reads("validateOnly"), getValue: reads(), getName: shows("name"), isRequired: shows("required"),
  };

  const callbackClasses = {
    NameCallback: callbackClass(makers.nameCallback, { getName: reads() }),
    PasswordCallback: callbackClass(makers.passwordCallback, { getPassword: reads(), clearPassword() {} }),
    TextInputCallback: callbackClass(makers.textInputCallback, { getText: reads() }),
    TextOutputCallback: callbackClass(makers.textOutputCallback, { getMessage: shows("message") }),
    SuspendedTextOutputCallback: callbackClass(
      makers.suspendedTextOutputCallback, { getMessage: shows("message") }),
    ScriptTextOutputCallback: callbackClass(makers.scriptTextOutputCallback, { getMessage: shows("message") }),
    ChoiceCallback: callbackClass(
      makers.choiceCallback,
      { getSelectedIndexes() { return List.of([this.reply[""] ?? 0]); }, getChoices() { return List.of(output(this, "choices")); } }),
    ConfirmationCallback: callbackClass(
      makers.confirmationCallback, { getSelectedIndex: reads(), getOptions: shows("options") }),
    HiddenValueCallback: callbackClass(makers.hiddenValueCallback, { getValue: reads(), getId: shows("id") }),
    StringAttributeInputCallback: callbackClass(makers.stringAttributeInputCallback, validatedReads),
    NumberAttributeInputCallback: callbackClass(makers.numberAttributeInputCallback, validatedReads),
    BooleanAttributeInputCallback: callbackClass(makers.booleanAttributeInputCallback, validatedReads),
    ValidatedUsernameCallback: callbackClass(
      makers.validatedUsernameCallback, { getUsername: reads(), validateOnly: reads("validateOnly") }),
    ValidatedPasswordCallback: callbackClass(
      makers.validatedPasswordCallback, { getPassword: reads(), validateOnly: reads("validateOnly") }),
    KbaCreateCallback: callbackClass(
      makers.kbaCreateCallback, { getSelectedQuestion: reads("question"), getSelectedAnswer: reads("answer") }),
    TermsAndConditionsCallback: callbackClass(makers.termsAndConditionsCallback, { isAccepted: reads() }),
    ConsentMappingCallback: callbackClass(makers.consentMappingCallback, { isAccepted: reads(), getValue: reads() }),
    MetadataCallback: callbackClass(makers.metadataCallback, { getOutputValue: shows("data") }),
    DeviceProfileCallback: callbackClass(makers.deviceProfileCallback, { getValue: reads() }),
    RedirectCallback: callbackClass(makers.redirectCallback),
    IdPCallback: callbackClass(makers.idPCallback, { getToken: reads("token"), getTokenType: reads("token_type") }),
    SelectIdPCallback: callbackClass(makers.selectIdPCallback, { getProvider: reads() }),
    PollingWaitCallback: callbackClass(makers.pollingWaitCallback),
  };
  for (const name of ["INFORMATION", "WARNING", "ERROR"]) {
    for (const type of ["TextOutputCallback", "ConfirmationCallback"]) callbackClasses[type][name] = messageTypes[name];
  }
  Object.assign(callbackClasses.ConfirmationCallback, {
    YES_NO_OPTION: 0, YES_NO_CANCEL_OPTION: 1, OK_CANCEL_OPTION: 2, YES: 0, NO: 1, CANCEL: 2, OK: 3,
  });
  callbackClasses.PollingWaitCallback.makeCallback = () => {
    const [settings, builder] = [{}, {}];
    for (const name of ["WaitTime", "Message"]) builder[`with${name}`] = (value) => { settings[name] = value; return builder; };
    builder.build = () => new callbackClasses.PollingWaitCallback(settings.WaitTime ?? "5000", settings.Message ?? "");
    return builder;
  };
  const wireClasses = {
    ...callbackClasses, ValidatedCreateUsernameCallback: callbackClasses.ValidatedUsernameCallback,
    ValidatedCreatePasswordCallback: callbackClasses.ValidatedPasswordCallback,
  };

  const legacyAnswers = (answers) =>
    List.of(answers.map((each) => (wireClasses[each.type] ?? callbackClass(() => ({}))).answered(each)));

  /** `org.forgerock.openam.auth.node.api.Action`. */
  class ActionBuilder {
    constructor(start) { Object.defineProperty(this, "chosen", { value: { ...emptyAction(), ...start } }); }
    build() { return this; }
  }
  const Action = {
    goTo: (outcome) => new ActionBuilder({ outcome: String(outcome) }),
    send: (...values) => new ActionBuilder({ asked: values.flatMap((value) => Array.from(Array.isArray(value) ? value : [value])) }),
    suspend: (handler) => new ActionBuilder({ suspension: { handler: handler?.evaluate ?? handler } }),
  };

  class Request {
    constructor() { Object.assign(this, { uri: "", method: "GET", headers: {}, entity: null }); }
    setUri(uri) { this.uri = String(uri); return this; }
    setMethod(method) { this.method = String(method); return this; }
    getHeaders() {
      const set = (name, value) => setMember(this.headers, String(name), String(value));
      return { add: set, put: set };
    }
    addHeader(name, value) { this.getHeaders().put(name, value); return this; }
    setEntity(value) { this.entity = value; return this; }
    getEntity() { return { setString: (value) => this.setEntity(String(value)), setJson: (value) => this.setEntity(value) }; }
  }

  const collection = (kind) => function (values) { return kind === "map" ? wrap({ ...(values ?? {}) }) : List.of(values ?? []); };
  const parsed = (parser) => (text) => {
    const number = parser(text);
    if (Number.isNaN(number)) throw new Error(`For input string: "${text}"`);
    return number;
  };
  const encoder = (kind) => ({
    encodeToString: (bytes) => kind.encode(bytes), withoutPadding: () => encoder({ encode: (bytes) => kind.encode(bytes).replace(/=+$/, "") }),
  });
  const coder = (kind) => ({ encode: (value) => kind.encode(value), decode: (value) => kind.decodeToBytes(value) });

  function javaString(value = "") {
    const text = Array.isArray(value) || ArrayBuffer.isView(value) ? toText(value) : String(value);
    return new.target ? Object(text) : text;
  }

  const javaClasses = {
    ...callbackClasses, Action, JsonValue, Request, NodeState: nodeState,
    String: Object.assign(javaString, {
      valueOf: (value) => (Array.isArray(value) ? value.join("") : String(value)),
      join: (separator, values) => Array.from(values).join(separator),
    }),
    Boolean: { TRUE: true, FALSE: false, parseBoolean: (text) => String(text).toLowerCase() === "true", valueOf: (value) => String(value) === "true" },
    Integer: { parseInt: parsed((text) => parseInt(text, 10)), valueOf: parsed((text) => parseInt(text, 10)), toString: (value) => String(value) },
    Long: { parseLong: parsed((text) => parseInt(text, 10)), valueOf: parsed((text) => parseInt(text, 10)) },
    Double: { parseDouble: parsed(Number), valueOf: parsed(Number) },
    Math,
    System: { currentTimeMillis: () => Date.now() },
    Date: function () { const now = Date.now(); return { getTime: () => now, toString: () => new Date(now).toISOString() }; },
    ArrayList: collection("list"), LinkedList: collection("list"), HashSet: collection("list"), TreeSet: collection("list"),
    LinkedHashSet: collection("list"),
    HashMap: collection("map"), LinkedHashMap: collection("map"), TreeMap: collection("map"),
    Arrays: { asList: (...values) => List.of(values.length === 1 && Array.isArray(values[0]) ? values[0] : values) },
    Collections: {
      emptyList: () => List.of([]), emptySet: () => List.of([]), emptyMap: () => wrap({}),
      singleton: (value) => List.of([value]), singletonList: (value) => List.of([value]),
    },
    UUID: { randomUUID: () => { const text = call("uuid"); return { toString: () => text }; } },
    URLEncoder: { encode: (text) => encodeURIComponent(text).replaceAll("%20", "+") },
    URLDecoder: { decode: formText },
    Base64: {
      ...coder(base64Standard), getEncoder: () => encoder(base64Standard), getUrlEncoder: () => encoder({ encode: (bytes) => base64URL.encode(bytes) }),
      getDecoder: () => coder(base64Standard), getUrlDecoder: () => coder(base64URL),
    },
    Base64url: coder(base64URL),
    MessageDigest: {
      getInstance: (algorithm) => {
        const bytes = [];
        const update = (value) => { for (const byte of bytesOf(value)) bytes.push(byte); };
        return { update, digest: (value) => { if (value !== undefined) update(value); return utils.crypto.subtle.digest(algorithm, bytes); } };
      },
    },
    SecureRandom: function () {
      const below = (bound) => {
        const bytes = base64Standard.decodeToBytes(call("random", 6));
        return bytes.reduce((sum, byte) => sum * 256 + byte, 0) % bound;
      };
      return { nextInt: (bound = 2 ** 31) => below(bound), nextBytes: (array) => { base64Standard.decodeToBytes(call("random", array.length)).forEach((byte, at) => { array[at] = byte; }); } };
    },
  };

  /** `org.forgerock.json.JsonValue` and so on: packages are made as they are named, a class is looked up by its last name. */
  function javaPackage(path) {
    return new Proxy(function () {}, {
      get: (_, name) => {
        if (typeof name !== "string") return undefined;
        if (name === packageMark) return path;
        return Object.hasOwn(javaClasses, name) && path !== "" ? javaClasses[name] : javaPackage(path === "" ? name : `${path}.${name}`);
      },
      construct: () => { throw new Error(`The Java class ${path} is not available here`); },
      apply: () => { throw new Error(`The Java class or method ${path} is not available here`); },
    });
  }
  const packageMark = "\u0000package";

  function JavaImporter(...imports) {
    const scope = {};
    for (const each of imports) {
      if (each?.[packageMark] !== undefined) {
        const last = each[packageMark].split(".").pop();
        if (/^[A-Z]/.test(last)) scope[last] = each;
        else Object.assign(scope, javaClasses);
        continue;
      }
      for (const [name, value] of Object.entries(javaClasses)) if (value === each) scope[name] = value;
    }
    return scope;
  }

  /** Methods that Java's strings have, and scripts call on texts that came from Java. */
  const textMethods = {
    equals(other) { return String(this) === String(other); },
    equalsIgnoreCase(other) { return String(this).toLowerCase() === String(other).toLowerCase(); },
    isEmpty() { return this.length === 0; },
    contains(other) { return this.includes(String(other)); },
    matches(pattern) { return new RegExp(`^(?:${pattern})$`).test(this); },
    compareTo(other) { return this < other ? -1 : this > other ? 1 : 0; },
    getBytes() { return toBytes(this); },
    toCharArray() { return Array.from(this); },
    hashCode() { let sum = 0; for (let at = 0; at < this.length; at++) sum = (31 * sum + this.charCodeAt(at)) | 0; return sum; },
  };

  function installLegacy() {
    for (const [name, method] of Object.entries(textMethods)) {
      Object.defineProperty(String.prototype, name, { value: method, writable: true, configurable: true });
    }
    const root = javaPackage("");
    const packages = Object.fromEntries(["org", "com", "java", "javax"].map((name) => [name, javaPackage(name)]));
    install({
      Packages: root, ...packages, JavaImporter, sharedState: stateMap("shared"), transientState: stateMap("transient"),
    });
  }

  return { JsonValue, ActionBuilder, legacyAnswers, installLegacy };
}
