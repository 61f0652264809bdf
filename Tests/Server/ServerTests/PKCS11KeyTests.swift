import CommonFixtures
import Concurrency
import Cryptoki
import Foundation
import JourneyStore
import Testing
import TokenFixtures

@testable import Assembly
@testable import Operations
@testable import ServerHTTP

extension SoftTokens {
  /// The address of a key, with its PIN in a file.
  fileprivate static func address(
    _ object: String, token: String = "sealring", pin: String = pin, mode: Int = 0o600
  ) throws -> String {
    let file = try shared.get().appending(path: "pin-\(UUID().uuidString)")
    try Data((pin + "\n").utf8).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
    return "pkcs11:token=\(token);object=\(object)?module-path=\(module)&pin-source=file:\(file.path)"
  }
}

@Suite("Server keys in tokens", .serialized) struct PKCS11KeyTests {
  private func refusal(_ body: () throws -> Void) -> String {
    do {
      try body()
      return "nothing was refused"
    } catch { return "\(error)" }
  }

  @Test func `a token makes a key, and gives the same each time; another key of it is another`() throws {
    let source = try ServerKeyPlaces.source(SoftTokens.address("first"))
    #expect(try source.keys().isEmpty)
    let made = try source.create { _ in [] }
    #expect(try source.keys().map(\.id) == [made.id])
    #expect(try ServerKeyPlaces.source(SoftTokens.address("first")).keys().map(\.id) == [made.id])
    #expect(source.place == "the key first of the token sealring" && !source.mayChange)
    #expect(refusal { _ = try source.create { _ in [] } }.contains("there already"))
    let other = try ServerKeyPlaces.source(SoftTokens.address("second")).create { _ in [] }
    #expect(other.id != made.id)
  }

  @Test func `a database is opened by the token's key, and rotated to another one of it`() async throws {
    let folder = try TemporaryFolder.make()
    var configuration = ServerConfiguration()
    configuration.dataDirectory = folder.url
    configuration.serverKeys = [try SoftTokens.address("of a database".replacing(" ", with: "%20"))]
    var store = try await StoreOpening.open(configuration)
    let old = try #require(store.serverKey.currentID)
    #expect(try await store.secret(named: "seal") { [7] } == [7])
    #expect(!FileManager.default.fileExists(atPath: folder.url.appending(path: "server.key").path))
    let next = try SoftTokens.address("its-successor")
    try store.serverKey.add(from: ServerKeyPlaces.source(next), randomBytes: { _ in [] })
    let rotation = ServerKeyRotation(store)
    let new = try #require(try await rotation.candidate())
    try await rotation.announce(new)
    try await rotation.activate(new)
    #expect(try await store.encryptAgain() > 0)
    try await rotation.retire(old, isStolen: false)
    try await store.close()
    configuration.serverKeys = [next]
    store = try await StoreOpening.open(configuration)
    #expect(store.serverKey.currentID == new)
    #expect(try await store.secret(named: "seal") { [] } == [7])
    try await store.close()
    withExtendedLifetime(folder) {}
  }

  @Test func `what is wrong is said: token, PIN, module, key, and rights of the PIN's file`() throws {
    let absent = try ServerKeyPlaces.source(SoftTokens.address("first", token: "absent"))
    let reason = refusal { _ = try absent.keys() }
    #expect(reason.contains("no such token") && reason.contains("sealring"))
    let wrong = try ServerKeyPlaces.source(SoftTokens.address("first", pin: "999999"))
    let answer = refusal { _ = try wrong.keys() }
    #expect(answer.contains("PIN") && answer.contains("wrong") && !answer.contains("999999"))
    let twins = try ServerKeyPlaces.source(SoftTokens.address("first", token: "twin"))
    #expect(refusal { _ = try twins.keys() }.contains("serial number"))
    let open = try ServerKeyPlaces.source(SoftTokens.address("first", mode: 0o644))
    #expect(refusal { _ = try open.keys() }.contains("chmod 600"))
    let nowhere = try ServerKeyPlaces.source(
      "pkcs11:token=a;object=b?module-path=/nowhere/module.so&pin-source=file:/nowhere/pin")
    #expect(refusal { _ = try nowhere.keys() }.contains("/nowhere/pin"))
    let library = try ServerKeyPlaces.source("pkcs11:token=a;object=b?module-path=/nowhere/module.so")
    #expect(refusal { _ = try library.keys() }.contains("/nowhere/module.so"))
    // A library of another kind.
    let other = try ServerKeyPlaces.source(
      "pkcs11:token=a;object=b?module-path=/lib/x86_64-linux-gnu/libc.so.6")
    #expect(refusal { _ = try other.keys() }.contains("libc.so.6"))
  }

