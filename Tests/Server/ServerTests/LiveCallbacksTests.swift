import CommonFixtures
import Foundation
import HTTPTypes
import StrictJSON
import Testing

@testable import Assembly
@testable import JourneyFiles

/// What the published SDKs' live tests find at PingAM in callbacks and answers, over HTTP; one row for each.
@Suite("Callbacks and answers as live tests expect them") struct LiveCallbacksTests {
  typealias Node = TestJourneys.Node

  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String

    /// The nodes of the journey `Live`, which begins at `first`.
    var nodes: [String: Node] = [:]
    var scripts: JSONObject = [:]
    let play: @Sendable (LocalServer) async throws -> Void
  }

  private static let path = "\(LocalServer.alpha)/authenticate"

  private static func node(
    _ type: String, _ properties: JSONObject = [:], to outcomes: [String] = ["outcome"]
  ) -> [String: Node] {
    [
      "first": Node(
        type: type,
        connections: Dictionary(uniqueKeysWithValues: outcomes.map { ($0, TestJourneys.success) }),
        properties: properties)
    ]
  }

  private static func script(_ source: String) -> JSONObject {
    [
      "s": [
        "_id": "s", "name": "Live", "language": "JAVASCRIPT", "evaluatorVersion": "2.0",
        "context": "SCRIPTED_DECISION_NODE", "script": .string(Data(source.utf8).base64EncodedString()),
      ]
    ]
  }

  private static let scriptNode = node(
    "ScriptedDecisionNode", ["script": "s", "outcomes": ["true"]], to: ["true"])

  private static func output(_ name: String, of callback: JSONValue?) -> JSONValue? {
    callback?["output"]?.arrayValue?.first { $0["name"]?.stringValue == name }?["value"]
  }

  private static func names(of callback: JSONValue?) -> [String] {
    (callback?["output"]?.arrayValue ?? []).compactMap { $0["name"]?.stringValue }
  }

  /// The step's callbacks with these values in their first inputs; `nil` leaves one out.
  private static func answer(_ step: Answer, _ values: [JSONValue?]) -> JSONValue {
    var callbacks: [JSONValue] = []
    for (callback, value) in zip(step["callbacks"]?.arrayValue ?? [], values) {
      guard let value, var object = callback.objectValue else { continue }
      if var inputs = object["input"]?.arrayValue, var first = inputs.first?.objectValue {
        first["value"] = value
        inputs[0] = .object(first)
        object["input"] = .array(inputs)
      }
      callbacks.append(.object(object))
    }
    return ["authId": step["authId"] ?? .null, "callbacks": .array(callbacks)]
  }

  private static func failed(_ answer: Answer) throws -> [JSONValue] {
    try (output("failedPolicies", of: answer["callbacks"]?[0])?.arrayValue ?? []).map {
      try JSONValue(parsing: $0.stringValue ?? "")
    }
  }

  static let callbacks: [Row] = [
    Row(
      testDescription: "a script sees three of a page of four when the text of type 4 is not sent back",
      nodes: scriptNode,
      scripts: script(
        """
        if (callbacks.isEmpty()) {
          callbacksBuilder.nameCallback("Name");
          callbacksBuilder.scriptTextOutputCallback("x");
          callbacksBuilder.textOutputCallback(0, "Hello");
          callbacksBuilder.passwordCallback("Password");
        } else if (callbacks.size() === 3 && callbacks.getPasswordCallbacks().get(0) === "b") {
          nodeState.putShared("username", callbacks.getNameCallbacks().get(0));
          action.goTo("true");
        }
        """)
    ) { server in
      let step = try await server.start("Live")
      #expect(output("messageType", of: step["callbacks"]?[1]) == "4")
      let end = try await server.call(.post, path, body: answer(step, ["ada", nil, "", "b"]))
      #expect(end.status == 200 && end["tokenId"] != nil)
    },
    Row(
      testDescription: "MessageNode suggests its second button, and its input is 0",
      nodes: node("MessageNode", to: ["true", "false"])
    ) { server in
      let callback = try await server.start("Live")["callbacks"]?[1]
      #expect(output("defaultOption", of: callback) == 1 && callback?["input"]?[0]?["value"] == 0)
    },
    Row(
      testDescription: "PollingWait's Exit has the default 0",
      nodes: node("PollingWaitNode", ["exitable": true], to: ["DONE", "EXITED"])
    ) { server in
      let callback = try await server.start("Live")["callbacks"]?[1]
      #expect(output("defaultOption", of: callback) == 0)
    },
    Row(
      testDescription: "a nested attribute without policies has {}",
      nodes: node(
        "AttributeCollectorNode",
        ["attributesToCollect": ["preferences/marketing"], "validateInputs": true])
    ) { server in
      let callback = try await server.start("Live")["callbacks"]?[0]
      #expect(callback?["type"] == "BooleanAttributeInputCallback")
      #expect(output("policies", of: callback) == [:])
    },
    Row(
      testDescription: "the password's length is LENGTH_BASED, also for an empty text",
      nodes: node("ValidatedPasswordNode", ["validateInput": true])
    ) { server in
      var step = try await server.start("Live")
      for text in ["", "short"] as [JSONValue] {
        step = try await server.call(.post, path, body: answer(step, [text]))
        #expect(
          try failed(step) == [
            [
              "policyRequirement": "LENGTH_BASED",
              "params": ["max-password-length": 0, "min-password-length": 8],
            ]
          ])
      }
    },
    Row(
      testDescription: "a taken name is VALID_USERNAME",
      nodes: node("ValidatedUsernameNode", ["validateInput": true])
    ) { server in
      let step = try await server.call(.post, path, body: answer(server.start("Live"), ["ada"]))
      #expect(try failed(step) == [["policyRequirement": "VALID_USERNAME"]])
    },
    Row(testDescription: "two questions are asked", nodes: node("KbaCreateNode")) { server in
      let asked = try await server.start("Live")["callbacks"]?.arrayValue ?? []
      #expect(asked.map { $0["type"] } == ["KbaCreateCallback", "KbaCreateCallback"])
    },
    Row(
      testDescription: "ConsentMappingCallback and MetadataCallback have PingAM's fields",
      nodes: scriptNode,
      scripts: script(
        """
        callbacksBuilder.consentMappingCallback(
          { name: "m", displayName: "M", icon: "i", accessLevel: "a", fields: ["f"] }, "why", true);
        callbacksBuilder.metadataCallback({ a: 1 });
        """)
    ) { server in
      let asked = try await server.start("Live")["callbacks"]
      #expect(
        Set(names(of: asked?[0]))
          == ["name", "displayName", "icon", "accessLevel", "isRequired", "fields", "message"])
      #expect(asked?[0]?["input"]?[0]?["value"] == false)
      #expect(output("data", of: asked?[1]) == ["a": 1] && asked?[1]?["input"] == nil)
    },
    Row(
      testDescription: "signing: an inactive account fails, an unknown name has no device",
      nodes: [
        "first": Node(type: "UsernameCollectorNode", connections: ["outcome": "sign"]),
        "sign": Node(
          type: "DeviceSigningVerifierNode",
          connections: [
            "success": TestJourneys.success, "failure": "inactive",
            "noDeviceRegistered": TestJourneys.failure,
            "keyNotFound": TestJourneys.failure,
          ], properties: ["applicationIds": ["com.acme.wallet"], "clientErrorOutcomes": []]),
        "inactive": Node(type: "MessageNode", connections: ["true": TestJourneys.failure]),
      ]
    ) { server in
      for (name, isAsked) in [("zoe", true), ("ada", false), ("nobody", false)] as [(JSONValue, Bool)] {
        let next = try await server.call(.post, path, body: answer(server.start("Live"), [name]))
        #expect((next["callbacks"]?[0]?["type"] == "TextOutputCallback") == isAsked)
        #expect(isAsked || next.message == "Login failure")
      }
    },
  ]

  static let answers: [Row] = [
    Row(testDescription: "success of Login") { server in
      let end = try await server.call(
        .post, path, body: LocalServer.reply(to: server.start(), "ada", "ada-password"))
      #expect(end["successUrl"] == "/enduser/?realm=/alpha" && end["realm"] == "/alpha")
      #expect(end["tokenId"] != nil)
    },
    Row(testDescription: "wrong credentials") { server in
      let end = try await server.call(
        .post, path, body: LocalServer.reply(to: server.start(), "ada", "wrong"))
      #expect(end.status == 401 && end.message == "Login failure")
    },
    Row(testDescription: "noSession=true is a success without a token") { server in
      let end = try await server.call(
        .post, "\(path)?noSession=true",
        body: LocalServer.reply(to: server.start(query: "&noSession=true"), "ada", "ada-password"))
      #expect(end.status == 200 && end["tokenId"] == nil && end["successUrl"] != nil)
    },
    Row(testDescription: "a step of a finished run that is sent again is a Login failure") { server in
      for password in ["ada-password", "wrong"] {
        let body = LocalServer.reply(to: try await server.start(), "ada", password)
        _ = try await server.call(.post, path, body: body)
        let again = try await server.call(.post, path, body: body)
        #expect(again.status == 401 && again.message == "Login failure")
      }
    },
  ]

  @Test(arguments: callbacks + answers) func `as live tests find it`(_ row: Row) async throws {
    let folder = try TemporaryFolder.make()
    if !row.nodes.isEmpty {
      var file = TestJourneys.file("Live", entry: "first", nodes: row.nodes)
      file["scripts"] = .object(row.scripts)
      try folder.write(file.serialized, to: "alpha/Live.journey.json")
    }
    try await LocalServer.run {
      $0.journeysDirectory = folder.url
      $0.scripts.program = BuiltProgram.path("ScriptHost")
    } body: {
      try await row.play($0)
    }
    withExtendedLifetime(folder) {}
  }
}
