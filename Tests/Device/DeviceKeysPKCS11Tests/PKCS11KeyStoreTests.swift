import CommonFixtures
import Concurrency
import Cryptoki
import DeviceKeys
import Foundation
import JOSE
import Testing
import TokenFixtures

@testable import DeviceKeysPKCS11

extension OnAToken {
  /// SoftHSM as the token.
  @Suite struct Stores {
    @Test func `a key is made, found by another store, signs, is listed with its token, and deleted`()
      async throws
    {
      let scene = try TokenScene()
      let store = try scene.store()
      let made = try await store.create()
      try await expectSigns(made, for: made)
      try await expectSigns(try await scene.store().open(), for: made)
      let key = try #require(try await store.keys().first)
      #expect(key.tag == "k" && key.protection == .applicationPIN && key.publicKey == made.publicKey)
      #expect(key.kind == .softwareToken && key.kind.rawValue == "pkcs11-software")
      let token = try #require(try await store.token(ofKey: "k"))
      #expect(token.label == "device" && token.isSoftware && token.manufacturer == "SoftHSM project")
      #expect(token.text.hasPrefix("device (software, SoftHSM project SoftHSM v2, serial number"))
      #expect(!(made is any AttestableDeviceKey))
      #expect(await store.attestationAvailability().problem != nil)
      await #expect(throws: DeviceKeyError.exists(tag: "k")) { try await store.create() }
      try await store.deleteKey(tag: "k")
      try await store.deleteKey(tag: "k")
      #expect(try await store.keys().isEmpty)
      await #expect(throws: DeviceKeyError.notFound(tag: "k")) { try await store.open() }
    }

    @Test func `a key that was deleted leaves the token when that is next unlocked, and no other does`()
      async throws
    {
      let scene = try TokenScene()
      let store = try scene.store()
      let before = try scene.objects()
      try await store.create("stays")
      try await store.create("goes")
      try await store.deleteKey(tag: "goes")
      #expect(try scene.objects() == before + 4)
      let kept = try await store.open("stays")
      #expect(try scene.objects() == before + 2)
      #expect(try scene.names().count { $0.hasSuffix(".p11left") } == 0)
      try await expectSigns(kept, for: kept)
    }

    @Test func `who unlocks the token in the middle of a deletion does not make its object forgotten`()
      async throws
    {
      let scene = try TokenScene()
      let store = try scene.store()
      let before = try scene.objects()
      try await store.create("stays")
      try await store.create("goes")
      let folder = KeyFolder(
        scene.folder.file("keys"), suffix: "p11key", limit: TokenKeyFile.maximumBytes)
      let key = folder.file(of: "goes")
      let content = try Data(contentsOf: key)
      try await store.deleteKey(tag: "goes")
      // As it stands between the two writes of the deletion.
      try content.write(to: key)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key.path)
      _ = try await store.open("stays")
      try await expectSigns(try await store.open("goes"), for: try await store.open("goes"))
      try FileManager.default.removeItem(at: key)
      _ = try await store.open("stays")
      #expect(try scene.objects() == before + 2)
      #expect(try scene.names().count { $0.hasSuffix(".p11left") } == 0)
    }

