internal import Accounts
public import BindingFormats
internal import Bytes
internal import Crypto
internal import Foundation
internal import JourneyStore
public import StrictJSON

/// The profiles that DeviceSaveNode has saved of an account's devices, for their owner to list, rename and remove.
public struct SavedDeviceProfiles: Sendable {
  /// One device. What it says of itself proves nothing.
  public struct Profile: Sendable {
    public var identifier: String
    var alias: String?

    /// Milliseconds since 1970.
    public var savedAt: Int64
    public var metadata: JSONValue?
    public var location: JSONValue?

    /// A hash of the identifier, which may be any text.
    public var id: String { Array(SHA256.hash(data: Array(identifier.utf8)).prefix(16)).hexadecimal }

    /// The person's name for the device; without one, a name made from the id.
    public var name: String { alias.flatMap { DeviceName($0)?.text } ?? "Device \(id.prefix(8))" }
  }

  private let users: ManagedUsers

  public init(_ services: NodeServices) { users = ManagedUsers(services) }

  /// The account's profiles, newest first.
  public func all(of account: UniversalID) async throws -> [Profile] {
    guard let user = try await users.store.user(account) else { return [] }
    return DeviceProfileState.saved(of: user).sorted { $0.savedAt > $1.savedAt }
  }

  /// Renames a device and returns its new profile; `nil` when there is none.
  public func rename(_ id: String, of account: UniversalID, to name: String) async throws -> Profile? {
    try await change(account) { saved in
      guard let place = saved.firstIndex(where: { $0.id == id }) else { return nil }
      saved[place].alias = name
      return saved[place]
    }
  }

  /// Removes a profile and returns it; `nil` when there was none.
  public func remove(_ id: String, of account: UniversalID) async throws -> Profile? {
    try await change(account) { saved in
      guard let place = saved.firstIndex(where: { $0.id == id }) else { return nil }
      return saved.remove(at: place)
    }
  }

  private func change(
    _ account: UniversalID, _ edit: (inout [Profile]) -> Profile?
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
}

extension DeviceProfileState {
  /// The internal attribute with the profiles of an account's devices; nobody reads or sets it as an attribute.
  static let storedKey = ManagedAttribute.deviceProfiles

  static func saved(of user: UserRecord) -> [SavedDeviceProfiles.Profile] {
    saved(user.attributes[storedKey])
  }

  /// The profiles in the attribute's value.
  static func saved(_ value: JSONValue?) -> [SavedDeviceProfiles.Profile] {
    (value?.arrayValue ?? []).compactMap(SavedDeviceProfiles.Profile.init)
  }
}

// Not `Codable`: a profile is compared with what the client says later, and coders write 1.0 as 1, which is another value.
extension SavedDeviceProfiles.Profile {
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
