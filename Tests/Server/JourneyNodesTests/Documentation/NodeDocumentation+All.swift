import JourneyNodes
import StrictJSON

extension NodeDocumentation {
  static let identity =
    "by which collected attribute the account is found while the journey has named nobody"
  private static let resource = "`managed/REALM_user`, or empty; there are no other objects here"

  /// All types, by name; also such as other modules add to a registry.
  static let all: [String: NodeDocumentation] = credentials.merging(identities) { $1 }.merging(flow) { $1 }
    .merging(mail) { $1 }.merging(devices) { $1 }.merging(oneTimeCodes) { $1 }.merging(webAuthn) { $1 }
    .merging(scripts) { $1 }.merging(providers) { $1 }.merging(accounts) { $1 }
    .merging(social) { $1 }.merging(outside) { $1 }

  // MARK: Names and passwords

  private static let credentials: [String: NodeDocumentation] = [
    "UsernameCollectorNode": .init("Username Collector", "Asks for a name, and keeps it as `username`."),
    "PasswordCollectorNode": .init("Password Collector", "Asks for a password; it never leaves the journey."),
    "ValidatedUsernameNode": .init(
      "Platform Username", "Asks for a name, a new one with `validateInput`.",
      [
        "usernameAttribute": "under which attribute it is also collected",
        "validateInput": "asks for a new name that nobody has, and shows which policies an answer fails",
      ]),
    "ValidatedPasswordNode": .init(
      "Platform Password", "Asks for a password, a new one with `validateInput`.",
      [
        "passwordAttribute": "under which attribute it is also collected",
        "validateInput": "asks for a new password that follows the server's policy",
      ]),
    "DataStoreDecisionNode": .init(
      "Data Store Decision",
      "Whether name and password are right. Wrong ones count, and lock the account for guesses. A right one that was reset is replaced here; one that has expired is refused."
    ),
    "AgentDataStoreDecisionNode": .init(
      "Agent Data Store Decision", "The same for agents, which are accounts here."),
    "IdentityStoreDecisionNode": .init(
      "Identity Store Decision",
      "Checks name and password, tells the states of an account apart, and has a password that was reset replaced.",
      identityStore),
    "LdapDecisionNode": .init(
      "LDAP Decision", "The same. The directory server is not asked: accounts are this server's own.",
      identityStore),
    "ZeroPageLoginNode": .init(
      "Zero Page Login Collector", "Takes name and password from headers, if they are there and may be used.",
      [
        "usernameHeader": "the header with the name", "passwordHeader": "the header with the password",
        "allowWithoutReferer": "whether a request without `Referer` may use them",
        "referrerWhiteList":
          "the pages that may send such requests: addresses, or their beginnings up to a path",
      ]),
    "ModifyAuthLevelNode": .init(
      "Modify Auth Level", "Changes the authentication level of the run.",
      ["authLevelIncrement": "by how much"],
      example: ["authLevelIncrement": 1]),
    "AuthLevelDecisionNode": .init(
      "Auth Level Decision", "Whether the run has reached a level.", ["authLevelRequirement": "the level"],
      example: ["authLevelRequirement": 1]),
    "StrongestFactorDecisionNode": .init(
      "Strongest Factor Decision",
      "Ours: whether a node with `requiresStrongestFactor` would add a factor to the account now. `false`: the run has to prove the strongest factor that the account has first.",
      outcomes: "`true`, also for an account without a factor whose password was right; `false`."),
    "SessionDataNode": .init(
      "Get Session Data", "Copies something of the session that the client presented into shared state.",
      [
        "sessionDataKey": "what: the user's name, the session's level, journey or moment",
        "sharedStateKey": "the state variable",
      ], example: ["sessionDataKey": "UserToken", "sharedStateKey": "username"]),
    "AnonymousUserNode": .init(
      "Anonymous User Mapping",
      "Continues as one fixed account without a proof; refuses an account with a role.",
      ["anonymousUserName": "the account; a session comes of it only if it exists"]),
    "SetPersistentCookieNode": .init(
      "Set Persistent Cookie",
      "Gives the browser a signed and encrypted cookie once the journey has ended in a session. It is bound to realm, account and "
        + "password, always `HttpOnly`, and `Secure` wherever https is used.",
      cookie),
    "PersistentCookieDecisionNode": .init(
      "Persistent Cookie Decision",
      "Whether the browser has a valid cookie; the journey continues as its account, as of the moment of the password. Each use "
        + "renews the idle time, never the longest life.",
      cookie.merging(["enforceClientIp": "whether it must come from the address that it was made for"]) { $1 }
    ),
  ]

