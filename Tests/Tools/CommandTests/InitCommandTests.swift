import CommonFixtures
import Foundation
import Testing

@testable import sealring

/// `sealring init app`: the example's package under another name.
@Suite struct InitCommandTests {
  private static let root = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL

  private func files(in folder: URL) throws -> [String: String] {
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path(percentEncoded: false))
      .filter { !$0.hasPrefix(".build/") && $0 != "Package.resolved" }
    var files: [String: String] = [:]
    for path in paths {
      let file = folder.appending(path: path)
      if try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true {
        files[path] = try String(contentsOf: file, encoding: .utf8)
      }
    }
    return files
  }

  @Test func `the package is the example, which is built and tested, under its own name`() async throws {
    try await withTemporaryFolder { folder in
      let place = folder.appending(path: "Kiosk")
      let source = Self.root.path(percentEncoded: false)
      let result = try await CommandLineTool(home: folder).run([
        "init", "app", place.path(percentEncoded: false), "--package", source,
      ])
      #expect(result.status == 0, "\(result.errors)")
      var expected = try files(in: Self.root.appending(path: "Examples/App"))
        .reduce(into: [String: String]()) {
          $0[$1.key.replacing("Payments", with: "Kiosk")] = $1.value.replacing("Payments", with: "Kiosk")
        }
      expected["Package.swift"] = expected["Package.swift"]?.replacing("\"../..\"", with: "\"\(source)\"")
      #expect(try files(in: place) == expected)
    }
  }

  @Test func `a package at an address stays below the next version that may break`() async throws {
    try await withTemporaryFolder { folder in
      let place = folder.appending(path: "Kiosk")
      let address = "https://git.example.com/forks/ring.git"
      _ = try await CommandLineTool(home: folder).run([
        "init", "app", place.path(percentEncoded: false), "--package", address,
      ])
      let manifest = try #require(try files(in: place)["Package.swift"])
      #expect(manifest.contains(#".package(url: "\#(address)", .upToNextMinor(from: ""#))
      #expect(manifest.contains(#"package: "ring""#) && !manifest.contains("../.."))
    }
  }

  @Test(arguments: ["my-app", "1st", "Sealring", "Testing", "a b", "\"+x", String(repeating: "a", count: 65)])
  func `what cannot name a module is refused, and nothing is written`(_ name: String) async throws {
    try await withTemporaryFolder { folder in
      let result = try await CommandLineTool(home: folder).run([
        "init", "app", folder.appending(path: name).path(percentEncoded: false),
      ])
      #expect(result.status == 64, "\(result)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path()).isEmpty)
    }
  }

  @Test func `a folder that is there is left alone`() async throws {
    try await withTemporaryFolder { folder in
      let place = folder.appending(path: "Kiosk")
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      let result = try await CommandLineTool(home: folder).run([
        "init", "app", place.path(percentEncoded: false), "--package", Self.root.path(percentEncoded: false),
      ])
      #expect(result.status == 1 && result.errors.contains("there already"))
      #expect(try files(in: place).isEmpty)
    }
  }

  @Test func `a folder that is not Sealring's is no package of it`() async throws {
    try await withTemporaryFolder { folder in
      let result = try await CommandLineTool(home: folder).run([
        "init", "app", folder.appending(path: "Kiosk").path(percentEncoded: false), "--package",
        folder.path(percentEncoded: false),
      ])
      #expect(result.status == 64 && result.errors.contains("no Package.swift of Sealring"))
    }
  }
}
