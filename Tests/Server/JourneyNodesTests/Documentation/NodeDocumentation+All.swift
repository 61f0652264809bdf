import JourneyNodes
import StrictJSON

extension NodeDocumentation {
  static let identity =
    "the collected attribute that identifies the account while no user is known"
  private static let resource = "`managed/REALM_user`, or empty: the server has no other objects"

  /// All types, by name; also such as other modules add to a registry.
  static let all: [String: NodeDocumentation] = credentials.merging(identities) { $1 }.merging(flow) { $1 }
    .merging(mail) { $1 }.merging(devices) { $1 }.merging(oneTimeCodes) { $1 }.merging(webAuthn) { $1 }
    .merging(scripts) { $1 }.merging(providers) { $1 }.merging(accounts) { $1 }
    .merging(social) { $1 }.merging(outside) { $1 }

  // MARK: Names and passwords

  private static let credentials: [String: NodeDocumentation] = [
    "UsernameCollectorNode": .init("Username Collector", "Asks for a user name, and keeps it as `username`."),
    "PasswordCollectorNode": .init("Password Collector", "Asks for a password; it never leaves the journey."),
    "ValidatedUsernameNode": .init(
      "Platform Username", "Asks for a user name, or for a new one with `validateInput`.",
      [
        "usernameAttribute": "the attribute that also gets the name",
        "validateInput": "asks for a new name that is not taken, and shows which policies an answer fails",
      ]),
    "ValidatedPasswordNode": .init(
      "Platform Password", "Asks for a password, or for a new one with `validateInput`.",
      [
        "passwordAttribute": "the attribute that also gets the password",
        "validateInput": "asks for a new password that follows the server's policy",
      ]),
    "DataStoreDecisionNode": .init(
      "Data Store Decision",
      "Checks name and password. Failures count, and lock the account against guessing. The person replaces "
        + "a reset password here; an expired one is refused."),
    "AgentDataStoreDecisionNode": .init(
      "Agent Data Store Decision",
      "Checks an agent's name and password like DataStoreDecisionNode. Agents are accounts here."),
    "IdentityStoreDecisionNode": .init(
      "Identity Store Decision",
      "Checks name and password, with an outcome for each state of the account. The person replaces a reset "
        + "password here.",
      identityStore),
    "LdapDecisionNode": .init(
      "LDAP Decision",
      "Checks name and password like IdentityStoreDecisionNode, but asks no directory server: accounts are "
        + "this server's own.",
      identityStore),
    "ZeroPageLoginNode": .init(
      "Zero Page Login Collector",
      "Takes name and password from request headers, if both are there and the request may use them.",
      [
        "usernameHeader": "the header with the name", "passwordHeader": "the header with the password",
        "allowWithoutReferer": "whether a request without `Referer` may use them",
        "referrerWhiteList":
          "the pages that may send such requests: addresses, or their beginnings up to a path",
      ]),
    "ModifyAuthLevelNode": .init(
      "Modify Auth Level", "Changes the authentication level of the run.",
      ["authLevelIncrement": "how much to add"],
      example: ["authLevelIncrement": 1]),
    "AuthLevelDecisionNode": .init(
      "Auth Level Decision", "Checks whether the run has reached an authentication level.",
      ["authLevelRequirement": "the level"],
      example: ["authLevelRequirement": 1]),
    "StrongestFactorDecisionNode": .init(
      "Strongest Factor Decision",
      "Ours: checks whether a node with `requiresStrongestFactor` would add a factor to the account now. "
        + "`false` means that the run must first prove the account's strongest factor.",
      outcomes: "`true`, also for an account without a factor whose password was right; `false`."),
    "SessionDataNode": .init(
      "Get Session Data", "Copies a value into shared state from the session that the client presented.",
      [
        "sessionDataKey":
          "the value: the user's name, or the session's level, journey or authentication time",
        "sharedStateKey": "the state variable",
      ], example: ["sessionDataKey": "UserToken", "sharedStateKey": "username"]),
    "AnonymousUserNode": .init(
      "Anonymous User Mapping",
      "Continues as one fixed account without a proof. Fails if the account has a role.",
      ["anonymousUserName": "the account; if it does not exist, there is no session"]),
    "SetPersistentCookieNode": .init(
      "Set Persistent Cookie",
      "Gives the browser a signed and encrypted cookie once the journey has ended in a session. The cookie "
        + "is bound to realm, account and password, always `HttpOnly`, and `Secure` wherever https is used.",
      cookie),
    "PersistentCookieDecisionNode": .init(
      "Persistent Cookie Decision",
      "Checks whether the browser has a valid persistent cookie. The journey then continues as its account, "
        + "with the authentication time of the password. Each use renews the idle time, never the maximum "
        + "life.",
      cookie.merging([
        "enforceClientIp": "whether the cookie must come from the client address that it was made for"
      ]) { $1 }
    ),
  ]

