internal import Foundation

/// The name that a device is shown under: trimmed, 1 to ``maximumLength`` code points, no control characters.
package struct DeviceName: Sendable, Hashable {
  /// In code points, so that a name has a bounded size: one character may consist of any number of them.
  package static let maximumLength = 120

  package let text: String

  /// The name `given`, trimmed; `nil` when it is not a valid name.
  package init?(_ given: String) {
    let text = given.trimmingCharacters(in: .whitespacesAndNewlines)
    guard (1...Self.maximumLength).contains(text.unicodeScalars.count),
      !text.unicodeScalars.contains(where: Self.isControl)
    else { return nil }
    self.text = text
  }

  /// The usable part of a name that a device gives itself: without control characters, cut between characters;
  /// `standard` when nothing is left.
  package init(fitting given: String, standard: String) {
    var visible = String.UnicodeScalarView()
    // Bounded before anything is trimmed or counted.
    visible.append(
      contentsOf: given.unicodeScalars.prefix(Self.maximumLength * 4).filter { !Self.isControl($0) })
    var (text, count) = ("", 0)
    for character in String(visible).trimmingCharacters(in: .whitespacesAndNewlines) {
      count += character.unicodeScalars.count
      guard count <= Self.maximumLength else { break }
      text.append(character)
    }
    text = text.trimmingCharacters(in: .whitespacesAndNewlines)
    self.text = text.isEmpty ? standard : text
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.generalCategory == .control
  }
}
