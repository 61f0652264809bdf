public import StrictJSON

/// How far each journey of a folder goes without a person.
public struct TourReport: Sendable {
  /// What became of a journey.
  public enum Result: String, Sendable {
    case success
    case failure
    /// It needs a person, a device or something that this server does not have.
    case stopped
    /// It loads, and cannot be started by itself.
    case loads
    case refused
  }

  public struct Journey: Sendable {
    public var name: String
    public var realm: String
    public var result: Result

    /// The node where it ended, as the editor shows it, and its type.
    public var node: String?
    public var type: String?

    /// Why, in a few words; empty for a success.
    public var reason: String = ""

    /// One line.
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

  /// A report without journeys.
  public init() {}

  /// Whether every journey loads.
  public var loads: Bool { journeys.allSatisfy { $0.result != .refused } }

  /// A line for each journey, and one with the numbers.
  public var lines: [String] {
    func count(_ result: Result) -> Int { journeys.count { $0.result == result } }
    return journeys.map(\.text) + [
      "\(journeys.count) \(journeys.count == 1 ? "journey" : "journeys"): \(count(.success)) to success, \(count(.failure)) to failure, "
        + "\(count(.stopped)) stop, \(count(.loads)) only load, \(count(.refused)) do not load."
    ]
  }

  public var json: JSONValue { .array(journeys.map(\.json)) }
}
