#if os(Linux)
  import CommonFixtures
  import Foundation
  import Testing

  /// Where `sealring passkey serve` cannot begin; what it does is tested with python-fido2 in EndToEndTests.
  @Suite struct PasskeyServeTests {
    @Test func `without the kernel's device it says what to do`() async throws {
      try #require(
        !FileManager.default.fileExists(atPath: "/dev/uhid"), "a kernel with uhid would make a device")
      try await withTemporaryFolder { folder in
        let result = try await CommandLineTool(home: folder).run(["passkey", "serve"])
        #expect(result.status == 1 && result.output.isEmpty)
        #expect(
          result.errors.contains("modprobe uhid") && result.errors.contains("--uhid-socket"),
          "\(result.errors)")
      }
    }

    @Test func `a socket without anybody is an error`() async throws {
      try await withTemporaryFolder { folder in
        let path = folder.appending(path: "none").path
        let result = try await CommandLineTool(home: folder).run(["passkey", "serve", "--uhid-socket", path])
        #expect(
          result.status == 1 && result.errors.contains("Cannot connect to \(path)"), "\(result.errors)"
        )
      }
    }

    @Test func `the broker serves a socket that systemd gives it, and nothing else`() async throws {
      try await withTemporaryFolder { folder in
        let result = try await CommandLineTool(home: folder).run(["passkey", "broker"])
        #expect(result.status == 1 && result.errors.contains("docs/linux.md"), "\(result.errors)")
      }
    }

    @Test(arguments: [["--store", "pkcs11"], ["--module", "/usr/lib/x.so"], ["--token", "card"]])
    func `passkeys for other programs are not made in tokens`(options: [String]) async throws {
      try await withTemporaryFolder { folder in
        let result = try await CommandLineTool(home: folder).run(["passkey", "serve"] + options)
        #expect(result.status == 64, "\(result.errors)")
      }
    }
  }
#endif