  private static let identityStore = [
    "minimumPasswordLength": "minimum length of a new password; the server's policy may ask for more",
    "mixedCaseForPasswordChangeMessages": "whether messages are in mixed case, not in capitals",
    "useUniversalIdForUsername": "has no effect: the name continues as the account has it",
  ]

  private static let cookie = [
    "persistentCookieName": "the cookie's name",
    "idleTimeout": "hours until an unused cookie expires",
    "maxLife": "hours until the cookie expires in any case; 2,160 at most",
    "useSecureCookie": "has no effect: cookies are `Secure` wherever https is used",
    "useHttpOnlyCookie": "has no effect: cookies are always `HttpOnly`",
  ]

  // MARK: Identities

  private static let identities: [String: NodeDocumentation] = [
    "AttributeCollectorNode": .init(
      "Attribute Collector",
      "Asks for attributes, each with the callback for its type in the [schema](identities.md), and collects "
        + "them. Shows the account's values only to a user whom the journey has verified.",
      [
        "attributesToCollect": "names, or paths such as `preferences/updates`",
        "required": "whether each attribute needs a value",
        "validateInputs": "whether the schema's policies are shown and checked",
        "identityAttribute": identity,
      ], example: ["attributesToCollect": ["mail"]]),
    "IdentifyExistingUserNode": .init(
      "Identify Existing User",
      "Checks whether exactly one account has the collected value of an attribute. The journey then "
        + "continues with that account's `username` and `_id`. This proves nothing about the person.",
      [
        "identityAttribute": "the attribute; `userName` is looked up directly, others should be searchable",
        "identifier": "`userName` or `_id`",
      ]),
    "CreateObjectNode": .init(
      "Create Object", "Creates an account from what the journey has collected.",
      ["identityResource": resource]),
    "PatchObjectNode": .init(
      "Patch Object",
      "Writes what the journey has collected into the account. A new password or link to a provider must "
        + "meet the requirement for [changes of factors](assurance.md). A new password ends the account's "
        + "other sessions. Name and status are never written.",
      [
        "identityResource": resource, "identityAttribute": identity,
        "ignoredFields": "collected attributes that are not written",
        "patchAsObject": "whether to write only attributes that users may change themselves",
      ]),
    "RequiredAttributesDecisionNode": .init(
      "Required Attributes Present",
      "Checks whether the journey has collected all attributes that an account needs.",
      ["identityResource": resource]),
    "AttributePresentDecisionNode": .init(
      "Attribute Present Decision", "Checks whether the account has an attribute.",
      [
        "presentAttribute":
          "the attribute; for `password`, whether the account can sign in with a password",
        "identityAttribute": identity,
      ]),
    "AttributeValueDecisionNode": .init(
      "Attribute Value Decision", "Checks whether an attribute of the account is present, or equals a value.",
      [
        "comparisonOperation": "which of the two is checked", "comparisonAttribute": "the attribute",
        "comparisonValue": "the value for `EQUALS`; case does not matter", "identityAttribute": identity,
      ], example: ["comparisonAttribute": "mail"]),
    "QueryFilterDecisionNode": .init(
      "Query Filter Decision", "Checks whether the account matches a [filter](identities.md#queries).",
      ["queryFilter": "the filter", "identityAttribute": identity], example: ["queryFilter": "/mail pr"]),
    "IncrementLoginCountNode": .init(
      "Increment Login Count", "Adds one to the account's `loginCount`.", ["identityAttribute": identity]),
    "LoginCountDecisionNode": .init(
      "Login Count Decision",
      "Checks whether the account's sign-ins (`loginCount`) equal a number or a multiple of it.",
      [
        "amount": "the number", "interval": "`AT`: the number; `EVERY`: any multiple of it",
        "identityAttribute": identity,
      ]),
    "DisplayUserNameNode": .init(
      "Display Username",
      "Shows an attribute of the account. Anyone on the page sees it, so put the node after a proof.",
      ["userName": "the attribute", "identityAttribute": identity]),
    "AcceptTermsAndConditionsNode": .init(
      "Accept Terms and Conditions",
      "Shows the [terms](identities.md#the-schema), and continues once they are accepted."),
    "KbaCreateNode": .init(
      "KBA Definition",
      "Asks for security questions and answers. Answers are hashed like passwords and kept nowhere in clear.",
      [
        "message": "the prompt",
        "allowUserDefinedQuestions": "whether people may write questions of their own",
      ]),
    "AccountLockoutNode": .init(
      "Account Lockout",
      "Makes the account inactive, or active again and free of locks. The last administrator stays active.",
      ["lockAction": "`LOCK`: inactive; `UNLOCK`: active", "identityAttribute": identity]),
  ]

