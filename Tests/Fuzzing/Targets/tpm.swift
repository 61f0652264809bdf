import JOSE
@testable import KeyAttestation
import StrictJSON

extension FuzzTarget {
  /// A TPM's own structures, and the JSON that carries them.
  static let tpm = FuzzTarget { bytes in
    if let area = try? TPMPublicArea(bytes) {
      expect(bytes.count <= TPMPublicArea.maximumBytes, "a long public area is read")
      expect([34, 50, 66].contains(area.name.count), "a Name has another length")
      if case .p256(let x, let y) = area.material {
        expect(x.count == 32 && y.count == 32, "a point is short")
      }
    }
    if let info = try? TPMCertifyInfo(bytes, checksClockFlag: false) {
      expect(bytes.count <= TPMCertifyInfo.maximumBytes, "a long certification is read")
      expect(info.name.count <= 66 && info.extraData.count <= 66, "a field is too long")
      let strict = try? TPMCertifyInfo(bytes)
      expect(strict == nil || strict == info, "the flag of the clock changes the rest")
    }
    if (try? TPMSignature(bytes)) != nil {
      expect(bytes.count <= TPMSignature.maximumBytes, "a long signature is read")
    }
    if let key = try? AttestationKeyArea(bytes) {
      expect((try? TPMPublicArea(bytes))?.name == key.name, "an attestation key has another Name")
    }
    if let key = try? EndorsementKeyArea(bytes) {
      expect([128, 256].contains(key.symmetricBits), "an endorsement key protects with another cipher")
      expect((try? AttestationKeyArea(bytes)) == nil, "a key is for both purposes")
    }
    if let json = try? JSONValue(parsing: bytes), let statement = try? TPMStatement(json: json) {
      expect((try? TPMStatement(json: .object(statement.json))) == statement, "a statement changes")
    }
    let room = AttestationKeyRequest.maximumBytes
    if let request = try? AttestationKeyRequest(parsing: bytes) {
      expect((try? AttestationKeyRequest(parsing: request.json.serialized)) == request, "a request changes")
      expect(bytes.count <= room, "a long request is read")
    }
    if let credential = try? AttestationKeyCredential(parsing: bytes) {
      expect(
        (try? AttestationKeyCredential(parsing: credential.json.serialized)) == credential,
        "a credential changes")
    }
  }
}