    @Test func `what a crash has left in the token goes, once no generation can take that long`() async throws
    {
      let scene = try TokenScene()
      let time = Locked(Date(timeIntervalSince1970: 1_800_000_000))
      let store = try scene.store { time.withLock { $0 } }
      try await store.create("stays")
      let before = try scene.objects()
      try await store.create("crashed")
      // As it stands before the key's file is written.
      let files = try FileManager.default.contentsOfDirectory(
        at: scene.folder.file("keys"), includingPropertiesForKeys: nil)
      let key = try #require(
        try files.filter { $0.pathExtension == "p11key" }.first {
          try TokenKeyFile(parsing: Array(Data(contentsOf: $0))).tag == "crashed"
        })
      var plan = try TokenKeyFile(parsing: Array(Data(contentsOf: key)))
      plan.notBefore = time.withLock { $0 } + 600
      try FileManager.default.removeItem(at: key)
      let file = scene.folder.file("keys/left.p11left")
      try Data(plan.serialized).write(to: file)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
      _ = try await store.open("stays")
      #expect(try scene.objects() == before + 2)
      time.withLock { $0 += 601 }
      _ = try await store.open("stays")
      #expect(try scene.objects() == before)
    }

    @Test func `a wrong PIN is one, is counted by the token, and the right one is then taken`() async throws {
      let scene = try TokenScene()
      let store = try scene.store()
      await #expect(throws: DeviceKeyError.wrongPIN(tag: "k")) { try await store.create(pin: "000000") }
      #expect(
        try await store.token(ofKey: nil)?.pinTries == PINTries(left: 2, wrong: 1, wait: 0, isOfToken: true))
      #expect(try await store.keys().isEmpty)
      let made = try await store.create()
      for wrong in ["000000", "2", "271828 "] {
        await #expect(throws: DeviceKeyError.wrongPIN(tag: "k")) { try await store.open(pin: wrong) }
        #expect(try await store.pinTries(tag: "k")?.left == 2)
      }
      try await expectSigns(try await store.open(), for: made)
      #expect(try await store.pinTries(tag: "k") == nil)
      #expect(try await store.pinTries(tag: "other") == nil)
    }

    @Test func `other code that is logged in already does not make a wrong PIN right`() async throws {
      let scene = try TokenScene()
      let store = try scene.store()
      try await store.create()
      let module = try CryptokiModule(path: scene.module)
      let token = try #require(try CryptokiToken.all(of: module).first { $0.label == "device" })
      var session: UInt = 0
      #expect(module.openSession(token.slot, 6, nil, nil, &session) == 0)
      defer { _ = module.closeSession(session) }
      let pin = Array(SoftTokens.pin.utf8)
      #expect(module.login(session, 1, pin, UInt(pin.count)) == 0)
      await #expect(throws: DeviceKeyError.wrongPIN(tag: "k")) { try await store.open(pin: "000000") }
      _ = try await store.open()
    }

    @Test func `the token's PIN is changed, for all its keys, and a short one is refused`() async throws {
      let scene = try TokenScene()
      let store = try scene.store(token: "changing")
      let made = try await store.create("a")
      try await store.create("b")
      let (old, new) = (PIN(SoftTokens.pin), PIN("161803398"))
      await #expect(throws: DeviceKeyError.wrongPIN(tag: "a")) {
        try await store.changePIN(tag: "a", from: PIN("000000"), to: new)
      }
      let reason = await refusal { try await store.changePIN(tag: "a", from: old, to: PIN("1")) }
      #expect(reason.contains("does not take this new PIN") && reason.contains("4 to 255"), "\(reason)")
      try await store.changePIN(tag: "a", from: old, to: new)
      await #expect(throws: DeviceKeyError.wrongPIN(tag: "b")) { try await store.open("b") }
      try await expectSigns(try await store.open("a", pin: "161803398"), for: made)
      _ = try await store.open("b", pin: "161803398")
      try await store.changePIN(tag: "a", from: new, to: old)
    }

    @Test(arguments: [KeyProtection.none, .biometricOnly, .biometricOrCredential])
    func `other protections are not a token's, and go to files where hardware is only preferred`(
      protection: KeyProtection
    ) async throws {
      let scene = try TokenScene()
      let store = try scene.store()
      #expect(!store.supports(protection) && store.supports(.applicationPIN))
      let unlock = protection == .none ? KeyUnlock.nothing : .authorization(AuthorizationValue())
      await #expect(throws: DeviceKeyError.self) {
        try await store.createKey(tag: "k", protection: protection, unlock: unlock)
      }
      let files = try SoftwareKeyStore(directory: scene.folder.file("keys"))
      let both = PreferredKeyStore(hardware: store, software: files, requirement: .hardwareIfPresent)
      _ = try await both.createKey(tag: "k", protection: protection, unlock: unlock)
      _ = try await both.createKey(tag: "p", protection: .applicationPIN, unlock: .pin(PIN(SoftTokens.pin)))
      #expect(try await both.keys().map(\.kind) == [.software, .softwareToken])
      #expect(try await both.kind(ofKey: "p") == .softwareToken)
      #expect(try await both.token(ofKey: "k") == nil)
      #expect(try await both.token(ofKey: "p")?.label == "device")
      #expect(try await both.token(ofKey: nil)?.label == "device")
    }

    @Test func `several tokens need a name, none of that name is said, and none is a weaker key`()
      async throws
    {
      let scene = try TokenScene()
      let several = await refusal { try await scene.store(token: nil).create() }
      #expect(several.contains("several tokens") && several.contains("device ("), "\(several)")
      let twin = await refusal { try await scene.store(token: "twin").create() }
      #expect(twin.contains("several tokens"))
      let absent = await refusal { try await scene.store(token: "absent").create() }
      #expect(absent.contains("no token absent"))
      let both = PreferredKeyStore(
        hardware: try scene.store(token: "absent"),
        software: try SoftwareKeyStore(directory: scene.folder.file("keys")), requirement: .hardwareIfPresent)
      await #expect(throws: DeviceKeyError.self) {
        try await both.createKey(tag: "k", protection: .applicationPIN, unlock: .pin(PIN("271828")))
      }
      #expect(try await both.keys().isEmpty)
    }

    @Test func `without its token a key is listed, and its use says which is missing`() async throws {
      let scene = try TokenScene(fault: "other-token", lies: false)
      let store = try scene.store()
      let made = try await store.create()
      try SoftTokens.set(scene.module, lies: true)
      #expect(try await store.keys().map(\.tag) == ["k"])
      #expect(try await store.token(ofKey: "k")?.label == "device")
      for reason in [
        await refusal { _ = try await store.open() },
        await refusal { _ = try await made.signature(for: [1]) },
      ] { #expect(reason.contains("The token device, which has the key, is not there"), "\(reason)") }
      try SoftTokens.set(scene.module, lies: false)
      try await expectSigns(try await store.open(), for: made)
    }

    @Test func `a damaged file is named, and one of a damaged key is no key`() async throws {
      let scene = try TokenScene()
      let store = try scene.store()
      try await store.create()
      let name = try #require(try scene.names().first { $0.hasSuffix(".p11key") })
      let file = scene.folder.file("keys/\(name)")
      let whole = try String(contentsOf: file, encoding: .utf8)
      try Data(whole.replacing("\"device\"", with: "\"devile\"").utf8).write(to: file)
      let reason = await refusal { _ = try await store.open() }
      #expect(reason.contains(name) && reason.contains("digest"), "\(reason)")
      await #expect(throws: DeviceKeyError.self) { try await store.keys() }
      #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int == 0o600)
    }

    @Test func `no PIN is in a file or in a description of a key`() async throws {
      let scene = try TokenScene()
      let store = try scene.store()
      let key = try await store.create()
      var text = ""
      dump(key, to: &text)
      #expect(!text.contains(SoftTokens.pin) && !"\(key)".contains(SoftTokens.pin))
      for name in try scene.names() {
        let bytes = try Data(contentsOf: scene.folder.file("keys/\(name)"))
        #expect(!String(decoding: bytes, as: UTF8.self).contains(SoftTokens.pin))
      }
    }
  }
}
