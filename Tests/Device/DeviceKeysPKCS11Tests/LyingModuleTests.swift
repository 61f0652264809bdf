import CommonFixtures
import DeviceKeys
import Foundation
import JOSE
import Testing
import TokenFixtures

@testable import DeviceKeysPKCS11

extension OnAToken {
  /// A module that lies (Tests/Support/LyingToken).
  @Suite struct LyingModules {
    @Test(arguments: [
      ("extractable", "CKA_EXTRACTABLE"), ("once-extractable", "CKA_NEVER_EXTRACTABLE"),
      ("unknown-attribute", "CKA_NEVER_EXTRACTABLE"), ("shown", "CKA_SENSITIVE"),
      ("once-shown", "CKA_ALWAYS_SENSITIVE"), ("imported", "CKA_LOCAL"), ("neither", "true or false"),
      ("other-curve", "CKA_EC_PARAMS"), ("off-curve", "not a point on P-256"),
      ("short-point", "CKA_EC_POINT"), ("long-point", "a length that is not possible"),
      ("no-point", "a length that is not possible"), ("long-signature", "not 64"),
      ("short-signature", "63 bytes, not 64"), ("wrong-signature", "does not verify"),
      ("zero-signature", "does not verify"), ("removed", "CKR_DEVICE_REMOVED"),
      ("administrator", "only its administrator"), ("no-curves", "CKR_MECHANISM_INVALID"),
      ("full", "CKR_DEVICE_MEMORY"),
    ])
    func `a key that it lies about is refused, and taken out of the token again`(
      fault: String, reason: String
    )
      async throws
    {
      let scene = try TokenScene(fault: fault)
      let store = try scene.store()
      let before = try scene.objects()
      let text = await refusal { try await store.create() }
      #expect(text.contains(reason) && text.contains("device"), "\(text)")
      #expect(!text.contains(SoftTokens.pin))
      #expect(try await store.keys().isEmpty)
      #expect(try scene.objects() == before)
      #expect(try !scene.names().contains { $0.hasSuffix(".p11left") })
      try SoftTokens.set(scene.module, lies: false)
      let key = try await store.create()
      try await expectSigns(key, for: key)
    }

    @Test(arguments: [
      "removed", "long-signature", "short-signature", "wrong-signature", "more-objects", "endless-objects",
    ])
    func `a card that fails while it signs loses nothing`(fault: String) async throws {
      let scene = try TokenScene(fault: fault, lies: false)
      let store = try scene.store()
      let key = try await store.create()
      try SoftTokens.set(scene.module, lies: true)
      let text = await refusal { _ = try await key.signature(for: [1, 2, 3]) }
      #expect(text.contains("Nothing was lost"), "\(text)")
      try SoftTokens.set(scene.module, lies: false)
      try await expectSigns(key, for: key)
      #expect(try await store.keys().count == 1)
    }

    @Test func `a key that the token no longer has is lost`() async throws {
      let scene = try TokenScene(fault: "no-objects", lies: false)
      let store = try scene.store()
      try await store.create()
      try SoftTokens.set(scene.module, lies: true)
      let text = await refusal { _ = try await store.open() }
      #expect(text.contains("is gone: the token device no longer has it"), "\(text)")
    }

    @Test(arguments: ["growing-once", "bare-point", "no-pin-for-each"])
    func `what modules may do is no lie`(behaviour: String) async throws {
      let scene = try TokenScene(fault: behaviour)
      let key = try await scene.store().create()
      try await expectSigns(try await scene.store().open(), for: key)
    }

    @Test(arguments: [
      ("growing", "grows each time"), ("more-slots-than-room", "grows each time"),
      ("endless-slots", "more than 256 slots"), ("no-list", "no list of functions"),
      ("version", "version 9"), ("lacks-a-function", "lacks the function sign"), ("no-pin", "has no PIN"),
    ])
    func `a module without sense is not used`(fault: String, reason: String) async throws {
      let scene = try TokenScene(fault: fault)
      let store = try scene.store()
      let text = await refusal { try await store.create() }
      #expect(text.contains(reason), "\(text)")
      let availability = await store.availability()
      #expect(availability == .unavailable(text))
    }

