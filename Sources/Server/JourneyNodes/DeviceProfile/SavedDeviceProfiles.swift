internal import Accounts
public import BindingFormats
internal import Bytes
internal import Crypto
internal import Foundation
internal import JourneyStore
public import StrictJSON

/// The profiles that DeviceSaveNode has saved of an account's devices, as their owner looks after them.
public struct SavedDeviceProfiles: Sendable {
  /// One device. What it says of itself proves nothing.
  public struct Profile: Sendable {
    /// Made of the identifier, which may be any text.
    public var id: String
    public var identifier: String

    /// What the person calls the device; else one made of the id.
    public var name: String

    /// Milliseconds since 1970.
    public var savedAt: Int64
    public var metadata: JSONValue?
    public var location: JSONValue?

    fileprivate init(_ saved: DeviceProfileState.Saved) {
      id = Self.id(of: saved.identifier)
      identifier = saved.identifier
      name = saved.alias.flatMap { DeviceName($0)?.text } ?? "Device \(id.prefix(8))"
      savedAt = saved.savedAt
      metadata = saved.metadata
      location = saved.location
    }

    fileprivate static func id(of identifier: String) -> String {
      Array(SHA256.hash(data: Array(identifier.utf8)).prefix(16)).hexadecimal
    }
  }

  private let users: ManagedUsers

  public init(_ services: NodeServices) { users = ManagedUsers(services) }

  /// The account's profiles, newest first.
  public func all(of account: UniversalID) async throws -> [Profile] {
    guard let user = try await users.store.user(account) else { return [] }
    return Self.profiles(DeviceProfileState.saved(of: user))
  }

  /// Gives a device another name; the profile after, or `nil` when there is none.
  public func rename(_ id: String, of account: UniversalID, to name: String) async throws -> Profile? {
    try await change(account) { saved in
      guard let place = saved.firstIndex(where: { Profile.id(of: $0.identifier) == id }) else { return nil }
      saved[place].alias = name
      return Profile(saved[place])
    }
  }

  /// Removes a profile; the one before, or `nil` when there was none.
  public func remove(_ id: String, of account: UniversalID) async throws -> Profile? {
    try await change(account) { saved in
      guard let place = saved.firstIndex(where: { Profile.id(of: $0.identifier) == id }) else { return nil }
      return Profile(saved.remove(at: place))
    }
  }

  private func change(
    _ account: UniversalID, _ edit: (inout [DeviceProfileState.Saved]) -> Profile?
  ) async throws -> Profile? {
    guard let user = try await users.store.user(account) else { return nil }
    // Nothing is written for a device that is not there.
    var present = DeviceProfileState.saved(of: user)
    guard edit(&present) != nil else { return nil }
    var result: Profile?
    _ = try await users.keep(DeviceProfileState.storedKey, of: user) { present in
      var saved = DeviceProfileState.saved(present)
      result = edit(&saved)
      guard result != nil else { return present }
      return saved.isEmpty ? nil : .array(saved.map(\.json))
    }
    return result
  }

  private static func profiles(_ saved: [DeviceProfileState.Saved]) -> [Profile] {
    saved.sorted { $0.savedAt > $1.savedAt }.map(Profile.init)
  }
}

extension DeviceProfileState {
  /// The internal attribute with the profiles of an account's devices; nobody reads or sets it as an attribute.
  static let storedKey = ManagedAttribute.deviceProfiles

  /// A profile that was saved.
  struct Saved: Sendable {
    var identifier: String

    /// What the person calls the device.
    var alias: String?
    var savedAt: Int64
    var metadata: JSONValue?
    var location: JSONValue?
  }

  static func saved(of user: UserRecord) -> [Saved] { saved(user.attributes[storedKey]) }

  /// The profiles in the attribute's value.
  static func saved(_ value: JSONValue?) -> [Saved] { (value?.arrayValue ?? []).compactMap(Saved.init) }
}

// By hand, because a profile is compared with what the client says later, and coders write 1.0 as 1, which is another value.
extension DeviceProfileState.Saved {
  init?(_ json: JSONValue) {
    guard let identifier = json["identifier"]?.stringValue, let savedAt = json["savedAt"]?.integerValue
    else { return nil }
    self.init(
      identifier: identifier, alias: json["alias"]?.stringValue, savedAt: savedAt,
      metadata: json["metadata"], location: json["location"])
  }

  var json: JSONValue {
    var object: JSONObject = ["identifier": .string(identifier), "savedAt": .integer(savedAt)]
    object["alias"] = alias.map { .string($0) }
    object["metadata"] = metadata
    object["location"] = location
    return .object(object)
  }
}