  // MARK: The way through a journey

  private static let flow: [String: NodeDocumentation] = [
    "RetryLimitDecisionNode": .init(
      "Retry Limit Decision", "Takes `Retry` up to the limit, then `Reject`.",
      [
        "retryLimit": "how many retries",
        "incrementUserAttributeOnFailure":
          "whether the account's tries also count across journeys, until an hour after the last one",
      ]),
    "ChoiceCollectorNode": .init(
      "Choice Collector", "Lets the person choose; each choice is an outcome.",
      [
        "choices": "the choices", "defaultChoice": "the preset choice; the first, if empty",
        "prompt": "the question",
      ],
      outcomes: "one for each of `choices`, named by its text.", example: ["choices": ["Proceed", "Cancel"]]),
    "MessageNode": .init(
      "Message", "Shows a message with two buttons. The first takes `true`, the second `false`.",
      [
        "message": "the message", "messageYes": "the first button", "messageNo": "the second button",
        "stateField": "the state variable that records the pressed button; none, if empty",
      ]),
    "PollingWaitNode": .init(
      "Polling Wait", "Makes the client wait.",
      [
        "secondsToWait": "how long", "waitingMessage": "what is shown; `{{time}}` stands for the seconds",
        "exitable": "whether there is a button that ends the wait", "exitMessage": "the text of the button",
        "spamDetectionEnabled": "whether a client that posts too often before the time is over takes `SPAM`",
        "spamDetectionTolerance": "how many early posts are allowed",
      ], outcomes: "`DONE`; `EXITED` with `exitable`; `SPAM` with `spamDetectionEnabled`."),
    "SetSuccessUrlNode": .init(
      "Success URL", "Sets where the client goes after success (`successUrl`).",
      ["successUrl": "an address with https or http, or a path"], example: ["successUrl": "/"]),
    "SetFailureUrlNode": .init(
      "Failure URL", "Sets where the client goes after failure (`detail.failureUrl`).",
      ["failureUrl": "an address with https or http, or a path"], example: ["failureUrl": "/"]),
    "SetSuccessDetailsNode": .init(
      "Set Success Details", "Adds members to the response after success.",
      ["successDetails": "names and texts"]),
    "SetFailureDetailsNode": .init(
      "Set Failure Details", "Sets the message after failure, and adds members to the response's `detail`.",
      ["failureMessage": "the message; PingAM's, if empty", "failureDetails": "names and texts"]),
    "TransactionCollectorNode": .init(
      "Transaction Collector (ours)", "Asks for the text to sign.",
      ["sharedStateAttribute": "the state variable for the text", "prompt": "the question"]),
  ]

  // MARK: Mail

