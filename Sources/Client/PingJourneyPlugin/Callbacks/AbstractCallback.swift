internal import Concurrency
internal import Foundation
internal import PingOrchestrate

/// A callback with the usual shape: `output` tells what is asked, `input` takes the answer.
// Its stored properties are immutable or guarded; subclasses guard theirs.
open class AbstractCallback: Callback, @unchecked Sendable {
  private let received = Locked(JSONBox())

  /// Stable for as long as the callback lives, and different from every other callback's.
  public let id: String = UUID().uuidString

  /// A callback that has not been read yet.
  required public init() {}

  /// The callback as received, with the answers that were put into `input` since.
  public var json: [String: Any] {
    get { received.withLock { $0 }.object }
    set {
      let box = JSONBox(newValue)
      received.withLock { $0 = box }
    }
  }

  /// Does what the synchronous form does.
  open func initialize(with json: [String: Any]) async -> any Callback { initializeSynchronously(with: json) }

  private func initializeSynchronously(with json: [String: Any]) -> any Callback { initialize(with: json) }

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

  /// Takes one output. Subclasses override it; a name or a type that they do not know is to be ignored.
  open func initValue(name: String, value: Any) {}

  /// Puts `values` into the first inputs, in order, keeps the result in ``json`` and returns it.
  ///
  /// Inputs beyond the values stay as received. A value that JSON cannot express leaves its input as received.
  /// Without `input` in ``json`` nothing changes.
  public func input(_ values: Any...) -> [String: Any] {
    answer { place, _ in values.indices.contains(place) ? values[place] : nil }
  }

  /// Puts `value` into the input named `key`, keeps the result in ``json`` and returns it. An unknown name changes
  /// nothing.
  public func input(_ value: Any, forKey key: String) -> [String: Any] {
    answer { _, name in name == key ? value : nil }
  }

  /// Puts a value into each input for which `value`, given its place and name, has one.
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

  /// The callback as received, with the answers that were put into `input`.
  open func payload() -> [String: Any] { json }
}
