import Crypto
import DeviceKeys
import Foundation
import JOSE
import Testing
import UserVerification

@testable import DeviceKeysApple

@Suite("What is kept beside a key of the keychain")
struct KeyRecordTests {
  private let publicKey = P256.Signing.PrivateKey().publicKey

  private func record(_ enrolment: EnrolmentFingerprint? = nil) -> KeyRecord {
    KeyRecord(
      protection: .biometricOrCredential, kind: .secureEnclave, publicKey: publicKey.x963Representation,
      createdAt: Date(timeIntervalSince1970: 1_763_384_307.769), enrolment: enrolment)
  }

  @Test
  func `what was written is read back`() throws {
    let written = record(EnrolmentFingerprint(digesting: [[1, 2, 3]]))
    let read = try KeyRecord(JSONEncoder().encode(written), tag: "tag")
    #expect(read == written)
    let key = try read.described(tag: "tag")
    #expect(key.tag == "tag" && key.protection == .biometricOrCredential && key.kind == .secureEnclave)
    #expect(key.createdAt == Date(timeIntervalSince1970: 1_763_384_307.769))
    #expect(
      key.publicKey.material
        == .p256(
          x: Array(publicKey.rawRepresentation.prefix(32)), y: Array(publicKey.rawRepresentation.suffix(32))))
  }

  @Test(arguments: ["", "{}", "[]", #"{"version":1}"#])
  func `a damaged record is unreadable, not absent`(text: String) {
    #expect {
      try KeyRecord(Data(text.utf8), tag: "tag")
    } throws: { error in
      guard case DeviceKeyError.unreadable(let path, _) = error else { return false }
      return path.contains("tag")
    }
  }

  @Test
  func `a record of a later version says which it is`() throws {
    var text = String(decoding: try JSONEncoder().encode(record()), as: UTF8.self)
    text.replace(#""version":1"#, with: #""version":2"#)
    let error = #expect(throws: DeviceKeyError.self) { try KeyRecord(Data(text.utf8), tag: "tag") }
    #expect(error?.errorDescription?.contains("version 2") == true)
  }

  @Test
  func `a point that is not on the curve describes no key`() throws {
    let broken = KeyRecord(
      protection: .none, kind: .keychain, publicKey: Data([4] + [UInt8](repeating: 1, count: 64)),
      createdAt: Date(), enrolment: nil)
    #expect(throws: DeviceKeyError.self) { try broken.described(tag: "tag") }
  }
}
