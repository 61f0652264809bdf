import JourneyEngine
import JourneyNodes
import StrictJSON

/// Nodes for scripts and for sign-ins at other providers.
extension NodeDocumentation {
  static let scripts: [String: NodeDocumentation] = [
    "ScriptedDecisionNode": .init(
      "Scripted Decision", "Runs a script of the file, which decides ([scripts](scripts.md)).",
      [
        "script": "the id of the script in the file", "outcomes": "what the script may decide",
        "inputs": "the state variables that it sees; `*` for all",
        "outputs": "those that it may set; `*` for all",
      ],
      outcomes: "those that `outcomes` names.",
      example: ["script": "id", "outcomes": ["true"]],
      scripts: [JourneyScript(id: "id", name: "decide", source: "outcome = 'true'")])
  ]

  static let providers: [String: NodeDocumentation] = [
    "SelectIdPNode": .init(
      "Select Identity Provider",
      "Asks at which provider to sign in ([other providers](federation.md)); with one and no alternative, it does not ask.",
      [
        "includeLocalAuthentication": "whether signing in here is one of the choices",
        "offerOnlyExisting": "whether a user who is known is offered only linked providers",
        "filteredProviders": "the providers to offer, by name; all, when empty",
      ],
      outcomes: "`socialAuthentication`, and `localAuthentication` with `includeLocalAuthentication`."),
    "SocialProviderHandlerNode": .init(
      "Social Provider Handler",
      "Sends the person to the chosen provider, verifies who comes back, and finds the account that is linked with them.",
      [
        "clientType":
          "`BROWSER`, which is sent to the provider, or `NATIVE`, an app that signs in there itself",
        "script":
          "the id of a script that makes attributes of the [profile](federation.md#transformations); without one the default "
          + "transformation does",
      ]),
  ]
}
