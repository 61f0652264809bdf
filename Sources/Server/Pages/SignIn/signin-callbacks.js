// The callbacks of a step: what each shows, and what it puts into its inputs. Scripts that callbacks carry are read for what they ask of
// WebAuthn; they are never executed.
import { askDesktop } from "./signin-desktop.js";
import { enrolment, polling, secondsLeft } from "./signin-waiting.js";
import { marked, plain } from "./signin-markup.js";
import { ceremony, fromMetadata, fromScript } from "./signin-passkeys.js";
import { leaveFor } from "./signin-providers.js";
import { recoveryCodes } from "./signin-codes.js";
import { realm } from "./signin-server.js";
import { language, t } from "./signin-texts.js";
import { complain, field, form, make, note, output } from "./signin-view.js";

// The callbacks whose inputs the person, or an earlier try, has filled.
const touched = new WeakSet();
export const touch = (callback) => touched.add(callback);

export function draw(page) {
  page.step.callbacks.forEach((_, index) => {
    // The next step replaces a waiting one while its controls stay.
    const current = () => page.step.callbacks[index];
    const callback = current();
    const place = {
      page, id: "IDToken" + (index + 1),
      set(value, suffix = "") {
        const inputs = current().input || [];
        const input = suffix ? inputs.find((input) => input.name.endsWith(suffix)) : inputs[0];
        if (!input) return;
        input.value = value;
        touched.add(current());
      },
      initial: (standard) => (touched.has(callback) ? callback.input[0].value : standard),
      current,
    };
    const known = drawings[callback.type];
    if (known) known(callback, place);
    else if (callback.input?.length) unknown(callback, place);
  });
  if (page.webAuthn && page.outcome) ceremony(page);
}

// A step that needs an app, or a service that this page does not load.
function unknown(callback, { set }) {
  note(t("signIn.unknownCallback", { type: callback.type }), "output warning");
  set("Unsupported", "clientError");
}

// MARK: Policies

function failedPolicies(callback) {
  return [output(callback, "failedPolicies") || []].flat().map((failure) => {
    try {
      const { policyRequirement, params } = typeof failure === "string" ? JSON.parse(failure) : failure;
      return policy(policyRequirement, params) ?? t("signIn.policyOther", { requirement: policyRequirement });
    } catch {
      return plain(failure) || t("signIn.policyForm");
    }
  });
}

const policies = {
  REQUIRED: "signIn.policyRequired", UNIQUE: "signIn.policyUnique", MATCH_REGEXP: "signIn.policyForm",
  VALID_TYPE: "signIn.policyForm", VALID_DATE: "signIn.policyDate", VALID_EMAIL_ADDRESS_FORMAT: "signIn.policyMail",
  VALID_NAME_FORMAT: "signIn.policyName", VALID_PHONE_FORMAT: "signIn.policyPhone", VALID_NUMBER: "signIn.policyNumber",
  VALID_USERNAME: "signIn.policyUsername", AT_LEAST_X_CAPITAL_LETTERS: "signIn.policyCapitals",
  AT_LEAST_X_NUMBERS: "signIn.policyDigits", MINIMUM_NUMBER_VALUE: "signIn.policyMinimum",
  MAXIMUM_NUMBER_VALUE: "signIn.policyMaximum", MIN_LENGTH: "signIn.policyMinLength", MAX_LENGTH: "signIn.policyMaxLength",
  CANNOT_CONTAIN_OTHERS: "signIn.policyOthers", CANNOT_CONTAIN_CHARACTERS: "signIn.policyCharacters",
  CANNOT_CONTAIN_DUPLICATES: "signIn.policyDuplicates", CANNOT_BE_COMMON: "signIn.policyCommon",
};

// The text of a requirement, if it is known.
function policy(requirement, params) {
  // The directory's policy about passwords; no maximum is 0.
  if (requirement === "LENGTH_BASED") {
    const { "min-password-length": minLength, "max-password-length": maxLength } = params ?? {};
    return [policy("MIN_LENGTH", { minLength }), maxLength ? policy("MAX_LENGTH", { maxLength }) : ""]
      .filter(Boolean).join(". ");
  }
  const key = Object.hasOwn(policies, requirement) ? policies[requirement] : null;
  if (!key) return null;
  const values = {};
  for (const [name, value] of Object.entries(params ?? {})) {
    values[name] = [value].flat().map((each) => (typeof each === "object" ? JSON.stringify(each) : each)).join(" ");
  }
  return t(key, values).replace(/ ?\{\w+\}/g, "");
}

