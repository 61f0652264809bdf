import JourneyEngine
import JourneyNodes
import JourneyStore
import StrictJSON
import Testing

extension World {
  /// What loading a journey of one node says about its properties.
  func warnings(_ type: String, _ properties: JSONObject) -> [JourneyWarning] {
    var node = properties
    node["_id"] = "n"
    node["_type"] = ["_id": .string(type)]
    let file: JSONObject = [
      "tree": [
        "_id": "J", "entryNodeId": "n", "nodes": ["n": ["nodeType": .string(type), "connections": [:]]],
      ],
      "nodes": ["n": .object(node)],
    ]
    var catalog = JourneyCatalog(registry: NodeLibrary.registry(services: services))
    catalog.load([JourneyCatalog.File(file.serialized, source: "J")], realm: "alpha", isCheck: true)
    return catalog.warnings
  }
}
