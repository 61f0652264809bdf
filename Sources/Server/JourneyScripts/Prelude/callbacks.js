// Callbacks: what a script asks the client, and how it reads the answer.

const callback = (type, outputs, inputs = []) => ({ type, outputs: Object.entries(outputs), inputs });
const field = (preset) => [["", preset]];
const messageTypes = { INFORMATION: 0, WARNING: 1, ERROR: 2 };
const messageType = (value) => (Object.hasOwn(messageTypes, value) ? messageTypes[value] : Number(value));
const texts = (values) => Array.from(values ?? [], String);
const failures = (values) =>
  Array.from(values ?? [], (value) => (typeof value === "string" ? value : stringify(plain(value))));

const textOutput = (type) => (kind, message) =>
  callback(type, { message: String(message), messageType: String(messageType(kind)) });

const attributeInput = (type) => (name, prompt, value, required = false, policies, validateOnly, failedPolicies) => {
  // The short form has the value last or leaves it out; both are in use.
  if (isObject(policies) || policies === undefined) policies = policies ?? {};
  return callback(
    type,
    {
      name: String(name), prompt: String(prompt), required: required === true, policies: plain(policies),
      failedPolicies: failures(failedPolicies), validateOnly: validateOnly === true, value: plain(value),
    },
    [["", plain(value)], ["validateOnly", validateOnly === true]]);
};

const validated = (type, outputs, policies, validateOnly, failedPolicies) =>
  callback(
    type,
    {
      ...outputs, policies: plain(policies ?? {}), failedPolicies: failures(failedPolicies),
      validateOnly: validateOnly === true,
    },
    [["", ""], ["validateOnly", validateOnly === true]]);

function confirmation(...values) {
  const prompt = typeof values[0] === "string" && !Object.hasOwn(messageTypes, values[0]) ? values.shift() : "";
  const [kind, options, preset = 0] = values;
  const [list, optionType] = typeof options === "number" ? [[], options] : [texts(options), -1];
  return callback(
    "ConfirmationCallback",
    { prompt, messageType: messageType(kind), options: list, optionType, defaultOption: preset }, field(preset));
}

function consent(...values) {
  const [described, message, isRequired] =
    isObject(values[0])
      ? values
      : [{ name: values[0], displayName: values[1], icon: values[2], accessLevel: values[3], titles: values[4] },
        values[5], values[6]];
  return callback(
    "ConsentMappingCallback",
    {
      name: String(described.name ?? ""), displayName: String(described.displayName ?? ""),
      icon: String(described.icon ?? ""), accessLevel: String(described.accessLevel ?? ""),
      isRequired: isRequired === true, message: String(message ?? ""),
      fields: texts(described.fields ?? described.titles),
    }, field(false));
}

/** Every callback by the name that `callbacksBuilder` has for it. */
const makers = {
  nameCallback: (prompt, preset = "") => callback("NameCallback", { prompt: String(prompt) }, field(String(preset))),
  passwordCallback: (prompt) => callback("PasswordCallback", { prompt: String(prompt) }, field("")),
  textInputCallback: (prompt, preset = "") =>
    callback("TextInputCallback", { prompt: String(prompt), defaultText: String(preset) }, field(String(preset))),
  textOutputCallback: textOutput("TextOutputCallback"),
  suspendedTextOutputCallback: textOutput("SuspendedTextOutputCallback"),
  scriptTextOutputCallback: (message) => textOutput("TextOutputCallback")(4, message),
  choiceCallback: (prompt, choices, preset = 0) =>
    callback(
      "ChoiceCallback", { prompt: String(prompt), choices: texts(choices), defaultChoice: Number(preset) },
      field(Number(preset))),
  confirmationCallback: confirmation,
  hiddenValueCallback: (id, value) =>
    callback("HiddenValueCallback", { value: String(value), id: String(id) }, field(String(id))),
  stringAttributeInputCallback: attributeInput("StringAttributeInputCallback"),
  numberAttributeInputCallback: attributeInput("NumberAttributeInputCallback"),
  booleanAttributeInputCallback: attributeInput("BooleanAttributeInputCallback"),
  validatedUsernameCallback: (prompt, policies, validateOnly, failed) =>
    validated("ValidatedCreateUsernameCallback", { prompt: String(prompt) }, policies, validateOnly, failed),
  validatedPasswordCallback: (prompt, echoOn, policies, validateOnly, failed) =>
    validated(
      "ValidatedCreatePasswordCallback", { prompt: String(prompt), echoOn: echoOn === true }, policies, validateOnly,
      failed),
  kbaCreateCallback: (prompt, predefinedQuestions, allowUserDefinedQuestions) =>
    callback(
      "KbaCreateCallback",
      {
        prompt: String(prompt), predefinedQuestions: texts(predefinedQuestions),
        allowUserDefinedQuestions: allowUserDefinedQuestions === true,
      }, [["question", ""], ["answer", ""]]),
  termsAndConditionsCallback: (version, terms, createDate) =>
    callback(
      "TermsAndConditionsCallback",
      { version: String(version), terms: String(terms), createDate: String(createDate ?? "") }, field(false)),
  consentMappingCallback: consent,
  pollingWaitCallback: (waitTime, message) =>
    callback("PollingWaitCallback", { waitTime: String(waitTime), message: String(message) }),
  metadataCallback: (data) => callback("MetadataCallback", { data: plain(data) }),
  deviceProfileCallback: (metadata, location, message) =>
    callback(
      "DeviceProfileCallback",
      { metadata: metadata === true, location: location === true, message: String(message ?? "") }, field("")),
  redirectCallback: (redirectUrl, data, method = "GET") =>
    callback(
      "RedirectCallback", { redirectUrl: String(redirectUrl), redirectMethod: String(method), trackingCookie: true }),
  idPCallback: (provider, clientId, redirectUri, scopes, nonce, request, requestUri, acrValues, acceptsJSON) =>
    callback(
      "IdPCallback",
      {
        provider: String(provider), clientId: String(clientId), redirectUri: String(redirectUri),
        scopes: texts(scopes), nonce: String(nonce ?? ""), acrValues: texts(acrValues), request: String(request ?? ""),
        requestUri: String(requestUri ?? ""), acceptsJSON: acceptsJSON === true,
      }, [["token", ""], ["token_type", ""]]),
  selectIdPCallback: (providers) =>
    callback("SelectIdPCallback", { providers: plain(providers), value: "" }, field("")),
  pingOneProtectInitializeCallback: (settings) =>
    callback("PingOneProtectInitializeCallback", plain(settings ?? {}), [["clientError", ""]]),
  pingOneProtectEvaluationCallback: (pauseBehavioralData) =>
    callback(
      "PingOneProtectEvaluationCallback", { pauseBehavioralData: pauseBehavioralData === true },
      [["signals", ""], ["clientError", ""]]),
  reCaptchaEnterpriseCallback: (recaptchaSiteKey) =>
    callback(
      "ReCaptchaEnterpriseCallback", { recaptchaSiteKey: String(recaptchaSiteKey) },
      [["token", ""], ["action", ""], ["clientError", ""], ["payload", ""]]),
};

