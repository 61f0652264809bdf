public import Bytes

/// Text that must not be shown, such as a password; printing it shows nothing.
public struct Secret: Sendable, Redacted {
  private let text: String

  public init(_ text: String) { self.text = text }

  /// The text itself. Where this is called, the secret leaves its protection.
  public func reveal() -> String { text }
}
