internal import Bytes
internal import SwiftASN1
package import X509

/// Maker, model and version of a TPM, as the certificates of its keys tell them: attributes of a directory name among the
/// subject's alternative names (TCG EK Credential Profile §3.2.9, WebAuthn L3 §8.3.1).
package struct TPMDescription: Sendable, Hashable {
  /// Where no maker's certificate says what the TPM is. The number 0 is not a maker's in the TCG's registry.
  package static let unknown = TPMDescription(
    manufacturer: "id:00000000", model: "unknown", version: "id:00000000")

  /// `id:` and the maker's number in the TCG's registry, eight hexadecimal digits.
  package let manufacturer: String

  /// The maker's name of the model.
  package let model: String

  /// `id:` and the version of the firmware in hexadecimal.
  package let version: String

  private static let manufacturerType: ASN1ObjectIdentifier = [2, 23, 133, 2, 1]
  private static let modelType: ASN1ObjectIdentifier = [2, 23, 133, 2, 2]
  private static let versionType: ASN1ObjectIdentifier = [2, 23, 133, 2, 3]

  /// The profile's upper bound of the texts (STRMAX), here in bytes of UTF-8.
  private static let longestText = 256

  init(manufacturer: String, model: String, version: String) {
    self.manufacturer = manufacturer
    self.model = model
    self.version = version
  }

  /// What `certificate` says, each text by itself; ``unknown``'s where it says nothing, or something that is empty, too long, no text
  /// or has control characters. The description decides nothing, so that a strange one is no reason to refuse a TPM.
  init(_ certificate: Certificate) {
    let names = (try? certificate.extensions.subjectAlternativeNames) ?? SubjectAlternativeNames()
    let attributes = names.flatMap { name -> [RelativeDistinguishedName.Attribute] in
      guard case .directoryName(let name) = name else { return [] }
      return name.flatMap { Array($0) }
    }
    func text(_ type: ASN1ObjectIdentifier, or placeholder: String) -> String {
      attributes.lazy.filter { $0.type == type }.compactMap { String($0.value) }.first(where: Self.isUsable)
        ?? placeholder
    }
    self.init(
      manufacturer: text(Self.manufacturerType, or: Self.unknown.manufacturer),
      model: text(Self.modelType, or: Self.unknown.model),
      version: text(Self.versionType, or: Self.unknown.version))
  }

  /// For a certificate without subject, where the extension must be critical.
  package var alternativeName: SubjectAlternativeNames {
    let attributes = [
      (Self.manufacturerType, manufacturer), (Self.modelType, model), (Self.versionType, version),
    ]
    return SubjectAlternativeNames([
      .directoryName(
        DistinguishedName(
          attributes.map { type, text in
            RelativeDistinguishedName(RelativeDistinguishedName.Attribute(type: type, utf8String: text))
          }))
    ])
  }

  private static func isUsable(_ text: String) -> Bool {
    (1...longestText).contains(text.utf8.count)
      && text.unicodeScalars.allSatisfy(\.isFitForLine)
  }
}
