#if os(Linux)
  import CommonFixtures
  import CTAP
  import Foundation
  import Testing

  @testable import SecurityKeys

  /// Which security keys are plugged in, from what the kernel says of devices.
  struct AttachedTests {
    private static let descriptor = UHIDDeviceDescription.securityKey(name: "x", vendor: 1, product: 2)
      .reportDescriptor

    private func add(
      _ number: Int, _ uevent: String, descriptor: [UInt8] = Self.descriptor, in folder: URL
    ) throws {
      let device = folder.appending(path: "sys/hidraw\(number)/device")
      try FileManager.default.createDirectory(at: device, withIntermediateDirectories: true)
      try Data(descriptor).write(to: device.appending(path: "report_descriptor"))
      try Data(uevent.utf8).write(to: device.appending(path: "uevent"))
      let files = folder.appending(path: "dev")
      try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
      try Data().write(to: files.appending(path: "hidraw\(number)"))
    }

    private func all(in folder: URL) -> [AttachedSecurityKey] {
      AttachedSecurityKey.all(
        system: folder.appending(path: "sys"), devices: folder.appending(path: "dev").path)
    }

    @Test func `security keys are listed by number, keyboards are not`() throws {
      let folder = try TemporaryFolder.make()
      try add(
        10, "DRIVER=hid-generic\nHID_ID=0003:00001050:00000407\nHID_NAME=Yubico YubiKey OTP+FIDO\n",
        in: folder.url)
      try add(2, "HID_ID=0003:00001209:00000001\nHID_NAME=Sealring Virtual Security Key\n", in: folder.url)
      try add(
        3, "HID_NAME=Keyboard\n", descriptor: [0x05, 0x01, 0x09, 0x06, 0xA1, 0x01, 0xC0], in: folder.url)
      let keys = all(in: folder.url)
      #expect(keys.map(\.name) == ["Sealring Virtual Security Key", "Yubico YubiKey OTP+FIDO"])
      #expect(
        keys.map { $0.path.hasSuffix("/dev/hidraw2") || $0.path.hasSuffix("/dev/hidraw10") } == [true, true])
      #expect(keys.last?.vendor == 0x1050 && keys.last?.product == 0x0407 && keys.allSatisfy(\.isPermitted))
      #expect(all(in: folder.url.appending(path: "none")).isEmpty)
    }

    @Test func `a name that would move the cursor or hide text is shown without that`() throws {
      let folder = try TemporaryFolder.make()
      try add(0, "HID_NAME=Key\u{1B}[2J\u{202E}\u{200B}" + String(repeating: "x", count: 500), in: folder.url)
      try add(1, "HID_NAME=\nHID_ID=nonsense", in: folder.url)
      let keys = all(in: folder.url)
      #expect(keys.first?.name.hasPrefix("Key[2Jxxx") == true && keys.first?.name.count == 100)
      #expect(keys.last?.name == "without a name" && keys.last?.vendor == 0)
    }

    @Test(
      arguments: [
        [], [0x06], [0x06, 0xD0], [0x06, 0xD0, 0xF1], [0x06, 0xD0, 0xF1, 0x09],
        [0x06, 0xD0, 0xF1, 0x09, 0x02], [0x09, 0x01], [0xFE],
        [0xFE, 0xFF], [0xFE, 0x02, 0x00, 0x06, 0xD0],
      ] as [[UInt8]])
    func `a description that breaks off, or is of something else, is no security key`(bytes: [UInt8]) {
      #expect(!ReportDescriptor.isSecurityKey(bytes))
    }

    @Test func `a key behind other collections, long items or a usage with its page is found`() {
      #expect(ReportDescriptor.isSecurityKey([0x05, 0x01, 0x09, 0x06] + Self.descriptor))
      #expect(ReportDescriptor.isSecurityKey([0xFE, 0x02, 0x00, 0x01, 0x02] + Self.descriptor))
      #expect(ReportDescriptor.isSecurityKey([0x0B, 0x01, 0x00, 0xD0, 0xF1]))
      #expect(!ReportDescriptor.isSecurityKey([UInt8](repeating: 0, count: 4096) + Self.descriptor))
    }

    private func open(_ keys: [AttachedSecurityKey], path: String? = nil) async throws {
      _ = try await SecurityKeyAuthenticator(person: KeyOwner(), path: path, attached: { keys }).open(
        .signIn, "example.com", userName: "", nil)
    }

    @Test func `no key, several keys, one that is not there and one that is no device each say what to do`()
      async throws
    {
      let keys = ["/dev/hidraw0", "/dev/hidraw1"].map {
        AttachedSecurityKey(path: $0, name: "Key", vendor: 1, product: 2, isPermitted: true)
      }
      await #expect(throws: SecurityKeyError.noKey) { try await open([]) }
      await #expect(throws: SecurityKeyError.severalKeys(keys)) { try await open(keys) }
      #expect(SecurityKeyError.severalKeys(keys).localizedDescription.contains("/dev/hidraw1 (Key)"))
      let folder = try TemporaryFolder.make()
      let file = folder.file("file")
      try Data().write(to: file)
      for (path, words) in [
        (folder.file("none").path, "There is no security key at"),
        (file.path, "is neither a device nor a socket"),
      ] {
        let error = await #expect(throws: SecurityKeyError.self) { try await open([], path: path) }
        #expect(error?.localizedDescription.contains(words) == true)
      }
    }

    @Test func `a file that is not this user's names the rule that helps`() {
      let text = SecurityKeyError.notPermitted(path: "/dev/hidraw3").localizedDescription
      #expect(text.contains("/dev/hidraw3") && text.contains("udev rule") && text.contains("ID_FIDO_TOKEN"))
    }
  }
#endif
