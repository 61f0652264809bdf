internal import FRAuth
internal import Foundation

/// Reads the outputs of a callback as the server sent them, and refuses a callback without the required ones.
struct CallbackOutputs {
  private let values: [String: Any]

  /// - Parameter input: The suffix of the name of a required input.
  /// - Throws: `AuthError.invalidCallbackResponse`
  init(_ json: [String: Any], input suffix: String) throws {
    guard let outputs = json["output"] as? [[String: Any]], let inputs = json["input"] as? [[String: Any]]
    else {
      throw AuthError.invalidCallbackResponse("Missing input or output")
    }
    guard inputs.contains(where: { ($0["name"] as? String)?.hasSuffix(suffix) == true }) else {
      throw AuthError.invalidCallbackResponse("Missing \(suffix)")
    }
    values = Callback.values(in: outputs)
  }

  /// - Throws: `AuthError.invalidCallbackResponse`
  func text(_ name: String) throws -> String {
    guard let text = values[name] as? String, !text.isEmpty else {
      throw AuthError.invalidCallbackResponse("Missing \(name)")
    }
    return text
  }

  /// Returns a whole number, which the server may also send as decimal digits; `nil` when there is none.
  func number(_ name: String) -> Int? {
    values[name] as? Int ?? (values[name] as? String).flatMap { Int($0) }
  }
}