/** The callbacks that the script has asked for. */
const asked = [];

const callbacksBuilder = {};
for (const [name, make] of Object.entries(makers)) {
  callbacksBuilder[name] = (...values) => { asked.push(make(...values)); };
}

// The answer.

const output = (answered, name) => (answered.outputs.find((each) => each[0] === name) ?? [])[1];
const single = (answered) => answered.reply[""] ?? null;
const members = (...names) => (answered) =>
  wrap(Object.fromEntries(names.map(([name, suffix]) => [name, answered.reply[suffix] ?? null])));
const withValidation = members(["value", ""], ["validateOnly", "validateOnly"]);

/** What `callbacks` hands out of each type. */
const readers = {
  Name: ["NameCallback", single], Password: ["PasswordCallback", single], TextInput: ["TextInputCallback", single],
  Choice: ["ChoiceCallback", (answered) => List.of([single(answered)])],
  Confirmation: ["ConfirmationCallback", single], TermsAndConditions: ["TermsAndConditionsCallback", single],
  ConsentMapping: ["ConsentMappingCallback", single], DeviceProfile: ["DeviceProfileCallback", single],
  SelectIdP: ["SelectIdPCallback", single],
  StringAttributeInput: ["StringAttributeInputCallback", withValidation],
  NumberAttributeInput: ["NumberAttributeInputCallback", withValidation],
  BooleanAttributeInput: ["BooleanAttributeInputCallback", withValidation],
  ValidatedUsername: ["ValidatedCreateUsernameCallback", withValidation],
  ValidatedPassword: ["ValidatedCreatePasswordCallback", withValidation],
  KbaCreate: ["KbaCreateCallback", members(["selectedQuestion", "question"], ["selectedAnswer", "answer"])],
  Idp: ["IdPCallback", members(["token", "token"], ["tokenType", "token_type"])],
  PingOneProtectInitialize: ["PingOneProtectInitializeCallback", members(["clientError", "clientError"])],
  PingOneProtectEvaluation: [
    "PingOneProtectEvaluationCallback", members(["signals", "signals"], ["clientError", "clientError"])],
  ReCaptchaEnterprise: [
    "ReCaptchaEnterpriseCallback",
    members(["token", "token"], ["action", "action"], ["clientError", "clientError"], ["payload", "payload"])],
};

function answeredCallbacks(answers) {
  const callbacks = { isEmpty: () => answers.length === 0, size: () => answers.length };
  for (const [name, [type, read]] of Object.entries(readers)) {
    callbacks[`get${name}Callbacks`] = () => List.of(answers.filter((each) => each.type === type).map(read));
  }
  callbacks.getHiddenValueCallbacks = () =>
    wrap(Object.fromEntries(
      answers.filter((each) => each.type === "HiddenValueCallback").map((each) => [output(each, "id"), single(each)])));
  return callbacks;
}
