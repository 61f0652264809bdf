internal import Bytes
internal import X509

/// Serial numbers of revoked certificates, as in Google's attestation status list: hexadecimal.
public struct RevokedSerialNumbers: Sendable, Hashable {
  private let serialNumbers: Set<String>

  /// - Parameter hexadecimal: in either case, with or without leading zeros and colons. Anything else matches nothing.
  public init(_ hexadecimal: some Sequence<String>) {
    serialNumbers = Set(
      hexadecimal.map { text in
        String(text.lowercased().filter { $0 != ":" }.drop { $0 == "0" })
      })
  }

  /// Nothing is revoked.
  public init() { serialNumbers = [] }

  /// Throws if one of `certificates` is revoked.
  func check(_ certificates: some Sequence<Certificate>) throws(AttestationFailure) {
    for number in certificates.map(\.serialNumber)
    where serialNumbers.contains(String(number.bytes.hexadecimal.drop { $0 == "0" })) {
      throw AttestationFailure(
        .certificateRevoked, "the certificate with the serial number \(number) is revoked")
    }
  }
}
