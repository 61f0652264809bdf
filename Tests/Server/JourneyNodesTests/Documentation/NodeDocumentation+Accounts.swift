import JourneyNodes
import StrictJSON

/// The nodes of ``NodeLibrary/accounts(_:)``.
extension NodeDocumentation {
  private static let provision = [
    "accountProviderClass": "has no effect: accounts are this server's own"
  ]

  private static let timer =
    "the state variable with the start time; the same in both timer nodes"
  private static let metric = "the name of the metric; the node's own, if empty"

  static let accounts: [String: NodeDocumentation] = [
    "ConsentNode": .init(
      "Consent Collector",
      "Asks for each configured [consent](identities.md#consents), and collects the given ones as "
        + "`consentedMappings`. Asks again while a required consent is missing, and nothing if none are "
        + "configured.",
      [
        "message": "the text shown with each consent",
        "allRequired": "whether all consents are required, or only those that the configuration requires",
      ]),
    "CreatePasswordNode": .init(
      "Create Password",
      "Asks twice for a new password, which must follow the server's policy and never leaves the journey.",
      ["minPasswordLength": "minimum length in characters; the server's policy may ask for more"]),
    "ProvisionDynamicAccountNode": .init(
      "Provision Dynamic Account",
      "Creates an account from what the journey has collected, with its [link](federation.md#which-account) "
        + "to the provider, like CreateObjectNode. Without a collected name the account gets a random one; "
        + "without a password it has none. A failure ends the journey.",
      provision),
    "ProvisionIdmAccountNode": .init(
      "Provision IDM Account",
      "Creates an account like ProvisionDynamicAccountNode: accounts are the identities here, and nobody is "
        + "sent to another service.",
      provision),
    "EmailTemplateNode": .init(
      "Email Template Node",
      "Sends a [mail](mail.md) to the account's own address, and continues. People without an account, "
        + "without an address or with an inactive account get no mail; the outcome shows this only for a "
        + "person whom the journey has verified.",
      [
        "emailTemplateName":
          "the template in the file; without it nobody gets mail, and the outcome is `EMAIL_NOT_SENT`",
        "emailAttribute": "the attribute with the address", "identityAttribute": identity,
      ]),
    "AmsterJwtDecisionNode": .init(
      "Amster Jwt Decision",
      "Always takes `false`: the server reads no keys from a file that a journey names "
        + "([why](beside-pingam.md#what-differs)).",
      ["authorizedKeys": "has no effect"]),
    "SetStateNode": .init(
      "Set State", "Puts fixed texts into shared state.",
      [
        "attributes":
          "names and texts. `username`, `_id`, `objectAttributes` and other nodes' own variables are left "
          + "out, with a warning"
      ]),
    "MetadataNode": .init(
      "Metadata",
      "Sends variables of shared state to the client, which reads but does not show them. Passwords are "
        + "never sent.",
      ["attributes": "the variables; missing ones are left out"]),
    "TimerStartNode": .init(
      "Timer Start", "Records the current time for a TimerStopNode.", ["startTimeProperty": timer]),
    "TimerStopNode": .init(
      "Timer Stop",
      "Measures the time since a TimerStartNode as `sealring_journey_timer_seconds` ([metrics](metrics.md)).",
      ["startTimeProperty": timer, "metricKey": metric]),
    "MeterNode": .init(
      "Meter",
      "Counts each time a journey reaches it, as `sealring_journey_meter_total` ([metrics](metrics.md)).",
      ["metricKey": metric]),
  ]
}
