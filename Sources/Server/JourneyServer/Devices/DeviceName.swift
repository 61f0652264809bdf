internal import Foundation
internal import StrictJSON

/// A device's friendly name: trimmed, 1 to 120 characters, no control characters.
struct DeviceName {
  let text: String

  private static let maximumLength = 120

  /// Takes `deviceName`; other members are ignored, because clients send the entire record.
  init(_ object: JSONObject) throws(ErrorResponse) {
    guard let given = try object.text("deviceName") else { throw .badRequest("Send a deviceName.") }
    let text = given.trimmingCharacters(in: .whitespacesAndNewlines)
    guard (1...Self.maximumLength).contains(text.unicodeScalars.count),
      !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
    else {
      throw .badRequest("A device name has 1 to \(Self.maximumLength) characters and no control characters.")
    }
    self.text = text
  }
}
