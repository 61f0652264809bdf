import CommonFixtures
import DeviceKeys
import Foundation
import Testing

@testable import DeviceKeysTPM

/// Names of chips come from settings and the environment; tpm2-tss would run programs for some.
@Suite struct ChipAddressTests {
  @Test(arguments: [
    "device", "device:/dev/tpmrm0", "device:/dev/tpm0", "device:/dev/vtpm/tpm-a_1.0", "tabrmd", "tabrmd:",
    "tabrmd:bus_name=com.intel.tss2.Tabrmd,bus_type=session", "swtpm", "swtpm:port=2321",
    "swtpm:host=::1,port=2321", "mssim:host=chip.example,port=65535",
  ])
  func `chips are named as tpm2-tss names them`(text: String) throws {
    #expect(try ChipAddress(text).text == text)
  }

  @Test(arguments: [
    "cmd:touch /tmp/x", "cmd", "pcap:device:/dev/tpmrm0", "/tmp/evil.so", "./evil.so", "evil.so:x",
    "libtss2-tcti-device.so.0:/dev/tpmrm0", "libtss2-tcti-cmd.so.0:id", "spi-helper:x", "i2c-ftdi", "fuzzing",
    "", ":", "Device:/dev/tpmrm0", " device", "device :/dev/tpmrm0", "device:", "device:tpmrm0",
    "device:/dev/../home/mira/notes", "device:/dev/tpm 0", "device:/dev/tpm0\n", "device:/dev/tpm0;id",
    "swtpm:path=/tmp/x", "swtpm:host=127.0.0.1,port=0", "swtpm:port=99999", "swtpm:port=+1", "swtpm:host=",
    "swtpm:host=a b", "swtpm:host=-x", "swtpm:port=1,port=2", "swtpm:port", "swtpm:port=1,", "mssim:cmd=id",
    "tabrmd:bus_type=other", "tabrmd:bus_name=/etc", "tabrmd:x=y", "device\u{0}:/dev/tpmrm0",
    "swtpm:host=" + String(repeating: "a", count: 300),
  ])
  func `what would run a program or open a library names no chip, at no door`(text: String) async throws {
    let folder = TemporaryFolder()
    #expect(throws: DeviceKeyError.self) { try ChipAddress(text) }
    #expect(throws: DeviceKeyError.self) { try TPMKeyStore(directory: folder.url, tcti: text) }
    // An empty variable counts as unset.
    guard !text.isEmpty else { return }
    #expect(throws: DeviceKeyError.self) {
      try TPMKeyStore(directory: folder.url, environment: [TPMKeyStore.environmentVariable: text])
    }
  }

  @Test func `nothing of a refused name gets onto the terminal`() {
    let error = #expect(throws: DeviceKeyError.self) {
      try ChipAddress("cmd:\u{1B}[2J\n" + String(repeating: "x", count: 10_000))
    }
    let text = error?.localizedDescription ?? ""
    #expect(!text.contains("\n") && text.utf8.count < 1000)
  }

  @Test func `what goes to a chip is not written into a file`() async throws {
    let folder = try TemporaryFolder.make()
    let file = folder.file("notes")
    try Data("notes".utf8).write(to: file)
    let store = try TPMKeyStore(directory: folder.file("keys"), tcti: "device:\(file.path)")
    guard case .unavailable = await store.availability() else {
      Issue.record("A file counts as a chip, or as none")
      return
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == "notes")
  }
}