  private static let identityStore = [
    "minimumPasswordLength": "of a new password; the server's policy may ask for more",
    "mixedCaseForPasswordChangeMessages": "whether messages are in mixed case, not in capitals",
    "useUniversalIdForUsername": "read and without effect: the name continues as the account has it",
  ]

  private static let cookie = [
    "persistentCookieName": "the cookie's name", "idleTimeout": "hours without use after which it ends",
    "maxLife": "hours after which it ends in any case; 2,160 at most",
    "useSecureCookie": "read and without effect: cookies are `Secure` wherever https is used",
    "useHttpOnlyCookie": "read and without effect: cookies are `HttpOnly`",
  ]

  // MARK: Identities

  private static let identities: [String: NodeDocumentation] = [
    "AttributeCollectorNode": .init(
      "Attribute Collector",
      "Asks for attributes, each with the callback of its type in the [schema](identities.md), and collects them. Present values "
        + "are shown only to a user whom the journey has verified.",
      [
        "attributesToCollect": "names, or places such as `preferences/updates`",
        "required": "whether each must be given",
        "validateInputs": "whether the schema's policies are shown and checked",
        "identityAttribute": identity,
      ], example: ["attributesToCollect": ["mail"]]),
    "IdentifyExistingUserNode": .init(
      "Identify Existing User",
      "Whether exactly one account has the collected value of an attribute; the journey continues with its `username` and `_id`. "
        + "Proves nothing about the person.",
      [
        "identityAttribute": "the attribute; `userName` looks the name up, all others should be searchable",
        "identifier": "`userName` or `_id`",
      ]),
    "CreateObjectNode": .init(
      "Create Object", "Creates the account of what was collected.", ["identityResource": resource]),
    "PatchObjectNode": .init(
      "Patch Object",
      "Writes what was collected into the account. A new password, or link to a provider, has to be allowed by the requirement for "
        + "[changes of factors](assurance.md); a password ends other sessions. Name and status are never written.",
      [
        "identityResource": resource, "identityAttribute": identity,
        "ignoredFields": "collected attributes that are not written",
        "patchAsObject": "whether only what users may change themselves is written",
      ]),
    "RequiredAttributesDecisionNode": .init(
      "Required Attributes Present", "Whether everything was collected that an account needs.",
      ["identityResource": resource]),
    "AttributePresentDecisionNode": .init(
      "Attribute Present Decision", "Whether the account has an attribute.",
      [
        "presentAttribute": "the attribute; `password`: whether one can sign in with one",
        "identityAttribute": identity,
      ]),
    "AttributeValueDecisionNode": .init(
      "Attribute Value Decision", "Whether an attribute of the account is there, or has a value.",
      [
        "comparisonOperation": "which of the two", "comparisonAttribute": "the attribute",
        "comparisonValue": "the value, compared without regard to case", "identityAttribute": identity,
      ], example: ["comparisonAttribute": "mail"]),
    "QueryFilterDecisionNode": .init(
      "Query Filter Decision", "Whether the account fits a [filter](identities.md#queries).",
      ["queryFilter": "the filter", "identityAttribute": identity], example: ["queryFilter": "/mail pr"]),
    "IncrementLoginCountNode": .init(
      "Increment Login Count", "Adds one to the account's `loginCount`.", ["identityAttribute": identity]),
    "LoginCountDecisionNode": .init(
      "Login Count Decision", "Whether the account has signed in a number of times.",
      [
        "amount": "the number", "interval": "exactly that often, or any multiple of it",
        "identityAttribute": identity,
      ]),
    "DisplayUserNameNode": .init(
      "Display Username",
      "Shows an attribute of the account to anyone on the page: put it after a proof.",
      ["userName": "the attribute", "identityAttribute": identity]),
    "AcceptTermsAndConditionsNode": .init(
      "Accept Terms and Conditions",
      "Shows the [terms](identities.md#the-schema), and continues once they are accepted."),
    "KbaCreateNode": .init(
      "KBA Definition",
      "Asks for security questions and answers. Answers are hashed as passwords are, and stand nowhere in clear.",
      [
        "message": "what is asked",
        "allowUserDefinedQuestions": "whether people may write questions of their own",
      ]),
    "AccountLockoutNode": .init(
      "Account Lockout",
      "Makes the account inactive, or active again and free of locks. The last administrator stays active.",
      ["lockAction": "which of the two", "identityAttribute": identity]),
  ]