  @Test func `a key that somebody without the PIN put into the token is not the server's`() throws {
    let source = try ServerKeyPlaces.source(SoftTokens.address("planted"))
    try Self.plant("planted")
    #expect(try source.keys().isEmpty)
    let made = try source.create { _ in [] }
    #expect(try source.keys().map(\.id) == [made.id])
    // Who names no PIN gets what needs none.
    let open = try ServerKeyPlaces.source(
      "pkcs11:token=sealring;object=planted?module-path=\(SoftTokens.module)")
    #expect(try open.keys().contains { $0.id != made.id })
  }

  /// Makes a key for everybody, in a session that nobody has logged in to.
  private static func plant(_ label: String) throws {
    let module = try CryptokiModule(path: SoftTokens.module)
    let tokens = try CryptokiToken.all(of: module)
    let token = try #require(tokens.first { $0.label == "sealring" })
    var (session, key): (UInt, UInt) = (0, 0)
    try CryptokiFailure.check(module.openSession(token.slot, 6, nil, nil, &session))
    defer { _ = module.closeSession(session) }
    var mechanism = CryptokiModule.Attribute(
      type: CryptokiConstant.secretKeyGeneration, value: nil, length: 0)
    let template: [(type: UInt, value: [UInt8])] = [
      (CryptokiConstant.class, CryptokiModule.word(CryptokiConstant.secretKeyClass)),
      (CryptokiConstant.keyType, CryptokiModule.word(CryptokiConstant.genericSecret)),
      (CryptokiConstant.token, [1]), (CryptokiConstant.private, [0]), (CryptokiConstant.sign, [1]),
      (CryptokiConstant.valueLength, CryptokiModule.word(UInt(ServerKey.length))),
      (CryptokiConstant.label, Array(label.utf8)),
    ]
    try CryptokiFailure.check(
      CryptokiModule.withAttributes(template) { module.generateKey(session, &mechanism, $0, $1, &key) })
  }

  @Test func `without its PIN a token shows no key`() throws {
    _ = try SoftTokens.shared.get()
    let source = try ServerKeyPlaces.source(
      "pkcs11:token=sealring;object=first?module-path=\(SoftTokens.module)")
    #expect(try source.keys().isEmpty)
  }
}

@Suite("Addresses of keys in tokens (RFC 7512)") struct PKCS11AddressTests {
  private let rest = "?module-path=/m.so"

  @Test func `attributes are percent-decoded`() throws {
    let address = try PKCS11Address(
      "pkcs11:token=My%20token;serial=0%41;id=%00%ff;object=a%3Bb;type=secret-key;x-vendor=1?module-path=/a%2Fb.so&pin-source=file:///etc/pin"
    )
    #expect(address.token == "My token" && address.serial == "0A" && address.id == [0, 255])
    #expect(address.object == "a;b" && address.modulePath == "/a/b.so" && address.pin == .file("/etc/pin"))
    #expect(
      try PKCS11Address("pkcs11:serial=1;id=%01\(rest)&pin-source=credential:pin").pin == .credential("pin"))
  }

  @Test(
    arguments: [
      "pkcs11:", "pkcs11:token=a", "pkcs11:token=a;object=b", "pkcs11:object=b?module-path=/m.so",
      "pkcs11:token=a?module-path=/m.so", "pkcs11:token=a;token=b;object=c?module-path=/m.so",
      "pkcs11:token=a;object=b?module-path=m.so", "pkcs11:token=%4;object=b?module-path=/m.so",
      "pkcs11:token=%ff;object=b?module-path=/m.so", "pkcs11:token=a%00;object=b?module-path=/m.so",
      "pkcs11:token=a;object=b;type=private?module-path=/m.so",
      "pkcs11:token=a;object=b;new=1?module-path=/m.so",
      "pkcs11:token=a;object=b?module-path=/m.so&pin-source=%7Cprogram",
      "pkcs11:token=a;object=b?module-path=/m.so&max-sessions=1",
      "pkcs11:token=" + String(repeating: "a", count: 3000) + ";object=b?module-path=/m.so",
    ])
  func `anything else is refused`(text: String) {
    #expect(throws: StoreError.self) { try PKCS11Address(text) }
  }

  @Test func `a PIN in the address is refused, and not repeated`() {
    do {
      _ = try PKCS11Address("pkcs11:token=a;object=b?module-path=/m.so&pin-value=314159")
      Issue.record("it was taken")
    } catch { #expect("\(error)".contains("pin-source") && !"\(error)".contains("314159")) }
  }
}
