import CommonFixtures
import Foundation
import KeyAttestation
import Testing

@testable import AttestationAuthority

@Suite("An authority's folder") struct AuthorityFolderTests {

  @Test func `the key is its owner's alone, and the opened authority is the one that was made`() async throws
  {
    let folder = try TemporaryFolder.make()
    let made = try folder.authority()
    let place = folder.url.appending(path: "authority")
    #expect(try mode(of: place) == 0o700)
    #expect(try mode(of: place.appending(path: "root-key.pem")) == 0o600)
    let opened = try AttestationAuthority.open(directory: place)
    #expect(try opened.rootPEM == made.rootPEM)
    #expect(try opened.rootPEM == String(contentsOf: place.appending(path: "root.pem"), encoding: .utf8))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["authority"])
  }

  @Test func `an existing authority is not replaced`() throws {
    let folder = try TemporaryFolder.make()
    let first = try folder.authority()
    let failure = #expect(throws: AttestationAuthorityError.self) { _ = try folder.authority() }
    #expect(failure?.description.contains("not empty") == true)
    #expect(
      try AttestationAuthority.open(directory: folder.url.appending(path: "authority")).rootPEM
        == first.rootPEM)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["authority"])
  }

  @Test(arguments: ["", "a\u{7}b", String(repeating: "x", count: 65)])
  func `a name that cannot stand in a certificate is refused`(name: String) throws {
    let folder = try TemporaryFolder.make()
    #expect(throws: AttestationAuthorityError.self) {
      _ = try AttestationAuthority.create(directory: folder.url.appending(path: "a"), name: name)
    }
  }

  @Test(arguments: ["root-key.pem", "root.pem"], [0, 1, 2])
  func `a missing, damaged or foreign file is named`(name: String, damage: Int) throws {
    let folder = try TemporaryFolder.make()
    _ = try folder.authority()
    let place = folder.url.appending(path: "authority")
    let file = place.appending(path: name)
    try FileManager.default.removeItem(at: file)
    switch damage {
    case 0: break
    case 1: try Data("damaged".utf8).write(to: file)
    default:
      let other = try TemporaryFolder.make()
      _ = try other.authority()
      try Data(contentsOf: other.url.appending(path: "authority/\(name)")).write(to: file)
    }
    let failure = #expect(throws: AttestationAuthorityError.self) {
      _ = try AttestationAuthority.open(directory: place)
    }
    #expect(failure?.description.contains(name) == true)
  }
}
