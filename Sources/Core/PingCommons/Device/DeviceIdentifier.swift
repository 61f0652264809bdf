internal import Crypto
public import Foundation
public import PingStorage

/// Tells one device from another. Servers treat the identifier as opaque text.
public protocol DeviceIdentifier: Sendable {
  /// The identifier, the same each time for as long as the app's data live.
  ///
  /// - Throws: When the stored identifier cannot be read or the first one cannot be stored. A new one is never made up
  ///   then, because to servers it would be another device.
  var id: String { get async throws }
}

/// An identifier that is made at random on first use: the lower-case hexadecimal SHA-256 of 32 stored random bytes.
///
/// It says nothing about the hardware, and the bytes themselves never leave the device.
public actor DefaultDeviceIdentifier: DeviceIdentifier {
  private let storage: any UpdatableStorage<Data>
  private let randomBytes: @Sendable (Int) -> [UInt8]
  private var known: String?

  /// The identifier of this device: in the keychain on Apple platforms, in the ``ClientHome`` elsewhere.
  public init() {
    self.init(storage: Keychain<Data>(account: "com.sealring.deviceIdentifier"))
  }

  /// The identifier that `storage` keeps.
  public init(
    storage: any UpdatableStorage<Data>,
    randomBytes: @escaping @Sendable (Int) -> [UInt8] = {
      (0..<$0).map { _ in UInt8.random(in: .min ... .max) }
    }
  ) {
    self.storage = storage
    self.randomBytes = randomBytes
  }

  public var id: String {
    get async throws {
      if let known { return known }
      let bytes = try await storage.update { [randomBytes] stored in
        let bytes = stored ?? Data(randomBytes(32))
        stored = bytes
        return bytes
      }
      let id = SHA256.hash(data: bytes).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      known = id
      return id
    }
  }
}

/// An identifier that is a stored random UUID.
public actor UUIDDeviceIdentifier: DeviceIdentifier {
  private let storage: any UpdatableStorage<UUID>
  private let makeUUID: @Sendable () -> UUID

  /// The identifier of this device: in the keychain on Apple platforms, in the ``ClientHome`` elsewhere.
  public init() {
    self.init(storage: Keychain<UUID>(account: "com.sealring.deviceIdentifier.uuid"))
  }

  /// The identifier that `storage` keeps.
  public init(
    storage: any UpdatableStorage<UUID>, makeUUID: @escaping @Sendable () -> UUID = { UUID() }
  ) {
    self.storage = storage
    self.makeUUID = makeUUID
  }

  public var id: String {
    get async throws {
      try await storage.update { [makeUUID] stored in
        let uuid = stored ?? makeUUID()
        stored = uuid
        return uuid.uuidString
      }
    }
  }
}

#if !canImport(Security)
  extension DefaultDeviceIdentifier {
    /// The identifier that is kept in `home`.
    public init(home: ClientHome) {
      self.init(storage: Keychain<Data>(account: "com.sealring.deviceIdentifier", home: home))
    }
  }
#endif
