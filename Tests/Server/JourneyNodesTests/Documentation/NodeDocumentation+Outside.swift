import JourneyEngine
import JourneyNodes
import StrictJSON

/// Nodes whose work is done outside: by a team's own scripts, by apps' devices, by other hosts, and by services that are only simulated.
extension NodeDocumentation {
  static let outside: [String: NodeDocumentation] = [
    "designer-*": .init(
      "Node Designer",
      "A node of a type that a team has made itself. The type's script chooses the outcome "
        + "([scripts](scripts.md#types-of-the-node-designer)), and the type names the properties.",
      outcomes: "those that the type names, and `Script Error` with `errorOutcome`.",
      designedType: DesignedNodeType([
        "serviceName": "*", "outcomes": ["outcome"], "script": "action.goTo('outcome')",
      ])),
    "AppIntegrityNode": .init(
      "App Integrity",
      "Asks the client which app it is, and verifies the [proof](attestation.md#app-integrity): App Attest's "
        + "on Apple's devices, or a TPM's attestation with `acceptTpm`. The challenge is valid for one "
        + "answer. The node identifies nobody.",
      [
        "applicationIds":
          "the accepted apps: App IDs with the team's prefix, or the application id for devices with a TPM",
        "allowDevelopment": "whether App Attest's development environment is accepted, too",
        "acceptTpm": "whether a TPM's attestation is accepted; it proves the device, not the app",
        "timeout": "time limit in seconds; 0 leaves it to the journey",
      ], example: ["applicationIds": ["ABCDE12345.com.example.app"]]),
    "RESTNode": .init(
      "REST",
      "Sends a request to another host, one that [scripts may reach](scripts.md#other-hosts), and decides by "
        + "the response. In the texts, `${variable}` and `${variable.$.json.path}` stand for values of "
        + "shared and transient state; a missing value takes `ERROR`. The node follows no redirects and "
        + "keeps no cookies.",
      [
        "restURL":
          "the address; values are percent-encoded, and may not choose the host, be empty or be `..`",
        "requestMode": "`GET`, `POST`, `PUT`, `PATCH`, `DELETE`, `HEAD` or `OPTIONS`",
        "queryParamsMap": "parameters that are added to the address, percent-encoded",
        "headersMap": "headers",
        "bodyType":
          "`JSON` (values are written as JSON, or as part of the JSON string around them), `XML` (escaped), "
          + "`FORM` (percent-encoded) or `TEXT` (unchanged)",
        "payload": "the body: any property with `body` or `payload` in its name",
        "basicAuthn": "whether to send user name and password (HTTP Basic)",
        "username": "the user name: any property with `user` in its name",
        "password": "the password: any property with `pass` in its name",
        "responseCodes": "the status codes that have outcomes of their own",
        "statusCodeReturn": "the state variable that gets the status code",
        "jpToSSMapper":
          "state variables, each with its path in the response, such as `$.user.roles[0]`; only for "
          + "`responseCodes`. A variable that the response does not have is removed from the state",
        "jpToOutcomeMapper":
          "outcomes, each with a path in the response: the first with a value other than null, `false` or "
          + "empty is taken; only for `responseCodes`",
        "timeout": "seconds to wait for the response, 60 at most",
        "usemTLS": "client certificates are not available: if on, the node fails",
        "disableCertChecks": "has no effect: certificates are always checked",
      ],
      outcomes: "the codes of `responseCodes`, the names in `jpToOutcomeMapper`, `NOMATCHRESPONSE`, `ERROR`.",
      example: ["restURL": "https://api.example.com/"]),
    "product-PingOneProtectInitializeNode": .init(
      "PingOne Protect Initialize",
      "Tells the client's module to collect signals. \(simulated(.protect))", protect),
    "product-PingOneProtectEvaluationNode": .init(
      "PingOne Protect Evaluation",
      "Asks the client for its signals, and takes `clientError` if the client reports an error or has none. "
        + "\(simulated(.protect))",
      ["pauseBehavioralData": "whether the client stops collecting"]),
    "product-CaptchaEnterpriseNode": .init(
      "reCAPTCHA Enterprise",
      "Asks for the token of a solved CAPTCHA, and takes `false` if the client reports an error or has none. "
        + "\(simulated(.captcha))",
      captcha),
    "product-CaptchaNode": olderCaptcha, "product-ReCaptchaNode": olderCaptcha, "CaptchaNode": olderCaptcha,
    "ReCaptchaNode": olderCaptcha,
    "product-Saml2Node": .init(
      "SAML2 Authentication", "Asks nothing and identifies nobody. \(simulated(.saml))",
      outcomes: "those that the export lists; `--simulate` chooses one."),
    "PingOneVerify*": verify, "product-PingOneVerify*": verify,
  ]

  private static func simulated(_ service: ServiceSimulation.Service) -> String {
    "\(service.title) is [only simulated](beside-pingam.md#services-of-others): without `--simulate \(service.rawValue)=…` "
      + "the node fails."
  }

  private static let protect = [
    "consoleLogEnabled": sent, "deviceAttributesToIgnore": sent, "customHost": sent, "lazyMetadata": sent,
    "behavioralDataCollection": sent, "deviceKeyRsyncIntervals": sent, "enableTrust": sent,
    "disableTags": sent,
    "disableHub": sent,
  ]

  private static let sent = "sent to the client"

  private static let captcha = ["siteKey": sent, "apiUri": sent, "divClass": sent]

  private static let olderCaptcha = NodeDocumentation(
    "CAPTCHA",
    "Asks for the answer to a CAPTCHA, and takes `false` without one. \(simulated(.captcha))",
    captcha.merging(["reCaptchaV3": sent, "disableSubmission": sent]) { $1 })

  private static let verify = NodeDocumentation(
    "PingOne Verify", "Covers all types that begin like this. Asks nothing. \(simulated(.verify))",
    outcomes: "those that the export lists; `--simulate` chooses one.")
}
