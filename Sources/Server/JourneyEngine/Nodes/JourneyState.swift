public import StrictJSON

/// Values that nodes leave for later nodes. All three parts travel sealed inside the `authId`; none is readable by the client.
public struct JourneyState: Sendable, Hashable {
  /// Facts for any later node and for scripts, such as `username`.
  public var shared: JSONObject

  /// Facts that later nodes of this journey need and that never leave it, such as `password` or `DeviceBinding.DEVICE`.
  public var transient: JSONObject

  /// Facts kept apart from scripts' generic access.
  public var secure: JSONObject

  /// What the run has proven; see ``RunAssurance``. Nothing that writes state variables can change it.
  var assurance = RunAssurance()

  public init(
    shared: JSONObject = JSONObject(), transient: JSONObject = JSONObject(), secure: JSONObject = JSONObject()
  ) {
    self.shared = shared
    self.transient = transient
    self.secure = secure
  }

  /// Looks in transient, then secure, then shared state, as PingAM's `nodeState.get` does.
  public subscript(key: String) -> JSONValue? { transient[key] ?? secure[key] ?? shared[key] }

  /// The name of the user identified so far, from shared state; `nil` when absent or empty.
  public var username: String? {
    get { shared["username"]?.stringValue.flatMap { $0.isEmpty ? nil : $0 } }
    set { shared["username"] = newValue.map(JSONValue.string) }
  }
}
