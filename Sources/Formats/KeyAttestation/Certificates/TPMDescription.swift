internal import Bytes
package import SwiftASN1
package import X509

/// Maker, model and version of a TPM, as the certificates of its keys state them: attributes of a directory name among the subject's
/// alternative names (TCG EK Credential Profile §3.2.9, WebAuthn L3 §8.3.1).
package struct TPMDescription: Sendable, Hashable {
  /// The description when no maker's certificate describes the TPM. The number 0 belongs to no maker in the TCG's registry.
  package static let unknown = TPMDescription(
    manufacturer: "id:00000000", model: "unknown", version: "id:00000000")

  /// `id:` and the maker's number in the TCG's registry, eight hexadecimal digits.
  package let manufacturer: String

  /// The maker's name of the model.
  package let model: String

  /// `id:` and the version of the firmware in hexadecimal.
  package let version: String

  /// The attributes with ``manufacturer``, ``model`` and ``version``.
  package static let attributeTypes: [ASN1ObjectIdentifier] = [
    [2, 23, 133, 2, 1], [2, 23, 133, 2, 2], [2, 23, 133, 2, 3],
  ]

  /// The profile's upper bound of the texts (STRMAX), here in bytes of UTF-8.
  private static let longestText = 256
}

extension TPMDescription {
  /// Reads each text from `certificate`. ``unknown`` replaces a text that is missing, empty, too long, not text or has control
  /// characters. The description decides nothing, so a strange one does not refuse a TPM.
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
      manufacturer: text(Self.attributeTypes[0], or: Self.unknown.manufacturer),
      model: text(Self.attributeTypes[1], or: Self.unknown.model),
      version: text(Self.attributeTypes[2], or: Self.unknown.version))
  }

  /// The alternative name for a certificate without subject, where the extension must be critical.
  package var alternativeName: SubjectAlternativeNames {
    let names = zip(Self.attributeTypes, [manufacturer, model, version]).map { type, text in
      RelativeDistinguishedName(RelativeDistinguishedName.Attribute(type: type, utf8String: text))
    }
    return SubjectAlternativeNames([.directoryName(DistinguishedName(names))])
  }

  private static func isUsable(_ text: String) -> Bool {
    (1...longestText).contains(text.utf8.count)
      && text.unicodeScalars.allSatisfy(\.isFitForName)
  }
}
