import Foundation
import PingCommons
import PingStorage
import Testing

@Suite("Device identifiers")
struct DeviceIdentifierTests {
  private let folder: TemporaryFolder
  private let home: ClientHome

  init() throws {
    folder = try TemporaryFolder()
    home = ClientHome(directory: folder.file("home"))
  }

  @Test func theIdentifierIsTheDigestOfTheStoredBytes() async throws {
    let identifier = DefaultDeviceIdentifier(storage: Memory<Data>()) { [UInt8](repeating: 0, count: $0) }
    #expect(try await identifier.id == "66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925")
  }

  @Test func theIdentifierOutlivesTheProcess() async throws {
    let id = try await DefaultDeviceIdentifier(home: home).id
    #expect(try await DefaultDeviceIdentifier(home: home).id == id)
    #expect(id.count == 64)
    #expect(id.allSatisfy { $0.isHexDigit && !$0.isUppercase })
    let other = ClientHome(directory: folder.file("other"))
    #expect(try await DefaultDeviceIdentifier(home: other).id != id)
  }

  @Test func allWhoAskFirstGetTheSameIdentifier() async throws {
    let home = home
    let ids = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<16 { group.addTask { try await DefaultDeviceIdentifier(home: home).id } }
      return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    #expect(ids.count == 1)
  }

  @Test func anUnreadableIdentifierIsAnErrorNotAnotherDevice() async throws {
    _ = try await DefaultDeviceIdentifier(home: home).id
    let file = try home.folder("storage").appendingPathComponent("com.sealring.deviceIdentifier")
    try Data("damaged".utf8).write(to: file)
    await #expect(throws: FileStorageError.self) { try await DefaultDeviceIdentifier(home: home).id }
    #expect(try Data(contentsOf: file) == Data("damaged".utf8))
  }

  @Test func theUUIDIsKept() async throws {
    let storage = Memory<UUID>()
    let id = try await UUIDDeviceIdentifier(storage: storage).id
    #expect(UUID(uuidString: id) != nil)
    #expect(try await UUIDDeviceIdentifier(storage: storage).id == id)
    let identifiers: [any DeviceIdentifier] = [DefaultDeviceIdentifier(), UUIDDeviceIdentifier()]
    #expect(identifiers.count == 2)
  }
}