  // MARK: The way through a journey

  private static let flow: [String: NodeDocumentation] = [
    "RetryLimitDecisionNode": .init(
      "Retry Limit Decision", "Lets the person try again until the limit.",
      [
        "retryLimit": "how often",
        "incrementUserAttributeOnFailure":
          "whether tries also count across journeys for the account; that count is forgotten an hour after its last try",
      ]),
    "ChoiceCollectorNode": .init(
      "Choice Collector", "Lets the person choose.",
      [
        "choices": "the choices", "defaultChoice": "the one that is preset; the first, if empty",
        "prompt": "the question",
      ],
      outcomes: "one for each of `choices`, by its text.", example: ["choices": ["Proceed", "Cancel"]]),
    "MessageNode": .init(
      "Message", "Shows a message with two buttons: `true` for the first.",
      [
        "message": "the message", "messageYes": "the first button", "messageNo": "the second button",
        "stateField": "the state variable that notes which was pressed; none, if empty",
      ]),
    "PollingWaitNode": .init(
      "Polling Wait", "Makes the client wait.",
      [
        "secondsToWait": "how long", "waitingMessage": "what is shown; `{{time}}` stands for the seconds",
        "exitable": "whether there is a button that ends the wait", "exitMessage": "the button",
        "spamDetectionEnabled": "whether a client that posts too often before the time is over takes `SPAM`",
        "spamDetectionTolerance": "how often it may",
      ], outcomes: "`DONE`; `EXITED` with `exitable`; `SPAM` with `spamDetectionEnabled`."),
    "SetSuccessUrlNode": .init(
      "Success URL", "Where the client goes after success (`successUrl`).",
      ["successUrl": "an address with https or http, or a path"], example: ["successUrl": "/"]),
    "SetFailureUrlNode": .init(
      "Failure URL", "Where the client goes after failure (`detail.failureUrl`).",
      ["failureUrl": "an address with https or http, or a path"], example: ["failureUrl": "/"]),
    "SetSuccessDetailsNode": .init(
      "Set Success Details", "Adds members to the answer after success.",
      ["successDetails": "names and texts"]),
    "SetFailureDetailsNode": .init(
      "Set Failure Details", "Sets the message after failure, and adds members to its `detail`.",
      ["failureMessage": "the message; PingAM's, if there is none", "failureDetails": "names and texts"]),
    "TransactionCollectorNode": .init(
      "Transaction Collector (ours)", "Asks for a text that is to be signed.",
      ["sharedStateAttribute": "the state variable", "prompt": "the question"]),
  ]

  // MARK: Mail

