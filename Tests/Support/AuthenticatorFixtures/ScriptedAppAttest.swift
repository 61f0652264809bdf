internal import Bytes
internal import Crypto
public import Foundation

/// `DCAppAttestService` in a few lines: makes a key, and has an authority of the tests attest it.
public actor ScriptedAppAttest {
  private let authority: AppAttestAuthority
  private var answer = AppAttestAuthority.Answer(clientData: [])

  public init(_ authority: AppAttestAuthority, applicationID: String = "ABCDE12345.com.example.app") {
    self.authority = authority
    answer.applicationID = applicationID
  }

  public func generateKey() -> String {
    answer.key = .init()
    return PaddedBase64.encode(Array(SHA256.hash(data: answer.key.publicKey.x963Representation)))
  }

  public func attest(_ clientDataHash: Data) throws -> Data { try made("attestToken", clientDataHash) }

  public func generateAssertion(_ clientDataHash: Data) throws -> Data { try made("token", clientDataHash) }

  private func made(_ input: String, _ clientDataHash: Data) throws -> Data {
    answer.clientDataHash = Array(clientDataHash)
    return Data(PaddedBase64.decode(try authority.inputs(answer)[input] ?? "") ?? [])
  }
}
