import JourneyEngine
import JourneyNodes
import StrictJSON

/// Nodes for scripts and for sign-ins at other providers.
extension NodeDocumentation {
  static let scripts: [String: NodeDocumentation] = [
    "ScriptedDecisionNode": .init(
      "Scripted Decision", "Runs a script of the file, which chooses the outcome ([scripts](scripts.md)).",
      [
        "script": "the id of the script in the file", "outcomes": "the outcomes that the script may choose",
        "inputs": "the state variables that the script sees; `*` for all",
        "outputs": "the state variables that the script may set; `*` for all",
      ],
      outcomes: "those that `outcomes` names.",
      example: ["script": "id", "outcomes": ["true"]],
      scripts: [JourneyScript(id: "id", name: "decide", source: "outcome = 'true'")])
  ]

  static let providers: [String: NodeDocumentation] = [
    "SelectIdPNode": .init(
      "Select Identity Provider",
      "Lets the person choose a provider to sign in at ([other providers](federation.md)). Does not ask if "
        + "there is only one choice.",
      [
        "includeLocalAuthentication": "whether signing in here is one of the choices",
        "offerOnlyExisting": "whether a known user is offered only linked providers",
        "filteredProviders": "the providers to offer, by name; all, when empty",
      ],
      outcomes: "`socialAuthentication`, and `localAuthentication` with `includeLocalAuthentication`."),
    "SocialProviderHandlerNode": .init(
      "Social Provider Handler",
      "Sends the person to the chosen provider, verifies the provider's answer, and finds the account linked "
        + "with that person.",
      [
        "clientType":
          "`BROWSER`: the client is redirected to the provider; `NATIVE`: the app itself signs in there",
        "script":
          "the id of a script that turns the [profile](federation.md#transformations) into attributes; "
          + "without one, the default transformation does",
      ]),
  ]
}
