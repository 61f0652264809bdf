// The beginning and the end of a run.

const emptyAction = () => ({
  outcome: null, asked: null, header: null, description: null, stage: null, errorMessage: null, lockoutMessage: null,
  suspension: null, sessionProperties: [], removedSessionProperties: [],
});

/** The choice that `action` makes in the next generation; there is only one. */
const chosen = emptyAction();

/** The methods of both actions; `of` says whose choice they change. */
function actionMethods(of) {
  const methods = {
    goTo(outcome) { of(this).outcome = String(outcome); return this; },
    suspend(...values) {
      const handler = values.find((value) => typeof value === "function");
      const message = values.find((value) => typeof value === "string");
      of(this).suspension = { message, handler };
      return this;
    },
    putSessionProperty(name, value) { of(this).sessionProperties.push([String(name), String(value)]); return this; },
    removeSessionProperty(name) { of(this).removedSessionProperties.push(String(name)); return this; },
  };
  for (const [name, member] of Object.entries({
    withHeader: "header", withDescription: "description", withStage: "stage", withErrorMessage: "errorMessage",
    withLockoutMessage: "lockoutMessage",
  })) {
    methods[name] = function (text) { of(this)[member] = String(text); return this; };
  }
  return methods;
}
const action = actionMethods(() => chosen);

function install(names) {
  for (const [name, value] of Object.entries(names)) {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
  }
}

/** Headers and parameters: `get` ignores the case of headers' names and hands out a list. */
const named = (values, fold) => {
  const map = wrap(Object.fromEntries(Object.entries(values).map(([name, list]) => [name, list])));
  const get = (name) => JavaMap.prototype.get.call(map, fold(String(name)));
  Object.defineProperty(map, "get", { value: get });
  return map;
};

/** The claims of a person as legacy scripts read them: `profile.get("sub")` and `profile.sub`, both with `asString()`. */
const legacyProfile = (claims) => new Proxy(new legacy.JsonValue(claims), {
  get: (value, name) => (typeof name !== "string" || name in value ? Reflect.get(value, name) : value.get(name)),
});

/** A global variable, also one that the script declared by `let`. */
const variable = (name) => (0, globalEval)(`typeof ${name} === "undefined" ? undefined : ${name}`);
const globalEval = eval;

return {
  /** Takes what the server sends, and hands out the script. */
  begin(text) {
    run = parse(text);
    for (const part of ["shared", "transient"]) {
      for (const [name, value] of Object.entries(run[part])) parts[part].set(name, value);
    }
    install({
      nodeState, logger, requestHeaders: named(run.headers, (name) => name.toLowerCase()),
      requestParameters: named(run.parameters, (name) => name), requestCookies: wrap(run.cookies),
      resumedFromSuspend: run.resumed, realm: run.realm, scriptName: run.name, cookieName: run.cookieName, idRepository,
      httpClient, systemEnv, utils, jwtAssertion, jwtValidator, openidm, policy,
    });
    // Only nodes whose type was made in the designer have properties.
    if (run.nodeProperties !== undefined) install({ properties: wrap(run.nodeProperties) });
    // Without a session the variable stays undefined, because scripts ask whether it is defined.
    if (run.session !== null) install({ existingSession: wrap(run.session) });
    if (run.legacy) {
      legacy = makeLegacy();
      const { goTo, suspend, ...methods } = actionMethods((builder) => builder.chosen);
      for (const [name, value] of Object.entries(methods)) {
        Object.defineProperty(legacy.ActionBuilder.prototype, name, { value, writable: true, configurable: true });
      }
      legacy.installLegacy();
      install({ callbacks: legacy.legacyAnswers(run.callbacks) });
    } else {
      install({ action, callbacks: answeredCallbacks(run.callbacks), callbacksBuilder, require });
    }
    if (run.profile !== undefined) {
      const shown = run.legacy ? (profile) => legacyProfile(profile) : wrap;
      install({ rawProfile: shown(run.profile.raw), normalizedProfile: shown(run.profile.normalized) });
    }
    return run.source;
  },

  /** Returns the script's decision, or the value of a script that makes a profile. */
  finish(value) {
    if (run.profile !== undefined) return stringify({ profile: plain(value) });
    const built = run.legacy ? variable("action") : undefined;
    const result = legacy && built instanceof legacy.ActionBuilder ? built.chosen : chosen;
    const outcome = result.outcome ?? (result.asked || result.suspension ? null : variable("outcome"));
    let suspension = null;
    if (result.suspension) {
      suspension = { message: result.suspension.message ?? "" };
      const link = call("resumeLink");
      if (result.suspension.handler) {
        const said = result.suspension.handler(link);
        if (said?.outputs) suspension.message = output(said, "message") ?? suspension.message;
        else if (typeof said === "string") suspension.message = said;
      }
    }
    const puts = (part) => Array.from(changed[part], (name) => [name, parts[part].get(name)]);
    const { header, description, stage, errorMessage, lockoutMessage, sessionProperties, removedSessionProperties } = result;
    return stringify({
      outcome: outcome === undefined || outcome === null ? null : String(outcome), suspension,
      callbacks: (result.asked ?? asked).map(({ type, outputs, inputs }) => ({ type, outputs, inputs })),
      header, description, stage, errorMessage, lockoutMessage, sessionProperties, removedSessionProperties,
      shared: puts("shared"), transient: puts("transient"), removed: Array.from(changed.removed),
    });
  },

  /** Returns what went wrong. */
  fail(thrown) {
    let text = "the script threw a value that has no text";
    let line = null;
    try {
      text = String(thrown);
      // The script's own line, also when what it called threw.
      const place = /journey-script:(\d+)/.exec(String(thrown?.stack ?? ""));
      line = place ? Number(place[1]) : Number.isInteger(thrown?.line) ? thrown.line : null;
    } catch { /* as above */ }
    return stringify({ error: text.slice(0, 4096), line });
  },
};