  private static let mail: [String: NodeDocumentation] = [
    "EmailSuspendNode": .init(
      "Email Suspend Node",
      "Sends a [mail](mail.md) with a link, and waits until its reader opens the link. People without an "
        + "account get the same answer and no mail.",
      [
        "emailTemplateName": "the template in the file", "emailAttribute": "the attribute with the address",
        "emailSuspendMessage": "what the client shows meanwhile",
        "objectLookup": "whether the mail goes to the account's own address; otherwise to the collected one",
        "identityAttribute": identity,
      ]),
    "OneTimePasswordGeneratorNode": .init(
      "HOTP Generator", "Makes a one-time code of digits, and keeps it in the journey's state.",
      ["length": "how many digits"]),
    "OneTimePasswordSmtpSenderNode": .init(
      "OTP Email Sender",
      "Mails the one-time code to the account's address through the server's own [mail service](mail.md).",
      [
        "emailAttribute": "the attribute with the address",
        "fromEmailAddress": "the sender; the server's, if empty",
        "emailSubject": "the subject", "emailContent": "the text; `{{OTP}}` stands for the code",
      ]),
    "OneTimePasswordCollectorDecisionNode": .init(
      "OTP Collector Decision",
      "Asks for the one-time code. Wrong codes count and lock, separately from passwords; the fifth makes "
        + "the code invalid.",
      ["passwordExpiryTime": "minutes that a code is valid"]),
  ]
}

/// Devices, codes and security keys.
extension NodeDocumentation {
  static let limit = "most devices of an account; 0 for no limit"
  static let postpone = "leaves the device in state for a storage node"
  static let strongest =
    "ours: whether the run must first prove the account's [strongest factor](assurance.md#changing-factors), "
    + "whatever `--factor-changes` asks"
  static let recoveryCodes =
    "makes recovery codes with the first device; a RecoveryCodeDisplayNode shows them"

  private static let binding = [
    "applicationIds":
      "apps that may answer: bundle identifiers, package names, or the id that a Linux client is given",
    "title": "shown by the client", "subtitle": "shown by the client", "description": "shown by the client",
    "timeout": "time limit in seconds",
    "skewAllowance": "tolerated clock difference in seconds",
    "clientErrorOutcomes": "client errors with their own outcome; any other takes `failure`",
  ]

  private static let enrolment = [
    "issuer": "what the app calls the service", "accountName": "what the app calls the account",
    "bgColor": "the background colour in the app", "imgUrl": "the address of a picture for the app",
    "generateRecoveryCodes": recoveryCodes,
    "scanQRCodeMessage": "shown beside the QR code", "requiresStrongestFactor": strongest,
  ]

  private static let oath = [
    "passwordLength": "digits of a code", "truncationOffset": "-1 for dynamic truncation (RFC 4226 §5.3)",
    "totpTimeInterval": "seconds of a time step", "algorithm": "codes by time or by counter",
    "totpHashAlgorithm": "the hash, for codes by time", "addChecksum": "whether codes end in a check digit",
    "minSharedSecretLength": "hexadecimal digits of the secret", "policiesJson": "JSON for the app, as text",
  ]

  private static let pushRegistration = enrolment.merging([
    "timeout": "time limit in seconds",
    "allowMultipleDevices": "ours: whether a user with a device can register another",
  ]) { $1 }

