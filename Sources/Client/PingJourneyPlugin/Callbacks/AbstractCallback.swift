internal import Concurrency
internal import Foundation
internal import PingOrchestrate

/// A callback of the usual form: `output` holds the question, `input` the answer.
// Its stored properties are immutable or guarded; subclasses guard theirs.
open class AbstractCallback: Callback, @unchecked Sendable {
  private let received = Locked(JSONBox())

  /// Unique, and stable for the callback's lifetime.
  public let id: String = UUID().uuidString

  /// A callback that has not been read yet.
  required public init() {}

  /// The callback as received, with the answers put into `input` since then.
  public var json: [String: Any] {
    get { received.withLock { $0 }.object }
    set {
      let box = JSONBox(newValue)
      received.withLock { $0 = box }
    }
  }

  /// Does what the synchronous form does.
  open func initialize(with json: [String: Any]) async -> any Callback { initializeSynchronously(with: json) }

  /// Keeps `json` and calls ``initValue(name:value:)`` for each output that has a name and a value, in order.
  open func initialize(with json: [String: Any]) -> any Callback {
    self.json = json
    for output in json[JourneyConstants.output] as? [Any] ?? [] {
      guard let output = output as? [String: Any], let name = output[JourneyConstants.name] as? String,
        let value = output[JourneyConstants.value], !(value is NSNull)
      else { continue }
      initValue(name: name, value: value)
    }
    return self
  }

  /// Reads one output. Subclasses override it, and ignore unknown names and types.
  open func initValue(name: String, value: Any) {}

  /// Puts `values` into the first inputs, in order, keeps the result in ``json`` and returns it.
  ///
  /// Further inputs stay as received, and so does an input whose value JSON cannot express. Without `input` in ``json`` nothing
  /// changes.
  public func input(_ values: Any...) -> [String: Any] {
    answer { place, _ in values.indices.contains(place) ? values[place] : nil }
  }

  /// Puts `value` into the input named `key`, keeps the result in ``json`` and returns it. An unknown name changes
  /// nothing.
  public func input(_ value: Any, forKey key: String) -> [String: Any] {
    answer { _, name in name == key ? value : nil }
  }

  /// Puts a value into each input for which `value` returns one, given the input's position and name.
  package func answer(_ value: (_ place: Int, _ name: String) -> Any?) -> [String: Any] {
    var changed = json
    guard var inputs = changed[JourneyConstants.input] as? [[String: Any]] else { return changed }
    for place in inputs.indices {
      let name = inputs[place][JourneyConstants.name] as? String ?? ""
      inputs[place][JourneyConstants.name] = name
      guard let value = value(place, name), JSONSerialization.isValidJSONObject([value]) else { continue }
      inputs[place][JourneyConstants.value] = value
    }
    changed[JourneyConstants.input] = inputs
    json = changed
    return changed
  }

  /// The callback as received, with the answers put into `input`.
  open func payload() -> [String: Any] { json }
}
