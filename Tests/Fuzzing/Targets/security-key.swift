import CBOR
import Crypto
import SecurityKeys
import WebAuthnFormats

extension FuzzTarget {
  /// What a security key answers, and says of itself. What is taken is for the relying party, and what was asked for.
  static let securityKey = FuzzTarget { bytes in
    _ = ReportDescriptor.isSecurityKey(bytes)
    let party = "example.com"
    // As it is, and as an answer for this relying party.
    let hash = Array(SHA256.hash(data: Array(party.utf8)))
    for data in [bytes, hash + bytes.dropFirst(32)] {
      for isVerified in [false, true] {
        let allowed: [[UInt8]] = [[1, 2, 3], Array(bytes.suffix(16))]
        let half = bytes.count / 2
        if let made = try? SecurityKeyCredential(
          format: "packed", statement: Array(bytes[half...]), authenticatorData: data, relyingPartyID: party,
          isVerified: isVerified, excluded: allowed, tellsModel: true)
        {
          expect(!allowed.contains(made.id), "an excluded id is new")
          check(made.attestationObject.authenticatorData, hash, isVerified: isVerified)
        }
        if let made = try? SecurityKeyCredential(
          format: "packed", statement: [], authenticatorData: data, relyingPartyID: party,
          isVerified: isVerified,
          excluded: [], tellsModel: false)
        {
          let object = made.attestationObject
          expect(object.format == "none" && object.statement.count == 0, "the model is told")
          check(object.authenticatorData, hash, isVerified: isVerified)
        }
        let wrapped = CBORValue.bytes(data).encoded
        for (form, id) in [(wrapped, allowed[0]), (wrapped, allowed[1]), (bytes, [])] {
          guard
            let signed = try? SecurityKeyAssertion(
              credentialID: id, authenticatorData: form, signature: Array(bytes.prefix(80)),
              userHandle: Array(bytes.prefix(64)), relyingPartyID: party, allowed: allowed,
              isVerified: isVerified)
          else { continue }
          expect(allowed.contains(signed.credentialID), "another credential signed")
          check(signed.authenticatorData.encoded, hash, isVerified: isVerified)
        }
      }
    }
  }

  private static func check(_ bytes: [UInt8], _ hash: [UInt8], isVerified: Bool) {
    guard let data = try? AuthenticatorData(parsing: bytes) else {
      return expect(false, "the data cannot be read again")
    }
    expect(data.relyingPartyIDHash == hash, "it is for another relying party")
    expect(data.flags.contains(.userPresent), "nobody was there")
    expect(!isVerified || data.flags.contains(.userVerified), "nobody was verified")
  }
}
