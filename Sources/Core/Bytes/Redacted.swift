/// A type whose values are secrets: `print`, `dump`, string interpolation and `Mirror` show its name and nothing else.
///
/// Conform every type that holds a key, password, PIN or token. The type itself must conform, because reflection shows stored properties
/// otherwise.
public protocol Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Redacted {
  public var description: String { "\(Self.self)(redacted)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