  private static let mail: [String: NodeDocumentation] = [
    "EmailSuspendNode": .init(
      "Email Suspend Node",
      "Sends a [mail](mail.md) with a link, and waits until its reader comes back by it. People without an account get the same "
        + "answer and no mail.",
      [
        "emailTemplateName": "the template in the file", "emailAttribute": "the attribute with the address",
        "emailSuspendMessage": "what the client shows meanwhile",
        "objectLookup": "whether the mail goes to an account's own address; without it, to the collected one",
        "identityAttribute": identity,
      ]),
    "OneTimePasswordGeneratorNode": .init(
      "HOTP Generator", "Makes a one-time code of digits, which stays in the journey.",
      ["length": "how many digits"]),
    "OneTimePasswordSmtpSenderNode": .init(
      "OTP Email Sender",
      "Mails the code to the account's address, by the server's own [mail service](mail.md).",
      [
        "emailAttribute": "the attribute with the address",
        "fromEmailAddress": "the sender; the server's, if empty",
        "emailSubject": "the subject", "emailContent": "the text; `{{OTP}}` stands for the code",
      ]),
    "OneTimePasswordCollectorDecisionNode": .init(
      "OTP Collector Decision",
      "Asks for the code. Wrong ones count and lock, apart from passwords; the fifth ends the code.",
      ["passwordExpiryTime": "minutes that a code is good"]),
  ]
}

/// Devices, codes and security keys.
extension NodeDocumentation {
  static let limit = "most devices of an account; 0 for any number"
  static let postpone = "leaves the device in the journey's state for a storage node"
  static let strongest =
    "ours: whether the run has to prove the [strongest factor that the account has](assurance.md#changing-factors) first, whatever `--factor-changes` asks"
  static let recoveryCodes =
    "makes recovery codes with the first device, for a RecoveryCodeDisplayNode"

  private static let binding = [
    "applicationIds":
      "apps that may answer: bundle identifiers, package names, or what a Linux client is given",
    "title": "shown by the client", "subtitle": "shown by the client", "description": "shown by the client",
    "timeout": "seconds that the person has",
    "skewAllowance": "tolerated difference of the clocks in seconds",
    "clientErrorOutcomes": "errors of the client that are outcomes; another one is `failure`",
  ]

  private static let enrolment = [
    "issuer": "what the app calls the service", "accountName": "what the app calls the account",
    "bgColor": "the app's background", "imgUrl": "the app's picture", "generateRecoveryCodes": recoveryCodes,
    "scanQRCodeMessage": "shown beside the QR code", "requiresStrongestFactor": strongest,
  ]

  private static let oath = [
    "passwordLength": "digits of a code", "truncationOffset": "-1 for dynamic truncation (RFC 4226 §5.3)",
    "totpTimeInterval": "seconds of a step", "algorithm": "by time or by counter",
    "totpHashAlgorithm": "the hash, for codes by time", "addChecksum": "whether codes end in a check digit",
    "minSharedSecretLength": "hexadecimal digits of the secret", "policiesJson": "JSON for the app, as text",
  ]

  private static let pushRegistration = enrolment.merging([
    "timeout": "seconds that the person has",
    "allowMultipleDevices": "ours: whether a user with a device gets another",
  ]) { $1 }

