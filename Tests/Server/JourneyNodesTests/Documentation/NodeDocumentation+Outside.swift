import JourneyEngine
import JourneyNodes
import StrictJSON

/// Nodes whose work is done outside: by a team's own scripts, by apps' devices, by other hosts, and by services that are only simulated.
extension NodeDocumentation {
  static let outside: [String: NodeDocumentation] = [
    "designer-*": .init(
      "Node Designer",
      "A node of a type that a team has made itself: its script decides ([scripts](scripts.md#types-of-the-node-designer)). The "
        + "properties are those that the type names.",
      outcomes: "those that the type names, and `Script Error` with `errorOutcome`.",
      designedType: DesignedNodeType([
        "serviceName": "*", "outcomes": ["outcome"], "script": "action.goTo('outcome')",
      ])),
    "AppIntegrityNode": .init(
      "App Integrity",
      "Asks the client which app it is, and verifies its [proof](attestation.md#app-integrity): App Attest's on Apple's devices, a "
        + "TPM's attestation where that is accepted. The challenge is good for one answer. Identifies nobody.",
      [
        "applicationIds":
          "the apps that are accepted: App IDs with the team's prefix; of devices with a TPM the application id",
        "allowDevelopment": "whether App Attest's development environment is accepted, too",
        "acceptTpm": "whether a TPM's attestation is accepted, which proves the device and not the app",
        "timeout": "seconds that the client has; 0 leaves it to the journey",
      ], example: ["applicationIds": ["ABCDE12345.com.example.app"]]),
    "RESTNode": .init(
      "REST",
      "Asks another host, one of those that [scripts may reach](scripts.md#other-hosts), and decides by the answer. In the texts "
        + "`${variable}` and `${variable.$.json.path}` stand for values of shared and transient state; a value that is not there is "
        + "`ERROR`. Redirects are not followed, cookies not kept.",
      [
        "restURL": "the address; values are percent-encoded, and none chooses the host, is empty or is `..`",
        "requestMode": "`GET`, `POST`, `PUT`, `PATCH`, `DELETE`, `HEAD` or `OPTIONS`",
        "queryParamsMap": "parameters that are added to the address, percent-encoded",
        "headersMap": "headers",
        "bodyType":
          "`JSON` (values are written as JSON, or as a part of the JSON text that they stand in), `XML` (escaped), `FORM` "
          + "(percent-encoded) or `TEXT` (as they are)",
        "payload": "the body; also under any name with `body` or `payload` in it",
        "basicAuthn": "whether user name and password go along (HTTP Basic)",
        "username": "the user name; also under any name with `user` in it",
        "password": "the password; also under any name with `pass` in it",
        "responseCodes": "the codes that have outcomes of their own",
        "statusCodeReturn": "the state variable that gets the code",
        "jpToSSMapper":
          "state variables with the place in the answer, such as `$.user.roles[0]`; for the codes above only. What the answer does "
          + "not have is taken out of the state",
        "jpToOutcomeMapper":
          "outcomes with a place in the answer: the first that has something other than nothing, `false` or empty is taken; for "
          + "the codes above only",
        "timeout": "seconds to wait for the answer, 60 at most",
        "usemTLS": "a client certificate; not available, and the node fails",
        "disableCertChecks": "has no effect: certificates are always checked",
      ],
      outcomes: "the codes of `responseCodes`, the names in `jpToOutcomeMapper`, `NOMATCHRESPONSE`, `ERROR`.",
      example: ["restURL": "https://api.example.com/"]),
    "product-PingOneProtectInitializeNode": .init(
      "PingOne Protect Initialize",
      "Has the client's module begin to collect signals. \(simulated(.protect))", protect),
    "product-PingOneProtectEvaluationNode": .init(
      "PingOne Protect Evaluation",
      "Takes the client's signals; a client that reports an error or has none takes `clientError`. \(simulated(.protect))",
      ["pauseBehavioralData": "whether the client stops collecting"]),
    "product-CaptchaEnterpriseNode": .init(
      "reCAPTCHA Enterprise",
      "Takes the token of a solved CAPTCHA; a client that reports an error or has none takes `false`. \(simulated(.captcha))",
      captcha),
    "product-CaptchaNode": olderCaptcha, "product-ReCaptchaNode": olderCaptcha, "CaptchaNode": olderCaptcha,
    "ReCaptchaNode": olderCaptcha,
    "product-Saml2Node": .init(
      "SAML2 Authentication", "Asks nothing and identifies nobody. \(simulated(.saml))",
      outcomes: "those that the export lists; the chosen one is taken."),
    "PingOneVerify*": verify, "product-PingOneVerify*": verify,
  ]

  private static func simulated(_ service: ServiceSimulation.Service) -> String {
    "\(service.title) itself is [only simulated](beside-pingam.md#services-of-others): without `--simulate \(service.rawValue)=…` "
      + "the node fails."
  }

  private static let protect = [
    "consoleLogEnabled": sent, "deviceAttributesToIgnore": sent, "customHost": sent, "lazyMetadata": sent,
    "behavioralDataCollection": sent, "deviceKeyRsyncIntervals": sent, "enableTrust": sent,
    "disableTags": sent,
    "disableHub": sent,
  ]

  private static let sent = "for the client"

  private static let captcha = ["siteKey": sent, "apiUri": sent, "divClass": sent]

  private static let olderCaptcha = NodeDocumentation(
    "CAPTCHA",
    "Takes the answer to a CAPTCHA; a client without one takes `false`. \(simulated(.captcha))",
    captcha.merging(["reCaptchaV3": sent, "disableSubmission": sent]) { $1 })

  private static let verify = NodeDocumentation(
    "PingOne Verify", "All types that begin so. Asks nothing. \(simulated(.verify))",
    outcomes: "those that the export lists; the chosen one is taken.")
}
