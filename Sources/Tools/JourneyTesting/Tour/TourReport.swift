public import StrictJSON

/// Reports how far each journey of a folder runs without a person.
public struct TourReport: Sendable {
  /// The result of a journey.
  public enum Result: String, Sendable {
    case success
    case failure
    /// The journey needs a person, a device or a feature that this server does not have.
    case stopped
    /// The journey loads, but cannot be started by itself.
    case loads
    case refused
  }

  public struct Journey: Sendable {
    public var name: String
    public var realm: String
    public var result: Result

    /// The node where the journey ended, by its name in the editor, and its type.
    public var node: String?
    public var type: String?

    /// The reason, in a few words; empty for a success.
    public var reason: String = ""

    /// The result on one line.
    public var text: String {
      let place = node.map { " at \($0)\(type.map { " (\($0))" } ?? "")" } ?? ""
      let end = reason.isEmpty ? "" : ": \(reason)"
      return switch result {
      case .success: "\(name): plays to success"
      case .failure: "\(name): ends in failure\(place)\(end)"
      case .stopped: "\(name): stops\(place)\(end)"
      case .loads: "\(name): loads\(end)"
      case .refused: "\(name): does not load\(end)"
      }
    }

    var json: JSONValue {
      func text(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }
      return [
        "journey": .string(name), "realm": .string(realm), "result": .string(result.rawValue),
        "node": text(node), "type": text(type), "reason": .string(reason),
      ]
    }
  }

  public var journeys: [Journey] = []

  /// Creates a report without journeys.
  public init() {}

  /// Whether every journey loads.
  public var loads: Bool { journeys.allSatisfy { $0.result != .refused } }

  /// A line for each journey, and one with totals.
  public var lines: [String] {
    func count(_ result: Result) -> Int { journeys.count { $0.result == result } }
    return journeys.map(\.text) + [
      "\(journeys.count) \(journeys.count == 1 ? "journey" : "journeys"): \(count(.success)) to success, \(count(.failure)) to failure, "
        + "\(count(.stopped)) stop, \(count(.loads)) only load, \(count(.refused)) do not load."
    ]
  }

  public var json: JSONValue { .array(journeys.map(\.json)) }
}
