import Testing

@testable import DeviceKeysTPM

@Suite struct SocketTransportTests {
  @Test(
    arguments: [
      ("swtpm", "127.0.0.1", 2321), ("swtpm:", "127.0.0.1", 2321), ("swtpm:port=9", "127.0.0.1", 9),
      ("swtpm:host=10.0.0.7,port=65535", "10.0.0.7", 65535), ("swtpm:host=localhost", "127.0.0.1", 2321),
    ] as [(String, String, UInt16)])
  func `addresses are those of tpm2-tss`(tcti: String, host: String, port: UInt16) {
    let address = SocketTransport.Address(tcti: tcti)
    #expect(address?.host == host)
    #expect(address?.port == port)
  }

  /// They are left to tpm2-tss.
  @Test(arguments: [
    "device:/dev/tpmrm0", "mssim:port=1", "swtpmx", "swtpm:path=/tmp/x", "swtpm:port=70000",
    "swtpm:host=chip.example",
    "swtpm:port",
  ])
  func `others are not taken`(tcti: String) { #expect(SocketTransport.Address(tcti: tcti) == nil) }
}
