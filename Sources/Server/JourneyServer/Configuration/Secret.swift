/// Text that must not be shown, such as a password; printing it shows nothing.
public struct Secret: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  private let text: String

  public init(_ text: String) { self.text = text }

  /// The text itself. Where this is called, the secret leaves its protection.
  public func reveal() -> String { text }

  public var description: String { "Secret(redacted)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
