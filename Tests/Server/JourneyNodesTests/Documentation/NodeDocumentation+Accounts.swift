import JourneyNodes
import StrictJSON

/// The nodes of ``NodeLibrary/accounts(_:)``.
extension NodeDocumentation {
  private static let provision = [
    "accountProviderClass": "read and without effect: accounts are this server's own"
  ]

  private static let timer = "the state variable with the moment; the same in both nodes"
  private static let metric = "what the metric is called; the node itself, if empty"

  static let accounts: [String: NodeDocumentation] = [
    "ConsentNode": .init(
      "Consent Collector",
      "Asks for consent to each of the configured [consents](identities.md#consents), and collects what was agreed to as "
        + "`consentedMappings`; without any, it asks nothing. Asks again while a required one is missing.",
      [
        "message": "what is shown with each",
        "allRequired": "whether all are required; otherwise those that the configuration says",
      ]),
    "CreatePasswordNode": .init(
      "Create Password",
      "Asks for a new password twice. It has to follow the server's policy, and never leaves the journey.",
      ["minPasswordLength": "in characters; the server's policy may ask for more"]),
    "ProvisionDynamicAccountNode": .init(
      "Provision Dynamic Account",
      "Creates the account of what was collected, with its [link](federation.md#which-account) to the provider, as "
        + "CreateObjectNode does. Without a collected name it gets a random one, without a password none; what cannot be created "
        + "ends the journey.",
      provision),
    "ProvisionIdmAccountNode": .init(
      "Provision IDM Account", "The same: accounts are the identities here, and nobody is sent elsewhere.",
      provision),
    "EmailTemplateNode": .init(
      "Email Template Node",
      "Sends a [mail](mail.md) to the account's own address, and continues. People without an account, without an address or with "
        + "an inactive account get none; the outcome says so only for a person whom the journey has verified.",
      [
        "emailTemplateName":
          "the template in the file; without it nobody gets mail, and the outcome is `EMAIL_NOT_SENT`",
        "emailAttribute": "the attribute with the address", "identityAttribute": identity,
      ]),
    "AmsterJwtDecisionNode": .init(
      "Amster Jwt Decision",
      "Always `false`: keys are not read from a file that a journey names ([why](beside-pingam.md#what-differs)).",
      ["authorizedKeys": "read and without effect"]),
    "SetStateNode": .init(
      "Set State", "Puts fixed texts into shared state.",
      [
        "attributes":
          "names and texts. `username`, `_id`, `objectAttributes` and what other nodes answer for are left out, with a warning"
      ]),
    "MetadataNode": .init(
      "Metadata",
      "Sends variables of shared state to the client, which reads them and does not show them. Passwords never go along.",
      ["attributes": "the variables; one that is not there is left out"]),
    "TimerStartNode": .init(
      "Timer Start", "Notes the moment.", ["startTimeProperty": timer]),
    "TimerStopNode": .init(
      "Timer Stop", "Measures the time since, as `sealring_journey_timer_seconds` ([metrics](metrics.md)).",
      ["startTimeProperty": timer, "metricKey": metric]),
    "MeterNode": .init(
      "Meter", "Counts its visits, as `sealring_journey_meter_total` ([metrics](metrics.md)).",
      ["metricKey": metric]),
  ]
}
