import WebAuthnFormats
import WebAuthnVerification

extension FuzzTarget {
  /// Sign-ins by WebAuthn: the first byte chooses a vector's ceremony; then authenticator data, signature and user handle follow. What is
  /// accepted has the vector's own authenticator data.
  static let assertion = FuzzTarget(
    seeds: {
      Vectors.shared.all.enumerated().map { [UInt8($0)] + joined([$1.authenticatorData, $1.signature]) }
    },
    check: { bytes in
      guard let first = bytes.first else { return }
      let vector = Vectors.shared.all[Int(first) % Vectors.shared.all.count]
      let given = parts(of: Array(bytes.dropFirst()))
      guard given.count >= 2, let attested = vector.attested else { return }
      var clientData = vector.clientData.get
      if given.count > 2 { clientData = given[2] }
      if let data = try? ClientData(parsing: clientData) {
        expect(data.json == clientData, "client data change")
      }
      let response = AssertionResponse(
        clientDataJSON: clientData, authenticatorData: given[0], signature: given[1],
        credentialID: vector.credentialID)
      let credential = RegisteredCredential(
        id: vector.credentialID, publicKey: attested.publicKey, signCount: 0)
      let verifier = AssertionVerifier(AssertionVerifier.Policy(relyingParty: Vectors.shared.relyingParty))
      guard (try? verifier.verify(response, challenge: vector.challenges.get, credential: credential)) != nil
      else { return }
      expect(
        given[0] == vector.authenticatorData && clientData == vector.clientData.get,
        "altered data are accepted")
    })
}