  private static let devices: [String: NodeDocumentation] = [
    "DeviceBindingNode": .init(
      "Device Binding", "Binds a key of the device to the account ([properties](journeys.md#nodes)).",
      binding.merging([
        "authenticationType": "what unlocks the key", "maxSavedDevices": limit,
        "attestation": "asks for [attestation](attestation.md), as PingAM does",
        "attestationRequired": "ours: nobody may leave it out",
        "postponeDeviceProfileStorage": postpone, "requiresStrongestFactor": strongest,
      ]) { $1 },
      outcomes: "`success`, `failure`, `exceedDeviceLimit` with a limit, and each of `clientErrorOutcomes`.",
      example: ["applicationIds": ["com.example.app"]]),
    "DeviceSigningVerifierNode": .init(
      "Device Signing Verifier", "Has the device sign, and verifies ([properties](journeys.md#nodes)).",
      binding.merging([
        "challenge": "random bytes; off: the text in `sharedStateAttribute`",
        "sharedStateAttribute": "the state variable to sign",
        "captureFailure":
          "whether a wrong proof takes `failure`, with its cause in state, and does not end the journey",
      ]) { $1 },
      outcomes:
        "`success`, `failure`, `noDeviceRegistered`, `keyNotFound`, and each of `clientErrorOutcomes`.",
      example: ["applicationIds": ["com.example.app"]]),
    "DeviceBindingStorageNode": .init(
      "Device Binding Storage", "Stores the device that a DeviceBindingNode left in state.",
      ["requiresStrongestFactor": strongest]),
    "DeviceProfileCollectorNode": .init(
      "Device Profile Collector",
      "Asks for the [device's profile](device-profile.md#the-server), which proves nothing.",
      [
        "deviceMetadata": "whether its description is wanted",
        "deviceLocation": "whether its place is wanted",
        "message": "shown by the client", "maximumSize": "of the profile, in KB",
      ]),
    "DeviceSaveNode": .init(
      "Device Profile Save", "Saves the collected profile with the account.",
      [
        "maxSavedProfiles": "how many; the oldest goes",
        "saveDeviceMetadata": "whether the description is saved",
        "saveDeviceLocation": "whether the place is saved", "variableName": "read and without effect",
      ]),
    "DeviceMatchNode": .init(
      "Device Match", "Compares the collected profile with the one that was saved of that device.",
      [
        "acceptableVariance": "how many values may differ",
        "expiration": "days that a saved profile counts; 0 for always",
        "useScript": "scripts are not run here; loading warns",
      ]),
    "PushRegistrationNode": .init(
      "Push Registration", "Registers a device for [push](push.md#nodes).", pushRegistration),
    "CombinedMultiFactorRegistrationNode": .init(
      "Combined MFA Registration", "Registers a device for push and one-time codes.",
      pushRegistration.merging(oath) { $1 }),
    "PushAuthenticationSenderNode": .init(
      "Push Sender", "Sends a question to the user's devices.",
      [
        "pushType": "how it is answered", "messageTimeout": "milliseconds that it is open",
        "userMessage": "the question; `{{user}}` and `{{issuer}}` stand for these",
        "mandatory": "whether a user who opted out is asked all the same",
        "contextInfo": "whether place and browser go along", "customPayload": "state variables that go along",
        "captureFailure": "whether a failure takes `FAILURE`",
      ], outcomes: "`SENT`, `NOT_REGISTERED`, `SKIPPED` unless `mandatory`, `FAILURE` with `captureFailure`."),
    "PushWaitNode": .init(
      "Push Wait", "Makes the client wait, and shows the number or code.",
      [
        "secondsToWait": "how long", "waitingMessage": "what is shown",
        "challengeMessage": "what is shown with a number",
        "exitMessage": "the button that ends the wait",
      ]),
    "PushResultVerifierNode": .init("Push Result Verifier", "What became of the question."),
    "RecoveryCodeDisplayNode": .init("Recovery Code Display", "Shows recovery codes, once."),
    "RecoveryCodeCollectorDecisionNode": .init(
      "Recovery Code Collector Decision", "Asks for a recovery code, which is used up.",
      ["recoveryCodeType": "of which kind of device"]),
    "OptOutMultiFactorAuthenticationNode": .init(
      "Opt-out Multi-Factor Authentication", "Notes that the user wants no second factor."),
  ]

  private static let oneTimeCodes: [String: NodeDocumentation] = [
    "OathRegistrationNode": .init(
      "OATH Registration", "Registers an app for [one-time codes](oath.md#nodes).",
      enrolment.merging(oath) { $1 }.merging(["postponeDeviceProfileStorage": postpone]) { $1 }),
    "OathDeviceStorageNode": .init(
      "OATH Device Storage", "Stores the device that an OathRegistrationNode left in state.",
      ["requiresStrongestFactor": strongest]),
    "OathTokenVerifierNode": .init(
      "OATH Token Verifier", "Asks for a code, which is used up.",
      [
        "algorithm": "by time or by counter", "totpHashAlgorithm": "the hash, for codes by time",
        "totpTimeInterval": "seconds of a step", "totpTimeSteps": "steps before and after now that count",
        "maximumAllowedClockDrift": "steps by which a device's clock may be wrong",
        "hotpWindowSize": "counters ahead that count",
        "isRecoveryCodeAllowed": "whether there is a button for recovery codes",
      ]),
  ]
}
