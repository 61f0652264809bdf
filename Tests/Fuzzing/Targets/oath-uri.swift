import Foundation
import OATH

extension FuzzTarget {
  /// `otpauth` and `mfauth`: a credential is the same after writing and reading its address again, and gives codes.
  static let oathURI = FuzzTarget(text: { text in
    let now = Date(timeIntervalSince1970: 1_800_000_000)
    guard let credential = try? OathUriParser.credential(of: text, id: "id", now: now) else { return }
    let password = try? credential.password()
    expect(password != nil, "a credential has no code")
    if let password {
      expect(password.code(at: 1).utf8.count == credential.digits, "a code has another length")
    }
    guard let written = try? OathUriParser.address(of: credential) else {
      return expect(false, "a credential has no address")
    }
    guard written.utf8.count <= 16 << 10 else { return }
    guard let again = try? OathUriParser.credential(of: written, id: "id", now: now) else {
      return expect(false, "a credential's own address is refused: \(written)")
    }
    expect(
      again.issuer == credential.issuer && again.accountName == credential.accountName,
      "a name changes: \(written)")
    expect((try? again.password()) == password && again.counter == credential.counter, "codes change")
  })
}