    @Test func `a locked PIN is said, and no PIN goes to the token`() async throws {
      let scene = try TokenScene(fault: "locked", lies: false)
      let store = try scene.store()
      try await store.create()
      try SoftTokens.set(scene.module, lies: true)
      await #expect(throws: DeviceKeyError.lockedOut(tag: "k", retryAfter: nil)) {
        try await store.open(pin: "000000")
      }
      #expect(try await store.pinTries(tag: "k")?.left == 0)
      try SoftTokens.set(scene.module, lies: false)
      // The token has seen no wrong PIN.
      #expect(try await store.pinTries(tag: "k") == nil)
      let locks = try TokenScene(fault: "locks")
      await #expect(throws: DeviceKeyError.lockedOut(tag: "k", retryAfter: nil)) {
        try await locks.store().create()
      }
    }

    @Test(arguments: [("count-low", 2), ("final-try", 1), ("locked", 0)])
    func `the tries left are those of the token's flags`(fault: String, left: Int) async throws {
      let scene = try TokenScene(fault: fault)
      let tries = try await scene.store().token(ofKey: nil)?.pinTries
      #expect(tries == PINTries(left: left, wrong: 1, wait: 0, isOfToken: true))
    }

    @Test func `a token's own name is shown on one line without control characters`() async throws {
      let scene = try TokenScene(fault: "hardware")
      let store = try scene.store()
      try await store.create()
      #expect(try await store.kind(ofKey: "k") == .pkcs11)
      let text = try #require(try await store.token(ofKey: "k")).text
      #expect(
        text.hasPrefix("device (ACME") && !text.contains("\u{1B}") && !text.contains("software"), "\(text)")
    }
  }

  /// Where modules may be.
  @Suite struct Modules {
    @Test(arguments: ["file", "folder", "link", "sticky", "link to a link"])
    func `a module that others may change is not opened`(what: String) async throws {
      let scene = try TokenScene(fault: "honest")
      func setMode(_ mode: Int, _ path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
      }
      var module = scene.module
      let folder = scene.folder.file("modules")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let moved = folder.appending(path: "liar-honest.so").path
      switch what {
      case "file": try setMode(0o666, module)
      case "link":
        try FileManager.default.createSymbolicLink(atPath: moved, withDestinationPath: module)
        try setMode(0o777, folder.path)
        module = moved
      case "link to a link":
        try FileManager.default.createSymbolicLink(atPath: moved, withDestinationPath: module)
        try setMode(0o777, folder.path)
        module = scene.folder.file("link.so").path
        try FileManager.default.createSymbolicLink(atPath: module, withDestinationPath: moved)
      default:
        try FileManager.default.moveItem(atPath: module, toPath: moved)
        try setMode(what == "sticky" ? 0o1777 : 0o772, folder.path)
        module = moved
      }
      let text = await refusal { try await scene.store(module: module).create() }
      #expect(text.contains("other users may write to") && text.contains("chmod go-w"), "\(text)")
      try setMode(0o700, folder.path)
      try setMode(0o600, scene.module == module || what.hasPrefix("link") ? scene.module : module)
      try await scene.store(module: module).create()
    }

    @Test(arguments: ["/nowhere/module.so", "libsofthsm2.so", "", "/etc", "/etc/passwd", "/dev/null"])
    func `what is not a module is named`(path: String) async throws {
      let scene = try TokenScene()
      let text = await refusal { try await scene.store(module: path).create() }
      #expect(text.contains("The PKCS#11 module \(path) cannot be used"), "\(text)")
    }

    @Test func `without a named module no key is made, and each key's own module is used`() async throws {
      let scene = try TokenScene()
      let made = try await scene.store().create()
      let store = try PKCS11KeyStore(directory: scene.folder.file("keys"), module: nil)
      guard case .absent = await store.availability() else {
        Issue.record("a store without a module is there")
        return
      }
      #expect(!store.makesKeysInTokens)
      #expect(try await store.token(ofKey: nil) == nil)
      await #expect(throws: DeviceKeyError.self) { try await store.create("other") }
      try await expectSigns(try await store.open(), for: made)
      // Another module's key is not asked of the one that is named.
      try await expectSigns(try await scene.store(module: "/nowhere/module.so").open(), for: made)
    }

    @Test func `a module that has moved is found by its new name`() async throws {
      let scene = try TokenScene(fault: "honest")
      let made = try await scene.store().create()
      try FileManager.default.removeItem(atPath: scene.module)
      try await expectSigns(try await scene.store(module: SoftTokens.module).open(), for: made)
      let text = await refusal { _ = try await scene.store(module: "/nowhere/module.so").open() }
      #expect(text.contains("/nowhere/module.so cannot be used"), "\(text)")
    }

    @Test func `a module that is gone, such as by an upgrade, stays open where it is in use`() async throws {
      let scene = try TokenScene(fault: "honest")
      let made = try await scene.store().create()
      try FileManager.default.removeItem(atPath: scene.module)
      try await expectSigns(try await scene.store().open(), for: made)
    }

    @Test func `listing and deleting need no module`() async throws {
      let scene = try TokenScene(fault: "honest")
      try await scene.store().create()
      try FileManager.default.removeItem(atPath: scene.module)
      let without = try PKCS11KeyStore(directory: scene.folder.file("keys"), module: nil)
      #expect(try await without.keys().count == 1)
      #expect(try await without.token(ofKey: "k")?.label == "device")
      try await without.deleteKey(tag: "k")
      #expect(try await without.keys().isEmpty)
    }
  }
}