// The rules to show before anything is typed. That a value is required needs no words.
function policyHints(callback) {
  const policies = output(callback, "policies")?.policies;
  if (!Array.isArray(policies)) return [];
  const lines = policies.flatMap(({ policyRequirements, params }) =>
    (policyRequirements || []).filter((each) => !["REQUIRED", "VALID_TYPE", "UNIQUE", "VALID_USERNAME"].includes(each))
      .map((each) => policy(each, params)));
  return [...new Set(lines.filter(Boolean))];
}

const explained = (callback) => ({ hints: policyHints(callback), faults: failedPolicies(callback) });

// MARK: Text

function entry(type, autocomplete, further = {}) {
  return (callback, { id, set, initial, page }) => {
    const prompt = plain(output(callback, "prompt")) || t("signIn.answer");
    const control = make("input", {
      type: output(callback, "echoOn") === true ? "text" : type, autocomplete, spellcheck: false, autocapitalize: "none",
      required: output(callback, "required") !== false, ...further,
    });
    const preset = output(callback, "defaultText") ?? output(callback, "value");
    control.value = initial(type === "password" || typeof preset === "object" ? "" : preset ?? "") ?? "";
    if (control.value) set(control.value);
    field(id, prompt, control, explained(callback));
    control.oninput = () => {
      set(control.value);
      control.removeAttribute("aria-invalid");
    };
    // Password managers fill without telling.
    page.beforeSend.push(() => { if (control.value) set(control.value); });
    if (type === "password") reveal(control);
    return control;
  };
}

function reveal(control) {
  const button = make("button", { type: "button", className: "reveal", textContent: t("signIn.show"), "aria-pressed": "false" });
  button.setAttribute("aria-controls", control.id);
  button.onclick = () => {
    const shows = control.type === "password";
    control.type = shows ? "text" : "password";
    button.textContent = shows ? t("signIn.hide") : t("signIn.show");
    button.setAttribute("aria-pressed", String(shows));
  };
  control.after(button);
}

// Password managers look for the name that a password belongs to. If the step does not ask for it, a hidden field has it.
function nameAbove({ step, user }) {
  if (step.callbacks.some(({ type }) => type === "NameCallback" || type === "ValidatedCreateUsernameCallback")) return;
  form.append(make("input", { type: "text", autocomplete: "username", value: user, hidden: true, readOnly: true }));
}

// The input types and autofill values of attributes.
const attributes = {
  mail: ["email", "email"], givenName: ["text", "given-name"], sn: ["text", "family-name"], telephoneNumber: ["tel", "tel"],
  postalAddress: ["text", "street-address"], city: ["text", "address-level2"], postalCode: ["text", "postal-code"],
  country: ["text", "country-name"], userName: ["text", "username"],
};

// MARK: Drawings

