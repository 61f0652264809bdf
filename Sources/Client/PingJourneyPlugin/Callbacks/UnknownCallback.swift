/// A callback of a type that no module has registered.
///
/// It is in the node's callbacks, so that an app can show what it cannot handle, or handle it by itself: read and change
/// ``AbstractCallback/json``. It is posted back as received, with those changes.
// Adds no stored property.
public final class UnknownCallback: AbstractCallback, @unchecked Sendable {
  /// The type on the wire, `""` when there is none.
  public var type: String { json[JourneyConstants.type] as? String ?? "" }
}