  private static let devices: [String: NodeDocumentation] = [
    "DeviceBindingNode": .init(
      "Device Binding", "Binds a key of the device to the account ([properties](journeys.md#nodes)).",
      binding.merging([
        "authenticationType": "what unlocks the key", "maxSavedDevices": limit,
        "attestation": "asks for [attestation](attestation.md), as PingAM does",
        "attestationRequired": "ours: every device must send an attestation",
        "postponeDeviceProfileStorage": postpone, "requiresStrongestFactor": strongest,
      ]) { $1 },
      outcomes:
        "`success`, `failure`, `exceedDeviceLimit` with `maxSavedDevices`, each of `clientErrorOutcomes`.",
      example: ["applicationIds": ["com.example.app"]]),
    "DeviceSigningVerifierNode": .init(
      "Device Signing Verifier",
      "Asks a bound device for a signature, and verifies it ([properties](journeys.md#nodes)).",
      binding.merging([
        "challenge": "on: the device signs random bytes; off: the text in `sharedStateAttribute`",
        "sharedStateAttribute": "the state variable with the text to sign",
        "captureFailure":
          "whether a wrong proof takes `failure`, with the cause in state, instead of ending the journey",
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
        "deviceMetadata": "whether to ask for the device's description",
        "deviceLocation": "whether to ask for the device's location",
        "message": "shown by the client", "maximumSize": "the largest profile in KB",
      ]),
    "DeviceSaveNode": .init(
      "Device Profile Save", "Saves the collected device profile with the account.",
      [
        "maxSavedProfiles": "the most profiles; the oldest is removed",
        "saveDeviceMetadata": "whether the description is saved",
        "saveDeviceLocation": "whether the location is saved", "variableName": "has no effect",
      ]),
    "DeviceMatchNode": .init(
      "Device Match", "Compares the collected device profile with the one saved for the same device.",
      [
        "acceptableVariance": "how many values may differ",
        "expiration": "days that a saved profile is valid; 0 for no limit",
        "useScript": "has no effect: scripts are not run here; a warning says so",
      ]),
    "PushRegistrationNode": .init(
      "Push Registration", "Registers a device for [push](push.md#nodes).", pushRegistration),
    "CombinedMultiFactorRegistrationNode": .init(
      "Combined MFA Registration", "Registers a device for push and one-time codes.",
      pushRegistration.merging(oath) { $1 }),
    "PushAuthenticationSenderNode": .init(
      "Push Sender", "Sends a push message with a question to the user's devices.",
      [
        "pushType": "how the person answers", "messageTimeout": "milliseconds until the message expires",
        "userMessage": "the question; `{{user}}` and `{{issuer}}` stand for these",
        "mandatory": "whether a user who opted out is asked anyway",
        "contextInfo": "whether location and browser are sent", "customPayload": "state variables to send",
        "captureFailure": "whether a failure takes `FAILURE` instead of ending the journey",
      ], outcomes: "`SENT`, `NOT_REGISTERED`, `SKIPPED` unless `mandatory`, `FAILURE` with `captureFailure`."),
    "PushWaitNode": .init(
      "Push Wait", "Makes the client wait, and shows the number or code of the push message.",
      [
        "secondsToWait": "how long", "waitingMessage": "what is shown",
        "challengeMessage": "what is shown with a number or code",
        "exitMessage": "the button that ends the wait",
      ]),
    "PushResultVerifierNode": .init(
      "Push Result Verifier",
      "Reports whether the push message was approved, refused, not answered in time, or is still open."),
    "RecoveryCodeDisplayNode": .init("Recovery Code Display", "Shows new recovery codes, once."),
    "RecoveryCodeCollectorDecisionNode": .init(
      "Recovery Code Collector Decision", "Asks for a recovery code; each is accepted once.",
      ["recoveryCodeType": "the kind of device that the code replaces"]),
    "OptOutMultiFactorAuthenticationNode": .init(
      "Opt-out Multi-Factor Authentication", "Records that the user wants no second factor."),
  ]

  private static let oneTimeCodes: [String: NodeDocumentation] = [
    "OathRegistrationNode": .init(
      "OATH Registration", "Registers an app for [one-time codes](oath.md#nodes).",
      enrolment.merging(oath) { $1 }.merging(["postponeDeviceProfileStorage": postpone]) { $1 }),
    "OathDeviceStorageNode": .init(
      "OATH Device Storage", "Stores the device that an OathRegistrationNode left in state.",
      ["requiresStrongestFactor": strongest]),
    "OathTokenVerifierNode": .init(
      "OATH Token Verifier", "Asks for a one-time code; each is accepted once.",
      [
        "algorithm": "codes by time or by counter", "totpHashAlgorithm": "the hash, for codes by time",
        "totpTimeInterval": "seconds of a time step",
        "totpTimeSteps": "time steps before and after now that are accepted",
        "maximumAllowedClockDrift": "time steps by which a device's clock may be wrong",
        "hotpWindowSize": "counters ahead that are accepted",
        "isRecoveryCodeAllowed": "whether there is a button for recovery codes",
      ],
      outcomes:
        "`successOutcome`, `failureOutcome`, `notRegisteredOutcome`; `recoveryCodeOutcome` with `isRecoveryCodeAllowed`."
    ),
  ]
}