const drawings = {
  NameCallback(callback, place) {
    const isFirst = place.page.step.callbacks.every((other) => !/Code|code/.test(output(other, "prompt") ?? ""));
    entry("text", isFirst ? "username webauthn" : "one-time-code")(callback, place);
    place.page.name = place.set;
  },
  ValidatedCreateUsernameCallback: entry("text", "username"),
  PasswordCallback(callback, place) {
    const isCode = /one.?time/i.test(output(callback, "prompt") ?? "");
    if (!isCode) nameAbove(place.page);
    entry("password", isCode ? "one-time-code" : "current-password")(callback, place);
  },
  ValidatedCreatePasswordCallback: entry("password", "new-password"),
  TextInputCallback: entry("text", "off"),
  StringAttributeInputCallback(callback, place) {
    const [type, autocomplete] = attributes[output(callback, "name")] ?? ["text", "off"];
    entry(type, autocomplete)(callback, place);
  },

  NumberAttributeInputCallback(callback, { id, set, initial }) {
    const control = make("input", {
      type: "number", step: "any", autocomplete: "off", required: output(callback, "required") !== false,
    });
    control.value = initial(output(callback, "value")) ?? "";
    const take = () => set(control.value === "" ? null : control.valueAsNumber);
    take();
    control.oninput = take;
    field(id, plain(output(callback, "prompt")), control, explained(callback));
  },

  BooleanAttributeInputCallback(callback, { id, set, initial }) {
    checkbox(id, plain(output(callback, "prompt")), initial(Boolean(output(callback, "value"))), set, explained(callback).faults);
  },

  ChoiceCallback(callback, { id, set, initial }) {
    const control = make("select");
    (output(callback, "choices") || []).forEach((choice, index) => control.append(new Option(plain(choice), index)));
    control.value = initial(output(callback, "defaultChoice") || 0);
    set(Number(control.value));
    field(id, plain(output(callback, "prompt")) || t("signIn.choice"), control).onchange = () => set(Number(control.value));
  },

  KbaCreateCallback(callback, { id, set }) {
    const questions = output(callback, "predefinedQuestions") || [];
    const allowsOwn = output(callback, "allowUserDefinedQuestions") === true || !questions.length;
    const group = make("fieldset", {}, make("legend", { textContent: plain(output(callback, "prompt")) || t("signIn.securityQuestion") }));
    form.append(group);
    const choice = make("select");
    questions.forEach((question) => choice.append(new Option(plain(question), question)));
    if (allowsOwn) choice.append(new Option(t("signIn.ownQuestion"), ""));
    const own = make("input", { type: "text", autocomplete: "off", maxLength: 256 });
    const given = make("input", { type: "text", autocomplete: "off", required: true, spellcheck: false });
    const take = () => {
      own.parentElement.hidden = choice.value !== "";
      own.required = choice.value === "";
      set(choice.value || own.value, "question");
    };
    field(id, t("signIn.question"), choice).onchange = take;
    field(id + "own", t("signIn.ownQuestion"), own).oninput = take;
    field(id + "answer", t("signIn.answer"), given, explained(callback)).oninput = () => set(given.value, "answer");
    group.append(...[choice, own, given].map((control) => control.parentElement));
    take();
  },

  TermsAndConditionsCallback(callback, { id, set }) {
    const date = new Date(output(callback, "createDate"));
    const edition = t("signIn.termsVersion", {
      version: output(callback, "version") ?? "", date: isNaN(date) ? "" : date.toLocaleDateString(language),
    });
    form.append(make("div", { className: "terms", tabIndex: 0, role: "region", "aria-label": t("signIn.terms") }, marked(output(callback, "terms"))));
    note(edition, "muted");
    checkbox(id, t("signIn.acceptTerms"), false, set, [], true);
  },

  ConsentMappingCallback(callback, { id, set }) {
    const group = make("fieldset", {}, make("legend", { textContent: plain(output(callback, "displayName")) || output(callback, "name") }));
    form.append(group);
    const message = output(callback, "message");
    if (message) group.append(make("p", { className: "output" }, marked(message)));
    if (output(callback, "accessLevel")) group.append(make("p", { className: "muted", textContent: t("signIn.access", { level: plain(output(callback, "accessLevel")) }) }));
    const fields = output(callback, "fields") || [];
    if (fields.length) group.append(make("ul", {}, ...fields.map((name) => make("li", { textContent: name }))));
    const isRequired = output(callback, "isRequired") === true;
    checkbox(id, t("signIn.share"), false, set, [], isRequired);
    group.append(form.lastElementChild);
  },

  ConfirmationCallback(callback, { set, page }) {
    const kind = output(callback, "optionType");
    const [yes, no, cancel, ok] = [[t("signIn.yes"), 0], [t("signIn.no"), 1], [t("signIn.cancel"), 2], [t("signIn.ok"), 3]];
    const named = output(callback, "options") || [];
    const options = named.length
      ? named.map((text, index) => [plain(text), index])
      : { 0: [yes, no], 1: [yes, no, cancel], 2: [ok, cancel] }[kind] ?? [ok];
    if (!page.webAuthn) page.buttons += 1;
    const prompt = plain(output(callback, "prompt"));
    const row = make("div", { className: "buttons", role: "group", "aria-label": prompt || t("signIn.options") });
    if (prompt) note(prompt);
    form.append(row);
    for (const [text, value] of options) {
      row.append(make("button", {
        type: "button", className: "quiet", textContent: text,
        onclick() {
          set(value);
          page.submit();
        },
      }));
    }
  },

  TextOutputCallback(callback, { page }) {
    const text = String(output(callback, "message") || "");
    const type = String(output(callback, "messageType"));
    if (type === "4") {
      if (text.includes("navigator.credentials.")) page.webAuthn = fromScript(text);
    } else if (text.includes("\n") && text.split("\n").every((line) => /^[A-Z0-9-]+$/.test(line))) recoveryCodes(text);
    else if (text) {
      note(marked(text), { 1: "output warning", 2: "output fault" }[type] ?? "output");
    }
  },

  // The journey continues by the link in the mail. An answer would only bring the same step again.
  SuspendedTextOutputCallback(callback, { page }) {
    page.button = null;
    note(marked(output(callback, "message")));
    note(t("signIn.mayClose"), "muted");
  },

  MetadataCallback(callback, { page }) {
    const data = output(callback, "data") || {};
    if (data._type === "WebAuthn") page.webAuthn = fromMetadata(data);
    // A step with metadata alone asks nothing, so it is answered at once.
    else if (page.step.callbacks.every(({ type }) => type === "MetadataCallback")) page.wait(0);
  },

  HiddenValueCallback(callback, { set, page, current }) {
    const id = output(callback, "id");
    const value = String(output(callback, "value") ?? "");
    if (id === "webAuthnOutcome") page.outcome = set;
    else if (id === "mfaDeviceRegistration") enrolment(value, page);
    else if (id === "pushChallengeNumber") {
      const number = note(value, "number");
      form.querySelector(".countdown")?.before(number);
    }
    else if (/SecondsLeft$/.test(id ?? "")) secondsLeft(page, () => Number(output(current(), "value")));
  },

  PollingWaitCallback(callback, { page, current }) { polling(callback, page, current); },

  DeviceSigningVerifierCallback(callback, place) { askDesktop(callback, place); },

  // A browser has no key to bind.
  DeviceBindingCallback(callback, { set, page }) {
    note(t("signIn.bindElsewhere"), "output warning");
    const server = new URL("..", location.href).href.replace(/\/$/, "");
    const quoted = (word) => (/^[\w@%+=:,.\/-]+$/.test(word) ? word : "'" + word.replace(/'/g, "'\\''") + "'");
    const words = ["sealring", "bind", "--server", server, "--realm", realm.replace(/^\/+/, "") || "root"];
    const username = output(callback, "username");
    if (username) words.push("--username", String(username));
    form.append(make("pre", { className: "codes", textContent: words.map(quoted).join(" "), tabIndex: 0 }));
    set("Unsupported", "clientError");
    page.button = t("signIn.continue");
  },

  // The profile has only what every request tells anyway. The location is not asked for, and no identifier is kept.
  DeviceProfileCallback(callback, { set }) {
    note(marked(output(callback, "message") || t("signIn.profileSent")));
    const metadata = {
      platform: { locale: navigator.language, timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone },
      browser: { userAgent: navigator.userAgent.slice(0, 512) },
    };
    set(JSON.stringify(output(callback, "metadata") ? { metadata } : {}));
  },

  SelectIdPCallback(callback, { set, page }) {
    const providers = output(callback, "providers") || [];
    const isLocal = (choice) => choice.provider === "localAuthentication";
    const hasFields = form.querySelector("input") !== null;
    const row = make("div", { className: "buttons", role: "group", "aria-label": t("signIn.options") });
    for (const choice of providers) {
      // With fields on the page, its own button signs in here.
      if (isLocal(choice) && hasFields) {
        set(choice.provider);
        continue;
      }
      page.buttons += hasFields ? 0 : 1;
      const name = plain(choice.uiConfig?.buttonDisplayName) || choice.provider;
      row.append(make("button", {
        type: "button", className: "quiet", textContent: isLocal(choice) ? t("signIn.signInHere") : t("signIn.signInWith", { name }),
        onclick() {
          set(choice.provider);
          page.submit();
        },
      }));
    }
    form.append(row);
  },

  RedirectCallback(callback, { page }) { leaveFor(callback, page); },
};

function checkbox(id, text, value, set, faults = [], required = false) {
  const control = make("input", { type: "checkbox", id, checked: value === true, required });
  set(control.checked);
  control.onchange = () => set(control.checked);
  const place = make("div", { className: "field" }, make("label", { className: "check", htmlFor: id }, control, text));
  if (faults.length) {
    control.setAttribute("aria-invalid", "true");
    complain(faults.join(" "));
  }
  form.append(place);
}
