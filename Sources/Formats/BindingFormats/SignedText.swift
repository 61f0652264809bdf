internal import Bytes
internal import StrictJSON

/// A text that a person is asked to sign, checked so that it can be shown whole and exactly as it is signed.
///
/// ``Challenge/init(wire:offer:)`` alone decides which challenges are texts: all that do not have the form of a server's random bytes.
package struct SignedText: Sendable, Hashable {
  /// The text as it is signed.
  package let text: String

  /// Longest text, in code points.
  package static let longest = 500

  /// The most lines of a text.
  package static let mostLines = 10

  /// Why a text cannot be shown exactly as it would be signed, as the end of a sentence about it.
  package struct Fault: Error, Sendable, Hashable {
    package let problem: String
  }

  /// - Throws: ``Fault`` for a text that is too long to be read at once, that shows nothing, or that has characters that are invisible
  ///   or change how others are shown.
  package init(_ text: String) throws(Fault) {
    // The bytes are checked first, so that a far too long text is not counted.
    guard text.utf8.count <= Self.longest * 4, text.unicodeScalars.count <= Self.longest else {
      throw Fault(problem: "it is longer than \(Self.longest) characters")
    }
    self.text = text
    guard lines.count <= Self.mostLines else {
      throw Fault(problem: "it has more than \(Self.mostLines) lines")
    }
    guard text.unicodeScalars.contains(where: { $0.lineRole == .shown }) else {
      throw Fault(problem: "it is empty")
    }
    for line in lines {
      let hidden = line.unicodeScalars.first { !$0.isFitForName && !$0.properties.isVariationSelector }
      if let hidden {
        let code = String(hidden.value, radix: 16, uppercase: true)
        throw Fault(
          problem: "it has the character U+\(code), which is not seen or changes how the text is shown")
      }
      guard line.allSatisfy({ $0.unicodeScalars.count <= Character.mostScalars }) else {
        throw Fault(problem: "it has too many marks on one character")
      }
    }
  }

  /// The lines, in order; empty ones are among them.
  package var lines: [String] {
    text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }.map(String.init)
  }

  /// Whether it is the text `other`, byte for byte.
  package func isExactly(_ other: String) -> Bool { text.hasSameBytes(as: other) }
}
