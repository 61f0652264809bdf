import Foundation
import StrictJSON

/// Journeys of the tests, in the exported file format.
enum TestJourneys {
  static let success = "70e691a5-1e33-4ac3-a356-e7b6d60d92e0"
  static let failure = "e301438c-0bd0-429c-ab0c-66126501069a"

  struct Node {
    var type: String
    var connections: [String: String]
    var properties: JSONObject = [:]
  }

  /// One page with name and password, then the check; zero-page headers skip the page.
  static let login = file(
    "Login", entry: "zero",
    nodes: [
      "zero": Node(
        type: "ZeroPageLoginNode", connections: ["true": "check", "false": "page"],
        properties: [
          "usernameHeader": "X-OpenAM-Username", "passwordHeader": "X-OpenAM-Password",
          "allowWithoutReferer": true, "referrerWhiteList": [],
        ]),
      "page": Node(
        type: "PageNode", connections: ["outcome": "check"],
        properties: [
          "nodes": [
            ["_id": "name", "displayName": "Name", "nodeType": "UsernameCollectorNode"],
            ["_id": "password", "displayName": "Password", "nodeType": "PasswordCollectorNode"],
          ],
          "pageHeader": ["en": "Sign in", "de": "Anmelden"],
          "pageDescription": ["en": "Use your <b>corporate</b> account"], "stage": "UsernamePassword",
        ]),
      "check": Node(type: "DataStoreDecisionNode", connections: ["true": success, "false": failure]),
    ],
    inner: ["name": "UsernameCollectorNode", "password": "PasswordCollectorNode"])

  /// Name and password, and one question more after they were right.
  static let twoSteps = file(
    "TwoSteps", entry: "name",
    nodes: [
      "name": Node(type: "UsernameCollectorNode", connections: ["outcome": "password"]),
      "password": Node(type: "PasswordCollectorNode", connections: ["outcome": "check"]),
      "check": Node(type: "DataStoreDecisionNode", connections: ["true": "more", "false": failure]),
      "more": Node(type: "PasswordCollectorNode", connections: ["outcome": success]),
    ])

  /// Takes the client's word for who it is.
  static let trusting = file(
    "Trusting", entry: "name",
    nodes: ["name": Node(type: "UsernameCollectorNode", connections: ["outcome": success])])

  /// Ends in success without anybody.
  static let nobody = file(
    "Nobody", entry: "password",
    nodes: ["password": Node(type: "PasswordCollectorNode", connections: ["outcome": success])])

  static let wrongProperty = file(
    "Wrong", entry: "node",
    nodes: [
      "node": Node(
        type: "ModifyAuthLevelNode", connections: ["outcome": success],
        properties: ["authLevelIncrement": ["not": "a number"]])
    ])

  static let unknownType = file(
    "Broken", entry: "node", nodes: ["node": Node(type: "NoSuchNode", connections: ["outcome": success])])

  static func file(
    _ name: String, entry: String, nodes: [String: Node], inner: [String: String] = [:]
  ) -> JSONObject {
    var details = JSONObject()
    var places = JSONObject()
    for (id, node) in nodes.sorted(by: { $0.key < $1.key }) {
      var detail: JSONObject = ["_id": .string(id), "_type": ["_id": .string(node.type)]]
      detail.merge(node.properties)
      details[id] = .object(detail)
      places[id] = [
        "connections": .object(JSONObject(node.connections.map { ($0.key, .string($0.value)) })),
        "displayName": .string(node.type), "nodeType": .string(node.type),
      ]
    }
    let innerDetails = inner.sorted { $0.key < $1.key }.map { id, type in
      (id, JSONValue.object(["_id": .string(id), "_type": ["_id": .string(type)]]))
    }
    return [
      "nodes": .object(details), "innerNodes": .object(JSONObject(innerDetails)),
      "tree": ["_id": .string(name), "entryNodeId": .string(entry), "nodes": .object(places)],
    ]
  }
}
